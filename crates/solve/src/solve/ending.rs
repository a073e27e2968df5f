//! How a solve ends that has no result.

use super::input::Described;
use super::report::{Cycle, Manner, Outcome, Report};
use crate::graph::{MatrixError, NegativeCycle};
use repro_terminal::{Error, Exit, end_interrupted, output, say_when_interrupted};
use shortest_paths::read::{Names, ReadError, ReadProblem};
use shortest_paths::write::{WriteError, WriteProblem};
use shortest_paths::{CheckError, GraphError, PathError, SearchError, SinkError, SolveError};
use std::io;

/// Why there is no result.
#[derive(Debug)]
pub(super) enum Stop {
    /// Distances do not exist.
    NegativeCycle(NegativeCycle),
    /// The user has interrupted it.
    Interrupted,
    /// A result does not stand up to a check.
    Wrong(CheckError),
    /// Anything else, in one line.
    Other(Error),
}

impl From<SearchError> for Stop {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::NegativeCycle(cycle) => Self::NegativeCycle(cycle),
            SearchError::Cancelled => Self::Interrupted,
            other => Self::Other(other.into()),
        }
    }
}

impl From<SolveError> for Stop {
    fn from(error: SolveError) -> Self {
        match error {
            SolveError::Search(error) => error.into(),
            // What a row was refused for by its file or its check, which name themselves.
            SolveError::Sink(refused) => match refused.downcast::<CheckError>() {
                Ok(wrong) => Self::from(*wrong),
                Err(refused) => match refused.downcast::<WriteError>() {
                    Ok(unwritten) => Self::from(*unwritten),
                    Err(refused) => Self::Other(refused),
                },
            },
            other => Self::Other(other.into()),
        }
    }
}

impl From<CheckError> for Stop {
    fn from(error: CheckError) -> Self {
        match error {
            CheckError::Path(PathError::Cancelled) => Self::Interrupted,
            CheckError::Row(SolveError::NotDistances { .. }) | CheckError::Path(_) => Self::Wrong(error),
            CheckError::Row(error) => error.into(),
        }
    }
}

/// A row of a search that did not stand up to its check, as the sink of its rows returns it.
pub(super) fn refuted(error: CheckError) -> SinkError {
    error.into()
}

impl From<WriteError> for Stop {
    fn from(error: WriteError) -> Self {
        match error.problem {
            // A reader of standard output that has seen enough is known by the bare error.
            WriteProblem::Unwritable(system) if system.kind() == io::ErrorKind::BrokenPipe => {
                Self::Other(system.into())
            }
            problem => Self::Other(WriteError { problem, ..error }.into()),
        }
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Other(error.into())
    }
}

/// The exit code, once the user knows why.
pub(super) fn of_solving(
    stop: Stop,
    names: &Names,
    graph: &Described,
    manner: Manner,
) -> Result<Exit, Error> {
    let (outcome, error, negative_cycle) = match stop {
        Stop::NegativeCycle(cycle) => {
            (Outcome::NegativeCycle, complaint_of(&cycle, names), Some(Cycle::of(&cycle, names)))
        }
        Stop::Wrong(wrong) => {
            (Outcome::Wrong, format!("a result is wrong: {wrong}; {}", nothing_left(manner)), None)
        }
        Stop::Interrupted => {
            say_when_interrupted(format!("interrupted: {}", nothing_left(manner)));
            return Ok(end_interrupted());
        }
        Stop::Other(error) => return Err(error),
    };
    output::complain(&format!("error: {error}"));
    let mut report = Report::without_result(outcome, Some(graph), Some(error));
    report.negative_cycle = negative_cycle;
    manner.end(&report)?;
    Ok(Exit::Failed)
}

fn nothing_left(manner: Manner) -> &'static str {
    if manner.aside { "what standard output has is not whole" } else { "nothing is stored" }
}

/// The end of a solve whose graph cannot be read. One may have a negative arc from a vertex to itself.
pub(super) fn of_reading(error: ReadError, manner: Manner) -> Result<Exit, Error> {
    let is_negative_loop = match &*error.problem {
        ReadProblem::NegativeLoop { .. } | ReadProblem::Graph(GraphError::NegativeCycle(_)) => true,
        ReadProblem::Matrix(matrix) => {
            matches!(matrix, MatrixError::NotZeroOnDiagonal { value, .. } if *value < 0.0)
        }
        _ => false,
    };
    if is_negative_loop {
        output::complain(&format!("error: {error}"));
        manner.end(&Report::without_result(Outcome::NegativeCycle, None, Some(error.to_string())))?;
        return Ok(Exit::Failed);
    }
    Err(error.into())
}

fn complaint_of(found: &NegativeCycle, names: &Names) -> String {
    let arcs = found.cycle.len();
    let round = found.cycle.iter().chain(found.cycle.first()).map(|&vertex| names.name(vertex));
    format!(
        "negative cycle of {arcs} arc{} and length {}: {}; shortest paths do not exist: raise or remove one of its weights",
        if arcs == 1 { "" } else { "s" },
        found.weight,
        round.collect::<Vec<_>>().join(" -> "),
    )
}
