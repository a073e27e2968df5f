//! What `repro track` said of kernels that were slowed on purpose: results/guard/guard-trials.csv, which `scripts/guard-trials` writes.

use super::root;
use repro::regression::{CellKind, MachineNoise};
use repro::timing::{Pairing, median};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Cells of one kind of change.
#[derive(Default)]
struct Told {
    trials: BTreeSet<(String, String)>,
    /// Ratios of cells that were changed, how many of these were SLOWER, and of how many the interval lies beyond the default floor of now.
    ratios: Vec<f64>,
    slower: usize,
    beyond: usize,
    /// Other cells, and how many of these were SLOWER and FASTER.
    others: usize,
    falsely_slower: usize,
    falsely_faster: usize,
}

/// What a wait of one block costs in it is not what was planted.
const OTHER: &str = "harish-narayanan";

/// A row for each share that was planted in all cells and each n, and for each that was planted in one.
pub fn table() -> String {
    let path = root().join("results/guard/guard-trials.csv");
    let rows: Vec<BTreeMap<String, String>> =
        csv::Reader::from_path(&path).unwrap().deserialize().map(Result::unwrap).collect();
    let trial = |row: &BTreeMap<String, String>| {
        ["commit", "slowed", "percent", "trial"].map(|column| row[column].clone())
    };
    let of_one = rows.iter().filter(|row| row["slowed"] == "one" && row["changed"] == "1");
    let changed_n: BTreeMap<_, _> = of_one.map(|row| (trial(row), row["n"].as_str())).collect();
    let mut all: BTreeMap<(String, &str, u32), Told> = BTreeMap::new();
    for row in &rows {
        let n = match (changed_n.get(&trial(row)), row["n"].as_str()) {
            (Some(n), _) => *n,
            (_, "1024") => "1024",
            (_, "2048") => "2048",
            _ => "3072, 4096",
        };
        let told = all.entry((row["slowed"].clone(), n, row["percent"].parse().unwrap())).or_default();
        told.trials.insert((row["commit"].clone(), row["trial"].clone()));
        let is = |verdict: &str| usize::from(row["verdict"] == verdict);
        if row["changed"] == "1" {
            if row["slowed"] == "all" && row["implementation"] == OTHER {
                continue;
            }
            let kind = CellKind::of(true, row["n"].parse().unwrap());
            let floor = MachineNoise::default().floor(kind, Pairing::Together, "").share;
            told.beyond += usize::from(row["low"].parse::<f64>().unwrap() > 1.0 + floor);
            told.ratios.push(row["ratio"].parse().unwrap());
            told.slower += is("SLOWER");
        } else {
            told.others += 1;
            told.falsely_slower += is("SLOWER");
            told.falsely_faster += is("FASTER");
        }
    }
    let mut text = "| slowed | n | planted | trials | changed cells SLOWER | with the floor of now | measured ratios: median, least, most | other cells SLOWER | FASTER |\n\
                    |---|---|---:|---:|---:|---:|---|---:|---:|\n"
        .to_string();
    for ((slowed, n, percent), mut told) in all {
        told.ratios.sort_by(f64::total_cmp);
        let middle = median(&told.ratios)
            .zip(told.ratios.first().zip(told.ratios.last()))
            .map_or(String::new(), |(median, (least, most))| format!("{median:.3}, {least:.3}, {most:.3}"));
        let of =
            |count: usize, all: usize| if all == 0 { String::new() } else { format!("{count} of {all}") };
        let _ = writeln!(
            text,
            "| {slowed} | {n} | {percent}% | {} | {} | {} | {middle} | {} | {} |",
            told.trials.len(),
            of(told.slower, told.ratios.len()),
            of(told.beyond, told.ratios.len()),
            of(told.falsely_slower, told.others),
            of(told.falsely_faster, told.others)
        );
    }
    text
}
