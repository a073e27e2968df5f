//! The table, as numbers and as a page.

use super::rows::{Change, Row};
use super::simulate::{Count, Tally};
use serde::{Deserialize, Serialize};

/// A row of `docs/compare-rates.csv`: what was simulated and how often what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    pub cells: usize,
    pub samples: usize,
    pub within_percent: f64,
    pub own_percent: f64,
    pub shared_percent: f64,
    pub calibrated: bool,
    pub paired: bool,
    pub change: Change,
    pub trials: u64,
    pub slower: u64,
    pub fine: u64,
    pub noisy: u64,
    pub slower_cells: u64,
    /// Of the first few trials, which every run of the tests does again.
    pub first: String,
}

impl Line {
    pub fn new(row: &Row, all: &Tally, first: &Tally) -> Self {
        let Count { slower, fine, noisy, cells } = first.count;
        Self {
            cells: row.cells,
            samples: row.samples,
            within_percent: row.within,
            own_percent: row.own,
            shared_percent: row.shared,
            calibrated: row.calibrated,
            paired: row.paired,
            change: row.change,
            trials: all.trials,
            slower: all.count.slower,
            fine: all.count.fine,
            noisy: all.count.noisy,
            slower_cells: all.count.cells,
            first: format!("{slower} {fine} {noisy} {cells} {:.6}", first.thresholds),
        }
    }

    /// What the line was made of.
    pub fn tally(&self) -> Tally {
        let Self { trials, slower, fine, noisy, slower_cells, .. } = *self;
        Tally { trials, count: Count { slower, fine, noisy, cells: slower_cells }, thresholds: 0.0 }
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
            let changed = match self.change {
                Change::None | Change::All(_) => *cells,
                Change::Half(_) => cells / 2,
                Change::One(_) => 1,
            };
            format!("{}%", rounded(count as f64 / (*trials as f64 * changed as f64) * 100.0))
        };
        let change = String::from(self.change);
        format!(
            "|{change}|{cells} x {samples}|{within_percent}%|{between}|{compared}, {floor}|{}|{}|{}|{}|\n",
            found(self.slower),
            share(self.fine),
            share(self.noisy),
            of_cells(self.slower_cells)
        )
    }
}

/// The page: what it says, and its rows of the table.
pub fn markdown(lines: &[Line]) -> String {
    let trials = lines.first().map_or(0, |line| line.trials);
    let (_, none) = interval(0, trials);
    let mut text = include_str!("intro.md")
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
