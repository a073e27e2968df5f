//! An experiment as it was resolved from file and options, which the manifest stores; and the smaller one of a smoke run, which shows that
//! everything in it works: each implementation at one small size. Its results are verified as ever; its times are of no use.

use super::file::usual_order;
use super::{
    Column, ConfigError, ExperimentFile, FigureSpec, GraphSource, Limits, NamedGraph, Overrides, RepeatRule,
    Variant, resolve, solved_on, wrong_option,
};
use repro_base::CellId;
use repro_base::lists::{distinct, is_default};
use repro_device::Selection;
use repro_graph::ElementType;
use repro_graph::read::SavedGraph;
use repro_solvers::ImplementationFile;
use repro_timing::{ExtraClocks, ProcessorKind, StoppingRule};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What will be run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    pub name: String,
    pub title: String,
    pub paper: Option<String>,
    pub table: Option<String>,
    /// As `--device` spells it.
    pub device: String,
    pub graphs: Vec<NamedGraph>,
    pub sampling: StoppingRule,
    pub limits: Limits,
    /// Clocks other than the usual ones.
    pub clocks: ExtraClocks,
    /// Further solves of each cell on the device, one after another, after its samples; if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<RepeatRule>,
    /// Whether the emulated device counts in addition to a GPU.
    pub counted_beside_gpu: bool,
    /// In how many orders of blocks and threads the emulated device solves each cell.
    #[serde(default = "usual_order", skip_serializing_if = "is_usual_order")]
    pub orders: u64,
    /// Whether the emulated device also compares the matrix between launches.
    #[serde(default, skip_serializing_if = "is_default")]
    pub between_launches: bool,
    /// Whether no memory holds a whole matrix: each device has a part of it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sharded: bool,
    /// The figures and tables that are made of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<FigureSpec>,
    /// The files of implementations that are no part of this program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<ImplementationFile>,
    pub columns: Vec<Column>,
    /// The bytes of a graph that could be read only once, for the folder of a run that is started.
    #[serde(skip)]
    pub saved_graph: Option<SavedGraph>,
    /// The folder, absolute, where this start of the program stores distances of sharded matrices.
    #[serde(skip)]
    pub distances: Option<PathBuf>,
}

fn is_usual_order(orders: &u64) -> bool {
    *orders == usual_order()
}

impl Experiment {
    /// This experiment with these of its cells alone, so that they can be run again; the names of graphs and with
    /// them the cells stay as they are. Names of other cells add nothing.
    pub fn narrowed_to(&self, cells: &[CellId]) -> Self {
        let narrowed = |column: &Column| column.narrowed_to(cells, &self.graphs);
        Self { columns: self.columns.iter().flat_map(narrowed).collect(), ..self.clone() }
    }

    /// This experiment with nothing to count on the emulated device.
    #[must_use]
    pub fn without_counts(mut self) -> Self {
        self.counted_beside_gpu = false;
        self.columns.iter_mut().for_each(|column| column.count_sizes.clear());
        self
    }

    /// Timed seconds of all solves of a cell, samples and repeats, if one solve takes `seconds`.
    pub fn cost(&self, cell: &CellId, seconds: f64) -> f64 {
        let on = solved_on(cell);
        let sampled = self.sampling.expected_cost(seconds, on) * f64::from(self.clocks.solves());
        let repeats = self.repeats.filter(|_| on == ProcessorKind::Device);
        sampled + repeats.map_or(0.0, |rule| (rule.solves as f64 * seconds).max(rule.seconds))
    }

    /// Every implementation with its parameters, once, in the order of the columns.
    pub fn variants(&self) -> Vec<Variant> {
        distinct(self.columns.iter().map(Column::variant))
    }

    /// The graph that cells call `name`.
    pub fn graph(&self, name: &str) -> Option<&NamedGraph> {
        self.graphs.iter().find(|known| known.name == name)
    }

    /// The element type of the graph that cells call `graph`.
    pub fn element_of(&self, graph: &str) -> ElementType {
        self.graph(graph).map_or(ElementType::F32, |graph| graph.element)
    }

    /// The element types of its graphs, each once.
    pub fn elements(&self) -> Vec<ElementType> {
        self.graphs.iter().map(|graph| graph.element).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// At the first size most kernels have two tiles a side, so that every kind of tile is there; the second is for parameters that need it.
const SIZES: [usize; 2] = [64, 128];
/// Two samples show that a solve can be repeated.
const SAMPLES: usize = 2;
/// A solve of so few vertices that takes this long hangs, also on the emulated device of a busy machine.
const LONGEST_SAMPLE_S: f64 = 20.0;
const REPEATED_SOLVES: u64 = 10;
/// The most graphs of a batch.
const MOST_GRAPHS: usize = 4;

/// The smoke run of the experiment in `file`: each implementation once, with the first of its sets of parameters that goes with one of
/// [`SIZES`], on every graph.
///
/// # Errors
/// When the experiment cannot be resolved, or none of its parameters goes with a small n.
pub fn smoke(file: &ExperimentFile, device: Selection) -> Result<Experiment, ConfigError> {
    let whole = resolve(file, &Overrides::default(), device)?;
    let mut columns: Vec<Column> = Vec::new();
    for column in whole.columns.iter().filter_map(|column| shrunk(column, device)) {
        if columns.iter().all(|known| known.implementation != column.implementation) {
            columns.push(column);
        }
    }
    if columns.is_empty() {
        let problem = format!("none of its implementations runs on {device} with one of n = {SIZES:?}");
        return Err(wrong_option("--smoke", problem));
    }
    let mut graphs = whole.graphs;
    keep_few(&mut graphs);
    let mut limits = whole.limits;
    (limits.warm_up_s, limits.sample_s) = (0.0, LONGEST_SAMPLE_S.min(limits.sample_s));
    let repeats = whole.repeats.map(|_| RepeatRule { solves: REPEATED_SOLVES, seconds: 0.0 });
    let sampling = StoppingRule { min_samples: SAMPLES, max_samples: SAMPLES, ..whole.sampling };
    Ok(Experiment { columns, graphs, limits, repeats, sampling, orders: 1, ..whole })
}

/// Keeps as many graphs of a batch as a short run, or the emulated device, can solve.
pub(crate) fn keep_few(graphs: &mut [NamedGraph]) {
    for graph in graphs {
        if let GraphSource::Random(random) = &mut graph.source {
            random.graphs = random.graphs.min(MOST_GRAPHS);
        }
    }
}

/// The column at the first of [`SIZES`] that goes with its parameters.
fn shrunk(column: &Column, device: Selection) -> Option<Column> {
    let variant = column.variant();
    variant.implementation.known()?;
    let n = SIZES.into_iter().find(|&n| variant.fits(n).is_ok())?;
    let on_device = variant.needs_device();
    let count_sizes = if on_device && device.may_emulate() { vec![n] } else { Vec::new() };
    let sizes = if on_device && device.is_emulated() { Vec::new() } else { vec![n] };
    Some(Column { sizes, optional: Vec::new(), count_sizes, ..column.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::locate::tests::load;
    use crate::plan::{DeviceKind, Mode, Overrides, available_experiments, groups, load_experiment, resolve};
    use repro_device::Selection;

    #[test]
    fn on_a_gpu_small_sizes_are_counted_after_all_that_is_timed_unless_nothing_is_to_be_counted() {
        for (name, largest) in [("table1", 128), ("occupancy", 128), ("ablation", 128), ("kappa-sweep", 256)]
        {
            let file = load_experiment(name).unwrap();
            let whole = resolve(&file, &Overrides::default(), Selection::Cuda(None)).unwrap();
            let planned = |experiment: &Experiment, device| -> Vec<(bool, usize)> {
                let cells = groups(experiment, device).into_iter().flat_map(|group| group.cells);
                cells.map(|cell| (cell.mode == Mode::Counted, cell.id.n)).collect()
            };
            let all = planned(&whole, DeviceKind::Gpu);
            let timed = all.iter().take_while(|(counted, _)| !counted).count();
            let (timed, counted) = all.split_at(timed);
            assert!(!timed.is_empty() && counted.iter().all(|(counted, _)| *counted), "{name}: {all:?}");
            assert_eq!(counted.iter().map(|(_, n)| *n).max(), Some(largest), "{name}");
            // Three million tasks a second and core, on two cores: at most fifteen seconds.
            let tasks: usize = counted.iter().map(|(_, n)| n.pow(3)).sum();
            assert!(tasks < 90_000_000, "{name}: {tasks} tasks are too many to count beside a GPU");
            assert_eq!(planned(&whole.clone().without_counts(), DeviceKind::Gpu), timed, "{name}");
            let on_cpu = resolve(&file, &Overrides::default(), Selection::Cpu).unwrap();
            assert!(planned(&on_cpu, DeviceKind::None).iter().all(|(counted, _)| !counted), "{name}");
        }
    }

    fn as_smoke_run(name: &str, device: Selection) -> Experiment {
        smoke(&load(name), device).unwrap()
    }

    fn implementations(columns: &[Column]) -> BTreeSet<&str> {
        columns.iter().map(|column| column.implementation.as_str()).collect()
    }

    #[test]
    fn every_experiment_keeps_each_of_its_implementations_once_at_a_small_size() {
        for name in available_experiments() {
            let whole = resolve(&load(&name), &Overrides::default(), Selection::Auto).unwrap();
            let small = as_smoke_run(&name, Selection::Auto);
            let of_small = implementations(&small.columns);
            assert_eq!(of_small, implementations(&whole.columns), "{name}");
            assert_eq!(of_small.len(), small.columns.len(), "{name}");
            assert!(small.columns.iter().all(|column| column.optional.is_empty()), "{name}");
            let sizes =
                small.columns.iter().flat_map(|column| column.sizes.iter().chain(&column.count_sizes));
            assert!(sizes.clone().count() > 0 && sizes.clone().all(|&n| (64..=128).contains(&n)), "{name}");
            assert_eq!((small.sampling.min_samples, small.sampling.max_samples), (2, 2), "{name}");
            assert!(small.repeats.is_none_or(|rule| rule.solves <= 10 && rule.seconds == 0.0), "{name}");
            let planned: usize = groups(&small, DeviceKind::None).iter().map(|group| group.cells.len()).sum();
            assert!((1..=20).contains(&planned), "{name}: {planned}");
        }
    }

    #[test]
    fn the_emulated_device_alone_times_nothing_and_the_cpu_alone_emulates_nothing() {
        let emulated = as_smoke_run("table1", Selection::Emulated(None));
        assert!(
            emulated.columns.iter().all(|column| column.sizes.is_empty() && !column.count_sizes.is_empty())
        );
        let cpu = as_smoke_run("table1", Selection::Cpu);
        assert!(cpu.columns.iter().all(|column| column.count_sizes.is_empty()));
    }
}
