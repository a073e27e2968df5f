//! Steps that somebody acknowledged: `accepted.csv` beside the histories, to which rows are only ever added.

use super::file::HistoryError;
use super::row::one_line;
use super::table::{Row, add, read_table};
use crate::timing::Scope;
use repro_types::CellId;
use serde::{Deserialize, Serialize};
use std::hash::Hash;
use std::path::Path;

/// The name of the file.
pub const ACCEPTED: &str = "accepted.csv";

/// A step that is quiet from now on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Accepted {
    /// When it was acknowledged, RFC 3339.
    pub time: String,
    pub who: String,
    pub why: String,
    pub step: StepId,
}

/// What distinguishes a step from all others of a folder of histories.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StepId {
    /// Name of the machine's file.
    pub file: String,
    pub cell: CellId,
    pub scope: Scope,
    /// As [`super::HistoryRow::graph_digest`].
    pub graph_digest: String,
    /// Time of the first entry of the new level, RFC 3339. The last column: cut off anywhere, it is no time.
    pub since: String,
}

impl Row for Accepted {
    const HEADER: &str = "time,who,why,file,implementation,n,params,graph,scope,graph_digest,since\n";

    fn check(&self) -> Result<(), String> {
        for time in [&self.time, &self.step.since] {
            time.parse::<jiff::Timestamp>().map_err(|_| format!("{time} is not of RFC 3339"))?;
        }
        Ok(())
    }

    fn identity(&self) -> impl Eq + Hash {
        self
    }
}

/// What was acknowledged in `folder`, oldest first. Nothing where there is no file.
///
/// # Errors
/// When the file cannot be read, or a line in it is none of its rows: then nobody knows what was acknowledged.
pub fn read_accepted(folder: &Path) -> Result<Vec<Accepted>, HistoryError> {
    let path = folder.join(ACCEPTED);
    let table = read_table::<Accepted>(&path)?;
    match table.torn() {
        Some(problem) => Err(HistoryError::Line { path, line: table.rows.len() + 2, problem }),
        None => Ok(table.rows),
    }
}

/// Appends rows, under the lock of the folder.
///
/// # Errors
/// As [`read_accepted`], and when the file cannot be written. Nothing is added then.
pub fn append_accepted(folder: &Path, rows: &[Accepted]) -> Result<(), HistoryError> {
    read_accepted(folder)?;
    add(&folder.join(ACCEPTED), rows).map(drop)
}

impl Accepted {
    /// A row for `step`, whose texts are made one line each.
    pub fn new(time: &str, who: &str, why: &str, step: StepId) -> Self {
        Self { time: time.into(), who: one_line(who), why: one_line(why), step }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(why: &str) -> Accepted {
        let step = StepId {
            file: "nvidia-h200.csv".into(),
            cell: CellId::new("staged-load", 1024, "kappa=4", "g"),
            scope: Scope::Kernel,
            graph_digest: "0123abcd".into(),
            since: "2026-03-04T12:00:00Z".into(),
        };
        Accepted::new("2026-03-06T12:00:00Z", "A. Person", why, step)
    }

    #[test]
    fn rows_are_appended_below_one_header_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read_accepted(folder.path()).unwrap(), []);
        let rows = [accepted("a new driver, \"590\"\nas planned"), accepted("another")];
        for row in &rows {
            append_accepted(folder.path(), std::slice::from_ref(row)).unwrap();
        }
        assert_eq!(rows[0].why, "a new driver, \"590\" as planned");
        assert_eq!(read_accepted(folder.path()).unwrap(), rows);
        let text = std::fs::read_to_string(folder.path().join(ACCEPTED)).unwrap();
        assert_eq!(text.lines().next().unwrap().to_string() + "\n", Accepted::HEADER);
        assert_eq!(text.lines().count(), 3);
    }

    #[test]
    fn a_broken_line_is_named_with_its_number_and_nothing_is_added() {
        let folder = tempfile::tempdir().unwrap();
        append_accepted(folder.path(), &[accepted("a"), accepted("b")]).unwrap();
        let path = folder.path().join(ACCEPTED);
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, whole.trim_end()).unwrap();
        assert_eq!(read_accepted(folder.path()).unwrap().len(), 2, "a line end alone is missing");
        for (text, parts) in [
            (whole.replacen("kernel", "colonel", 1), ["accepted.csv line 2 is ", "colonel"]),
            (whole.replacen("2026-03-04T12:00:00Z\n", "soon\n", 1), ["line 2", "soon is not of RFC 3339"]),
            (whole[..whole.len() - 2].to_string(), ["line 3", "no whole row"]),
            (whole.replacen("1024,", "", 1), ["line 2", "10 columns instead of 11"]),
            (whole.replacen("who", "whose", 1), ["accepted.csv line 1 is not", "move it away"]),
        ] {
            std::fs::write(&path, &text).unwrap();
            for error in [
                read_accepted(folder.path()).unwrap_err(),
                append_accepted(folder.path(), &[accepted("c")]).unwrap_err(),
            ] {
                let error = error.to_string();
                assert!(parts.iter().all(|part| error.contains(part)), "{error}");
            }
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }
}
