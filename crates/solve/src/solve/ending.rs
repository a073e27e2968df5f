//! How a solve ends that has no result.

use super::SolveArgs;
use super::input::GraphDescription;
use super::report::{Cycle, Outcome, Report};
use crate::graph::{MatrixError, NegativeCycle};
use repro_terminal::{Error, Exit, end_interrupted, output, say_when_interrupted};
use shortest_paths::read::{Names, ReadError, ReadProblem};
use shortest_paths::write::{WriteError, WriteProblem};
use shortest_paths::{CheckError, GraphError, PathError, SearchError, SolveError};
use std::io;

/// What came up, without the errors that only say where.
fn cause(error: Error) -> Error {
    let error = match error.downcast::<SolveError>().map(|error| *error) {
        Ok(SolveError::Search(error)) => return error.into(),
        // What a row was refused for by its file or its check, which name themselves.
        Ok(SolveError::Sink(refused)) => return cause(refused),
        Ok(other) => return other.into(),
        Err(other) => other,
    };
    let error = match error.downcast::<CheckError>().map(|error| *error) {
        Ok(CheckError::Path(PathError::Cancelled)) => return SearchError::Cancelled.into(),
        Ok(wrong @ (CheckError::Row(SolveError::NotDistances { .. }) | CheckError::Path(_))) => {
            return wrong.into();
        }
        Ok(CheckError::Row(error)) => return cause(error.into()),
        Err(other) => other,
    };
    match error.downcast::<WriteError>().map(|error| *error) {
        // A reader of standard output that has seen enough is known by the bare error.
        Ok(WriteError { problem: WriteProblem::Unwritable(system), .. })
            if system.kind() == io::ErrorKind::BrokenPipe =>
        {
            system.into()
        }
        Ok(other) => other.into(),
        Err(other) => other,
    }
}

/// The exit code, once the user knows why.
///
/// # Errors
/// Anything but a negative cycle, a result that a check refuted, and an interrupt.
pub(super) fn without_result(
    error: Error,
    names: &Names,
    graph: &GraphDescription,
    args: &SolveArgs,
) -> Result<Exit, Error> {
    let left = match args.out_file() {
        Some(_) => "nothing is stored",
        None => "what standard output has is not whole",
    };
    let error = cause(error);
    let (outcome, error, cycle) = match error.downcast_ref::<SearchError>() {
        Some(SearchError::NegativeCycle(cycle)) => {
            (Outcome::NegativeCycle, complaint(cycle, names), Some(Cycle::new(cycle, names)))
        }
        Some(SearchError::Cancelled) => {
            say_when_interrupted(format!("interrupted: {left}"));
            return Ok(end_interrupted());
        }
        _ if error.is::<CheckError>() => {
            (Outcome::Wrong, format!("a result is wrong: {error}; {left}"), None)
        }
        _ => return Err(error),
    };
    fail(Report::without_result(outcome, Some(graph), Some(error), cycle), args)
}

/// The end of a solve whose graph cannot be read. One may have a negative arc from a vertex to itself.
///
/// # Errors
/// Anything else.
pub(super) fn without_graph(error: ReadError, args: &SolveArgs) -> Result<Exit, Error> {
    let is_negative_loop = match &*error.problem {
        ReadProblem::NegativeLoop { .. } | ReadProblem::Graph(GraphError::NegativeCycle(_)) => true,
        ReadProblem::Matrix(MatrixError::NotZeroOnDiagonal { value, .. }) => *value < 0.0,
        _ => false,
    };
    if !is_negative_loop {
        return Err(error.into());
    }
    fail(Report::without_result(Outcome::NegativeCycle, None, Some(error.to_string()), None), args)
}

fn fail(report: Report, args: &SolveArgs) -> Result<Exit, Error> {
    output::complain(&format!("error: {}", report.error.as_deref().unwrap_or_default()));
    report.show(args)?;
    Ok(Exit::Failed)
}

fn complaint(found: &NegativeCycle, names: &Names) -> String {
    let arcs = found.cycle.len();
    let round = found.cycle.iter().chain(found.cycle.first()).map(|&vertex| names.name(vertex));
    format!(
        "negative cycle of {arcs} arc{} and length {}: {}; shortest paths do not exist: raise or remove one of its weights",
        if arcs == 1 { "" } else { "s" },
        found.weight,
        round.collect::<Vec<_>>().join(" -> "),
    )
}
