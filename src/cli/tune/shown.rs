//! What `repro tune` prints: the points, the best, and the command to run with it.

use super::super::next::quoted;
use crate::graph::ElementType;
use crate::implementation::Parameters;
use crate::plan::{CostKind, available_experiments, load_experiment};
use crate::results::StoredRun;
use crate::show::{Grid, digits};
use crate::tuning::{Axes, cost_kind, tried};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The version of what `--json` prints.
const SCHEMA_VERSION: u32 = 1;
/// Where implementations are looked at first. A user kernel runs in it as in any other.
const USUAL_EXPERIMENT: &str = "table1";

/// A search as it is shown.
#[derive(Serialize)]
pub struct SearchReport {
    schema_version: u32,
    out: PathBuf,
    implementation: String,
    /// The model of GPU, or of the CPU, that the points were measured on.
    model: Option<String>,
    n: usize,
    element: ElementType,
    /// What is made small.
    by: CostKind,
    /// Whether it can be continued.
    ended: bool,
    /// In the order in which they were tried.
    pub points: Vec<ShownPoint>,
    best: Option<ShownPoint>,
    /// Runs the implementation with the best parameters.
    command: Option<String>,
    #[serde(skip)]
    names: Vec<String>,
}

/// One point.
#[derive(Clone, Serialize)]
pub struct ShownPoint {
    /// Those that are not at their defaults.
    parameters: Parameters,
    #[serde(skip)]
    values: Vec<u32>,
    /// None where it was wrong or failed.
    pub cost: Option<f64>,
    /// Bytes of shared memory a task, which decide between points that cost the same. 0 of what is timed.
    #[serde(skip)]
    pub tie: Option<f64>,
    /// Why it has none.
    reason: Option<String>,
}

impl SearchReport {
    /// Of a search in `run`, whose implementation was given as `kernel` where it was not resumed.
    pub fn of(run: &StoredRun, axes: &Axes, kernel: Option<&str>) -> Self {
        let experiment = &run.manifest.experiment;
        let column = experiment.columns.first();
        let points = tried(run).into_iter().map(|point| ShownPoint {
            values: axes.values(&point.parameters),
            parameters: point.parameters,
            cost: point.cost.as_ref().ok().map(|cost| cost.value),
            tie: point.cost.as_ref().ok().map(|cost| cost.tie),
            reason: point.cost.err(),
        });
        let points: Vec<ShownPoint> = points.collect();
        let search = experiment.search.as_ref();
        let chosen = search.and_then(|search| search.best.as_ref());
        let best = chosen.and_then(|best| points.iter().find(|point| point.parameters == best.parameters));
        let mut shown = Self {
            schema_version: SCHEMA_VERSION,
            out: run.folder.clone(),
            implementation: column.map(|column| column.implementation.clone()).unwrap_or_default(),
            model: run.environment().map(|environment| environment.model().to_string()),
            n: column
                .and_then(|one| one.count_sizes.first().or(one.sizes.first()).copied())
                .unwrap_or_default(),
            element: experiment.graphs.first().map(|graph| graph.element).unwrap_or_default(),
            by: cost_kind(run),
            ended: search.is_some_and(|search| search.ended),
            best: best.cloned(),
            command: None,
            names: axes.names(),
            points,
        };
        shown.command = shown.command_for(run, kernel).filter(|_| shown.ended && shown.best.is_some());
        shown
    }

    /// For a terminal of `width` columns, or as wide as need be.
    pub fn text(&self, width: Option<u16>) -> String {
        let (unit, how) = match self.by {
            CostKind::Seconds => ("seconds", "median time of the kernels"),
            CostKind::SectorBytesATask => (
                "bytes\na task",
                "bytes of global memory a task; where equal, of shared memory; counted, not timed",
            ),
        };
        let model = match self.by {
            CostKind::Seconds => self.model.as_deref().unwrap_or("an unknown device"),
            CostKind::SectorBytesATask => "the emulated device",
        };
        let title = format!("{}, n = {}, {}, on {model}: {how}", self.implementation, self.n, self.element);
        let is_counted = self.by == CostKind::SectorBytesATask;
        let least = self.best.as_ref().and_then(|best| best.cost);
        let rows = self.points.iter().enumerate().map(|(at, point)| {
            let cost = point.cost.map_or("failed".to_string(), digits);
            let over =
                point.cost.zip(least).map(|(cost, least)| format!("{:+.1}%", (cost / least - 1.0) * 100.0));
            let values = point.values.iter().map(ToString::to_string);
            let shared = is_counted.then(|| point.tie.map_or("-".to_string(), digits));
            std::iter::once((at + 1).to_string())
                .chain(values)
                .chain([cost, over.unwrap_or("-".into())])
                .chain(shared)
                .collect()
        });
        let names = self.names.iter().cloned();
        let header = std::iter::once("point".to_string()).chain(names);
        let header = header.chain([unit.to_string(), "above\nthe best".to_string()]);
        let header = header.chain(is_counted.then(|| "shared bytes\na task".to_string()));
        let mut text = match Grid::new(title, header, rows).unless_empty() {
            Some(grid) => grid.terminal(width),
            None => return String::new(),
        };
        let failed: Vec<String> = self
            .points
            .iter()
            .filter_map(|point| Some(format!("  {}: {}\n", named(&point.parameters), point.reason.as_ref()?)))
            .collect();
        if !failed.is_empty() {
            text += &format!("\nWrong or failed, and never chosen:\n{}", failed.concat());
        }
        if let Some(best) = &self.best {
            let so_far = if self.ended { "" } else { " so far" };
            text += &format!("\nBest{so_far}: {}\n", named(&best.parameters));
        } else {
            text += "\nNo point was right.\n";
        }
        if let Some(command) = &self.command {
            text += &format!(
                "\nNext:\n  {command}\n      runs with the best parameters; other runs take them by --tuned on the same model\n"
            );
        }
        text
    }

    /// None where no experiment runs the implementation with parameters of a search.
    fn command_for(&self, run: &StoredRun, kernel: Option<&str>) -> Option<String> {
        let experiment = &run.manifest.experiment;
        let given = experiment.given.iter().find(|given| given.name == self.implementation);
        let (name, with) = match given {
            Some(given) => {
                let file = Path::new(&given.file).file_name()?;
                let path = kernel.map_or_else(|| given.folder.join(file), PathBuf::from);
                (USUAL_EXPERIMENT.to_string(), format!(" --with {}", quoted(&path)))
            }
            None => (experiment_of(&self.implementation)?, String::new()),
        };
        let device = match experiment.device.as_str() {
            "auto" => String::new(),
            device => format!(" --device {device}"),
        };
        Some(format!(
            "repro run {name}{with} --only {} --sizes {} --elements {}{device} --tuned {}",
            self.implementation,
            self.n,
            self.element,
            quoted(&run.folder)
        ))
    }
}

/// An experiment that runs this implementation and leaves its parameters open.
fn experiment_of(implementation: &str) -> Option<String> {
    let leaves_open = |name: &String| {
        load_experiment(name).is_ok_and(|file| {
            let is_plain = file.tunes.is_empty() && file.steps.is_empty() && !file.sharded;
            let mut cells = file.cells.iter();
            is_plain
                && cells.any(|one| one.implementation.get_ref() == implementation && one.parameters.is_none())
        })
    };
    let usual = USUAL_EXPERIMENT.to_string();
    std::iter::once(usual).chain(available_experiments()).find(leaves_open)
}

fn named(parameters: &Parameters) -> String {
    if parameters.is_empty() { "the defaults".to_string() } else { parameters.to_string().replace(';', ", ") }
}
