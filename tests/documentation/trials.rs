//! What `repro track` said of kernels that were slowed on purpose: results/guard/guard-trials.csv, which `scripts/guard-trials` writes.

use super::root;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Cells of one kind of change.
#[derive(Default)]
struct Told {
    trials: BTreeSet<String>,
    slower_trials: BTreeSet<String>,
    /// Ratios of cells that were changed, and how many of these were SLOWER.
    ratios: Vec<f64>,
    slower: usize,
    /// Other cells, and how many of these were SLOWER.
    others: usize,
    falsely: usize,
}

/// A row for each share that was planted, in all cells and in one.
pub fn table() -> String {
    let path = root().join("results/guard/guard-trials.csv");
    let mut all: BTreeMap<(String, u32), Told> = BTreeMap::new();
    for row in
        csv::Reader::from_path(&path).unwrap().deserialize::<BTreeMap<String, String>>().map(Result::unwrap)
    {
        let told = all.entry((row["slowed"].clone(), row["percent"].parse().unwrap())).or_default();
        told.trials.insert(row["trial"].clone());
        if row["exit_code"] == "1" {
            told.slower_trials.insert(row["trial"].clone());
        }
        let is_slower = row["verdict"] == "SLOWER";
        let (implementation, n) = (row["implementation"].as_str(), row["n"].as_str());
        let is_changed = match row["slowed"].as_str() {
            "none" => false,
            "one" => (implementation, n) == ("staged-load", "2048"),
            _ => true,
        };
        if is_changed {
            told.ratios.push(row["ratio"].parse().unwrap());
            told.slower += usize::from(is_slower);
        } else {
            told.others += 1;
            told.falsely += usize::from(is_slower);
        }
    }
    let mut text = "| slowed | planted | trials | exit code 1 | changed cells SLOWER | their measured ratios: middle half | other cells SLOWER |\n\
                    |---|---:|---:|---:|---:|---|---:|\n"
        .to_string();
    for ((slowed, percent), mut told) in all {
        told.ratios.sort_by(f64::total_cmp);
        let quartile = |quarter: usize| told.ratios.get(quarter * told.ratios.len() / 4);
        let middle = quartile(1)
            .zip(quartile(3))
            .map_or(String::new(), |(low, high)| format!("{low:.3} to {high:.3}"));
        let _ = writeln!(
            text,
            "| {slowed} | {percent}% | {} | {} | {} of {} | {middle} | {} of {} |",
            told.trials.len(),
            told.slower_trials.len(),
            told.slower,
            told.ratios.len(),
            told.falsely,
            told.others
        );
    }
    text
}
