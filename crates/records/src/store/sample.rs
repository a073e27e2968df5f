//! One row a sample and scope: the raw material of every figure.

use crate::store::Disturbance;
use repro_base::CellId;
use repro_timing::{Scope, Seconds};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What became of a sample. Only `ok` ones are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Status {
    /// Measured and verified.
    Ok,
    /// Verified and counted on the emulated device, which has no clock; counts.csv has the figures.
    Counted,
    /// Measured and verified while the GPU held its clocks down.
    Throttled,
    /// Faster than the measured ceilings allow: shown, never used.
    Impossible,
    /// Wrong result, or an error; the message says which.
    Failed,
    /// Stopped at its time limit.
    Timeout,
    /// Not run; the message says why.
    #[default]
    Skipped,
}

impl Status {
    /// Whether a cell of which this is the last sample has no time. Of a cell that failed the earlier samples may be right by luck.
    /// Where a sample was refused as too fast, the clock, the result or the ceiling is wrong, and the median of the slower ones would be
    /// chosen by the refusal.
    pub fn invalidates_cell(self) -> bool {
        matches!(self, Self::Failed | Self::Timeout | Self::Impossible)
    }
}

/// The beginning of a row's message where the result was compared with the reference and differs: its status says no more than that it
/// failed.
pub const WRONG_RESULT: &str = "wrong result";

/// A row of `samples.csv`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SampleRow {
    pub implementation: String,
    pub n: usize,
    pub params: String,
    pub scope: Scope,
    /// Counts from 0 within a cell, over all statuses.
    pub sample: usize,
    /// None when nothing was measured.
    pub seconds: Option<f64>,
    pub status: Status,
    /// Whether this sample's result was compared with the reference and was right.
    pub verified: bool,
    /// How it was compared, and within which bounds.
    pub verification: Option<Verification>,
    /// Hash of the result: equal for equal results.
    pub digest: String,
    pub sm_mhz: Option<u32>,
    pub memory_mhz: Option<u32>,
    pub power_w: Option<f64>,
    pub temperature_c: Option<u32>,
    pub throttled_by: String,
    /// Iterations of k that were run, where they were fewer than n: the seconds are then an estimate of a whole solve, what the clock
    /// showed times n over this. None where a whole solve was timed.
    #[serde(default)]
    pub iterations: Option<usize>,
    /// On the CPU, what others used of the host over the sample, or over half a second around a shorter one, as a share of the time of
    /// the cores that it was solved on. None where the system does not provide it.
    #[serde(default)]
    pub others_load: Option<f64>,
    pub message: String,
    /// The graph's name in the experiment; empty where there is only one graph.
    #[serde(default)]
    pub graph: String,
}

impl SampleRow {
    /// A row of scope `kernel` for a sample without a time.
    pub fn without_time(cell: &CellId, sample: usize, status: Status, message: &str) -> Self {
        Self {
            implementation: cell.implementation.clone(),
            n: cell.n,
            params: cell.params.clone(),
            scope: Scope::Kernel,
            sample,
            status,
            // One line a row, even where the message of a driver or a panic has several.
            message: message.split_whitespace().collect::<Vec<_>>().join(" "),
            graph: cell.graph.clone(),
            ..Self::default()
        }
    }

    /// Its seconds, where they count: it is `ok` and verified.
    pub fn in_use(&self) -> Option<f64> {
        self.seconds.filter(|_| self.status == Status::Ok && self.verified)
    }

    /// A passing disturbance of its time, which then says nothing of the build.
    pub fn disturbance(&self) -> Option<Disturbance> {
        Disturbance::classify(self.others_load, !self.throttled_by.is_empty())
    }

    /// Whether the result of a whole solve was right. None where no result was compared with the reference: nothing was run, it did not
    /// reach its end, or it was cut short.
    pub fn is_right(&self) -> Option<bool> {
        match self.status {
            _ if self.iterations.is_some() => None,
            Status::Failed => self.message.starts_with(WRONG_RESULT).then_some(false),
            Status::Timeout | Status::Skipped => None,
            Status::Ok | Status::Counted | Status::Throttled | Status::Impossible => Some(self.verified),
        }
    }

    /// The seconds that the clock showed: fewer than `seconds` where the solve was cut short.
    pub fn clocked(&self) -> Option<f64> {
        let share = self.iterations.map_or(1.0, |iterations| iterations as f64 / self.n as f64);
        self.seconds.map(|seconds| seconds * share)
    }

    /// One row a scope, that share everything but the seconds.
    pub fn every_scope(&self, seconds: &Seconds) -> Vec<Self> {
        let row = |(scope, seconds)| Self { scope, seconds: Some(seconds), ..self.clone() };
        seconds.iter().map(row).collect()
    }

    pub fn cell(&self) -> CellId {
        CellId::new(&self.implementation, self.n, &self.params, &self.graph)
    }

    /// Whether it is of this cell; found without making a string.
    pub fn is_of(&self, cell: &CellId) -> bool {
        (self.n, &self.implementation, &self.params, &self.graph)
            == (cell.n, &cell.implementation, &cell.params, &cell.graph)
    }
}

/// How a result was compared with the reference, and on which rows.
///
/// Written `exact` or `bounds:WIDTH`, with `-rows:N` after the word where N rows were compared and not all entries:
/// `bounds-rows:32:6.1e-5`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Verification {
    pub how: MatchKind,
    /// How many rows were compared; none where every entry was.
    pub rows: Option<usize>,
}

/// How entries were compared.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum MatchKind {
    /// Bit for bit.
    #[default]
    Exact,
    /// Each entry within bounds of its own, of which the widest are this far apart, in the unit of the weights.
    Bounds { widest: f64 },
}

impl Verification {
    pub const EXACT: Self = Self { how: MatchKind::Exact, rows: None };
}

impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(if self.how == MatchKind::Exact { "exact" } else { "bounds" })?;
        if let Some(rows) = self.rows {
            write!(f, "-rows:{rows}")?;
        }
        match self.how {
            MatchKind::Bounds { widest } => write!(f, ":{widest:e}"),
            _ => Ok(()),
        }
    }
}

impl TryFrom<String> for Verification {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let read = || {
            let mut parts = text.split(':');
            let word = parts.next()?;
            let of_rows = word.strip_suffix("-rows");
            let rows = of_rows.map(|_| parts.next()?.parse().ok().filter(|rows| *rows > 0));
            let how = match of_rows.unwrap_or(word) {
                "exact" => MatchKind::Exact,
                "bounds" => {
                    let widest: f64 = parts.next()?.parse().ok()?;
                    (widest.is_finite() && widest >= 0.0).then_some(MatchKind::Bounds { widest })?
                }
                _ => return None,
            };
            let rows = rows.map_or(Some(None), |rows| rows.map(Some))?;
            parts.next().is_none().then_some(Self { how, rows })
        };
        read().ok_or_else(|| {
            let start: String = text.chars().take(40).collect();
            format!("'{start}' is no verification: expected exact or bounds:WIDTH, each with -rows:N where rows were compared")
        })
    }
}

impl From<Verification> for String {
    fn from(verification: Verification) -> Self {
        verification.to_string()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A right sample whose seconds every usual clock read.
    pub fn row(implementation: &str, n: usize, sample: usize, seconds: f64) -> Vec<SampleRow> {
        let cell = CellId { implementation: implementation.into(), n, ..CellId::default() };
        let row = SampleRow {
            verified: true,
            verification: Some(Verification::EXACT),
            ..SampleRow::without_time(&cell, sample, Status::Ok, "")
        };
        row.every_scope(&Seconds::same(seconds))
    }

    #[test]
    fn only_results_that_were_compared_are_right_or_wrong() {
        let right = row("a", 8, 0, 1.0).remove(0);
        let cut_short = SampleRow { iterations: Some(3), ..right.clone() };
        assert_eq!((right.is_right(), cut_short.is_right()), (Some(true), None));
        let without = |status, message| SampleRow::without_time(&right.cell(), 0, status, message).is_right();
        assert_eq!(without(Status::Failed, "wrong result: 3 for 4"), Some(false));
        assert_eq!(without(Status::Failed, "the worker process ended with signal: 9 (SIGKILL)"), None);
        assert_eq!(without(Status::Skipped, "left out"), None);
        assert_eq!(without(Status::Timeout, "no result after 60 s"), None);
    }

    #[test]
    fn every_way_is_read_back_as_it_is_written() {
        for how in [MatchKind::Exact, MatchKind::Bounds { widest: 6.1e-5 }] {
            for rows in [None, Some(32)] {
                let way = Verification { how, rows };
                assert_eq!(Verification::try_from(way.to_string()), Ok(way));
            }
        }
        assert_eq!(Verification::try_from("bounds-rows:32:6.1e-5".to_string()).unwrap().rows, Some(32));
    }

    #[test]
    fn other_texts_are_refused_with_what_was_expected() {
        let of_rows = ["exact:", "exact-rows", "exact-rows:0", "rows:3"];
        let of_bounds = ["bounds", "bounds:x", "bounds:-1", "bounds:1:2"];
        for text in [&["", "yes"], &of_rows[..], &of_bounds].concat() {
            let error = Verification::try_from(text.to_string()).unwrap_err().to_string();
            assert!(error.contains("expected exact"), "{text}: {error}");
        }
    }
}
