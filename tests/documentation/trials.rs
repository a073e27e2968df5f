//! What `repro track` said of kernels that were slowed on purpose: results/guard/guard-trials.csv, which `scripts/guard-trials` writes.

use super::root;
use repro::regression::{CellKind, MachineNoise};
use repro::timing::Pairing;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Cells of one kind of change.
#[derive(Default)]
struct Outcome {
    /// Cells that were changed, how many of these were SLOWER, and of how many the interval lies beyond the default floor of now.
    changed: usize,
    slower: usize,
    beyond: usize,
    /// Other cells, and how many of these were SLOWER and FASTER.
    others: usize,
    falsely_slower: usize,
    falsely_faster: usize,
}

/// What a wait of one block costs in it is not what was planted.
const OTHER: &str = "harish-narayanan";

/// Where cells were changed: all, by n, or one of them; and the columns of the tables.
const PLACES: [(&str, &str); 4] =
    [("all", "1024"), ("all", "2048"), ("all", "3072, 4096"), ("one", "2048, one cell")];

/// What came out, by what was slowed, n and share in percent.
fn outcomes() -> BTreeMap<(String, &'static str, u32), Outcome> {
    let path = root().join("results/guard/guard-trials.csv");
    let rows: Vec<BTreeMap<String, String>> =
        csv::Reader::from_path(&path).unwrap().deserialize().map(Result::unwrap).collect();
    let mut all: BTreeMap<(String, &str, u32), Outcome> = BTreeMap::new();
    for row in &rows {
        let n = match (row["slowed"].as_str(), row["n"].as_str()) {
            ("one", _) => "2048, one cell",
            (_, "1024") => "1024",
            (_, "2048") => "2048",
            _ => "3072, 4096",
        };
        let outcome = all.entry((row["slowed"].clone(), n, row["percent"].parse().unwrap())).or_default();
        let is = |verdict: &str| usize::from(row["verdict"] == verdict);
        if row["changed"] == "1" {
            if row["slowed"] == "all" && row["implementation"] == OTHER {
                continue;
            }
            assert!(row["slowed"] == "all" || row["n"] == "2048", "the one cell is at n = 2048: {row:?}");
            let kind = CellKind::of(true, row["n"].parse().unwrap());
            let floor = MachineNoise::default().floor(kind, Pairing::Together, "").share;
            outcome.beyond += usize::from(row["low"].parse::<f64>().unwrap() > 1.0 + floor);
            outcome.changed += 1;
            outcome.slower += is("SLOWER");
        } else {
            outcome.others += 1;
            outcome.falsely_slower += is("SLOWER");
            outcome.falsely_faster += is("FASTER");
        }
    }
    all
}

/// A table of the page, by name: what of the changed cells was found, or what was said of others.
pub fn table(name: &str) -> String {
    let outcomes = outcomes();
    match name {
        "found" => by_share(&outcomes, |Outcome { changed, slower, beyond, .. }| {
            format!("{slower} of {changed}; {beyond}")
        }),
        "false-alarms" => false_alarms(&outcomes),
        _ => panic!("trials {name}: expected found or false-alarms"),
    }
}

/// A row for each share that was planted, a column for each place.
fn by_share(outcomes: &BTreeMap<(String, &str, u32), Outcome>, cell: impl Fn(&Outcome) -> String) -> String {
    let heads = PLACES.map(|(_, n)| format!("n = {n}")).join("|");
    let mut text = format!("|planted|{heads}|\n|---:|{}\n", "---|".repeat(PLACES.len()));
    for percent in [1, 2, 3, 5] {
        let cells = PLACES.map(|(slowed, n)| cell(&outcomes[&(slowed.to_string(), n, percent)]));
        let _ = writeln!(text, "|{percent}%|{}|", cells.join("|"));
    }
    text
}

fn false_alarms(outcomes: &BTreeMap<(String, &str, u32), Outcome>) -> String {
    let mut text = "|cells that were not slowed|SLOWER|FASTER|\n|---|---:|---:|\n".to_string();
    let mut row = |label: &str, slowed: &str, n: &str| {
        let of_row = || {
            let is_it = |place: &&(String, &str, u32)| place.0 == slowed && place.1 == n;
            outcomes.iter().filter(move |(place, _)| is_it(place)).map(|(_, outcome)| outcome)
        };
        let sum = |count: fn(&Outcome) -> usize| of_row().map(count).sum::<usize>();
        let all = sum(|outcome| outcome.others);
        let (slower, faster) = (sum(|outcome| outcome.falsely_slower), sum(|outcome| outcome.falsely_faster));
        let _ = writeln!(text, "|{label}|{slower} of {all}|{faster} of {all}|");
    };
    for n in ["1024", "2048", "3072, 4096"] {
        row(&format!("unchanged copies, n = {n}"), "none", n);
    }
    row("beside a slowed one", "one", "2048, one cell");
    text
}
