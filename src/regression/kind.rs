//! Kinds of cells: those whose times vary alike from run to run.

use crate::results::StoredRun;
use crate::timing::Scope;
use repro_base::CellId;
use serde::{Deserialize, Serialize};

/// The smallest n of each kind: the longer a solve takes, the closer its runs lie together.
const SMALLEST: [usize; 4] = [0, 2048, 4096, 16384];

/// The kind of cell that a noise floor is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CellKind {
    pub on_gpu: bool,
    /// The smallest n of the kind: 0, 2048, 4096 or 16384.
    pub from_n: usize,
    /// The scope of its times where a program solved it: the start of a process is no noise of kernels.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub program: Option<Scope>,
}

impl CellKind {
    /// Of a cell of n vertices that no program solved.
    pub fn of(on_gpu: bool, n: usize) -> Self {
        let from_n = SMALLEST.into_iter().rfind(|smallest| *smallest <= n).unwrap_or_default();
        Self { on_gpu, from_n, program: None }
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

    /// The smallest n of the next kind. None of the last one.
    pub fn below_n(self) -> Option<usize> {
        SMALLEST.into_iter().find(|smallest| *smallest > self.from_n)
    }
}

/// The clocks of a program that are compared, the one that is preferred first: it has no time of a kernel's scope.
pub(super) const PROGRAM_CLOCKS: [Scope; 2] = [Scope::ProgramSolve, Scope::Program];

/// The clocks by which cells are compared where `asked` was asked for, the one that is preferred first.
pub(super) fn clocks(asked: Scope) -> impl Iterator<Item = Scope> {
    let of_programs = PROGRAM_CLOCKS.into_iter().filter(move |_| !Scope::PROGRAM.contains(&asked));
    std::iter::once(asked).chain(of_programs)
}
