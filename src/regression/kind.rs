//! Kinds of cells: those whose times have the same noise.

use crate::results::StoredRun;
use crate::timing::Scope;
use repro_types::CellId;
use serde::Serialize;

/// Up to this n a solve takes some milliseconds on a GPU: processes of one build were seen to lie up to 5% apart at n = 1024 there, up to
/// 2% at n = 2048, and hardly more than 1% above it.
const SMALL_ON_GPU: usize = 2048;
/// Up to this n it takes some tens of milliseconds on a CPU.
const SMALL_ON_CPU: usize = 1024;

/// The kind of cell that a noise floor is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CellKind {
    pub on_gpu: bool,
    /// n of 2,048 and less on a GPU, of 1,024 and less on a CPU.
    pub small_n: bool,
    /// The scope of its times where a program solved it: the start of a process is no noise of kernels.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub program: Option<Scope>,
}

impl CellKind {
    /// Of a cell of n vertices that no program solved.
    pub fn of(on_gpu: bool, n: usize) -> Self {
        Self { on_gpu, small_n: n <= Self::small_up_to(on_gpu), program: None }
    }

    /// The largest n that is small.
    pub fn small_up_to(on_gpu: bool) -> usize {
        if on_gpu { SMALL_ON_GPU } else { SMALL_ON_CPU }
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
