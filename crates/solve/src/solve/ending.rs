//! How a solve ends that has no result.

use super::checked::Wrong;
use crate::graph::{MatrixError, NegativeCycle, Problem};
use repro_terminal::{Error, Exit, output};
use shortest_paths::read::{Names, ReadError, ReadProblem};
use shortest_paths::write::WriteError;
use shortest_paths::{GraphError, PathError, SolveError};

/// Why there is no result.
#[derive(Debug)]
pub(super) enum Stop {
    /// Distances do not exist.
    NegativeCycle(NegativeCycle),
    /// The user has interrupted it.
    Interrupted,
    /// A result does not stand up to a check.
    Wrong(Wrong),
    /// Anything else, in one line.
    Other(Error),
}

impl From<SolveError> for Stop {
    fn from(error: SolveError) -> Self {
        match error {
            SolveError::NegativeCycle(cycle) => Self::NegativeCycle(cycle),
            SolveError::Cancelled => Self::Interrupted,
            // What a row was refused for by its file or its check, which name themselves.
            SolveError::Sink(refused) => match refused.downcast::<Wrong>() {
                Ok(wrong) => Self::Wrong(*wrong),
                Err(refused) => Self::Other(refused),
            },
            other => Self::Other(other.into()),
        }
    }
}

impl From<PathError> for Stop {
    fn from(error: PathError) -> Self {
        match error {
            PathError::Cancelled => Self::Interrupted,
            other => Self::Wrong(Wrong::Path(other)),
        }
    }
}

impl From<Wrong> for Stop {
    fn from(wrong: Wrong) -> Self {
        Self::Wrong(wrong)
    }
}

impl From<WriteError> for Stop {
    fn from(error: WriteError) -> Self {
        Self::Other(error.into())
    }
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Self::Other(error.into())
    }
}

/// The exit code, once the user knows why.
pub(super) fn of_solving(stop: Stop, names: &Names) -> Result<Exit, Error> {
    match stop {
        Stop::NegativeCycle(cycle) => {
            complain_of(&cycle, names);
            Ok(Exit::Failed)
        }
        Stop::Interrupted => {
            output::complain("interrupted: nothing is stored");
            Ok(Exit::Interrupted)
        }
        Stop::Wrong(wrong) => {
            output::complain(&format!("error: {wrong}; nothing is stored"));
            Ok(Exit::Failed)
        }
        Stop::Other(error) => Err(error),
    }
}

/// The end of a solve whose graph cannot be read. One may have a negative arc from a vertex to itself.
pub(super) fn of_reading(error: ReadError) -> Result<Exit, Error> {
    let is_negative_loop = match &*error.problem {
        ReadProblem::Graph(GraphError::NegativeCycle(_))
        | ReadProblem::Text(Problem::NegativeSelfLoop { .. }) => true,
        ReadProblem::Text(Problem::Matrix(matrix)) | ReadProblem::Matrix(matrix) => {
            matches!(matrix, MatrixError::NotZeroOnDiagonal { value, .. } if *value < 0.0)
        }
        _ => false,
    };
    if is_negative_loop {
        output::complain(&format!("error: {error}"));
        return Ok(Exit::Failed);
    }
    Err(error.into())
}

fn complain_of(found: &NegativeCycle, names: &Names) {
    let arcs = found.cycle.len();
    let round = found.cycle.iter().chain(found.cycle.first()).map(|&vertex| names.name(vertex));
    output::complain(&format!(
        "error: negative cycle of {arcs} arc{} and length {}: {}; shortest paths do not exist: raise or remove one of its weights",
        if arcs == 1 { "" } else { "s" },
        found.weight,
        round.collect::<Vec<_>>().join(" -> "),
    ));
}
