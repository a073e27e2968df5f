//! Runs that never ran, compared by the library as stored ones are.

use super::Line;
use crate::common::stored::{TABLE1, reference};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use repro::regression::{
    CALIBRATION_PAIRS, CellVerdict, Comparison, ComparisonOutcome, NoiseFloors, Settings, compare,
};
use repro::results::StoredRun;
use repro::store::{BuildRole, PairMember, SampleRow};
use repro::timing::Scope;
use repro_base::CellId;
use std::ops::Range;

const OPTIONS: Settings = Settings { scope: Scope::Kernel, across: Vec::new(), least_threshold: 0.0 };

/// What became of some comparisons.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    pub trials: u64,
    /// Something was SLOWER: exit code 1.
    pub slower: u64,
    /// Exit code 0.
    pub fine: u64,
    /// Exit code 3.
    pub noisy: u64,
    /// Cells that were SLOWER, of those that were changed where some were.
    pub cells: u64,
    /// The sum over trials of the thresholds.
    pub thresholds: f64,
}

impl Tally {
    pub fn text(&self) -> String {
        let Self { slower, fine, noisy, cells, thresholds, .. } = self;
        format!("{slower} {fine} {noisy} {cells} {thresholds:.6}")
    }
}

pub struct Simulator {
    /// Its samples are put in place of those that were measured.
    template: StoredRun,
    /// One a cell.
    rows: Vec<SampleRow>,
}

impl Simulator {
    pub fn new() -> Self {
        let mut template = StoredRun::open(&reference(TABLE1)).unwrap();
        let mut rows: Vec<SampleRow> = Vec::new();
        for row in template.valid_rows(Scope::Kernel).filter(|row| row.sm_mhz.is_some()) {
            // Cells of one kind.
            rows.push(SampleRow { sm_mhz: None, n: 4096 + rows.len(), ..row.clone() });
        }
        template.results.extra.counts = Vec::new();
        template.results.extra.kernel_times = Vec::new();
        Self { template: template.with_samples(Vec::new()), rows }
    }

    /// What becomes of `trials` of a row. The same ones are the same, whatever others there are.
    pub fn tally(&self, at: usize, row: &Line, trials: Range<u64>) -> Tally {
        let all: Vec<Tally> = trials.into_par_iter().map(|trial| self.trial(at, row, trial)).collect();
        all.into_iter().fold(Tally::default(), |sum, one| Tally {
            trials: sum.trials + one.trials,
            slower: sum.slower + one.slower,
            fine: sum.fine + one.fine,
            noisy: sum.noisy + one.noisy,
            cells: sum.cells + one.cells,
            thresholds: sum.thresholds + one.thresholds,
        })
    }

    fn trial(&self, at: usize, row: &Line, trial: u64) -> Tally {
        let mut random = ChaCha8Rng::seed_from_u64((at as u64) << 32 | trial);
        let (changed, slower) = row.changed();
        let factor = |cell: usize| if cell < changed { slower } else { 1.0 };
        let mut measured_pair = |factor: &dyn Fn(usize) -> f64| {
            let day = row.shared_percent / 100.0 * normal(&mut random);
            // Partners share theirs.
            let other = if row.paired { day } else { row.shared_percent / 100.0 * normal(&mut random) };
            let base = measured(row, &mut random, day, |_| 1.0);
            [
                self.run(&base, BuildRole::Base, row),
                self.run(&measured(row, &mut random, other, factor), BuildRole::New, row),
            ]
        };
        let pairs = if row.calibrated { CALIBRATION_PAIRS } else { 0 };
        let known: Vec<StoredRun> = (0..pairs).flat_map(|_| measured_pair(&|_| 1.0)).collect();
        let floors = NoiseFloors::of_pairs(&known);
        let mut once = |only: Option<&[CellId]>| {
            // As `track` does: of what looks slower or faster alone.
            let [base, new] = measured_pair(&factor).map(|run| {
                let is_asked = |row: &SampleRow| only.is_none_or(|only| only.contains(&row.cell()));
                let rows = run.samples.iter().filter(|row| is_asked(row)).cloned().collect();
                run.with_samples(rows)
            });
            compare(&base, &new, &floors, &OPTIONS).unwrap()
        };
        let mut comparison = once(None);
        // Both builds are there: what looks slower or faster is run once more, as `track` does.
        let suspects = comparison.to_confirm();
        if row.paired && !suspects.is_empty() {
            comparison = comparison.confirmed_by(&once(Some(&suspects)));
        }
        let Comparison { outcome, cells, kinds, .. } = comparison;
        // Where some were changed, those that are found are meant.
        let is_counted = |cell: &CellId| {
            let at = self.rows.iter().position(|row| row.cell() == *cell);
            changed == 0 || at.is_some_and(|at| at < changed)
        };
        let slower =
            cells.iter().filter(|cell| cell.verdict == CellVerdict::Slower && is_counted(&cell.cell));
        Tally {
            trials: 1,
            slower: u64::from(outcome == ComparisonOutcome::Slower),
            fine: u64::from(outcome == ComparisonOutcome::NotSlower),
            noisy: u64::from(outcome == ComparisonOutcome::Noisy),
            cells: slower.count() as u64,
            thresholds: kinds[0].limits.threshold,
        }
    }

    fn run(&self, samples: &[Vec<f64>], side: BuildRole, of: &Line) -> StoredRun {
        let mut run = self.template.clone();
        run.manifest.pair = of.paired.then(|| PairMember { id: "pair".into(), side });
        let of_cell = |(row, seconds): (&SampleRow, &Vec<f64>)| {
            let sample = |(sample, seconds): (usize, &f64)| SampleRow {
                sample,
                seconds: Some(*seconds),
                ..row.clone()
            };
            seconds.iter().enumerate().map(sample).collect::<Vec<_>>()
        };
        run.with_samples(self.rows.iter().zip(samples).flat_map(of_cell).collect())
    }
}

/// Seconds by cell and sample of one run, all of whose cells are slower by `day`, a logarithm.
fn measured(
    row: &Line,
    random: &mut ChaCha8Rng,
    day: f64,
    true_seconds: impl Fn(usize) -> f64,
) -> Vec<Vec<f64>> {
    let mut noise = |percent: f64| percent / 100.0 * normal(random);
    (0..row.cells)
        .map(|cell| {
            let level = true_seconds(cell).ln() + day + noise(row.own_percent);
            (0..row.samples).map(|_| (level + noise(row.within_percent)).exp() / 1000.0).collect()
        })
        .collect()
}

/// A normally distributed number (Box and Muller).
pub fn normal(random: &mut ChaCha8Rng) -> f64 {
    let mut uniform = || (f64::from(random.next_u32()) + 0.5) / 4_294_967_296.0;
    (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()
}
