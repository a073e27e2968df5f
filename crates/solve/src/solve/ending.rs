//! How a solve ends that has no result.
//! Also times the phases of the program.

use super::SolveArgs;
use super::labels::{JsonNumber, counted, vertex};
use super::report::{Cycle, Report};
use super::work::SolveRequest;
use crate::graph::MatrixError;
use repro_base::terminal::{Error, Exit, end_interrupted, output, say_when_interrupted};
use serde::{Serialize, Serializer};
use shortest_paths::read::{ReadError, ReadProblem};
use shortest_paths::write::{WriteError, WriteProblem};
use shortest_paths::{GraphError, SearchError, SolveError};
use std::io;
use std::time::Instant;

/// The cause of an error, without the errors around it that only say where it came up.
fn cause(error: Error) -> Error {
    let error = match error.downcast::<SolveError>().map(|error| *error) {
        Ok(SolveError::Search(error)) => return error.into(),
        // The error of a row's file or check, which says itself where it is from.
        Ok(SolveError::Sink(refused)) => return cause(refused),
        Ok(other) => return other.into(),
        Err(other) => other,
    };
    match error.downcast::<WriteError>().map(|error| *error) {
        // By the bare error, callers know that the reader of standard output has left.
        Ok(WriteError { problem: WriteProblem::Unwritable(system), .. })
            if system.kind() == io::ErrorKind::BrokenPipe =>
        {
            system.into()
        }
        Ok(other) => other.into(),
        Err(other) => other,
    }
}

/// Whether a check refuted the result.
fn is_wrong(error: &Error) -> bool {
    let error = error.downcast_ref::<SolveError>();
    error.is_some_and(|error| matches!(error, SolveError::NotDistances { .. } | SolveError::Path(_)))
}

/// Tells the user why there is no result, and returns the exit code.
///
/// # Errors
/// Anything but a negative cycle, a result that a check refuted, and an interrupt.
pub(super) fn without_result(error: Error, request: &SolveRequest) -> Result<Exit, Error> {
    let SolveRequest { args, names, graph, .. } = request;
    let left = match args.out_file() {
        Some(_) => "nothing is stored",
        None => "what standard output has is not whole",
    };
    let error = cause(error);
    let (outcome, error, cycle) = match error.downcast_ref::<SearchError>() {
        Some(SearchError::NegativeCycle(cycle)) => {
            let vertices = cycle.cycle.iter().map(|&at| vertex(at, names)).collect();
            let found = Cycle { vertices, length: JsonNumber(cycle.weight) };
            let arcs = counted(cycle.cycle.len(), "arc", "arcs");
            let round = cycle.cycle.iter().chain(cycle.cycle.first()).map(|&vertex| names.name(vertex));
            let complaint = format!(
                "negative cycle of {arcs} and length {}: {}; shortest paths do not exist: raise or remove one of its weights",
                cycle.weight,
                round.collect::<Vec<_>>().join(" -> "),
            );
            ("negative-cycle", complaint, Some(found))
        }
        Some(SearchError::Cancelled) => {
            say_when_interrupted(format!("interrupted: {left}"));
            return Ok(end_interrupted());
        }
        _ if is_wrong(&error) => ("wrong", format!("a result is wrong: {error}; {left}"), None),
        _ => return Err(error),
    };
    fail(error, Report { negative_cycle: cycle, ..Report::new(outcome, Some(graph)) }, args)
}

/// Ends a solve whose graph cannot be read, since it has a negative arc from a vertex to itself.
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
    fail(error.to_string(), Report::new("negative-cycle", None), args)
}

fn fail(error: String, report: Report, args: &SolveArgs) -> Result<Exit, Error> {
    output::complain(&format!("error: {error}"));
    Report { error: Some(error), ..report }.show(args)?;
    Ok(Exit::Failed)
}

/// Seconds of phases, one after the other; serialized as an object of JSON.
#[derive(Clone)]
pub(super) struct PhaseTimer {
    pub phases: Vec<(&'static str, f64)>,
    last: Instant,
}

impl PhaseTimer {
    /// Begins the first phase.
    pub fn start() -> Self {
        Self { phases: Vec::new(), last: Instant::now() }
    }

    /// Ends a phase, which began when the one before it ended.
    pub fn lap(&mut self, name: &'static str) {
        self.lap_at(name, Instant::now());
    }

    /// Ends a phase at `end`, which began where the last one ended.
    pub fn lap_at(&mut self, name: &'static str, end: Instant) {
        self.phases.push((name, end.saturating_duration_since(self.last).as_secs_f64()));
        self.last = end;
    }
}

impl Serialize for PhaseTimer {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.phases.iter().copied())
    }
}
