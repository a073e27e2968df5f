//! Cells in the order in which they are run.

use super::resolve::Experiment;
use crate::implementation::Parameters;
use crate::record::{CellId, Manifest};
use std::collections::BTreeMap;

/// One cell to be measured.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedCell {
    pub id: CellId,
    pub parameters: Parameters,
    /// Only `--full` asks for it.
    pub filled: bool,
    /// The emulated device counts it, where that is the run's device.
    pub counted: bool,
}

/// The cells of one graph: their samples are interleaved, and they share the graph and its reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub n: usize,
    pub cells: Vec<PlannedCell>,
}

/// All cells, smallest graphs first: a mistake shows early, and each size predicts the next one's time. Last come those that
/// the emulated device counts, where that is the run's device.
pub fn groups(manifest: &Manifest<Experiment>) -> Vec<Group> {
    let device = manifest.environment.as_ref().and_then(|environment| environment.device.as_ref());
    let emulates = device.is_some_and(|device| device.info.emulated);
    let mut by_size: BTreeMap<(bool, usize), Vec<PlannedCell>> = BTreeMap::new();
    for column in &manifest.experiment.columns {
        let is_counted = |n: &usize| emulates && column.emulated.contains(n);
        let counted = column.emulated.iter().filter(|n| is_counted(n)).map(|&n| (n, false, true));
        let given = column.sizes.iter().filter(|n| !is_counted(n)).map(|&n| (n, false, false));
        let filled = column.filled.iter().filter(|n| !is_counted(n)).map(|&n| (n, true, false));
        for (n, filled, counted) in counted.chain(given).chain(filled) {
            let id = CellId {
                implementation: column.implementation.clone(),
                n,
                params: column.parameters.to_string(),
            };
            let cell = PlannedCell { id, parameters: column.parameters.clone(), filled, counted };
            let cells = by_size.entry((counted, n)).or_default();
            if !cells.iter().any(|known| known.id == cell.id) {
                cells.push(cell);
            }
        }
    }
    by_size.into_iter().map(|((_, n), cells)| Group { n, cells }).collect()
}

/// The cells of [`groups`] in their order.
pub fn cells(manifest: &Manifest<Experiment>) -> Vec<CellId> {
    groups(manifest).into_iter().flat_map(|group| group.cells.into_iter().map(|cell| cell.id)).collect()
}
