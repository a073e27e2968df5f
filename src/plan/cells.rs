//! Cells in the order in which they are run.

use crate::implementation::Named;
use crate::plan::config::NamedGraph;
use crate::plan::resolve::Experiment;
use crate::plan::variant::Variant;
use repro_types::CellId;
use std::collections::BTreeMap;

/// One cell to be measured.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedCell {
    pub id: CellId,
    /// What is run.
    pub variant: Variant,
    /// Only `--full` asks for it.
    pub filled: bool,
    /// The emulated device counts it, where that is the run's device.
    pub counted: bool,
}

/// The cells of one graph: their samples are interleaved, and they share the graph and its reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
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
/// the emulated device counts, where that is the run's device or counts beside it.
pub fn groups(experiment: &Experiment, device: DeviceKind) -> Vec<Group> {
    let emulates = device == DeviceKind::Emulated;
    let counts_beside = device == DeviceKind::Gpu && experiment.counted_beside_gpu;
    let mut by_size: BTreeMap<(bool, usize, usize), Vec<PlannedCell>> = BTreeMap::new();
    let graphs = &experiment.graphs;
    for column in &experiment.columns {
        let implementation = Named::find(&column.implementation);
        let variant = Variant { implementation, parameters: column.parameters.clone() };
        // A cell is either timed or counted.
        let is_counted = |n: &usize| {
            let counts = emulates || (counts_beside && !column.sizes.contains(n));
            counts && column.emulated.contains(n)
        };
        let counted = column.emulated.iter().filter(|n| is_counted(n)).map(|&n| (n, false, true));
        let given = column.sizes.iter().filter(|n| !is_counted(n)).map(|&n| (n, false, false));
        let filled = column.filled.iter().filter(|n| !is_counted(n)).map(|&n| (n, true, false));
        for (n, filled, counted) in counted.chain(given).chain(filled) {
            // What is counted hardly depends on the graph.
            let most = if counted { 1 } else { usize::MAX };
            let all = graphs.iter().enumerate().filter(|(_, graph)| column.runs_on(&graph.name));
            for (place, graph) in all.take(most) {
                let id = CellId {
                    implementation: column.implementation.clone(),
                    n,
                    params: column.parameters.to_string(),
                    graph: graph.name.clone(),
                };
                let cell = PlannedCell { id, variant: variant.clone(), filled, counted };
                let cells = by_size.entry((counted, n, place)).or_default();
                if !cells.iter().any(|known| known.id == cell.id) {
                    cells.push(cell);
                }
            }
        }
    }
    let group = |((_, n, at), cells): ((_, _, usize), _)| Group { n, graph: graphs[at].clone(), cells };
    by_size.into_iter().map(group).collect()
}
