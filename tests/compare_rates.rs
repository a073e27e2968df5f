//! How often `repro compare` is wrong, and how often it finds what is there: simulated, and held against the committed table.
//!
//! `scripts/compare-rates` makes the table anew; `WRITE_TABLE=1` writes the page from the committed table.

mod history;
mod simulate;

use crate::common::part;
use repro::verify::Partition;
use serde::{Deserialize, Serialize};
use simulate::{Simulator, Tally};
use std::path::{Path, PathBuf};

/// Of each row, so many trials are kept in full.
const AGAIN: u64 = 6;
/// Every so many rows, these are done again in every run of the tests.
const QUICK: usize = 8;
/// And so many stand behind the table.
const TRIALS: u64 = 1000;

/// A row of `docs/compare-rates.csv`: what was simulated and how often what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Line {
    cells: usize,
    samples: usize,
    within_percent: f64,
    own_percent: f64,
    shared_percent: f64,
    calibrated: bool,
    paired: bool,
    change: String,
    trials: u64,
    slower: u64,
    fine: u64,
    noisy: u64,
    slower_cells: u64,
    /// Of the first few trials, which every run of the tests does again.
    first: String,
}

impl Line {
    /// How many cells NEW makes slower, and by how many times: "none", "all +3%", "half +3%", "one +3%".
    fn changed(&self) -> (usize, f64) {
        let Some((which, percent)) = self.change.split_once(" +") else { return (0, 1.0) };
        let count = match which {
            "all" => self.cells,
            "half" => self.cells / 2,
            which => usize::from(which == "one"),
        };
        (count, 1.0 + percent.trim_end_matches('%').parse::<f64>().unwrap() / 100.0)
    }

    /// The line with what came of all trials, and of the first few.
    fn with(&self, all: &Tally, first: &Tally) -> Self {
        let Tally { trials, slower, fine, noisy, cells: slower_cells, .. } = *all;
        Self { trials, slower, fine, noisy, slower_cells, first: first.text(), ..self.clone() }
    }

    fn markdown(&self) -> String {
        let Self { cells, samples, within_percent, own_percent, shared_percent, trials, .. } = self;
        let between = match (*own_percent > 0.0, *shared_percent > 0.0) {
            (false, false) => "-".to_string(),
            (true, false) => format!("{own_percent}% own"),
            (false, true) => format!("{shared_percent}% shared"),
            (true, true) => format!("{own_percent}% own, {shared_percent}% shared"),
        };
        let compared = if self.paired { "pairs" } else { "runs" };
        let floor = if self.calibrated { "calibrated" } else { "default" };
        let share = |count: u64| format!("{}%", rounded(count as f64 / *trials as f64 * 100.0));
        let found = |count: u64| {
            let (low, high) = interval(count, *trials);
            let interval = format!(" [{}, {}]", rounded(low * 100.0), rounded(high * 100.0));
            share(count) + if count == 0 { "" } else { &interval }
        };
        let of_cells = |count: u64| {
            let (changed, _) = self.changed();
            let changed = if changed == 0 { *cells } else { changed };
            format!("{}%", rounded(count as f64 / (*trials as f64 * changed as f64) * 100.0))
        };
        format!(
            "|{}|{cells} x {samples}|{within_percent}%|{between}|{compared}, {floor}|{}|{}|{}|{}|\n",
            self.change,
            found(self.slower),
            share(self.fine),
            share(self.noisy),
            of_cells(self.slower_cells)
        )
    }
}

/// The page: what it says, and its rows of the table.
fn markdown(lines: &[Line]) -> String {
    let trials = lines.first().map_or(0, |line| line.trials);
    let (_, none) = interval(0, trials);
    let mut text = include_str!("compare_rates/intro.md")
        .replace("TRIALS", &trials.to_string())
        .replace("END_OF_NONE", &rounded(none * 100.0));
    text += "|change|cells x samples|within runs|between runs|compared|SLOWER|0|3|cells SLOWER|\n";
    text += &format!("|{}\n", "---|".repeat(9));
    lines.iter().for_each(|line| text += &line.markdown());
    text
}

/// Wilson's interval of a rate, 95%.
fn interval(count: u64, trials: u64) -> (f64, f64) {
    const Z: f64 = 1.96;
    let (rate, trials) = (count as f64 / trials as f64, trials as f64);
    let middle = (rate + Z * Z / (2.0 * trials)) / (1.0 + Z * Z / trials);
    let half =
        Z / (1.0 + Z * Z / trials) * (rate * (1.0 - rate) / trials + Z * Z / (4.0 * trials * trials)).sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

fn rounded(percent: f64) -> String {
    format!("{percent:.1}").trim_end_matches(".0").to_string()
}

fn committed(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(file)
}

fn lines() -> Vec<Line> {
    let mut reader = csv::Reader::from_path(committed("compare-rates.csv")).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

#[test]
fn the_committed_table_is_of_this_rule() {
    let (lines, simulator) = (lines(), Simulator::new());
    for (at, line) in lines.iter().enumerate().step_by(QUICK) {
        let again = simulator.tally(at, line, 0..AGAIN).text();
        assert_eq!(again, line.first, "row {}: scripts/compare-rates makes the table anew", at + 1);
    }
    let page = committed("compare-rates.md");
    if std::env::var_os("WRITE_TABLE").is_some() {
        std::fs::write(&page, markdown(&lines)).unwrap();
    }
    let text = std::fs::read_to_string(&page).unwrap();
    assert_eq!(text, markdown(&lines), "WRITE_TABLE=1 writes the page from the committed table");
}

#[test]
fn where_it_is_promised_one_run_of_a_hundred_at_most_is_falsely_slower() {
    // Of a machine that was not calibrated, where its processes differ by no more than the default says. Stored runs of one whose clocks change
    // from day to day cannot be compared.
    let is_promised = |line: &&Line| {
        let is_quiet = line.own_percent <= 0.4 && (line.paired || line.shared_percent <= 0.2);
        is_quiet || line.calibrated
    };
    for line in lines().iter().filter(|line| line.change == "none").filter(is_promised) {
        assert!(line.trials >= 1000 && line.slower * 100 <= line.trials, "{line:?}");
    }
}

#[test]
fn in_turns_three_percent_in_all_cells_and_five_in_one_of_twenty_are_found() {
    // Of one changed cell it is that cell that counts, and no false alarm.
    type Found = fn(&Line) -> u64;
    let cases: [(&str, Found, u64); 2] =
        [("all +3%", |line| line.slower, 95), ("one +5%", |line| line.slower_cells, 90)];
    for (change, found, percent) in cases {
        let is_meant = |line: &Line| line.paired && line.change == change && line.own_percent < 1.0;
        let lines: Vec<Line> = lines().into_iter().filter(is_meant).collect();
        assert!(lines.len() >= 2, "{change}");
        for line in lines {
            assert!(found(&line) * 100 >= line.trials * percent, "{line:?}");
        }
    }
}

mod long {
    use super::*;

    /// Whole it takes two minutes and more: `scripts/compare-rates` writes what it finds, and without that it has to be what is committed.
    #[test]
    #[ignore = "long"]
    fn the_whole_table_comes_out_again() {
        let (committed_lines, simulator, part) = (lines(), Simulator::new(), part());
        let of_part = || committed_lines.iter().enumerate().filter(|(at, _)| part.has(*at));
        let again = |(at, line): (usize, &Line)| {
            line.with(&simulator.tally(at, line, 0..TRIALS), &simulator.tally(at, line, 0..AGAIN))
        };
        let made: Vec<Line> = of_part().map(again).collect();
        if std::env::var_os("REPRO_WRITE_RATES").is_some() {
            assert_eq!(part, Partition::WHOLE, "the table is written whole: set REPRO_PART=1/1");
            let mut writer = csv::Writer::from_path(committed("compare-rates.csv")).unwrap();
            made.iter().for_each(|line| writer.serialize(line).unwrap());
            writer.flush().unwrap();
            std::fs::write(committed("compare-rates.md"), markdown(&made)).unwrap();
        }
        assert!(made.iter().eq(of_part().map(|(_, line)| line)), "{made:?}");
    }
}
