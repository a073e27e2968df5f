//! What `repro track` said of kernels that were slowed on purpose: results/guard/guard-trials.csv, which `scripts/guard-trials` writes.

use super::root;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A cell of a trial.
#[derive(Deserialize)]
struct Row {
    percent: u32,
    implementation: String,
    n: usize,
    verdict: String,
}

/// What a wait of one block costs in it is not what was planted.
const OTHER: &str = "harish-narayanan";

/// The table of the page: for each share that was planted, and each n, how many cells were SLOWER, and FASTER where some were.
pub fn table() -> String {
    let path = root().join("results/guard/guard-trials.csv");
    let rows: Vec<Row> = csv::Reader::from_path(&path).unwrap().deserialize().map(Result::unwrap).collect();
    let mut cells: BTreeMap<u32, BTreeMap<usize, Vec<String>>> = BTreeMap::new();
    for row in rows.into_iter().filter(|row| row.percent == 0 || row.implementation != OTHER) {
        cells.entry(row.percent).or_default().entry(row.n).or_default().push(row.verdict);
    }
    let sizes: Vec<String> = cells[&0].keys().map(|n| format!("n = {n}")).collect();
    let mut text = format!("|planted|{}|\n|---:|{}\n", sizes.join("|"), "---|".repeat(sizes.len()));
    for (percent, by_size) in &cells {
        let counted = by_size.values().map(|verdicts| {
            let count = |wanted: &str| verdicts.iter().filter(|verdict| *verdict == wanted).count();
            let faster = match count("FASTER") {
                0 => String::new(),
                faster => format!(", {faster} FASTER"),
            };
            format!("{} of {}{faster}", count("SLOWER"), verdicts.len())
        });
        text += &format!("|{percent}%|{}|\n", counted.collect::<Vec<_>>().join("|"));
    }
    text
}
