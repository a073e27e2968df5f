//! Step changes: where the time of a cell changed and stayed changed.

use super::row::HistoryRow;
use crate::timing::{Estimate, median};

/// A change of less than this share is none: a GPU that is warmer or colder changes its times as much.
pub const LEAST_TOLERANCE: f64 = 0.02;
/// Readings of power differ by some percent from run to run, and temperatures by some degrees with the room. Less than this share
/// and these °C say nothing, and neither does so little of the host, in percent.
const LEAST_POWER: f64 = 0.05;
const LEAST_DEGREES: Least = Least::Difference(5.0);
const LEAST_LOAD: Least = Least::Difference(2.0);
/// From so many entries on, how far a cell usually moves is known.
const KNOWN_FROM: usize = 8;
/// The 90th percentile of the sizes of normally distributed numbers over their median.
const PERCENTILE_90_OVER_MEDIAN: f64 = 2.44;

/// A change of a cell's time from one entry to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Step<'a> {
    /// The last entry of the level before.
    pub before: &'a HistoryRow,
    /// The first entry of the new one.
    pub after: &'a HistoryRow,
    /// Medians of the medians of either level, seconds.
    pub level_before_s: f64,
    pub level_after_s: f64,
    /// Whether the next entry stayed there, and one of the two has an interval that says the same.
    pub confirmed: bool,
    /// The share beyond which this change was one.
    pub tolerance: f64,
}

impl Step<'_> {
    /// The new level over the old one: above 1 is slower.
    pub fn ratio(&self) -> f64 {
        self.level_after_s / self.level_before_s
    }

    /// What else differs between the entries before and after, in words: driver, compiler, GPU, host, experiment, clock, power,
    /// temperature, load. Of the last four as far as both entries have them, and only what may have moved the time.
    pub fn also_changed(&self) -> Vec<String> {
        let (before, after) = (self.before, self.after);
        let text = |what: &str, of: fn(&HistoryRow) -> &String| {
            let named = |row| Some(of(row)).filter(|text| !text.is_empty()).map_or("none", String::as_str);
            (of(before) != of(after)).then(|| format!("{what} {} → {}", named(before), named(after)))
        };
        let number = |what: &str, unit: &str, of: fn(&HistoryRow) -> Option<f64>, least: Least| {
            let (old, new) = of(before).zip(of(after))?;
            let moved = match least {
                Least::Share(share) => (new / old - 1.0).abs() > share,
                Least::Difference(least) => (new - old).abs() >= least,
            };
            moved.then(|| format!("{what} {old:.0} → {new:.0}{unit}"))
        };
        let uncommitted = (before.dirty != after.dirty)
            .then(|| format!("uncommitted changes {}", if after.dirty { "after" } else { "before" }));
        let all = [
            text("driver", |row| &row.driver),
            text("compiler", |row| &row.compiler),
            text("GPU", |row| &row.device_uuid),
            text("host", |row| &row.host_cpu),
            text("experiment", |row| &row.experiment),
            // Clocks come in steps of 15 MHz, of which one says nothing.
            number("SM clock", " MHz", |row| row.sm_mhz.map(f64::from), Least::Share(LEAST_TOLERANCE)),
            number("power", " W", |row| row.power_w, Least::Share(LEAST_POWER)),
            number("temperature", " °C", |row| row.temperature_c.map(f64::from), LEAST_DEGREES),
            number("load by others", "%", |row| row.others_load.map(|share| share * 100.0), LEAST_LOAD),
            uncommitted,
        ];
        all.into_iter().flatten().collect()
    }
}

/// How far a number must move to be reported.
enum Least {
    Share(f64),
    Difference(f64),
}

/// The share that a cell's time must move by to have changed, from the medians of its entries so far, oldest first: 2% on a GPU,
/// twice its time on a CPU; from eight entries on, on either, 2% or nine of ten movements from entry to entry stay below. That is taken as 2.44 times the median movement, which is the
/// same for normally distributed noise and does not grow with the steps among the movements.
pub fn tolerance(medians: &[f64], on_gpu: bool) -> f64 {
    let moved: Vec<f64> = medians.windows(2).map(|pair| (pair[1] / pair[0] - 1.0).abs()).collect();
    match median(&moved) {
        Some(typical) if medians.len() >= KNOWN_FROM => {
            LEAST_TOLERANCE.max(PERCENTILE_90_OVER_MEDIAN * typical)
        }
        _ if on_gpu => LEAST_TOLERANCE,
        _ => 1.0,
    }
}

/// The step changes of one cell's rows, oldest first.
///
/// The level is the median of the medians since the last step. An entry leaves it when it is further away than the tolerance and
/// its interval does not touch the level's, which reaches from the median of the lower ends to that of the upper ends. It is a
/// step when the next entry stays: nearer to the new level than to the old one, and within the tolerance of the new one or
/// beyond. When the next one returns, it was none, and is no part of the level. A step at the last entry is not confirmed, and
/// neither is one of two entries of one sample each, which have no interval.
///
/// Entries that were [disturbed](HistoryRow::is_disturbed) are passed over, as if they were not there.
///
/// Everything follows from the entry itself, those before and the next one: what is confirmed stays so, whatever comes later.
pub fn steps<'a>(rows: &[&'a HistoryRow]) -> Vec<Step<'a>> {
    let rows: Vec<&'a HistoryRow> = rows.iter().copied().filter(|row| !row.is_disturbed()).collect();
    let medians: Vec<f64> = rows.iter().map(|row| row.seconds.value).collect();
    let mut steps: Vec<Step> = Vec::new();
    let mut level: Vec<&'a HistoryRow> = Vec::new();
    for (at, row) in rows.iter().copied().enumerate() {
        if let (Some(known), Some(&before)) = (Level::of(&level), level.last()) {
            let tolerance = tolerance(&medians[..at], row.is_on_gpu());
            match known.fate(row, rows.get(at + 1).copied(), tolerance) {
                Fate::Same => (),
                Fate::Returned => continue,
                Fate::Step { confirmed } => {
                    let (level_before_s, level_after_s) = (known.0.value, row.seconds.value);
                    let after = row;
                    steps.push(Step { before, after, level_before_s, level_after_s, confirmed, tolerance });
                    level.clear();
                }
            }
        }
        level.push(row);
        if let (Some(step), Some(known)) = (steps.last_mut(), Level::of(&level)) {
            step.level_after_s = known.0.value;
        }
    }
    steps
}

enum Fate {
    Same,
    /// It left the level, and the next entry is back.
    Returned,
    Step {
        confirmed: bool,
    },
}

/// Where a cell has been since its last step, seconds: the medians of the medians and of the ends of their intervals.
struct Level(Estimate);

impl Level {
    fn of(rows: &[&HistoryRow]) -> Option<Self> {
        let middle_of =
            |value: fn(&HistoryRow) -> f64| median(&rows.iter().map(|row| value(row)).collect::<Vec<_>>());
        Some(Self(Estimate {
            value: middle_of(|row| row.seconds.value)?,
            low: middle_of(|row| row.seconds.low)?,
            high: middle_of(|row| row.seconds.high)?,
        }))
    }

    fn fate(&self, row: &HistoryRow, next: Option<&HistoryRow>, tolerance: f64) -> Fate {
        let slower = row.seconds.value > self.0.value;
        if (row.seconds.value / self.0.value).ln().abs() <= tolerance.ln_1p()
            || self.is_clear_of(row, slower) == Some(false)
        {
            return Fate::Same;
        }
        let Some(next) = next else { return Fate::Step { confirmed: false } };
        let (at, between) = (row.seconds.value, (self.0.value * row.seconds.value).sqrt());
        // How far the next one is beyond a time, towards the new level and past it.
        let beyond = |time: f64| (next.seconds.value / time).ln() * if slower { 1.0 } else { -1.0 };
        let stays = beyond(at) >= -tolerance.ln_1p() && beyond(between) > 0.0;
        match stays {
            true => {
                let confirmed = [row, next].iter().any(|one| self.is_clear_of(one, slower) == Some(true));
                Fate::Step { confirmed }
            }
            false => Fate::Returned,
        }
    }

    /// Whether an entry's interval does not touch the level's on this side. None without an interval.
    fn is_clear_of(&self, row: &HistoryRow, slower: bool) -> Option<bool> {
        let clear = if slower { row.seconds.low > self.0.high } else { row.seconds.high < self.0.low };
        row.has_interval().then_some(clear)
    }
}

#[cfg(test)]
#[path = "steps_tests.rs"]
mod tests;
