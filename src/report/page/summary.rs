//! What is still true of each paper, in a sentence for all machines together.

use super::claim::href;
use super::marks::Mark;
use super::papers::{PaperName, opens_those_beside};
use crate::judge::{ANY_MACHINE, ClaimResult, ClaimRow, Verdict};
use crate::lists::grouped;
use crate::published::{EvidenceKind, PublishedPaper, is_beside};
use crate::report::words::Agreement;
use crate::report::{Report, words};

/// What came of one paper.
pub(super) struct PaperSummary<'a> {
    pub(super) anchor: &'a str,
    pub(super) short: &'a str,
    /// Whether it is beside the papers that the project is about, and whether it is the first of those.
    pub(super) is_beside: bool,
    pub(super) opens_those_beside: bool,
    pub(super) groups: Vec<StatementGroup<'a>>,
    /// How many of its main statements could not be compared.
    pub(super) untested: usize,
}

/// The main statements that came out alike.
pub(super) struct StatementGroup<'a> {
    pub(super) outcome: OverallOutcome,
    pub(super) mark: Mark,
    pub(super) lead: &'static str,
    pub(super) statements: Vec<MainStatement<'a>>,
}

/// One statement.
pub(super) struct MainStatement<'a> {
    pub(super) says: &'a str,
    /// Where its claim stands, from the front page.
    pub(super) href: String,
    /// What explains the verdict; empty where it needs nothing.
    pub(super) numbers: String,
}

pub(super) fn summaries<'a>(report: &'a Report, names: &'a [PaperName<'a>]) -> Vec<PaperSummary<'a>> {
    let labels = labels(report);
    let of_paper = |(place, paper): (usize, &'a PublishedPaper)| {
        let (groups, untested) = groups(report, paper, &labels);
        let opens_those_beside = opens_those_beside(paper, &report.papers);
        let PaperName { anchor, short, .. } = &names[place];
        PaperSummary { anchor, short, is_beside: paper.beside, opens_those_beside, groups, untested }
    };
    report.papers.iter().enumerate().map(of_paper).collect()
}

fn labels(report: &Report) -> Vec<&str> {
    report.judged().iter().map(|machine| machine.label.as_str()).collect()
}

/// How many claims of the papers that the project is about were compared; and how many of these are reproduced by construction, and
/// otherwise.
pub(super) fn reproduced(report: &Report) -> (usize, [usize; 2]) {
    let labels = labels(report);
    let is_own = |row: &&ClaimRow| !is_beside(&report.papers, &row.paper);
    let outcome = |row: &ClaimRow| {
        let outcome = OverallOutcome::of(&results(row, &labels));
        (outcome != OverallOutcome::NotCompared).then(|| (row.evidence, outcome.holds()))
    };
    let compared: Vec<_> = report.claims_with_verdicts().filter(is_own).filter_map(outcome).collect();
    let by_construction = |evidence| evidence == Some(EvidenceKind::Construction);
    let count = |wanted: bool| {
        let of = compared.iter().filter(|(by, holds)| by_construction(*by) == wanted && *holds == Some(true));
        of.count()
    };
    (compared.len(), [count(true), count(false)])
}

/// The results of a claim on these machines, and on any.
fn results<'a>(claim: &'a ClaimRow, machines: &[&str]) -> Vec<&'a ClaimResult> {
    let is_of = |result: &&ClaimResult| {
        result.machine == ANY_MACHINE || machines.iter().any(|machine| *machine == result.machine)
    };
    claim.results.iter().filter(is_of).collect()
}

/// What became of a statement on all machines together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OverallOutcome {
    Alike(Verdict),
    /// On one machine another than on another.
    NotAlike,
    /// What could not be compared, for whatever reason, is one group to a reader who wants to know what is true.
    NotCompared,
}

impl OverallOutcome {
    fn of(results: &[&ClaimResult]) -> Self {
        let mut compared = results.iter().map(|result| result.verdict).filter(|verdict| verdict.is_decided());
        match Agreement::of(results.iter().map(|result| result.verdict)) {
            Some(Agreement::Different) if compared.all(Verdict::fails) => {
                Self::Alike(Verdict::FailsWhereDecided)
            }
            Some(Agreement::Same(verdict)) => Self::Alike(verdict),
            Some(Agreement::Different) => Self::NotAlike,
            None => Self::NotCompared,
        }
    }

    /// Whether the statement is true here; none where it is in part or cannot be told.
    pub(super) fn holds(self) -> Option<bool> {
        match self {
            Self::Alike(verdict) if verdict.fails() => Some(false),
            Self::Alike(Verdict::Reproduced | Verdict::Exceeds) => Some(true),
            _ => None,
        }
    }

    /// Why that cannot be told, behind "the others"; none where it can.
    pub(super) fn doubt(self) -> Option<&'static str> {
        match self {
            Self::Alike(Verdict::InPart) => Some("are true in part"),
            Self::Alike(Verdict::Ambiguous) => Some("are too close to tell"),
            Self::NotAlike => Some("differ between the GPUs"),
            _ => None,
        }
    }

    fn mark(self) -> Mark {
        Mark(match self {
            Self::Alike(verdict) => verdict,
            Self::NotAlike => Verdict::InPart,
            Self::NotCompared => Verdict::NotMeasured,
        })
    }

    fn lead(self) -> &'static str {
        match self {
            Self::Alike(verdict) => lead(verdict),
            Self::NotAlike => "The GPUs' verdicts differ:",
            Self::NotCompared => lead(Verdict::NotMeasured),
        }
    }
}

/// The statements of a paper by what became of them; and how many could not be compared.
fn groups<'a>(
    report: &'a Report,
    paper: &'a PublishedPaper,
    machines: &[&str],
) -> (Vec<StatementGroup<'a>>, usize) {
    let of_claim = |claim: &'a ClaimRow| {
        let says = claim.says.as_deref()?;
        let results = results(claim, machines);
        let outcome = OverallOutcome::of(&results);
        let numbers = numbers(claim, &results, outcome);
        (!results.is_empty()).then(|| (outcome, MainStatement { says, href: href(claim), numbers }))
    };
    let of_paper = report.claims.iter().filter(|claim| claim.paper == paper.id);
    let (compared, untested): (Vec<_>, Vec<_>) =
        of_paper.filter_map(of_claim).partition(|(outcome, _)| *outcome != OverallOutcome::NotCompared);
    let mut groups = grouped(compared);
    groups.sort_by_key(|(outcome, _)| *outcome);
    let of = |(outcome, statements): (OverallOutcome, _)| StatementGroup {
        outcome,
        mark: outcome.mark(),
        lead: outcome.lead(),
        statements,
    };
    (groups.into_iter().map(of).collect(), untested.len())
}

fn lead(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Reproduced => "Still true:",
        Verdict::Exceeds => "More than that here:",
        Verdict::InPart => "True in part:",
        Verdict::Differs => "Not true here:",
        Verdict::FailsWhereDecided => "Not true where it can be told:",
        Verdict::Ambiguous => "Too close to tell:",
        Verdict::NotMeasured | Verdict::NotComparable => "Not tested here:",
    }
}

/// What explains why a statement does not hold, or where it does: its numbers where there is one machine, and of several the verdicts that
/// differ, or those that alone compared something. What they measured stands in the summary picture and in the claims' lines.
fn numbers(claim: &ClaimRow, results: &[&ClaimResult], outcome: OverallOutcome) -> String {
    let compared: Vec<_> = results.iter().filter(|result| result.verdict.is_decided()).collect();
    let names = || compared.iter().map(|one| words::short_label(&one.machine));
    match (outcome, results) {
        (OverallOutcome::NotAlike, _) => {
            let each = names().zip(&compared).map(|(name, one)| format!("{name} {}", one.verdict));
            each.collect::<Vec<_>>().join(", ")
        }
        (OverallOutcome::Alike(_), _) if compared.len() < results.len() => {
            format!("{} alone", words::list(&names().collect::<Vec<_>>()))
        }
        (OverallOutcome::Alike(Verdict::Differs), [one]) => words::figures(claim, one),
        _ => String::new(),
    }
}
