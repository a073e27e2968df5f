//! Cells in the order in which they are run.

use crate::plan::column::{ColumnSize, SizeList};
use crate::plan::{Experiment, NamedGraph, Variant};
use repro_base::CellId;
use repro_solvers::SolverThreads;
use std::collections::BTreeMap;

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

/// When a variant's cells are run: first what needs a device, last what has one core, since one sample of it can take longer than all of a
/// GPU's.
fn turn(variant: &Variant) -> usize {
    let threads =
        variant.implementation.known().and_then(|known| known.capabilities(&variant.parameters).host_threads);
    match threads {
        _ if variant.needs_device() || variant.takes_gpu() => 0,
        Some(SolverThreads::One) => 2,
        _ => 1,
    }
}

/// Cells of one graph on one kind of processor: their samples are interleaved, and they share the graph and its reference.
#[derive(Clone, Debug, PartialEq)]
pub struct CellGroup {
    pub n: usize,
    /// Of the run's graphs.
    pub graph: NamedGraph,
    pub cells: Vec<PlannedCell>,
}

/// What a run has that is no CPU.
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
            groups.entry((mode, turn(&cell.variant), n, graph)).or_default().push(cell);
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

/// The cells of each mode, n and graph.
fn by_graph(experiment: &Experiment, device: DeviceKind) -> BTreeMap<(Mode, usize, usize), Vec<PlannedCell>> {
    let emulates = device == DeviceKind::Emulated;
    let counts_beside = device == DeviceKind::Gpu && experiment.counted_beside_gpu;
    let mut by_size: BTreeMap<_, Vec<PlannedCell>> = BTreeMap::new();
    for column in &experiment.columns {
        let (variant, params) = (column.variant(), column.parameters.to_string());
        // A cell is either timed or counted. What is counted hardly depends on the graph.
        let is_planned = |place: &ColumnSize| {
            let counts = emulates || (counts_beside && !column.sizes.contains(&place.n));
            let is_counted = counts && column.count_sizes.contains(&place.n);
            match place.list {
                SizeList::Count => is_counted && place.is_first_graph,
                SizeList::Given | SizeList::Optional => !is_counted,
            }
        };
        for place in column.places(&experiment.graphs).filter(is_planned) {
            let id = CellId::new(&column.implementation, place.n, &params, &place.graph.name);
            let mode = if place.list == SizeList::Count { Mode::Counted } else { Mode::Timed };
            let cells = by_size.entry((mode, place.n, place.graph_index)).or_default();
            if !cells.iter().any(|known| known.id == id) {
                let optional = place.list == SizeList::Optional;
                cells.push(PlannedCell { id, variant: variant.clone(), optional, mode });
            }
        }
    }
    by_size
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
