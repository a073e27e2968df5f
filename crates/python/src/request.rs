//! What is to be computed, as the Python half asks for it.

use crate::device::selection;
use crate::error::Failure;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyString;
use repro_device::Selection;
use shortest_paths::{Algorithm, PathSentinels, Paths};
use std::str::FromStr;
use strum::VariantNames;

/// What is to be computed, in the library's terms.
pub struct SolveOptions {
    /// Where paths begin; everywhere if nothing is named.
    pub sources: Option<Vec<usize>>,
    /// Where paths end; everywhere if nothing is named.
    pub targets: Option<Vec<usize>>,
    /// The paths wanted.
    pub paths: Paths,
    /// What stands for no vertex in them.
    pub marks: PathSentinels,
    /// What is farther away counts as not reached.
    pub limit: f64,
    /// Whether to look for the nearest source of each vertex, and not from each.
    pub nearest: bool,
    /// The algorithm, if one is asked for.
    pub algorithm: Option<Algorithm>,
    /// Where dense graphs are solved.
    pub device: Selection,
    /// Whether to check the result.
    pub verify: bool,
    /// How many threads; as many as there are cores if nothing is asked for.
    pub threads: Option<usize>,
    /// What to call with the stage, how much of it is done, and of how much.
    pub progress: Option<Py<PyAny>>,
}

impl SolveOptions {
    /// How many searches find it all, of a graph of `n` vertices; none where Floyd-Warshall may have a part in it, or arcs are asked for one by one.
    pub fn searches(&self, n: usize) -> Option<usize> {
        let count = if self.nearest { 1 } else { self.sources.as_ref().map_or(n, Vec::len) };
        let is_search = match self.algorithm {
            None => count == 1,
            Some(algorithm) => algorithm != Algorithm::FloydWarshall,
        };
        let is_here = matches!(self.device, Selection::Auto | Selection::Cpu);
        (is_search && is_here && !self.verify && !matches!(self.paths, Paths::Next(_))).then_some(count)
    }
}

impl<'py> FromPyObject<'_, 'py> for SolveOptions {
    type Error = Failure;

    /// Of the attributes of `_request.Request`.
    fn extract(request: Borrowed<'_, 'py, PyAny>) -> Result<Self, Failure> {
        let get = |name: &str| request.getattr(name);
        let marks = parse("marks", &get("marks")?, &PathSentinels::NAMED)?;
        let paths =
            [("None", Paths::No), ("predecessor", Paths::Predecessors(marks)), ("next", Paths::Next(marks))];
        Ok(Self {
            sources: vertices(&get("sources")?)?,
            targets: vertices(&get("targets")?)?,
            paths: parse("paths", &get("paths")?, &paths)?,
            marks,
            limit: get("limit")?.extract()?,
            nearest: get("nearest")?.extract()?,
            algorithm: parse_word("algorithm", &get("algorithm")?, "auto")?,
            device: selection(&get("device")?)?,
            verify: get("verify")?.extract()?,
            threads: get("threads")?.extract()?,
            progress: Some(get("progress")?).filter(|progress| !progress.is_none()).map(Bound::unbind),
        })
    }
}

/// The Python half has refused negative numbers; what is left of them is no vertex.
fn vertices(chosen: &Bound<PyAny>) -> PyResult<Option<Vec<usize>>> {
    let Some(chosen) = chosen.extract::<Option<PyReadonlyArray1<i64>>>()? else { return Ok(None) };
    let vertices = chosen.as_slice()?.iter().map(|vertex| usize::try_from(*vertex).unwrap_or(usize::MAX));
    Ok(Some(vertices.collect()))
}

/// As [`parse`], of a type whose words are listed, or of `none`, by which nothing is chosen.
///
/// # Errors
/// Those of [`parse`].
pub fn parse_word<T: Copy + FromStr + VariantNames>(
    what: &str,
    given: &Bound<PyAny>,
    none: &str,
) -> Result<Option<T>, Failure> {
    let words = T::VARIANTS.iter().map(|word| (*word, word.parse().ok()));
    let table: Vec<(&str, Option<T>)> = std::iter::once((none, None)).chain(words).collect();
    parse(what, given, &table)
}

/// The value that the table has for an argument's string, or, by the name "None", for `None`.
///
/// # Errors
/// Every other argument, with what may be given.
pub fn parse<T: Copy>(what: &str, given: &Bound<PyAny>, table: &[(&str, T)]) -> Result<T, Failure> {
    let text = given.cast::<PyString>().ok().map(|text| text.to_cow()).transpose()?;
    let text = if given.is_none() { Some("None") } else { text.as_deref().filter(|text| *text != "None") };
    if let Some((_, value)) = table.iter().find(|(name, _)| text == Some(*name)) {
        return Ok(*value);
    }
    let names: Vec<String> = table
        .iter()
        .map(|(name, _)| if *name == "None" { (*name).to_string() } else { format!("'{name}'") })
        .collect();
    let (last, others) = names.split_last().ok_or_else(|| Failure::panic("no name is known"))?;
    let message = format!("{what} is {}: give {} or {last}", given.repr()?, others.join(", "));
    Err(Failure::new("RequestError", message))
}
