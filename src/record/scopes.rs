//! `scopes.csv`: what every clock said of a cell, one row a scope.

use super::sample::{CellId, SampleRow, Status};
use crate::timing::{Estimate, Scope};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A row of `scopes.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScopeRow {
    pub implementation: String,
    pub n: usize,
    pub params: String,
    /// The graph's name in the experiment; empty where there is one.
    pub graph: String,
    pub scope: Scope,
    /// Samples in use: status `ok`.
    pub samples: usize,
    pub median_s: f64,
    pub ci_low_s: Option<f64>,
    pub ci_high_s: Option<f64>,
}

impl ScopeRow {
    /// Whether it is about `cell`.
    pub fn is_of(&self, cell: &CellId) -> bool {
        (&self.implementation, self.n, &self.params, &self.graph)
            == (&cell.implementation, cell.n, &cell.params, &cell.graph)
    }
}

/// Every clock of every cell of `cells`, in their order. Of cells that were read by the usual clocks alone there is nothing to
/// say that their summary does not.
pub fn summarize_scopes(cells: &[CellId], samples: &[SampleRow]) -> Vec<ScopeRow> {
    let mut all: BTreeMap<(usize, Scope), Vec<f64>> = BTreeMap::new();
    let places: BTreeMap<&CellId, usize> = cells.iter().enumerate().map(|(at, cell)| (cell, at)).collect();
    for row in samples.iter().filter(|row| row.status == Status::Ok && row.verified) {
        if let (Some(&at), Some(seconds)) = (places.get(&row.cell()), row.seconds) {
            all.entry((at, row.scope)).or_default().push(seconds);
        }
    }
    let has_more = |at: usize| all.keys().any(|(cell, scope)| *cell == at && !Scope::USUAL.contains(scope));
    let told: Vec<bool> = (0..cells.len()).map(has_more).collect();
    all.iter()
        .filter(|((at, _), _)| told[*at])
        .filter_map(|((at, scope), seconds)| {
            let Estimate { value, low, high } = Estimate::of_median(seconds)?;
            let CellId { implementation, n, params, graph } = cells[*at].clone();
            Some(ScopeRow {
                implementation,
                n,
                params,
                graph,
                scope: *scope,
                samples: seconds.len(),
                median_s: value,
                ci_low_s: Some(low),
                ci_high_s: Some(high),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample::tests::row;
    use super::*;

    #[test]
    fn every_clock_of_a_cell_has_its_median_and_cells_with_the_usual_clocks_alone_are_left_out() {
        let mut samples: Vec<SampleRow> =
            [1.0, 2.0, 9.0].iter().enumerate().flat_map(|(at, &seconds)| row("a", 8, at, seconds)).collect();
        samples.extend(row("b", 8, 0, 1.0));
        let unsynced = SampleRow { scope: Scope::HostUnsynced, seconds: Some(0.5), ..samples[0].clone() };
        samples.push(unsynced);
        let cell = |name: &str| CellId { implementation: name.into(), n: 8, ..CellId::default() };
        let rows = summarize_scopes(&[cell("b"), cell("a")], &samples);
        let told: Vec<_> = rows
            .iter()
            .map(|row| (row.implementation.as_str(), row.scope, row.samples, row.median_s))
            .collect();
        assert_eq!(
            told,
            [
                ("a", Scope::HostUnsynced, 1, 0.5),
                ("a", Scope::Kernel, 3, 2.0),
                ("a", Scope::Device, 3, 2.0),
                ("a", Scope::Total, 3, 2.0),
                ("a", Scope::Host, 3, 2.0),
            ]
        );
        assert!(rows[4].is_of(&cell("a")) && !rows[4].is_of(&cell("b")));
    }
}
