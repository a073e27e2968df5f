//! What of a result is checked, and why.

use super::shown::{Line, quantity};
use serde::Serialize;

/// Rows that are checked at most where nobody asks for a check, and the share of the solve that they may take.
const UNASKED: (usize, f64) = (8, 0.05);

/// Seconds that a check unasked may take in any case: nobody notices them.
const UNNOTICED: f64 = 1e-4;

/// What a check of a row takes, in searches from one source: its tree is grown and walked, and each arc is looked at.
const CHECK_SEARCHES: f64 = 4.0;

/// What is checked.
pub(super) struct Checks {
    /// Rows that are held against the graph, ascending.
    pub rows: Vec<usize>,
    /// Whether every stored path is walked.
    pub paths: bool,
    why: WhyChecked,
}

/// What was checked.
#[derive(Debug, Serialize)]
pub(super) struct Verified {
    /// How many rows were held against the graph.
    rows: usize,
    every_path: bool,
    why: WhyChecked,
}

/// Why, or why not.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum WhyChecked {
    NotWanted,
    Asked,
    TakesTooLong,
    TakesLittle,
    Emulated,
}

/// What the solve takes, in seconds.
pub(super) struct Expected {
    /// As a whole; nobody knows of the emulated device.
    pub solve: Option<f64>,
    /// A search from one source by one thread.
    pub row: f64,
}

impl Checks {
    /// Of a result of so many rows, with paths or without: `asked` rows, or as many as take little.
    pub fn of(asked: Option<usize>, rows: usize, stores_paths: bool, expected: &Expected) -> Self {
        let (most, share) = UNASKED;
        match asked {
            Some(0) => Self { rows: Vec::new(), paths: false, why: WhyChecked::NotWanted },
            Some(count) => Self { rows: sampled(rows, count), paths: stores_paths, why: WhyChecked::Asked },
            None => {
                let row = CHECK_SEARCHES * expected.row;
                let count = expected
                    .solve
                    .map_or(most, |expected| ((share * expected).max(UNNOTICED) / row.max(1e-12)) as usize);
                let rows = sampled(rows, count.min(most));
                let why = match (rows.is_empty(), expected.solve) {
                    (true, _) => WhyChecked::TakesTooLong,
                    (false, None) => WhyChecked::Emulated,
                    (false, Some(_)) => WhyChecked::TakesLittle,
                };
                Self { rows, paths: false, why }
            }
        }
    }

    pub fn any(&self) -> bool {
        self.paths || !self.rows.is_empty()
    }

    pub fn verified(&self) -> Verified {
        Verified { rows: self.rows.len(), every_path: self.paths, why: self.why }
    }
}

impl Verified {
    pub fn line(&self) -> Line {
        let why = match self.why {
            WhyChecked::NotWanted => "not wanted",
            WhyChecked::Asked => "asked for",
            WhyChecked::TakesTooLong => {
                "checking one row would take over 5% of the solve time; --verify checks anyway"
            }
            WhyChecked::TakesLittle => "unasked, since that should take little time",
            WhyChecked::Emulated => "takes less than the emulated device",
        };
        if self.rows == 0 && !self.every_path {
            return Line::new("not verified", why);
        }
        let rows = quantity(self.rows, "row", "rows");
        let paths = if self.every_path { ", and every stored path" } else { "" };
        Line::new("verified", format!("{rows} against the arcs of the graph{paths}: {why}"))
    }
}

/// Which rows are checked: so many of `rows`, evenly spread.
fn sampled(rows: usize, count: usize) -> Vec<usize> {
    let count = count.min(rows);
    (0..count).map(|k| (2 * k + 1) * rows / (2 * count)).collect()
}
