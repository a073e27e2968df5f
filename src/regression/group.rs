//! The cells of one kind in one pair of runs, and what they did together.

use super::bounds::{Bounds, bounds, runs_needed, shift};
use super::compare::Options;
use super::machine::KindNoise;
use super::rule::{self, Verdict};
use crate::results::CellKind;
use crate::timing::{Estimate, Pairing};
use repro_types::CellId;
use serde::Serialize;

/// Cells of one kind, of one pair of runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// Which of the comparison's pairs of runs.
    pub run_pair: usize,
    pub experiment: String,
    #[serde(flatten)]
    pub kind: CellKind,
    /// Whether their samples were taken in pairs, for which less noise is to be expected.
    pub paired: bool,
    /// How many both runs measured.
    pub cells: usize,
    pub noise: KindNoise,
    pub bounds: Bounds,
    /// What the interval of a single cell is held against, 1 + this and 1 / (1 + this), unless the cell is known to move by more.
    pub threshold: f64,
    /// None of fewer than six cells.
    pub shift: Option<Shift>,
}

/// What all cells of a group did together: evidence that no single one of them may have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shift {
    pub verdict: Verdict,
    /// Why it is not decided, or what else there is to say.
    pub reason: String,
    /// The median over cells of new over base, with its interval over cells.
    pub seconds: Estimate,
    /// The same in cycles of the multiprocessors, where clocks differ.
    pub cycles: Option<Estimate>,
    /// What the interval is held against.
    pub threshold: f64,
    /// Why it is not decided although its interval lies within the threshold. For words alone: files have `reason`.
    #[serde(skip)]
    pub few_runs: Option<FewRuns>,
}

/// Too few runs of one build are known to tell a change that all cells share from the usual difference between runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FewRuns {
    pub known: usize,
    /// None where the known runs differ so much that no number would do.
    pub needed: Option<usize>,
}

/// The ratios of the medians of one cell, new over base.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ratio {
    pub seconds: f64,
    /// Where the clocks of its two sides differ.
    pub cycles: Option<f64>,
}

impl Group {
    pub(super) fn of(
        (run_pair, experiment): (usize, &str),
        kind: CellKind,
        pairing: Pairing,
        ratios: &[Ratio],
        noise: KindNoise,
        options: &Options,
    ) -> Self {
        let seconds: Vec<f64> = ratios.iter().map(|ratio| ratio.seconds).collect();
        let bounds = bounds(&noise, kind, pairing, options.least_threshold, &seconds);
        let clocks_differ = ratios.iter().any(|ratio| ratio.cycles.is_some());
        let cycles = || ratios.iter().map(|ratio| ratio.cycles.unwrap_or(ratio.seconds)).collect::<Vec<_>>();
        let cycles = clocks_differ.then(cycles);
        let shift = Shift::of(&seconds, cycles.as_deref(), &bounds, &noise, options.least_threshold);
        Self {
            run_pair,
            experiment: experiment.to_string(),
            kind,
            paired: pairing == Pairing::Together,
            cells: ratios.len(),
            threshold: bounds.threshold(shift.as_ref().map(|shift| shift.seconds.value)),
            noise,
            bounds,
            shift,
        }
    }

    /// What the interval of this cell is held against.
    pub(super) fn threshold_of(&self, cell: &CellId) -> f64 {
        let unnamed = CellId { graph: String::new(), ..cell.clone() };
        let own = self.noise.of_cells.get(&unnamed).copied().unwrap_or(0.0);
        self.bounds.threshold_of(self.shift.as_ref().map(|shift| shift.seconds.value), own)
    }
}

impl Shift {
    fn of(
        seconds: &[f64],
        cycles: Option<&[f64]>,
        bounds: &Bounds,
        noise: &KindNoise,
        least: f64,
    ) -> Option<Self> {
        let threshold = bounds.shared;
        let (seconds, cycles) = (shift(seconds)?, cycles.and_then(shift));
        let mut few_runs = None;
        let (mut verdict, mut reason) = rule::decide_both(seconds, cycles, threshold);
        if verdict == Verdict::Uncertain && reason.is_empty() {
            reason = "the interval reaches over the threshold".to_string();
        } else if verdict == Verdict::Same && !bounds.tells_shift(least) {
            verdict = Verdict::Uncertain;
            let between = noise.between.as_ref().filter(|_| bounds.known && !bounds.paired);
            few_runs = between.map(|known| FewRuns { known: known.runs, needed: runs_needed(known, least) });
            reason = match bounds.known {
                true => {
                    "so few or so different runs of one build are known that less may be a slow day".into()
                }
                false => "no two runs of one build tell what a slow day is here".into(),
            };
        }
        Some(Self { verdict, reason, seconds, cycles, threshold, few_runs })
    }
}
