//! What is run at which sizes and on which graphs, and the cells that follow, in the order in which they are run.

use super::catalogue::run_rank;
use super::{Experiment, NamedGraph, Variant};
use repro_base::lists::grouped;
use repro_base::{CellId, Parameters};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One implementation with its parameters, and the sizes and graphs that it runs on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Column {
    pub implementation: String,
    pub parameters: Parameters,
    /// Names of the graphs that it runs on; all when empty.
    pub graphs: Vec<String>,
    pub sizes: Vec<usize>,
    /// Sizes that only `--full` asks for; left out where a sample would take too long.
    pub optional: Vec<usize>,
    /// Sizes that the emulated device counts, in place of a GPU or beside one; none for implementations of the CPU.
    pub count_sizes: Vec<usize>,
}

impl Column {
    /// What is run.
    pub fn variant(&self) -> Variant {
        Variant::new(&self.implementation, &self.parameters)
    }

    /// Whether it runs on the graph of this name.
    pub fn runs_on(&self, graph: &str) -> bool {
        self.graphs.is_empty() || self.graphs.iter().any(|known| known == graph)
    }

    fn cell(&self, n: usize, graph: &NamedGraph) -> CellId {
        CellId::new(&self.implementation, n, &self.parameters.to_string(), &graph.name)
    }

    /// What is left of it where these cells alone are run: graphs for which the same sizes are left share one column. Counts hardly depend
    /// on the graph, and so are made on the first alone.
    pub(super) fn narrowed_to(&self, cells: &[CellId], graphs: &[NamedGraph]) -> Vec<Self> {
        let own: Vec<_> = graphs.iter().filter(|graph| self.runs_on(&graph.name)).collect();
        let on_graph = own.iter().enumerate().map(|(nth, graph)| {
            let asked = |sizes: &[usize]| -> Vec<usize> {
                sizes.iter().copied().filter(|n| cells.contains(&self.cell(*n, graph))).collect()
            };
            let count_sizes = if nth == 0 { asked(&self.count_sizes) } else { Vec::new() };
            ((asked(&self.sizes), asked(&self.optional)), (graph.name.clone(), count_sizes))
        });
        let alike = grouped(on_graph).into_iter().map(|((sizes, optional), on)| {
            let is_whole = on.len() == own.len();
            let (names, counted): (Vec<_>, Vec<_>) = on.into_iter().unzip();
            let graphs = if is_whole { self.graphs.clone() } else { names };
            Self { graphs, sizes, optional, count_sizes: counted.concat(), ..self.clone() }
        });
        let has = |of: &Self| [&of.sizes, &of.optional, &of.count_sizes].iter().any(|all| !all.is_empty());
        alike.filter(has).collect()
    }
}

/// One cell to be measured.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedCell {
    pub id: CellId,
    /// What is run.
    pub variant: Variant,
    /// Only `--full` asks for it.
    pub optional: bool,
    pub mode: Mode,
}

/// What is measured of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    Timed,
    /// The emulated device counts it, where that is the run's device or counts next to a GPU.
    Counted,
}

/// Cells of one graph on one kind of processor: their samples are interleaved, and they share the graph and its reference.
#[derive(Clone, Debug, PartialEq)]
pub struct CellGroup {
    pub n: usize,
    /// One of the run's graphs.
    pub graph: NamedGraph,
    pub cells: Vec<PlannedCell>,
}

/// The kind of device that a run has in addition to the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceKind {
    None,
    Emulated,
    Gpu,
}

/// All cells in the order in which they are run: those that need a device, those of the CPU with many threads, those with one; of each the
/// smallest graphs first: a mistake shows early, and each size predicts the next one's time. Last come those that the emulated device
/// counts, where that is the run's device or counts in addition to it.
pub fn groups(experiment: &Experiment, device: DeviceKind) -> Vec<CellGroup> {
    let mut groups: BTreeMap<(Mode, usize, usize, usize), Vec<PlannedCell>> = BTreeMap::new();
    for ((mode, n, graph), cells) in by_graph(experiment, device) {
        for cell in cells {
            groups.entry((mode, run_rank(&cell.variant), n, graph)).or_default().push(cell);
        }
    }
    let group = |((_, _, n, at), cells): ((_, _, _, usize), _)| CellGroup {
        n,
        graph: experiment.graphs[at].clone(),
        cells,
    };
    groups.into_iter().map(group).collect()
}

/// All cells in the order in which tables have them: graph by graph, as the experiment lists its columns.
pub fn cells(experiment: &Experiment, device: DeviceKind) -> Vec<CellId> {
    by_graph(experiment, device).into_values().flatten().map(|cell| cell.id).collect()
}

/// The cells of each mode, n and graph. A cell is either timed or counted.
fn by_graph(experiment: &Experiment, device: DeviceKind) -> BTreeMap<(Mode, usize, usize), Vec<PlannedCell>> {
    let emulates = device == DeviceKind::Emulated;
    let counts_beside = device == DeviceKind::Gpu && experiment.counted_beside_gpu;
    let mut all: BTreeMap<_, Vec<PlannedCell>> = BTreeMap::new();
    for column in &experiment.columns {
        let variant = column.variant();
        let is_counted = |n: &usize| {
            (emulates || (counts_beside && !column.sizes.contains(n))) && column.count_sizes.contains(n)
        };
        let own = experiment.graphs.iter().enumerate().filter(|(_, graph)| column.runs_on(&graph.name));
        for (nth, (graph_index, graph)) in own.enumerate() {
            let mut add = |n: &usize, optional, mode| {
                let id = column.cell(*n, graph);
                let cells = all.entry((mode, *n, graph_index)).or_default();
                if !cells.iter().any(|known| known.id == id) {
                    cells.push(PlannedCell { id, variant: variant.clone(), optional, mode });
                }
            };
            let is_timed = |n: &&usize| !is_counted(n);
            column.sizes.iter().filter(is_timed).for_each(|n| add(n, false, Mode::Timed));
            column.optional.iter().filter(is_timed).for_each(|n| add(n, true, Mode::Timed));
            // What is counted hardly depends on the graph.
            if nth == 0 {
                column
                    .count_sizes
                    .iter()
                    .filter(|n| is_counted(n))
                    .for_each(|n| add(n, false, Mode::Counted));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Overrides, load_experiment, resolve};
    use repro_device::Selection;

    #[test]
    fn what_needs_a_device_runs_first_and_one_core_last_and_tables_keep_their_order() {
        let file = load_experiment("table1").unwrap();
        let overrides = Overrides { sizes: Some(vec![1024, 64, 2048]), ..Overrides::default() };
        let experiment = resolve(&file, &overrides, Selection::Cuda(None)).unwrap();
        let groups = groups(&experiment, DeviceKind::Gpu);
        let names = |group: &CellGroup| -> Vec<String> {
            group.cells.iter().map(|cell| cell.id.implementation.clone()).collect()
        };
        let kernels = ["harish-narayanan", "katz-kider", "optimized-blocked", "staged-load"];
        let run: Vec<(usize, Vec<String>)> = groups.iter().map(|group| (group.n, names(group))).collect();
        let of = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            [64, 1024, 2048].map(|n| (n, names.clone()))
        };
        assert_eq!(run, [of(&kernels), of(&["cpu-parallel"]), of(&["cpu-naive"])].concat());
        let shown = cells(&experiment, DeviceKind::Gpu);
        let shown = |at: usize| (shown[at].n, shown[at].implementation.as_str());
        let of_one_graph = [0, 1, 5, 6].map(shown);
        let expected = [(64, "cpu-naive"), (64, kernels[0]), (64, "cpu-parallel"), (1024, "cpu-naive")];
        assert_eq!(of_one_graph, expected);
    }
}
