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
mod tests {
    //! Checks on change points, on planted series. How often the rule is wrong where times are noisy, `tests/compare_rates/history.rs` simulates.

    use super::super::row::tests::row;
    use super::*;
    use crate::timing::Estimate;
    use proptest::prelude::*;
    use repro_base::CellId;

    /// Nights, and the place and percent of each change in them.
    type Case<'a> = (&'a [f64], &'a [(usize, i32)]);

    /// Nights that differ by a little.
    const QUIET: [f64; 8] = [1.0, 1.001, 0.999, 1.0005, 0.9995, 1.001, 0.999, 1.0];

    fn rows(medians: &[f64]) -> Vec<HistoryRow> {
        (1..).zip(medians).map(|(day, &seconds)| row(day, seconds)).collect()
    }

    /// Place of the first night and ratio in percent of each change of the first cell.
    fn found(rows: &[HistoryRow]) -> Vec<(usize, i32)> {
        let of_first = detect_changes(rows).remove(0).change_points;
        let at = |change: &ChangePoint| rows.iter().position(|row| row == change.after).unwrap();
        of_first.iter().map(|change| (at(change), (change.ratio() * 100.0).round() as i32)).collect()
    }

    /// That, of these nights after quiet ones.
    fn after_quiet(medians: &[f64]) -> Vec<(usize, i32)> {
        found(&rows(&[&QUIET[..], medians].concat()))
    }

    #[test]
    fn a_change_is_told_by_the_second_night_and_none_that_goes_by_itself_is() {
        let cases: [Case; 10] = [
            (&[1.1], &[]),
            (&[1.1, 1.1], &[(8, 110)]),
            (&[0.9, 0.9], &[(8, 90)]),
            (&[1.1, 1.0, 1.0, 1.1, 1.0], &[]),
            (&[1.1, 1.0, 1.1], &[(8, 110)]),
            // A night that lies nearer to the level before is of that.
            (&[1.1, 1.04, 1.1, 1.1], &[(8, 110)]),
            (&[1.015, 1.1, 1.1, 1.1], &[(9, 110)]),
            (&[1.1, 1.1, 1.1, 1.1, 1.0, 1.0], &[(8, 110), (12, 91)]),
            (&[1.1, 1.1, 1.1, 1.2, 1.2, 1.2], &[(8, 110), (11, 109)]),
            (&[1.015, 1.015, 1.015, 1.015], &[]),
        ];
        for (nights, changes) in cases {
            assert_eq!(after_quiet(nights), changes, "{nights:?}");
        }
        // The first nights show how far nights lie apart, and no change.
        assert_eq!(found(&rows(&[1.0, 1.0, 1.0, 1.0, 1.0, 1.1, 1.1])), []);
        assert!(
            !after_quiet(&(1..12).map(|at| 1.0 + 0.005 * f64::from(at)).collect::<Vec<_>>()).is_empty(),
            "drift"
        );
    }

    #[test]
    fn a_restless_cell_must_change_by_more_and_so_must_a_quiet_one_among_restless_ones() {
        let restless: Vec<f64> = [1.0, 1.04].repeat(7);
        let changed = |name: &str, nights: &[f64], n: usize| -> Vec<HistoryRow> {
            let cell = CellId::new(name, n, "", "");
            let rows = rows(&[nights, &[1.04; 2]].concat()).into_iter();
            rows.map(|row| HistoryRow { cell: cell.clone(), ..row }).collect()
        };
        assert_eq!(found(&changed("a", &restless, 8192)), []);
        let quiet = changed("a", &[1.0; 14], 8192);
        assert_eq!(found(&quiet), [(14, 104)]);
        let beside = |sizes: [usize; 2]| {
            let others = sizes.iter().flat_map(|n| changed("restless", &restless, *n));
            quiet.iter().cloned().chain(others).collect::<Vec<_>>()
        };
        assert_eq!(found(&beside([4096, 8192])), []);
        assert_eq!(found(&beside([1024, 2048])), [(14, 104)], "those are of another kind");
    }

    #[test]
    fn what_was_throttled_or_on_loaded_cores_begins_and_hides_no_change() {
        let with = |nights: &[f64], disturbed: &[usize], change: fn(&mut HistoryRow)| {
            let mut rows = rows(&[&QUIET[..], nights].concat());
            disturbed.iter().for_each(|at| change(&mut rows[*at]));
            found(&rows)
        };
        let throttled = |row: &mut HistoryRow| row.throttled = Some(true);
        assert_eq!(with(&[1.1, 1.1], &[9], throttled), []);
        assert_eq!(with(&[1.1, 1.0, 1.1], &[9], throttled), [(8, 110)]);
        assert_eq!(with(&[9.0, 9.0, 1.1, 1.1], &[8, 9], throttled), [(10, 110)]);
        let loaded = |row: &mut HistoryRow| row.others_load = Some(0.2);
        assert_eq!(with(&[1.1, 1.1], &[9], loaded), [(8, 110)], "a GPU waits for no core");
    }

    #[test]
    fn another_graph_scope_model_or_turn_is_another_cell_and_another_driver_is_not() {
        let rows = [
            // Later by its time, if not by its text.
            HistoryRow { time: "2026-03-02T01:00:00-05:00".into(), ..row(1, 2.0) },
            HistoryRow { driver: "590.2".into(), experiment: "timers".into(), ..row(1, 1.0) },
            HistoryRow { time: "2026-03-02T05:00:00Z".into(), ..row(1, 3.0) },
            HistoryRow { graph_digest: "ffffffff".into(), ..row(3, 1.0) },
            HistoryRow { scope: crate::timing::Scope::Total, ..row(3, 1.0) },
            HistoryRow { device: "NVIDIA A100".into(), ..row(3, 1.0) },
            HistoryRow { cell: CellId::new("staged-load", 1024, "kappa=4", ""), ..row(3, 1.0) },
            HistoryRow { beside: true, ..row(3, 1.0) },
        ];
        let cells = detect_changes(&rows);
        assert_eq!(cells.len(), 6);
        let of_three = cells.iter().find(|cell| cell.rows.len() == 3).unwrap();
        assert!(of_three.rows.iter().map(|row| row.seconds.value).eq([1.0, 3.0, 2.0]));
    }

    proptest! {
        #[test]
        fn what_was_found_stays_so_whatever_comes_later(
            medians in proptest::collection::vec(0.8_f64..1.25, 2..30), kept in 0.0_f64..1.0,
        ) {
            let kept = 2 + (kept * (medians.len() - 2) as f64) as usize;
            let places = |medians: &[f64]| found(&rows(medians)).into_iter().map(|(at, _)| at).collect::<Vec<_>>();
            prop_assert!(places(&medians).starts_with(&places(&medians[..kept])));
        }

        #[test]
        fn within_two_percent_nothing_changed_and_any_unit_of_time_tells_the_same(
            medians in proptest::collection::vec(0.9901_f64..1.0098, 1..30), unit in 1e-9_f64..1e9,
        ) {
            prop_assert_eq!(found(&rows(&medians)), []);
            let planted = [&QUIET[..], &[1.1; 3]].concat();
            let in_unit = rows(&planted).into_iter();
            let in_unit = in_unit.map(|row| HistoryRow { seconds: Estimate::exact(row.seconds.value * unit), ..row });
            prop_assert_eq!(found(&in_unit.collect::<Vec<_>>()), found(&rows(&planted)));
        }
    }
}
