//! What is said of a solve: values, of which lines are made for people and one JSON object for programs.

use super::checks::Verified;
use super::choice::{Chosen, Place};
use super::clock::Seconds;
use super::input::Described;
use super::no_path::NoPath;
use super::out::Out;
use super::shown::{Line, bytes, counted, quantity, seconds, text};
use super::stored::PathKind;
use super::words::{JsonNumber, Vertex};
use crate::graph::{ElementType, NegativeCycle};
use repro_terminal::output;
use serde::Serialize;
use shortest_paths::read::Names;
use std::io;
use std::path::PathBuf;

/// The version of the JSON object's form.
const VERSION: u32 = 1;

/// How much is said, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Manner {
    pub quiet: bool,
    /// One JSON object at the end in place of lines.
    pub json: bool,
    /// On standard error, since standard output has the distances.
    pub aside: bool,
}

/// The end of a solve, as an object of JSON.
#[derive(Serialize)]
pub(super) struct Report<'a> {
    schema_version: u32,
    outcome: Outcome,
    /// None where it could not be read.
    graph: Option<&'a Described>,
    #[serde(flatten)]
    done: Option<&'a Done>,
    /// Why there is no result.
    error: Option<String>,
    pub negative_cycle: Option<Cycle>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Outcome {
    Solved,
    NegativeCycle,
    /// A result that a check refuted, which is not stored.
    Wrong,
}

/// A negative cycle, whose last vertex leads to its first.
#[derive(Debug, Serialize)]
pub(super) struct Cycle {
    vertices: Vec<Vertex>,
    length: JsonNumber,
}

/// What was done.
#[derive(Serialize)]
pub(super) struct Done {
    #[serde(rename = "algorithm")]
    pub chosen: Chosen,
    pub device: Used,
    pub verified: Verified,
    pub distances: Distances,
    pub paths: Option<Paths>,
    pub digest: String,
    pub seconds: Seconds,
    /// Of the distances: how long it takes to write depends on it.
    pub file_system: Option<&'static str>,
}

/// Where it was solved.
#[derive(Serialize)]
pub(super) struct Used {
    #[serde(flatten)]
    pub place: Place,
    /// Seconds of a solve on a device.
    pub kernels_s: Option<f64>,
    pub copies_s: Option<f64>,
    /// Whether Floyd-Warshall did half of its tasks, since the graph was found to be undirected.
    pub half_of_tasks: Option<bool>,
}

/// The stored distances.
#[derive(Serialize)]
pub(super) struct Distances {
    #[serde(rename = "file")]
    pub out: Out,
    pub sources: usize,
    pub targets: usize,
    pub element: ElementType,
    /// As a matrix.
    pub bytes: u128,
    pub pairs_without_path: u64,
    pub no_path: NoPath,
}

/// The stored paths.
#[derive(Serialize)]
pub(super) struct Paths {
    pub file: PathBuf,
    pub kind: PathKind,
    pub bytes: u128,
    /// What stands where no path leads.
    pub no_path: i32,
}

impl Manner {
    /// Shows lines to people.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub fn say(self, lines: &[Line]) -> io::Result<()> {
        if self.aside {
            text(lines).lines().for_each(output::complain);
            return Ok(());
        }
        output::show(&text(lines))
    }

    /// Says what is known before the solve.
    ///
    /// # Errors
    /// As [`Manner::say`].
    pub fn begin(self, graph: &Described, chosen: &Chosen) -> io::Result<()> {
        if self.quiet || self.json {
            return Ok(());
        }
        self.say(&[graph.lines(), chosen.lines()].concat())
    }

    /// Says how it ended. Without a result standard error has said it already, and what is left is for programs.
    ///
    /// # Errors
    /// As [`Manner::say`].
    pub fn end(self, report: &Report) -> io::Result<()> {
        match report.done {
            _ if self.json => output::print(&output::json(report)?),
            Some(done) if self.quiet => self.say(&done.places()),
            Some(done) => self.say(&done.lines()),
            None => Ok(()),
        }
    }
}

impl<'a> Report<'a> {
    pub fn of(done: &'a Done, graph: &'a Described) -> Self {
        Self { done: Some(done), ..Self::without_result(Outcome::Solved, Some(graph), None) }
    }

    pub fn without_result(outcome: Outcome, graph: Option<&'a Described>, error: Option<String>) -> Self {
        Self { schema_version: VERSION, outcome, graph, done: None, error, negative_cycle: None }
    }
}

impl Cycle {
    pub fn of(found: &NegativeCycle, names: &Names) -> Self {
        let vertices = found.cycle.iter().map(|&vertex| Vertex::of(vertex, names)).collect();
        Self { vertices, length: JsonNumber(found.weight) }
    }
}

impl Done {
    fn lines(&self) -> Vec<Line> {
        let mut lines = vec![self.verified.line()];
        lines.extend(self.places());
        lines.push(Line::new("digest", &*self.digest));
        lines.push(Line::new("time", self.times()));
        lines
    }

    /// Where the parts of the result are, and what they hold where no path leads.
    fn places(&self) -> Vec<Line> {
        let Distances { out, sources, targets, element, .. } = &self.distances;
        let without = match self.distances.pairs_without_path {
            0 => "every pair has a path".to_string(),
            count => {
                format!("{} without a path, {}", counted(count, "pair", "pairs"), self.distances.no_path)
            }
        };
        let distances = format!(
            "{out}: {} x {} of {element}, {}; {without}",
            quantity(*sources, "source", "sources"),
            quantity(*targets, "target", "targets"),
            bytes(self.distances.bytes)
        );
        let mut lines = vec![Line::new("distances", distances)];
        if let Some(Paths { file, kind, bytes: size, no_path }) = &self.paths {
            let (file, kind) = (file.display(), kind.name());
            let paths = format!("{file}: {kind}, i32, {}; {no_path} where no path leads", bytes(*size));
            lines.push(Line::new("paths", paths));
        }
        lines
    }

    fn times(&self) -> String {
        let mut parts: Vec<String> =
            self.seconds.0.iter().map(|(part, time)| format!("{part} {}", seconds(*time))).collect();
        if let Some(start) = parts.first_mut().filter(|part| *part == "start under 1 us") {
            // The system counts in steps of so much.
            *start = "start under 10 ms".to_string();
        }
        let mut of_solve = Vec::new();
        if let Some((kernels, copies)) = self.device.kernels_s.zip(self.device.copies_s) {
            of_solve.push(format!("kernels {}, copies {}", seconds(kernels), seconds(copies)));
        }
        if self.device.half_of_tasks == Some(true) {
            of_solve.push("undirected: half of the tasks".to_string());
        }
        if let Some(solve) = parts.iter_mut().find(|part| part.starts_with("solve"))
            && !of_solve.is_empty()
        {
            *solve += &format!(" ({})", of_solve.join("; "));
        }
        let system = self.file_system.map_or(String::new(), |name| format!(" ({name})"));
        format!("{}{system}", parts.join(", "))
    }
}
