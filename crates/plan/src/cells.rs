//! Cells in the order in which they are run.

use crate::column::{ColumnSize, SizeList};
use crate::{Experiment, NamedGraph, Variant};
use repro_types::CellId;
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

/// The cells of one graph: their samples are interleaved, and they share the graph and its reference.
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

/// All cells, smallest graphs first: a mistake shows early, and each size predicts the next one's time. Last come those that
/// the emulated device counts, where that is the run's device or counts in addition to it.
pub fn groups(experiment: &Experiment, device: DeviceKind) -> Vec<CellGroup> {
    let emulates = device == DeviceKind::Emulated;
    let counts_beside = device == DeviceKind::Gpu && experiment.counted_beside_gpu;
    let mut by_size: BTreeMap<(Mode, usize, usize), Vec<PlannedCell>> = BTreeMap::new();
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
    let group = |((_, n, at), cells): ((_, _, usize), _)| CellGroup {
        n,
        graph: experiment.graphs[at].clone(),
        cells,
    };
    by_size.into_iter().map(group).collect()
}
