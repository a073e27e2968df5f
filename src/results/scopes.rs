//! `scopes.csv`: what every clock read for a cell, one row a scope.

use crate::store::SampleRow;
use crate::timing::{Estimate, Scope};
use repro_types::CellId;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A row of `scopes.csv`.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    pub ci_low_s: f64,
    pub ci_high_s: f64,
    /// The mean of the same samples, which `summary.csv` has of scope `kernel`.
    #[serde(skip)]
    pub mean_s: f64,
}

impl ScopeRow {
    fn of(cell: &CellId, scope: Scope, seconds: &[f64]) -> Option<Self> {
        let Estimate { value, low, high } = Estimate::of_median(seconds)?;
        let CellId { implementation, n, params, graph } = cell.clone();
        Some(Self {
            implementation,
            n,
            params,
            graph,
            scope,
            samples: seconds.len(),
            median_s: value,
            ci_low_s: low,
            ci_high_s: high,
            mean_s: seconds.iter().sum::<f64>() / seconds.len() as f64,
        })
    }

    /// What this clock read for an implementation with its parameters at `n`; of several graphs, of the first.
    pub fn find<'a>(
        all: &'a [Self],
        (implementation, params): (&str, &str),
        n: usize,
        scope: Scope,
    ) -> Option<&'a Self> {
        all.iter().find(|row| {
            (row.implementation.as_str(), row.params.as_str(), row.n, row.scope)
                == (implementation, params, n, scope)
        })
    }

    pub fn cell(&self) -> CellId {
        CellId::new(&self.implementation, self.n, &self.params, &self.graph)
    }
}

/// Every clock of every cell of `cells`, in their order: what the summary and `scopes.csv` are derived from.
pub(super) fn clocks(cells: &[CellId], samples: &[SampleRow]) -> Vec<ScopeRow> {
    let mut all: BTreeMap<(usize, Scope), Vec<f64>> = BTreeMap::new();
    let places: BTreeMap<&CellId, usize> = cells.iter().enumerate().map(|(at, cell)| (cell, at)).collect();
    for row in samples {
        if let (Some(seconds), Some(&at)) = (row.in_use(), places.get(&row.cell())) {
            all.entry((at, row.scope)).or_default().push(seconds);
        }
    }
    all.iter().filter_map(|((at, scope), seconds)| ScopeRow::of(&cells[*at], *scope, seconds)).collect()
}

/// The rows of `scopes.csv`. Cells that were read by the usual clocks alone have none: their summary has it all.
pub fn summarize_scopes(cells: &[CellId], samples: &[SampleRow]) -> Vec<ScopeRow> {
    let mut all = clocks(cells, samples);
    let unusual = all.iter().filter(|row| !Scope::USUAL.contains(&row.scope));
    let told: BTreeSet<CellId> = unusual.map(ScopeRow::cell).collect();
    all.retain(|row| told.contains(&row.cell()));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::row;

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
        assert_eq!((rows[4].cell(), rows[4].mean_s), (cell("a"), 4.0));
    }
}
