//! Cells in the order in which they are run.

use super::resolve::Experiment;
use crate::implementation::Parameters;
use crate::record::CellId;
use std::collections::BTreeMap;

/// One cell to be measured.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedCell {
    pub id: CellId,
    pub parameters: Parameters,
    /// Only `--full` asks for it.
    pub filled: bool,
}

/// The cells of one graph: their samples are interleaved, and they share the graph and its reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub n: usize,
    pub cells: Vec<PlannedCell>,
}

/// All cells, smallest graphs first: a mistake shows early, and each size predicts the next one's time.
pub fn groups(experiment: &Experiment) -> Vec<Group> {
    let mut by_size: BTreeMap<usize, Vec<PlannedCell>> = BTreeMap::new();
    for column in &experiment.columns {
        let given = column.sizes.iter().map(|&n| (n, false));
        let filled = column.filled.iter().map(|&n| (n, true));
        for (n, filled) in given.chain(filled) {
            let id = CellId {
                implementation: column.implementation.clone(),
                n,
                params: column.parameters.to_string(),
            };
            let cell = PlannedCell { id, parameters: column.parameters.clone(), filled };
            let cells = by_size.entry(n).or_default();
            if !cells.iter().any(|known| known.id == cell.id) {
                cells.push(cell);
            }
        }
    }
    by_size.into_iter().map(|(n, cells)| Group { n, cells }).collect()
}
