//! Kinds of cells: those whose times have the same noise.

use crate::results::StoredRun;
use crate::timing::Scope;
use repro_types::CellId;
use serde::Serialize;

/// Up to this n a solve takes a millisecond or so on a GPU: processes of one build were seen to lie up to 4% apart there, and within 1%
/// above it.
const SMALL: usize = 1024;

/// The kind of cell that a noise floor is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CellKind {
    pub on_gpu: bool,
    /// n of 1,024 and less.
    #[serde(rename = "n_up_to_1024")]
    pub small: bool,
    /// The scope of its times where a program solved it: the start of a process is no noise of kernels.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub program: Option<Scope>,
}

impl CellKind {
    /// Of a cell of n vertices that no program solved.
    pub fn of(on_gpu: bool, n: usize) -> Self {
        Self { on_gpu, small: n <= SMALL, program: None }
    }

    /// Of what `scope` reads in a cell of `run`.
    pub fn timed(run: &StoredRun, cell: &CellId, scope: Scope) -> Self {
        let program = Some(scope).filter(|scope| Scope::PROGRAM.contains(scope));
        let on_gpu = match program {
            Some(_) => run.is_program_on_gpu(&cell.implementation),
            None => run.is_on_device(&cell.implementation),
        };
        Self { program, ..Self::of(on_gpu, cell.n) }
    }
}
