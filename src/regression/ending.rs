//! The outcome of a comparison, and what its samples cannot decide.

use super::compare::CellComparison;
use super::group::Group;
use super::rule::Verdict;
use crate::results::CellKind;
use serde::Serialize;

/// The outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// A cell, or all together, became slower or failed.
    Slower,
    /// Nothing was found, but the samples cannot exclude that something became slower.
    Untold,
    /// Nothing became slower.
    NotSlower,
}

/// Why cells of one kind do not show that nothing became slower.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Untold {
    pub run_pair: usize,
    pub experiment: String,
    #[serde(flatten)]
    pub kind: CellKind,
    pub paired: bool,
    pub why: Why,
    /// How many of its cells are UNCERTAIN.
    pub uncertain: usize,
    pub cells: usize,
}

/// Worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// It is not known how far two runs of the same work differ.
    NoHistory,
    /// Whether all cells moved together is not decided.
    Shift,
    /// A cell that is not decided looks slower: its ratio is beyond the threshold, its interval is not.
    LooksSlower,
    /// More than half of the cells are not decided, or, where there are too few for a shift, any.
    Cells,
}

impl Ending {
    /// From the groups of a comparison and all of its cells.
    pub(super) fn of(groups: &[Group], cells: &[CellComparison]) -> (Self, Vec<Untold>) {
        let is_shifted = |group: &Group| group.is(Verdict::Slower);
        let untold: Vec<Untold> = groups.iter().filter_map(|group| untold(group, cells)).collect();
        let slower = cells.iter().any(|cell| cell.verdict.is_regression()) || groups.iter().any(is_shifted);
        let ending = match (slower, groups.is_empty() || !untold.is_empty()) {
            (true, _) => Self::Slower,
            (false, true) => Self::Untold,
            (false, false) => Self::NotSlower,
        };
        (ending, untold)
    }
}

impl Group {
    /// Whether this is the verdict on its shift.
    pub fn is(&self, verdict: Verdict) -> bool {
        self.shift.as_ref().is_some_and(|shift| shift.verdict == verdict)
    }

    /// Those of `cells` that are its own, and that both runs measured.
    pub(crate) fn of_it<'a>(
        &self,
        cells: &'a [CellComparison],
    ) -> impl Iterator<Item = &'a CellComparison> + use<'a> {
        let (run_pair, kind) = (self.run_pair, self.kind);
        cells.iter().filter(move |cell| {
            (cell.run_pair, cell.kind) == (run_pair, kind) && cell.base.is_some() && cell.new.is_some()
        })
    }
}

fn untold(group: &Group, cells: &[CellComparison]) -> Option<Untold> {
    let of_it: Vec<&CellComparison> = group.of_it(cells).collect();
    let open: Vec<&CellComparison> =
        of_it.into_iter().filter(|cell| cell.verdict == Verdict::Uncertain).collect();
    let looks_slower = |cell: &&CellComparison| {
        let beyond = |ratio: f64| cell.threshold.is_some_and(|threshold| ratio > 1.0 + threshold);
        // A lower clock makes seconds longer, and is no slow kernel.
        cell.seconds.is_some_and(|ratio| beyond(ratio.value))
            && cell.cycles.is_none_or(|ratio| beyond(ratio.value))
    };
    let allowed = if group.shift.is_some() { group.cells / 2 } else { 0 };
    let why = if !group.bounds.known {
        Why::NoHistory
    } else if group.is(Verdict::Uncertain) {
        Why::Shift
    } else if open.iter().any(looks_slower) {
        Why::LooksSlower
    } else if open.len() > allowed {
        Why::Cells
    } else {
        return None;
    };
    let Group { run_pair, experiment, kind, paired, .. } = group;
    Some(Untold {
        run_pair: *run_pair,
        experiment: experiment.clone(),
        kind: *kind,
        paired: *paired,
        why,
        uncertain: open.len(),
        cells: group.cells,
    })
}
