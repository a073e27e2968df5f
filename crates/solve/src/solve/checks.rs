//! What of a result is checked, and why.

use super::plan::SelectedAlgorithm;
use super::shown::{Line, counted};
use serde::{Serialize, Serializer};

/// Rows that are checked at most where nobody asks for a check, and the share of the solve that they may take.
const UNASKED: (usize, f64) = (8, 0.05);

/// Seconds that a check unasked may take in any case: nobody notices them.
const UNNOTICED: f64 = 1e-4;

/// What a check of a row takes, in searches from one source: its tree is grown and walked, and each arc is looked at.
const CHECK_SEARCHES: f64 = 4.0;

/// What is checked.
#[derive(Serialize)]
pub(super) struct VerificationPlan {
    /// Rows that are held against the graph, ascending.
    #[serde(serialize_with = "count")]
    pub rows: Vec<usize>,
    /// Whether every stored path is walked.
    pub every_path: bool,
    why: VerificationReason,
}

/// Why, or why not.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum VerificationReason {
    NotWanted,
    Asked,
    TakesTooLong,
    TakesLittle,
    Emulated,
}

impl VerificationPlan {
    /// Of a result of so many rows, with paths or without: `asked` rows, or as many as take little.
    pub fn new(asked: Option<usize>, rows: usize, stores_paths: bool, solve: &SelectedAlgorithm) -> Self {
        let (most, share) = UNASKED;
        let (count, why) = match (asked, solve.expected_seconds()) {
            (Some(0), _) => (0, VerificationReason::NotWanted),
            (Some(count), _) => (count, VerificationReason::Asked),
            (None, None) => (most, VerificationReason::Emulated),
            (None, Some(expected)) => {
                let row = CHECK_SEARCHES * solve.row_seconds(rows);
                let count = ((share * expected).max(UNNOTICED) / row.max(1e-12)) as usize;
                match count.min(most) {
                    0 => (0, VerificationReason::TakesTooLong),
                    count => (count, VerificationReason::TakesLittle),
                }
            }
        };
        // Evenly spread.
        let count = count.min(rows);
        let rows = (0..count).map(|k| (2 * k + 1) * rows / (2 * count)).collect();
        Self { rows, every_path: stores_paths && why == VerificationReason::Asked, why }
    }

    /// Whether there is anything to check.
    pub fn is_any(&self) -> bool {
        self.every_path || !self.rows.is_empty()
    }

    pub fn line(&self) -> Line {
        let why = match self.why {
            VerificationReason::NotWanted => "not wanted",
            VerificationReason::Asked => "asked for",
            VerificationReason::TakesTooLong => {
                "checking one row would take over 5% of the solve time; --verify checks anyway"
            }
            VerificationReason::TakesLittle => "unasked, since that should take little time",
            VerificationReason::Emulated => "takes less than the emulated device",
        };
        if !self.is_any() {
            return ("not verified", why.to_string());
        }
        let rows = counted(self.rows.len(), "row", "rows");
        let paths = if self.every_path { ", and every stored path" } else { "" };
        ("verified", format!("{rows} against the arcs of the graph{paths}: {why}"))
    }
}

fn count<S: Serializer>(rows: &[usize], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u64(rows.len() as u64)
}
