//! Steps that somebody acknowledged: `accepted.csv` beside the histories, to which rows are only ever added.

use super::row::HistoryRow;
use super::table::{HistoryError, Row, add, check_time, read_table};
use crate::timing::Scope;
use repro_base::CellId;
use repro_base::text::{FOREIGN_BYTES, foreign_text};
use serde::{Deserialize, Serialize};
use std::hash::Hash;
use std::path::Path;

/// The name of the file.
pub const ACKNOWLEDGED: &str = "accepted.csv";

/// A step that is quiet from now on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcknowledgedStep {
    /// When it was acknowledged, RFC 3339.
    pub time: String,
    pub who: String,
    pub why: String,
    /// Name of the machine's file.
    pub file: String,
    pub cell: CellId,
    pub scope: Scope,
    /// As [`super::HistoryRow::graph_digest`].
    pub graph_digest: String,
    /// Time of the first row of the new level, RFC 3339. The last column: cut off anywhere, it is no time.
    pub since: String,
}

impl AcknowledgedStep {
    /// A row for the step that begins with `row` in the file of this name. Texts are made one line each that a terminal shows as it is; the name of who
    /// acknowledges has no comma either, at which scripts cut lines.
    pub fn new(time: &str, who: &str, why: &str, file: &str, row: &HistoryRow) -> Self {
        let one_line = |text: &str| foreign_text(text, FOREIGN_BYTES);
        Self {
            time: time.into(),
            who: one_line(&who.replace(',', "")),
            why: one_line(why),
            file: file.into(),
            cell: row.cell.clone(),
            scope: row.scope,
            graph_digest: row.graph_digest.clone(),
            since: row.time.clone(),
        }
    }

    /// Whether it is the step that begins with `row` in the file of this name.
    pub(super) fn is_of(&self, file: &str, row: &HistoryRow) -> bool {
        let own = (&*self.file, &self.cell, self.scope, &self.graph_digest, &self.since);
        own == (file, &row.cell, row.scope, &row.graph_digest, &row.time)
    }
}

impl Row for AcknowledgedStep {
    const HEADER: &str = "time,who,why,file,implementation,n,params,graph,scope,graph_digest,since\n";

    fn check(&self) -> Result<(), String> {
        check_time(&self.time)?;
        check_time(&self.since)
    }

    /// Of several who acknowledge one step at once the first did.
    fn identity(&self) -> impl Eq + Hash {
        (&self.file, &self.cell, self.scope, &self.graph_digest, &self.since)
    }
}

/// What was acknowledged in `folder`, oldest first. Nothing where there is no file. A last line that is no whole row acknowledges nothing.
///
/// # Errors
/// When the file cannot be read, or a line in it is none of its rows: then nobody knows what was acknowledged.
pub fn read_acknowledged(folder: &Path) -> Result<Vec<AcknowledgedStep>, HistoryError> {
    Ok(read_table(&folder.join(ACKNOWLEDGED))?.rows)
}

/// Appends rows, under the lock of the folder. Gives how many were not there yet.
///
/// # Errors
/// As [`read_acknowledged`], and when the file cannot be written. Nothing is added then.
pub fn acknowledge(folder: &Path, rows: &[AcknowledgedStep]) -> Result<usize, HistoryError> {
    Ok(add(&folder.join(ACKNOWLEDGED), rows)?.0)
}
