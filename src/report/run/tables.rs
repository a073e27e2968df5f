//! The tables that a run ends with, with what stands above and below them.

use super::remarks;
use crate::published::published_papers;
use crate::report::figure;
use crate::report::text::Grid;
use crate::results::StoredRun;

/// Tables with their titles, and what stands above and below them.
pub struct Tables {
    /// What was run, on what, after which paper: a line each.
    pub head: Vec<String>,
    pub grids: Vec<Grid>,
    /// What the machine can do at best, what has no time and why, and what marks mean: a sentence each.
    pub foot: Vec<String>,
}

/// All tables of a run.
pub fn tables(run: &StoredRun) -> Tables {
    // The embedded files are tested; a run does not end because of one.
    let papers = published_papers().unwrap_or_default();
    let mut grids = figure::tables(run, &papers);
    // What was only counted has no time to show.
    if grids.is_empty() {
        grids.extend(figure::counts(run, &papers));
    }
    let foot = [remarks::ceilings(run), remarks::gaps(&run.results.summary), remarks::marks(run)].concat();
    Tables { head: remarks::head(run, &papers), grids, foot }
}

impl Tables {
    /// For a terminal of `width` columns, or as wide as need be.
    pub fn terminal(&self, width: Option<u16>) -> String {
        let grids: Vec<String> = self.grids.iter().map(|grid| grid.terminal(width)).collect();
        format!("{}\n\n{}\n{}", self.head.join("\n"), grids.join("\n"), self.below(""))
    }

    pub fn markdown(&self) -> String {
        let grids: Vec<String> = self.grids.iter().map(Grid::markdown).collect();
        // Two spaces at its end break a line.
        format!("{}\n\n{}\n{}", self.head.join("  \n"), grids.join("\n"), self.below("- "))
    }

    fn below(&self, prefix: &str) -> String {
        self.foot.iter().map(|line| format!("{prefix}{line}\n")).collect()
    }
}
