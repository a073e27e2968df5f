//! Programs that people would use instead: an *adapter*, a file with a command line, becomes an [`Implementation`].
//!
//! A program never runs in the process that measures: each solve starts it anew, within limits and in a fresh folder of its own
//! ([`repro_confine`]). The graph is there as `graph.npy`, an n x n matrix; the distances come back as another such file, which did not exist before
//! and must have the right shape, type and order. They are verified as every result is.
//!
//! # With the protocol
//!
//! One JSON object a line: requests on standard input, answers on standard output.
//!
//! | request | answer |
//! |---|---|
//! | `{"load": {"graph": "graph.npy", "n": 1024, "element": "f32"}}` | `{"loaded": {}}` |
//! | `{"solve": {}}` | `{"solved": {"seconds": 0.0123}}`; its own seconds, if it has any |
//! | `{"store": {"distances": "distances.npy"}}` | `{"stored": {}}` |
//!
//! `{"failed": {"reason": "..."}}` answers any of them. The program is ended when it has answered the last one.
//!
//! [`Scope::ProgramSolve`](repro_solvers::Scope) is from the request to solve until its answer, by the clock of the host. It rests on the adapter's word that it
//! solves neither while it loads nor while it stores. [`Scope::Program`](repro_solvers::Scope) rests on nobody's word: it is from before the program is executed
//! until none of its processes computes any more, and what they have stored by then is the result.
//!
//! # Without it
//!
//! The command line has the placeholders `{graph}`, `{out}`, `{n}` and `{element}`, and the whole alone is timed. In either case `{adapters}` is the
//! folder of the adapter's file.

mod method;
mod probe;
mod protocol;
mod solve;
mod table;

use method::Program;
use repro_graph::ElementType;
use repro_solvers::kernel_file::{FileError, Text};
use repro_solvers::{Implementation, ImplementationFile};
use table::ProgramFile;

/// The implementation that a file describes. Whether its program is there is found when it is first asked for.
///
/// # Errors
/// What of the file is not as described.
pub(crate) fn implementation(of: Text, given: &ImplementationFile) -> Result<Implementation, FileError> {
    let file: ProgramFile = toml::from_str(&given.text).map_err(|error| of.unreadable(&error))?;
    let elements = elements(of, &file)?;
    let solver = Program::new(of, file.program, elements, &given.folder)?;
    Ok(Implementation {
        name: file.name.0.into(),
        summary: file.summary.0.into(),
        source: file.from.0.into(),
        given: Some(given.clone()),
        ..Implementation::new("", "", "", solver)
    })
}

fn elements(of: Text, file: &ProgramFile) -> Result<Vec<ElementType>, FileError> {
    if file.elements.is_empty() {
        return Ok(vec![ElementType::F32]);
    }
    let element = |name: &toml::Spanned<String>| {
        let problem = format!("elements: {:?} is none: expected f32, f64, i32 or u16", name.get_ref());
        name.get_ref().parse().map_err(|_| of.error(&name.span(), problem))
    };
    file.elements.iter().map(element).collect()
}

#[cfg(test)]
mod tests;
