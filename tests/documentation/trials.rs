//! What `repro track` said of kernels that were slowed on purpose: results/guard/guard-trials.csv, which `scripts/guard-trials` writes.

use super::root;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Cells of one kind of change.
#[derive(Default)]
struct Told {
    trials: BTreeSet<(String, String)>,
    /// Ratios of cells that were changed, and how many of these were SLOWER.
    ratios: Vec<f64>,
    slower: usize,
    /// Other cells, and how many of these were SLOWER and FASTER.
    others: usize,
    falsely_slower: usize,
    falsely_faster: usize,
}

/// A row for each share that was planted in all cells and each n, and for each that was planted in one.
pub fn table() -> String {
    let path = root().join("results/guard/guard-trials.csv");
    let mut all: BTreeMap<(String, &str, u32), Told> = BTreeMap::new();
    for row in
        csv::Reader::from_path(&path).unwrap().deserialize::<BTreeMap<String, String>>().map(Result::unwrap)
    {
        let n = match (row["slowed"].as_str(), row["n"].as_str()) {
            ("one", _) => "2048",
            (_, "1024") => "1024",
            (_, "2048") => "2048",
            _ => "3072, 4096",
        };
        let told = all.entry((row["slowed"].clone(), n, row["percent"].parse().unwrap())).or_default();
        told.trials.insert((row["commit"].clone(), row["trial"].clone()));
        let is = |verdict: &str| usize::from(row["verdict"] == verdict);
        if row["changed"] == "1" {
            told.ratios.push(row["ratio"].parse().unwrap());
            told.slower += is("SLOWER");
        } else {
            told.others += 1;
            told.falsely_slower += is("SLOWER");
            told.falsely_faster += is("FASTER");
        }
    }
    let mut text = "| slowed | n | planted | trials | changed cells SLOWER | their measured ratios: middle half | other cells SLOWER | FASTER |\n\
                    |---|---|---:|---:|---:|---|---:|---:|\n"
        .to_string();
    for ((slowed, n, percent), mut told) in all {
        told.ratios.sort_by(f64::total_cmp);
        let quartile = |quarter: usize| told.ratios.get(quarter * told.ratios.len() / 4);
        let middle = quartile(1)
            .zip(quartile(3))
            .map_or(String::new(), |(low, high)| format!("{low:.3} to {high:.3}"));
        let of =
            |count: usize, all: usize| if all == 0 { String::new() } else { format!("{count} of {all}") };
        let _ = writeln!(
            text,
            "| {slowed} | {n} | {percent}% | {} | {} | {middle} | {} | {} |",
            told.trials.len(),
            of(told.slower, told.ratios.len()),
            of(told.falsely_slower, told.others),
            of(told.falsely_faster, told.others)
        );
    }
    text
}
