//! What a run offers a claim: the cells that it was to measure, and whether their results were right. And what the claim accepts:
//! a test's own bounds, or what the paper publishes.

use super::Perturbation::{self, Ours, Rounding};
use super::{Unit, unit_of};
use crate::graph::ElementType;
use crate::published::{BoundKind, Claim, Contender, Test};
use crate::results::StoredRun;
use crate::store::{ImplementationRecord, cells};
use crate::timing::Estimate;
use repro_base::{CellId, Parameters};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// As many cards show how far cards and processes lie apart; with fewer, verdicts assume it ([`crate::timing::assumed_noise`]).
pub const ENOUGH_CARDS: usize = 3;

/// A run as claims read it.
#[derive(Clone)]
pub struct RunEvidence<'a> {
    pub run: &'a StoredRun,
    /// Whether intervals include what cards and processes are assumed to differ by.
    pub assumes_noise: bool,
    /// Cells by implementation, n, and parameters that are not the default: those in f32 alone, the papers' element type.
    planned: Rc<BTreeMap<(String, usize, Parameters), Vec<CellId>>>,
    /// For each cell that ended well, whether each result that was compared with the reference was right.
    pub checked: Rc<BTreeMap<CellId, Vec<bool>>>,
}

impl<'a> RunEvidence<'a> {
    pub fn new(run: &'a StoredRun) -> Self {
        let (mut planned, mut checked) = (BTreeMap::<_, Vec<CellId>>::new(), BTreeMap::<_, Vec<bool>>::new());
        let is_f32 = |cell: &CellId| run.manifest.experiment.element_of(&cell.graph) == ElementType::F32;
        for cell in cells(&run.manifest).into_iter().filter(is_f32) {
            let Ok(set) = cell.params.parse() else { continue };
            let set = run.results.facts.non_default(&cell.implementation, &set);
            planned.entry((cell.implementation.clone(), cell.n, set)).or_default().push(cell);
        }
        for (row, is_right) in run.judged() {
            checked.entry(row.cell()).or_default().push(is_right);
        }
        Self { run, assumes_noise: true, planned: planned.into(), checked: checked.into() }
    }

    /// The cells of `of` with n vertices that the run was to measure on graphs such as `test` needs.
    pub fn planned(&self, test: &Test, of: &Contender, n: usize) -> Vec<&CellId> {
        let edges = &test.edges_per_vertex;
        let set = self.run.results.facts.non_default(&of.implementation, &of.parameters);
        let graph = |cell: &CellId| {
            let source = self.run.graph_source(&cell.graph).filter(|source| source.is_generated());
            let source = source.filter(|source| source.weights().negative == test.negative)?;
            match edges.is_empty() {
                true => Some((None, cell.graph.clone())),
                false => source
                    .edges_per_vertex()
                    .filter(|of| edges.contains(of))
                    .map(|of| (Some(of), String::new())),
            }
        };
        // The same solve is planned twice where a default is written out in one cell and not in another. Of the graphs with the same number
        // of edges per vertex, one stands for all.
        let mut graphs = BTreeSet::new();
        let all = self.planned.get(&(of.implementation.clone(), n, set)).into_iter().flatten();
        all.filter(|cell| graph(cell).is_some_and(|graph| graphs.insert(graph))).collect()
    }

    /// What the run recorded of the contender `of`, whatever n.
    pub fn record(&self, of: &Contender) -> Option<&'a ImplementationRecord> {
        let (facts, name) = (&self.run.results.facts, &of.implementation);
        let set = facts.non_default(name, &of.parameters).to_string();
        let is_it = |params: &str| facts.written_non_default(name, params) == set;
        let mut all = self.run.environment()?.implementations.iter();
        all.find(|one| one.implementation == *name && is_it(&one.params))
    }

    /// How many results of a cell were wrong. None if the cell did not end well.
    pub fn wrong_results(&self, cell: &CellId) -> Option<usize> {
        Some(self.checked.get(cell)?.iter().filter(|is_right| !**is_right).count())
    }
}

/// The values that a claim accepts, both ends included. An open end is None.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AcceptanceRange {
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Whether a value above the range gives EXCEEDS instead of DIFFERS.
    #[serde(skip)]
    pub may_exceed: bool,
}

impl AcceptanceRange {
    pub fn new(low: f64, high: f64) -> Self {
        Self { low: Some(low), high: Some(high), may_exceed: false }
    }

    /// The range that `test` accepts at n, after the perturbation `change`.
    pub fn of_test(claim: &Claim, test: &Test, n: Option<usize>, change: Perturbation) -> Self {
        let exact = test.exactly.or_else(|| Some(test.polynomial.as_ref()?.at(n?)));
        if let Some(value) = exact {
            // A counted number must be met exactly, but for rounding in the arithmetic.
            let slack = 1e-9 * value.abs();
            return Self::new(value - slack, value + slack);
        }
        if test.at_least.or(test.at_most).is_some() {
            // A bound of ours is moved in proportion to its distance from 1, or from 0 where it is no ratio.
            let neutral = if unit_of(test) == Unit::Times { 1.0 } else { 0.0 };
            let factor = if let (Ours(factor), true) = (change, test.ours) { factor } else { 1.0 };
            let moved = |end: f64| neutral + (end - neutral) * factor;
            return Self { low: test.at_least.map(moved), high: test.at_most.map(moved), may_exceed: false };
        }
        Self::published(claim, if let Rounding(half) = change { half } else { 1.0 })
    }

    /// The published range, widened to all values that round to it, with `half` times half a unit of the last digit. A floor, and the most
    /// that a paper reached, may be exceeded.
    fn published(claim: &Claim, half: f64) -> Self {
        let number = claim.value.or(claim.bound.and(claim.low.or(claim.high)));
        let (low, high) = number.map_or((claim.low, claim.high), |value| (Some(value), Some(value)));
        let rounded = Self { low, high, may_exceed: claim.bound.is_some() }.widened_by_rounding(half);
        match claim.bound {
            // A value below a floor does not become the floor by rounding.
            Some(BoundKind::Floor) => Self { low, ..rounded },
            _ => rounded,
        }
    }

    /// A range of two ends, moved outwards by `half` times half a unit of the last digit of the end that is written with more of
    /// them: 1.8 to 1.8 accepts 1.75 to 1.85, and 5 to 6.5 accepts 4.95 to 6.55. A single end is a bound, which is not rounded.
    fn widened_by_rounding(self, half: f64) -> Self {
        let Some((low, high)) = self.low.zip(self.high) else { return self };
        let half = half * half_of_last_digit(low).min(half_of_last_digit(high));
        Self { low: Some(low - half), high: Some(high + half), ..self }
    }

    /// The range's middle, which is the published number where the range is only rounding around it; or its one end.
    pub fn middle(self) -> Option<f64> {
        let both = self.low.zip(self.high).map(|(low, high)| (low + high) / 2.0);
        both.or(self.low).or(self.high)
    }
}

/// An interval `factor` times as wide: by ratios, so that it stays positive, or by differences if it may be negative.
pub fn stretched(of: Estimate, factor: f64) -> Estimate {
    let end = |end: f64| match of.value > 0.0 && of.low >= 0.0 {
        true => of.value * (end / of.value).powf(factor),
        false => of.value + (end - of.value) * factor,
    };
    if factor == 1.0 { of } else { Estimate { low: end(of.low), high: end(of.high), ..of } }
}

/// Half a unit of the last digit that `value` is written with.
fn half_of_last_digit(value: f64) -> f64 {
    let text = value.to_string();
    let last = match text.split_once('.') {
        Some((_, decimals)) => -(decimals.len() as i32),
        // A whole number is taken to be written to its units: "150" does not mean 145 to 155.
        None if value.abs() < 1e6 => 0,
        None => (text.len() - text.trim_end_matches('0').len()) as i32,
    };
    0.5 * 10f64.powi(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_as_uncertain_is_half_as_wide_and_as_certain_as_it_was_is_the_same() {
        let of = Estimate { value: 2.0, low: 1.0, high: 8.0 };
        assert_eq!(stretched(of, 1.0), of);
        let half = stretched(of, 0.5);
        assert!((half.low - 2f64.sqrt()).abs() < 1e-9 && (half.high - 4.0).abs() < 1e-9, "{half:?}");
        assert_eq!(stretched(Estimate::exact(3.0), 2.0), Estimate::exact(3.0));
        let around_zero = Estimate { value: 1.0, low: -1.0, high: 2.0 };
        assert_eq!(stretched(around_zero, 2.0), Estimate { value: 1.0, low: -3.0, high: 3.0 });
    }

    #[test]
    fn what_rounds_to_a_number_or_to_the_finer_end_of_a_range_is_accepted_and_a_bound_is_not_rounded() {
        let rounded = |low: f64, high: f64| AcceptanceRange::new(low, high).widened_by_rounding(1.0);
        for (low, high, accepted) in [
            (1.8, 1.8, (1.75, 1.85)),
            (149.0, 149.0, (148.5, 149.5)),
            (150.0, 150.0, (149.5, 150.5)),
            (2.6e9, 2.6e9, (2.55e9, 2.65e9)),
            (5.0, 6.5, (4.95, 6.55)),
            (2.1, 2.3, (2.05, 2.35)),
        ] {
            let found = rounded(low, high);
            let is_close = |end: Option<f64>, expected: f64| (end.unwrap() / expected - 1.0).abs() < 1e-9;
            assert!(is_close(found.low, accepted.0) && is_close(found.high, accepted.1), "{found:?}");
        }
        let bound = AcceptanceRange { high: None, ..AcceptanceRange::new(150.0, 150.0) };
        assert_eq!(bound.widened_by_rounding(1.0), bound);
    }
}
