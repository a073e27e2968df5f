//! What a run prints when it ends.

use super::super::claim_summary::{ClaimSummary, lines_of};
use super::super::next::{self, Next};
use crate::lists::count_of;
use crate::report::{self, Tables, gaps, head, marks, tables};
use crate::results::StoredRun;
use repro_base::terminal::terminal_width;
use std::path::Path;

/// As many lines as a terminal has.
const MOST_LINES: usize = 40;
/// Lines of them for the claims, and for why some cells have no time, at most.
const MOST_CLAIMS: usize = 14;
const MOST_GAPS: usize = 3;

/// What there is to say.
pub struct Ending<'a> {
    pub run: &'a StoredRun,
    pub claims: &'a ClaimSummary,
    pub next: &'a [Next],
    pub page: Option<&'a Path>,
}

impl Ending<'_> {
    /// Everything.
    pub fn all(&self) -> String {
        let tables = tables(self.run).terminal(Some(terminal_width()));
        let page = self.page.map_or_else(String::new, |page| format!("\nreport: {}\n", page.display()));
        format!("{tables}{}{}{page}", self.claims.text(), next::text(self.next))
    }

    /// At most forty lines: the verdicts, one table, what its marks mean and what it lacks, and where the rest is.
    pub fn short(&self) -> String {
        let width = terminal_width();
        let (above, below) = (self.above(), self.below(None));
        let mut remarks: Vec<String> =
            marks(self.run).iter().flat_map(|line| lines_of(line, width)).collect();
        remarks.extend(first_gaps(&gaps(&self.run.results.summary), width));
        let room = MOST_LINES.saturating_sub(above.len() + remarks.len() + below.len());
        let Tables { grids, .. } = tables(self.run);
        let table = grids.first().map_or_else(String::new, |grid| grid.within(width, room));
        format!("{}{table}{}{}", lines(&above), lines(&remarks), lines(&below))
    }

    /// The verdicts, all that was counted as a table, and where the rest is.
    pub fn counts(&self) -> String {
        let (table, place) = match report::counts(self.run, &[]) {
            Some(grid) => {
                let place = format!("counts: {}", self.run.folder.join("counts.csv").display());
                (grid.terminal(Some(terminal_width())), Some(place))
            }
            None => (lines(&lines_of(&self.why_no_counts(), terminal_width())), None),
        };
        format!("{}{table}{}", lines(&self.above()), lines(&self.below(place)))
    }

    /// Why nothing was counted, and what would count.
    fn why_no_counts(&self) -> String {
        let mut columns = self.run.manifest.experiment.columns.iter();
        let why = "no counts: the emulated device counts, and it solved nothing in this run";
        match columns.any(|column| self.run.is_on_device(&column.implementation)) {
            true => format!("{why}; a run with `--device emulated` counts"),
            false => format!("{why}, which has no kernel of a GPU"),
        }
    }

    /// At most three lines: what it decides, where all of it is, and what comes next.
    pub fn least(&self) -> String {
        let all = self.claims.tally().into_iter().chain(self.places()).chain(self.commands());
        lines(&all.take(3).collect::<Vec<_>>())
    }

    /// The verdicts, and what was run on what.
    fn above(&self) -> Vec<String> {
        let mut above = self.claims.short(MOST_CLAIMS, terminal_width());
        if !above.is_empty() {
            above.push(String::new());
        }
        // Which paper it is of stands with all tables.
        let head = head(self.run, &[]);
        above.extend(head.iter().flat_map(|line| lines_of(line, terminal_width())));
        above
    }

    /// What comes next, where the counts are and where all tables and figures are.
    fn below(&self, counts: Option<String>) -> Vec<String> {
        let all = self.commands().chain(counts).chain(self.places());
        std::iter::once(String::new()).chain(all.flat_map(|line| lines_of(&line, terminal_width()))).collect()
    }

    fn commands(&self) -> impl Iterator<Item = String> {
        self.next.iter().map(|one| format!("next: {}", one.command))
    }

    fn places(&self) -> impl Iterator<Item = String> {
        let tables = self.run.folder.join("table.md");
        let tables = tables.is_file().then(|| format!("tables: {}", tables.display()));
        tables.into_iter().chain(self.page.map(|page| format!("report: {}", page.display())))
    }
}

fn lines(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// As many reasons as [`MOST_GAPS`] lines hold, the last of which says how many there are besides.
fn first_gaps(all: &[String], width: u16) -> Vec<String> {
    let mut shown: Vec<String> = Vec::new();
    for (at, reason) in all.iter().enumerate() {
        let lines = lines_of(reason, width);
        let is_last = at + 1 == all.len();
        if shown.len() + lines.len() + usize::from(!is_last) > MOST_GAPS {
            let more = if at == 0 { "reason why cells have no time" } else { "more reason" };
            shown.push(count_of(all.len() - at, more));
            break;
        }
        shown.extend(lines);
    }
    shown
}
