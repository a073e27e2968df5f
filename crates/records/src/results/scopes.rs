//! `scopes.csv`: what every clock read for a cell, one row a scope.

use crate::results::{Timed, Times};
use repro_base::CellId;
use repro_timing::Scope;
use serde::Serialize;

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
}

/// The rows of `scopes.csv`. Cells that were read by the usual clocks alone have none: their summary has it all.
pub fn scope_rows(cells: &[CellId], times: &Times) -> Vec<ScopeRow> {
    let is_unusual = |clock: &Timed| !Scope::USUAL.contains(&clock.scope);
    let shown = cells.iter().filter(|cell| times.cell(cell).clocks().any(is_unusual));
    shown
        .flat_map(|cell| {
            times.cell(cell).clocks().map(|clock| ScopeRow {
                implementation: cell.implementation.clone(),
                n: cell.n,
                params: cell.params.clone(),
                graph: cell.graph.clone(),
                scope: clock.scope,
                samples: clock.samples.len(),
                median_s: clock.seconds.value,
                ci_low_s: clock.seconds.low,
                ci_high_s: clock.seconds.high,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::times::tests::row;
    use crate::store::SampleRow;

    #[test]
    fn every_clock_of_a_cell_has_its_median_and_cells_with_the_usual_clocks_alone_are_left_out() {
        let mut samples: Vec<SampleRow> =
            [1.0, 2.0, 9.0].iter().enumerate().flat_map(|(at, &seconds)| row("a", 8, at, seconds)).collect();
        samples.extend(row("b", 8, 0, 1.0));
        let unsynced = SampleRow { scope: Scope::HostUnsynced, seconds: Some(0.5), ..samples[0].clone() };
        samples.push(unsynced);
        let cell = |name: &str| CellId { implementation: name.into(), n: 8, ..CellId::default() };
        let rows = scope_rows(&[cell("b"), cell("a")], &Times::of(&samples));
        let shown: Vec<_> = rows
            .iter()
            .map(|row| (row.implementation.as_str(), row.scope, row.samples, row.median_s))
            .collect();
        assert_eq!(
            shown,
            [
                ("a", Scope::HostUnsynced, 1, 0.5),
                ("a", Scope::Kernel, 3, 2.0),
                ("a", Scope::Device, 3, 2.0),
                ("a", Scope::Total, 3, 2.0),
                ("a", Scope::Host, 3, 2.0),
            ]
        );
        assert_eq!(Times::of(&samples).cell(&cell("a")).timed(Scope::Host).unwrap().mean(), 4.0);
    }
}
