//! Steps that somebody acknowledged, in `accepted.csv` in the folder of the histories, to which rows are only added; and steps that last
//! and that nobody acknowledged, grouped by likely cause.

use super::change_points::{ChangePoint, detect_changes};
use super::file::History;
use super::row::HistoryRow;
use super::table::{HistoryError, TableRow, add, check_time, read_table};
use crate::lists::grouped;
use crate::timing::Scope;
use repro_base::CellId;
use repro_base::text::{FOREIGN_BYTES, foreign_text};
use serde::{Deserialize, Serialize};
use std::hash::Hash;
use std::path::Path;

/// The name of the file of acknowledgements.
pub const ACKNOWLEDGED: &str = "accepted.csv";

/// A step that somebody acknowledged, which is no longer reported.
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
    /// The [`super::HistoryRow::graph_digest`] of the step's rows.
    pub graph_digest: String,
    /// Time of the first row of the new level, RFC 3339. The last column: cut off anywhere, it is no time.
    pub since: String,
}

impl AcknowledgedStep {
    /// The row for the step that begins with `row` in the file of this name. Texts become one line each that a terminal shows as it is; the
    /// name loses its commas, at which scripts cut lines.
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

impl TableRow for AcknowledgedStep {
    const HEADER: &str = "time,who,why,file,implementation,n,params,graph,scope,graph_digest,since\n";

    fn check(&self) -> Result<(), String> {
        check_time(&self.time)?;
        check_time(&self.since)
    }

    /// If several acknowledge one step at once, the first counts.
    fn identity(&self) -> impl Eq + Hash {
        (&self.file, &self.cell, self.scope, &self.graph_digest, &self.since)
    }
}

/// The acknowledgements in `folder`, oldest first; none where there is no file. A torn last line acknowledges nothing.
///
/// # Errors
/// When the file cannot be read, or a line in it is not valid: then nobody knows what was acknowledged.
pub fn read_acknowledged(folder: &Path) -> Result<Vec<AcknowledgedStep>, HistoryError> {
    Ok(read_table(&folder.join(ACKNOWLEDGED))?.rows)
}

/// Appends rows, under the lock of the folder. Returns how many were new.
///
/// # Errors
/// As [`read_acknowledged`], and when the file cannot be written. Nothing is added then.
pub fn acknowledge(folder: &Path, rows: &[AcknowledgedStep]) -> Result<usize, HistoryError> {
    Ok(add(&folder.join(ACKNOWLEDGED), rows)?.0)
}

/// Two changes of one night are alike if the larger one, as a logarithm, is at most this many times the smaller one.
const ALIKE: f64 = 2.0;

/// A step that nobody acknowledged.
#[derive(Clone, Debug, PartialEq)]
pub struct UnacknowledgedStep<'a> {
    /// Name of the machine's file.
    pub file: String,
    pub change: ChangePoint<'a>,
}

/// The steps in these histories that last and that nobody acknowledged: slower ones before faster ones, each largest first.
pub fn unacknowledged_steps<'a>(
    histories: &'a [History],
    acknowledged: &[AcknowledgedStep],
) -> Vec<UnacknowledgedStep<'a>> {
    let mut steps = Vec::new();
    for history in histories {
        let file = history.path.file_name().unwrap_or_default().to_string_lossy();
        for change in detect_changes(&history.rows).into_iter().flat_map(|cell| lasting(cell.change_points)) {
            if !acknowledged.iter().any(|one| one.is_of(&file, change.after)) {
                steps.push(UnacknowledgedStep { file: file.to_string(), change });
            }
        }
    }
    steps.sort_by(|a, b| {
        b.change.is_slower().cmp(&a.change.is_slower()).then(b.change.size().total_cmp(&a.change.size()))
    });
    steps
}

/// A cell's changes that no later one undid. A change that undoes a slower one is no news either, unless it is slower itself.
fn lasting(changes: Vec<ChangePoint>) -> Vec<ChangePoint> {
    let mut lasting: Vec<ChangePoint> = Vec::new();
    for change in changes {
        let known = lasting.len();
        lasting.retain(|one| !one.is_undone_by(&change));
        if change.is_slower() || lasting.len() == known {
            lasting.push(change);
        }
    }
    // When a cell goes to and fro, later nights may shrink a change until almost nothing is left.
    lasting.retain(|change| change.size() > change.minimum_change / 2.0);
    lasting
}

/// Groups steps by likely cause: a group is of one machine and one night, on the GPU or on the CPU, by one clock, in one direction and by
/// similar amounts.
pub fn by_cause<'s, 'a>(steps: &'s [UnacknowledgedStep<'a>]) -> Vec<Vec<&'s UnacknowledgedStep<'a>>> {
    let night = |step: &'s UnacknowledgedStep| {
        let row = step.change.after;
        (&step.file, &row.time, row.is_on_gpu(), row.scope, row.beside, step.change.is_slower())
    };
    let mut causes = Vec::new();
    for (_, steps) in grouped(steps.iter().map(|step| (night(step), step))) {
        let alike = steps.chunk_by(|larger, smaller| larger.change.size() <= ALIKE * smaller.change.size());
        causes.extend(alike.map(<[_]>::to_vec));
    }
    causes
}

#[cfg(test)]
mod tests {
    use super::super::row::{HistoryRow, tests::row};
    use super::*;
    use repro_base::CellId;

    /// A history whose cells, called by their places, are at 1 for eight nights, and then at each of their levels for four.
    fn history(cells: &[&[f64]]) -> History {
        let nights = |(n, levels): (usize, &&[f64])| {
            let medians = std::iter::repeat_n(1.0, 8).chain(levels.iter().flat_map(|level| [*level; 4]));
            let of_cell = (1..).zip(medians.collect::<Vec<_>>());
            let cell = CellId::new("a", n, "", "");
            of_cell.map(move |(day, seconds)| HistoryRow { cell: cell.clone(), ..row(day, seconds) })
        };
        let rows = (1..).zip(cells).flat_map(nights).collect();
        History { path: "h/nvidia-h200.csv".into(), rows, torn_bytes: 0 }
    }

    #[test]
    fn a_step_lasts_until_a_later_one_leads_back() {
        // The levels, and first night and percent of the steps that last.
        for (levels, lasting) in [
            (&[1.1][..], "09 110"),
            (&[1.1, 1.0], ""),
            (&[0.9, 1.0], "13 111"),
            (&[1.1, 1.0, 1.1], "17 110"),
            (&[1.1, 1.2], "09 110, 13 109"),
            (&[1.1, 1.2, 1.1], "09 110"),
            (&[1.2, 1.1], "09 120, 13 92"),
        ] {
            let history = [history(&[levels])];
            let text = |step: &UnacknowledgedStep| {
                format!("{} {:.0}", &step.change.after.time[8..10], step.change.ratio() * 100.0)
            };
            let found: Vec<String> = unacknowledged_steps(&history, &[]).iter().map(text).collect();
            assert_eq!(found.join(", "), lasting, "{levels:?}");
        }
    }

    #[test]
    fn what_was_acknowledged_is_quiet_and_a_later_step_of_the_cell_is_not() {
        let acknowledged = |step: &UnacknowledgedStep| {
            AcknowledgedStep::new("2026-03-20T12:00:00Z", "me", "meant", &step.file, step.change.after)
        };
        let before = [history(&[&[1.1], &[1.2]])];
        let rows: Vec<_> = unacknowledged_steps(&before, &[]).iter().map(acknowledged).collect();
        let left = unacknowledged_steps(&before, &rows[..1]);
        assert_eq!(left.iter().map(|step| step.change.after.cell.n).collect::<Vec<_>>(), [1]);
        let after = [history(&[&[1.1, 1.3], &[1.2, 1.0]])];
        let left = unacknowledged_steps(&after, &rows);
        assert_eq!(left.iter().map(|step| step.change.after.cell.n).collect::<Vec<_>>(), [1]);
        assert_eq!(left[0].change.after.time, "2026-03-13T12:00:00Z");
    }

    #[test]
    fn cells_that_step_in_one_night_by_like_amounts_are_one_cause() {
        let cells: [&[f64]; 6] = [&[1.05], &[1.06], &[1.05, 1.2], &[2.0], &[0.9], &[1.08]];
        let histories = [history(&cells)];
        let steps = unacknowledged_steps(&histories, &[]);
        let causes = by_cause(&steps);
        let cells: Vec<Vec<usize>> =
            causes.iter().map(|cause| cause.iter().map(|step| step.change.after.cell.n).collect()).collect();
        assert_eq!(cells, [vec![4], vec![6, 2, 1, 3], vec![3], vec![5]]);
    }
}
