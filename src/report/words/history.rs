//! Histories in words. Each sentence is one line: what a record holds can neither end it nor move a terminal.

use super::list;
use crate::lists::{count_of, distinct, extent};
use crate::regression::history::{AppendReport, ChangePoint, HistoryRow, UnacknowledgedStep, by_cause};
use crate::report::text::{in_row, span};
use crate::store::short_commit;
use repro_base::text::foreign_text;
use std::path::Path;

/// How many causes are named; the others are counted.
const MOST_NAMED: usize = 20;

/// How many rows were added, were in the file already, and were disturbed, so that they begin no step.
pub fn appended(report: &AppendReport) -> String {
    let mut text = format!("{} added to {}", count_of(report.added, "cell"), report.path.display());
    if report.skipped > 0 {
        text += &format!(", {} there already", report.skipped);
    }
    if report.disturbed > 0 {
        text += &format!("; {} under load or throttled, which begin no step", report.disturbed);
    }
    text
}

/// Says that a file ends in a part of a row, and what became of that part. None if the file is whole.
pub fn torn(path: &Path, bytes: usize, outcome: &str) -> Option<String> {
    let what = format!("the last line, {bytes} bytes, is no whole row, as when a writer is killed");
    (bytes > 0).then(|| format!("{}: {what}; it {outcome}", path.display()))
}

/// A line for each cause of steps; after twenty causes, one line that counts the cells of the others.
pub fn steps(steps: &[UnacknowledgedStep]) -> Vec<String> {
    let causes = by_cause(steps);
    let mut lines: Vec<String> = causes.iter().take(MOST_NAMED).map(|cause| step(cause)).collect();
    let others: usize = causes.iter().skip(MOST_NAMED).map(Vec::len).sum();
    if others > 0 {
        lines.push(format!("and {}", count_of(others, "more cell")));
    }
    lines
}

/// The line of a cause: since when, which cells, how their time changed, and what else changed with the first, which changed most.
fn step(steps: &[&UnacknowledgedStep]) -> String {
    let UnacknowledgedStep { file, change } = steps[0];
    let names = distinct(steps.iter().map(|step| step.change.after.cell.implementation.clone()));
    let cells = match steps.len() {
        1 => format!("{} is", change.after.cell),
        several => format!("{several} cells of {} are", list(&names)),
    };
    let (least, most) = extent(steps.iter().map(|step| step.change.ratio())).unwrap_or_default();
    let changed = match differences(change) {
        nothing if nothing.is_empty() => "nothing else that is recorded changed with it".to_string(),
        changed => format!("with it changed: {changed}"),
    };
    let text = format!(
        "since {} {cells} {}, {} times as long ({file}); {changed}",
        change.after.time.get(..10).unwrap_or_default(),
        if change.is_slower() { "slower" } else { "faster" },
        span(least, most, in_row)
    );
    foreign_text(&text, usize::MAX)
}

type TextColumn = fn(&HistoryRow) -> &str;
type NumberColumn = fn(&HistoryRow) -> Option<f64>;

/// Recorded circumstances that may change a time.
const TEXTS: [(&str, TextColumn); 7] = [
    ("commit", |row| short_commit(&row.commit)),
    ("uncommitted changes", |row| if row.dirty { "some" } else { "" }),
    ("driver", |row| &row.driver),
    ("compiler", |row| &row.compiler),
    ("GPU", |row| &row.device_uuid),
    ("host", |row| &row.host_cpu),
    ("experiment", |row| &row.experiment),
];
/// Circumstances in numbers, each with the least change that matters: clocks step by 15 MHz, the others vary from night to night.
const NUMBERS: [(&str, f64, NumberColumn); 4] = [
    ("SM clock (MHz)", 30.0, |row| row.sm_mhz.map(f64::from)),
    ("power (W)", 20.0, |row| row.power_w),
    ("temperature (°C)", 5.0, |row| row.temperature_c.map(f64::from)),
    ("load by others (%)", 2.0, |row| row.others_load.map(|share| share * 100.0)),
];

/// What else changed with a cell's time: `commit 2222222 → 3333333, driver 580.1 → 590.2`.
pub fn differences(change: &ChangePoint) -> String {
    let (before, after) = (change.before, change.after);
    let texts = TEXTS.into_iter().map(|(what, of)| {
        let [old, new] = [before, after].map(|row| if of(row).is_empty() { "none" } else { of(row) });
        (old != new).then(|| format!("{what} {old} → {new}"))
    });
    let numbers = NUMBERS.into_iter().map(|(what, least, of)| {
        let (old, new) = of(before).zip(of(after))?;
        ((new - old).abs() >= least).then(|| format!("{what} {} → {}", in_row(old), in_row(new)))
    });
    texts.chain(numbers).flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regression::history::rows_of;
    use crate::results::StoredRun;
    use std::path::PathBuf;

    #[test]
    fn what_changed_with_a_step_is_told_and_what_says_nothing_is_not() {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("results/reference/h200-e117a75b/table1");
        let rows = rows_of(&StoredRun::open(&folder).unwrap());
        let before = rows.into_iter().find(HistoryRow::is_on_gpu).unwrap();
        let before =
            HistoryRow { sm_mhz: Some(1980), power_w: Some(400.0), temperature_c: Some(50), ..before };
        let told = |after: HistoryRow| {
            let (level_before_s, level_after_s, minimum_change) = (1.0, 1.1, 0.02);
            let (before, after) = (&before, &after);
            differences(&ChangePoint { before, after, level_before_s, level_after_s, minimum_change })
        };
        let little = HistoryRow { sm_mhz: Some(1965), power_w: Some(410.0), ..before.clone() };
        assert_eq!(told(little), "");
        let much = HistoryRow {
            dirty: true,
            driver: String::new(),
            device_uuid: "GPU-2".into(),
            sm_mhz: Some(1755),
            power_w: Some(1e300),
            temperature_c: Some(61),
            ..before.clone()
        };
        let (driver, uuid) = (&before.driver, &before.device_uuid);
        assert_eq!(
            told(much),
            format!(
                "uncommitted changes none → some, driver {driver} → none, GPU {uuid} → GPU-2, SM clock (MHz) 1980 → 1755, \
                 power (W) 400 → 1.000 × 10³⁰⁰, temperature (°C) 50 → 61"
            )
        );
    }
}
