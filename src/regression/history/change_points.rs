//! Change points: where the time of a cell changed and stayed changed, by a rule that learns from the series how far nights lie apart.
//!
//! `docs/history-rates.csv` has the rates at which the rule is wrong, simulated with this code.

use super::row::HistoryRow;
use crate::regression::CellKind;
use crate::timing::median;
use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_2;

/// A smaller relative change is ignored: a GPU that is warmer or colder changes its times as much.
const MINIMUM_CHANGE: f64 = 0.02;
/// The least number of nights that a level is the median of.
const NIGHTS_OF_LEVEL: usize = 2;
/// The number of last nights that are no part of the level yet. If their median lies elsewhere, the cell changed: two of three nights must
/// agree, since one alone may have been disturbed.
const LAST_NIGHTS: usize = 3;
/// The noise is known from this number of deviations on.
const NOISE_KNOWN_FROM: usize = 3;
/// How many times the noise a change must be where both levels are known well. A smaller factor would find chance changes now and then
/// among sixty cells and a hundred nights; a larger one would find 5% late where nights differ by 1%.
const TIMES_NOISE: f64 = 2.7;
/// Four in five normally distributed numbers lie within this many standard deviations.
const FOUR_IN_FIVE: f64 = 1.28;

/// A change of a cell's time that stayed.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangePoint<'a> {
    /// The last night of the level before.
    pub before: &'a HistoryRow,
    /// The first night of the new one.
    pub after: &'a HistoryRow,
    /// Medians of the nights of either level, seconds.
    pub level_before_s: f64,
    pub level_after_s: f64,
    /// The smallest change, as a logarithm, that would have counted as one here.
    pub minimum_change: f64,
}

impl ChangePoint<'_> {
    /// The new level over the old one: above 1 is slower.
    pub fn ratio(&self) -> f64 {
        self.level_after_s / self.level_before_s
    }

    pub fn is_slower(&self) -> bool {
        self.ratio() > 1.0
    }

    pub(super) fn size(&self) -> f64 {
        self.ratio().ln().abs()
    }

    /// Whether a later change of the cell led back to the level before this one, or past it.
    pub(super) fn is_undone_by(&self, later: &Self) -> bool {
        let change = (later.level_after_s / self.level_before_s).ln();
        (if self.is_slower() { change } else { -change }) <= self.minimum_change
    }
}

/// The times of one cell on one model of device, whatever its driver, and where they changed. Only such times may be compared.
#[derive(Clone, Debug, Default)]
pub struct ChangeDetection<'a> {
    /// Oldest first; never empty.
    pub rows: Vec<&'a HistoryRow>,
    /// Oldest first.
    pub change_points: Vec<ChangePoint<'a>>,
    /// The rows that were not disturbed.
    nights: Vec<&'a HistoryRow>,
    /// Index into `nights` of the first night of the current level.
    level_from: usize,
    /// How far nights lay from the level before them, in logarithms, the smallest first.
    deviations: Vec<f64>,
}

/// Finds where each cell of `rows` changed; cells come in the order of their names. Other graphs, scopes and models make separate cells,
/// and so do times that were measured in turn with another build.
///
/// A cell changed when the median of its last three nights lies away from its level by 2% at least and by so many times its noise that this hardly
/// happens by itself. The level is the median of the nights since the last change. The noise is what four in five nights stay within, and no less
/// than the median of that over all cells of the kind, since one may have been quiet by chance.
///
/// Nights that were [disturbed](HistoryRow::is_disturbed) are passed over. Nothing that is found depends on later nights.
pub fn detect_changes(rows: &[HistoryRow]) -> Vec<ChangeDetection<'_>> {
    let mut rows: Vec<&HistoryRow> = rows.iter().collect();
    // The same order from the same rows, whatever order the file has them in.
    rows.sort_by_cached_key(|row| {
        (row.timestamp(), row.commit.clone(), row.experiment.clone(), row.device_uuid.clone())
    });
    let mut cells: BTreeMap<_, ChangeDetection> = BTreeMap::new();
    for night in rows.chunk_by(|a, b| a.time == b.time) {
        let mut noises: BTreeMap<CellKind, Vec<f64>> = BTreeMap::new();
        for cell in cells.values() {
            noises.entry(cell.rows[0].kind()).or_default().extend(cell.noise());
        }
        for &row in night {
            let usual = noises.get(&row.kind()).and_then(|all| median(all));
            let key = (&row.cell, row.scope, row.model(), &row.graph_digest, row.beside);
            cells.entry(key).or_default().push(row, usual.unwrap_or_default());
        }
    }
    cells.into_values().collect()
}

impl<'a> ChangeDetection<'a> {
    /// Adds one night; `usual_noise` is the median noise of cells of this kind.
    fn push(&mut self, row: &'a HistoryRow, usual_noise: f64) {
        self.rows.push(row);
        if row.is_disturbed() {
            return;
        }
        self.nights.push(row);
        if let Some(change) = self.change_points.last_mut() {
            change.level_after_s = level(&self.nights[self.level_from..]).exp();
        }
        let last = self.nights.len().saturating_sub(LAST_NIGHTS);
        let of_level = &self.nights[self.level_from..last.max(self.level_from)];
        if of_level.len() < NIGHTS_OF_LEVEL {
            return;
        }
        let level_before = level(of_level);
        // The level is uncertain too: the variance of a median is π/2 times that of a mean.
        let uncertainty = (1.0 + FRAC_PI_2 / of_level.len() as f64).sqrt();
        let away: Vec<f64> = self.nights[last..].iter().map(|row| level(&[row]) - level_before).collect();
        if let (Some(noise), Some(change)) = (self.noise(), median(&away)) {
            // The noise is known badly in the first nights.
            let times = TIMES_NOISE * (1.0 + 1.0 / self.deviations.len() as f64);
            let minimum_change = MINIMUM_CHANGE.ln_1p().max(times * noise.max(usual_noise) * uncertainty);
            if change.abs() > minimum_change {
                // A night belongs to the new level if it lies nearer to it than to the old one.
                let first = last + away.iter().position(|one| one / change > 0.5).unwrap_or_default();
                let (before, after) = (self.nights[first - 1], self.nights[first]);
                let (level_before_s, level_after_s) =
                    (level_before.exp(), level(&self.nights[first..]).exp());
                let found = ChangePoint { before, after, level_before_s, level_after_s, minimum_change };
                if let Some(previous) = self.change_points.last_mut() {
                    // Without the nights of the new level, which counted as part of the previous one until now.
                    previous.level_after_s = level(&self.nights[self.level_from..first]).exp();
                }
                self.change_points.push(found);
                self.level_from = first;
                return;
            }
        }
        let deviation = away[0].abs() / uncertainty;
        self.deviations.insert(self.deviations.partition_point(|one| *one < deviation), deviation);
    }

    /// The standard deviation of nights, robust to outliers and to changes that are not found yet. None if too few nights are known.
    fn noise(&self) -> Option<f64> {
        let four_in_five = self.deviations.get(self.deviations.len() * 4 / 5)?;
        (self.deviations.len() >= NOISE_KNOWN_FROM).then(|| four_in_five / FOUR_IN_FIVE)
    }
}

/// The median of some nights, as a logarithm.
fn level(nights: &[&HistoryRow]) -> f64 {
    let logarithms: Vec<f64> = nights.iter().map(|row| row.seconds.value.ln()).collect();
    median(&logarithms).unwrap_or_default()
}

#[cfg(test)]
#[path = "change_points_tests.rs"]
mod tests;
