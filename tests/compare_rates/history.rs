//! How often `repro history` names a step where nothing changed, and how soon one that there is: simulated with its own rule, and held against the
//! committed table.
//!
//! `scripts/compare-rates` makes the table anew.

use super::committed;
use super::simulate::normal;
use crate::common::stored::{TABLE1, reference};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rayon::prelude::*;
use repro::regression::history::{ChangePoint, HistoryRow, detect_changes, rows_of};
use repro::results::StoredRun;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The cells of Table 1 on a GPU and its host.
const CELLS: usize = 59;
/// Of each row, so many series are done again in every run of the tests.
const AGAIN: u64 = 2;
/// A change is looked for in so many nights from its first one on.
const TOLD_IN: usize = 3;

/// A row of `docs/history-rates.csv`. Noise is between nights, in percent, one standard deviation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Line {
    own_percent: f64,
    shared_percent: f64,
    /// Nights without a change; three with it follow, where there is one.
    nights: usize,
    slower_percent: f64,
    slower_cells: usize,
    series: u64,
    /// Nights in which a step was named that is none.
    false_alarms: usize,
    /// Series in which the change was named.
    told: usize,
    /// The sum of all ratios that were found in the first few series.
    first_ratios: f64,
}

/// The cells as they were in one night.
fn cells() -> Vec<HistoryRow> {
    let rows = rows_of(&StoredRun::open(&reference(TABLE1)).unwrap());
    assert_eq!(rows.len(), CELLS);
    rows.into_iter().map(|row| HistoryRow { others_load: None, ..row }).collect()
}

/// The false alarms, whether the change was told, and the sum of the ratios that were found.
fn simulated(cells: &[HistoryRow], at: usize, of: &Line, series: u64) -> (usize, usize, f64) {
    let Line { own_percent: own, shared_percent: shared, nights: quiet, slower_percent: percent, .. } = *of;
    let changed = of.slower_cells;
    let mut random = ChaCha8Rng::seed_from_u64((at as u64) << 32 | series);
    let mut noise = |percent: f64| percent / 100.0 * normal(&mut random);
    let mut rows = Vec::new();
    // A night a year: the rule counts nights.
    let time = |night: usize| format!("{}-01-01T03:00:00Z", 2000 + night);
    for night in 0..quiet + if changed > 0 { TOLD_IN } else { 0 } {
        let tonight = noise(shared);
        for (cell, row) in cells.iter().enumerate() {
            let is_slower = night >= quiet && cell < changed;
            let change = if is_slower { (percent / 100.0).ln_1p() } else { 0.0 };
            let seconds = row.seconds.times((tonight + noise(own) + change).exp());
            rows.push(HistoryRow { time: time(night), seconds, ..row.clone() });
        }
    }
    let found = detect_changes(&rows).into_iter().flat_map(|cell| cell.change_points);
    let (told, wrong): (Vec<ChangePoint>, Vec<_>) = found.partition(|change| {
        let is_changed = cells[..changed].iter().any(|row| row.cell == change.after.cell);
        is_changed && change.is_slower() && change.after.time >= time(quiet - 1)
    });
    let ratios = told.iter().chain(&wrong).map(ChangePoint::ratio).sum();
    let nights: BTreeSet<&str> = wrong.iter().map(|change| change.after.time.as_str()).collect();
    (nights.len(), usize::from(!told.is_empty()), ratios)
}

/// The line with what so many series give, or, of the first few alone, with the counts that are known of all.
fn again(cells: &[HistoryRow], at: usize, known: &Line, series: u64) -> Line {
    let all: Vec<_> = (0..series).into_par_iter().map(|one| simulated(cells, at, known, one)).collect();
    let first = all.iter().take(AGAIN as usize).fold(0.0, |sum, (.., ratios)| sum + ratios);
    let count = |of: fn(&(usize, usize, f64)) -> usize| all.iter().map(of).sum::<usize>();
    let (false_alarms, told) = match series {
        AGAIN => (known.false_alarms, known.told),
        _ => (count(|one| one.0), count(|one| one.1)),
    };
    Line { false_alarms, told, first_ratios: (first * 1e6).round() / 1e6, ..*known }
}

fn lines() -> Vec<Line> {
    let mut reader = csv::Reader::from_path(committed("history-rates.csv")).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

#[test]
fn the_committed_table_of_nights_is_of_this_rule_and_keeps_what_is_promised() {
    let (lines, cells) = (lines(), cells());
    for (at, known) in lines.iter().enumerate().step_by(5) {
        assert_eq!(&again(&cells, at, known, AGAIN), known, "scripts/compare-rates makes the table anew");
    }
    for line in &lines {
        let is_kept = match line.slower_cells {
            0 => line.false_alarms * 100 <= line.series as usize * line.nights,
            _ => line.nights < 20 || line.told * 100 >= line.series as usize * 95,
        };
        assert!(is_kept, "{line:?}");
    }
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn the_whole_table_of_nights_comes_out_again() {
        let (cells, lines) = (cells(), lines());
        let made: Vec<Line> =
            lines.iter().enumerate().map(|(at, known)| again(&cells, at, known, known.series)).collect();
        if std::env::var_os("REPRO_WRITE_RATES").is_some() {
            let mut writer = csv::Writer::from_path(committed("history-rates.csv")).unwrap();
            made.iter().for_each(|line| writer.serialize(line).unwrap());
            writer.flush().unwrap();
        }
        assert_eq!(made, lines);
    }
}
