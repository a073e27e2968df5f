//! What a run prints when it ends.

use super::super::decided::{Decided, cut};
use super::super::next::{self, Next};
use crate::lists::count_of;
use crate::results::StoredRun;
use crate::show::Tables;
use crate::show::subjects::counts;
use repro_terminal::{terminal_width, wrapped};
use std::path::{Path, PathBuf};

/// As many lines as a terminal has.
const MOST_LINES: usize = 40;
/// Lines of them for the claims, and for what is said below the table at most.
const MOST_CLAIMS: usize = 12;
const MOST_REMARKS: usize = 6;

/// What there is to say.
pub struct Ending<'a> {
    pub run: &'a StoredRun,
    pub decided: &'a Decided,
    pub next: &'a [Next],
    pub page: Option<&'a Path>,
}

impl Ending<'_> {
    /// Everything.
    pub fn all(&self) -> String {
        let tables = self.tables().terminal(Some(terminal_width()));
        let page = self.page.map_or_else(String::new, |page| format!("\nreport: {}\n", page.display()));
        format!("{tables}{}{}{page}", self.decided.text(), next::text(self.next))
    }

    /// At most forty lines: the verdicts, one table, and where the rest is.
    pub fn short(&self) -> String {
        let width = terminal_width();
        let tables = self.tables();
        let above = self.above(&tables);
        let mut below = vec![String::new()];
        below.extend(self.commands());
        below.extend(self.places());
        let room = MOST_LINES.saturating_sub(above.len() + below.len());
        // What is said below the table has a line, and more where the table leaves it more.
        let for_table = room.saturating_sub(usize::from(!tables.foot.is_empty()));
        let table = tables.grids.first().map_or_else(String::new, |grid| grid.within(width, for_table));
        let remarks =
            remarks(&tables.foot, width, room.saturating_sub(table.lines().count()).min(MOST_REMARKS));
        format!("{}{table}{}{}", lines(above), lines(remarks), lines(below))
    }

    /// The verdicts, all that was counted as a table, and where the rest is.
    pub fn counts(&self) -> String {
        let above = self.above(&self.tables());
        let mut below = vec![String::new()];
        below.extend(self.commands());
        let table = match counts::grid(&self.run.results.counts) {
            Some(grid) => {
                below.push(format!("counts: {}", self.run.folder.join("counts.csv").display()));
                grid.terminal(Some(terminal_width()))
            }
            None => format!("{}\n", wrapped(&self.why_no_counts(), terminal_width(), "  ")),
        };
        below.extend(self.places());
        format!("{}{table}{}", lines(above), lines(below))
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

    /// The verdicts and what was run on what, each in one line.
    fn above(&self, tables: &Tables) -> Vec<String> {
        let mut above = self.decided.short(MOST_CLAIMS);
        if !above.is_empty() {
            above.push(String::new());
        }
        let is_of_paper = |line: &&str| line.starts_with("Paper: ");
        above.extend(tables.head.lines().filter(|line| !is_of_paper(line)).map(String::from));
        above.iter().map(|line| cut(line, usize::from(terminal_width()))).collect()
    }

    /// At most three lines: what it decides, where all of it is, and what comes next.
    pub fn least(&self) -> String {
        let lines = self.decided.tally().into_iter().chain(self.places()).chain(self.commands());
        lines.take(3).map(|line| format!("{line}\n")).collect()
    }

    fn commands(&self) -> impl Iterator<Item = String> {
        self.next.iter().map(|one| format!("next: {}", one.command))
    }

    fn tables(&self) -> Tables {
        crate::show::tables(self.run)
    }

    /// Where all tables and figures are.
    fn places(&self) -> Vec<String> {
        let tables: PathBuf = self.run.folder.join("table.md");
        let tables = tables.is_file().then(|| format!("tables: {}", tables.display()));
        let page = self.page.map(|page| format!("report: {}", page.display()));
        tables.into_iter().chain(page).collect()
    }
}

fn lines(lines: Vec<String>) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// As many of the remarks as `most` lines hold, and how many there are besides.
fn remarks(all: &[String], width: u16, most: usize) -> Vec<String> {
    let mut shown: Vec<String> = Vec::new();
    for (at, remark) in all.iter().enumerate() {
        let lines: Vec<String> = wrapped(remark, width, "  ").lines().map(String::from).collect();
        let is_last = at + 1 == all.len();
        if shown.len() + lines.len() + usize::from(!is_last) > most {
            shown.push(count_of(all.len() - at, if at == 0 { "remark" } else { "more remark" }));
            break;
        }
        shown.extend(lines);
    }
    shown
}
