//! The report of a solve: values that become lines for people, or one JSON object for programs.

use super::SolveArgs;
use super::ending::PhaseTimer;
use super::input::GraphDescription;
use super::labels::JsonNumber;
use super::labels::{LabeledLine, bytes, counted, seconds, text};
use super::plan::SelectedAlgorithm;
use super::plan::VerificationPlan;
use super::sidecar::PathKind;
use super::store::Digest;
use super::work::SolveRequest;
use crate::graph::ElementType;
use repro_base::terminal::output;
use repro_dense::{DenseSolver, SolverDevice};
use serde::Serialize;
use serde_json::{Value, json};
use shortest_paths::Element;
use shortest_paths::write::OutputFormat;
use std::io;
use std::path::PathBuf;

/// The version of the JSON object's form.
const VERSION: u32 = 1;

/// The end of a solve, as an object of JSON.
#[derive(Serialize)]
pub(super) struct Report<'a> {
    pub schema_version: u32,
    /// `solved`, `negative-cycle`, or `wrong` for a result that a check refuted, which is not stored.
    pub outcome: &'static str,
    /// None where it could not be read.
    pub graph: Option<&'a GraphDescription>,
    #[serde(flatten)]
    pub solved: Option<&'a SolveReport>,
    /// Why there is no result.
    pub error: Option<String>,
    pub negative_cycle: Option<Cycle>,
}

/// A negative cycle, whose last vertex leads to its first.
#[derive(Serialize)]
pub(super) struct Cycle {
    pub vertices: Vec<Value>,
    pub length: JsonNumber,
}

/// What a solve did and stored.
#[derive(Serialize)]
pub(super) struct SolveReport {
    algorithm: SelectedAlgorithm,
    device: DeviceReport,
    verified: VerificationPlan,
    distances: DistancesReport,
    paths: Option<PathsReport>,
    digest: String,
    seconds: PhaseTimer,
}

/// Where it was solved.
#[derive(Serialize)]
struct DeviceReport {
    #[serde(flatten)]
    device: SolverDevice,
    /// Seconds of kernels and of copies, of a solve on a device.
    kernels_s: Option<f64>,
    copies_s: Option<f64>,
    /// Whether Floyd-Warshall did half of its tasks, since the graph was found to be undirected.
    half_of_tasks: Option<bool>,
}

/// The stored distances.
#[derive(Serialize)]
struct DistancesReport {
    /// None for standard output.
    file: Option<PathBuf>,
    sources: usize,
    targets: usize,
    element: ElementType,
    /// The size as a matrix, whatever the format.
    bytes: u128,
    pairs_without_path: usize,
    no_path: Value,
}

/// The stored paths.
#[derive(Serialize)]
struct PathsReport {
    file: PathBuf,
    kind: PathKind,
    bytes: u128,
    /// What stands where no path leads.
    no_path: i32,
}

/// What stands for a pair without a path in a file of distances; `left-out` if the file has no line for it.
pub(super) fn no_path(format: OutputFormat, element: ElementType) -> Value {
    match (format, element) {
        (OutputFormat::Csv, _) => json!("left-out"),
        (OutputFormat::Npy, ElementType::I32) => json!(i32::ABSENT),
        (OutputFormat::Npy, ElementType::U16) => json!(u16::ABSENT),
        (OutputFormat::Npy, ElementType::F32 | ElementType::F64) => json!("inf"),
    }
}

/// Shows lines to people: on standard error where the distances go to standard output.
fn show(args: &SolveArgs, lines: &[LabeledLine]) -> io::Result<()> {
    if args.out_file().is_some() {
        return output::show(&text(lines));
    }
    text(lines).lines().for_each(output::complain);
    Ok(())
}

/// Shows the graph and the selected algorithm, before the solve.
///
/// # Errors
/// When standard output cannot be written.
pub(super) fn show_start(request: &SolveRequest, selected: &SelectedAlgorithm) -> io::Result<()> {
    if request.args.quiet || request.args.json {
        return Ok(());
    }
    let mut lines = request.graph.lines();
    lines.extend(selected.lines());
    show(request.args, &lines)
}

impl<'a> Report<'a> {
    /// A report without a result; `graph` is None if it could not be read.
    pub fn new(outcome: &'static str, graph: Option<&'a GraphDescription>) -> Self {
        Self { schema_version: VERSION, outcome, graph, solved: None, error: None, negative_cycle: None }
    }

    /// Shows how the solve ended. Without a result, standard error has it already, so only JSON is printed.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub fn show(&self, args: &SolveArgs) -> io::Result<()> {
        match self.solved {
            _ if args.json => output::print(&output::json(self)?),
            Some(solved) if args.quiet => show(args, &solved.files()),
            Some(solved) => show(args, &solved.lines()),
            None => Ok(()),
        }
    }
}

impl SolveReport {
    /// The report of a solve whose result is stored.
    pub fn new(
        request: &SolveRequest,
        algorithm: SelectedAlgorithm,
        verified: VerificationPlan,
        digest: Digest,
        timer: &PhaseTimer,
    ) -> Self {
        let SolveRequest { args, files, graph, .. } = request;
        let dense = algorithm.dense.as_ref();
        let parts = dense.and_then(DenseSolver::last_parts);
        Self {
            device: DeviceReport {
                device: algorithm.device(),
                kernels_s: parts.map(|parts| parts.kernels),
                copies_s: parts.map(|parts| parts.copies),
                half_of_tasks: dense.map(DenseSolver::last_used_symmetry),
            },
            verified,
            distances: DistancesReport {
                file: files.out.clone(),
                sources: request.rows(),
                targets: request.columns(),
                element: graph.element,
                bytes: request.bytes(request.columns(), graph.element.bytes()),
                pairs_without_path: digest.without_path,
                no_path: no_path(files.format, graph.element),
            },
            paths: args.paths.zip(files.paths.clone()).map(|(kind, file)| PathsReport {
                file,
                kind,
                bytes: request.bytes(graph.n, size_of::<i32>()),
                no_path: args.marks.unreachable,
            }),
            digest: digest.digest,
            seconds: timer.clone(),
            algorithm,
        }
    }

    fn lines(&self) -> Vec<LabeledLine> {
        let mut lines = vec![self.verified.line()];
        lines.extend(self.files());
        lines.push(("digest", self.digest.clone()));
        lines.push(("time", self.times()));
        lines
    }

    /// Where the parts of the result are, and what they hold where no path leads.
    fn files(&self) -> Vec<LabeledLine> {
        let DistancesReport { file, sources, targets, element, no_path, .. } = &self.distances;
        let file = file.as_ref().map_or("standard output".into(), |file| file.display().to_string());
        let no_path = match no_path {
            Value::String(word) if word == "left-out" => "left out".to_string(),
            Value::String(word) => format!("stored as {word}"),
            // Without commas, so that it can be searched for in the file.
            number => format!("stored as {number}"),
        };
        let without = match self.distances.pairs_without_path {
            0 => "every pair has a path".to_string(),
            count => format!("{} without a path, {no_path}", counted(count, "pair", "pairs")),
        };
        let distances = format!(
            "{file}: {} x {} of {element}, {}; {without}",
            counted(*sources, "source", "sources"),
            counted(*targets, "target", "targets"),
            bytes(self.distances.bytes)
        );
        let mut lines = vec![("distances", distances)];
        if let Some(PathsReport { file, kind, bytes: size, no_path }) = &self.paths {
            let (file, kind, size) = (file.display(), kind.name(), bytes(*size));
            lines.push(("paths", format!("{file}: {kind}, i32, {size}; {no_path} where no path leads")));
        }
        lines
    }

    fn times(&self) -> String {
        let DeviceReport { kernels_s, copies_s, half_of_tasks, .. } = self.device;
        let device = kernels_s.zip(copies_s);
        let device = device
            .map(|(kernels, copies)| format!("kernels {}, copies {}", seconds(kernels), seconds(copies)));
        let half = (half_of_tasks == Some(true)).then(|| "undirected: half of the tasks".to_string());
        let of_solve: Vec<String> = device.into_iter().chain(half).collect();
        let phase = |(phase, time): &(&str, f64)| match *phase {
            "solve" if !of_solve.is_empty() => format!("solve {} ({})", seconds(*time), of_solve.join("; ")),
            _ => format!("{phase} {}", seconds(*time)),
        };
        self.seconds.phases.iter().map(phase).collect::<Vec<_>>().join(", ")
    }
}
