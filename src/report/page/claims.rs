//! The page of all claims: what became of each, with the comparisons behind it.

use super::claim::{ClaimView, is_main, kind_word};
use super::marks::Mark;
use super::papers::author_year;
use super::shell::Shell;
use crate::judge::{ANY_MACHINE, ClaimRow};
use crate::published::{EvidenceKind, PublishedPaper};
use crate::report::text::digits;
use crate::report::{Report, VerdictCounts, words};
use askama::Template;
use std::collections::BTreeSet;

/// The file of this page.
pub(super) const CLAIMS: &str = "claims.html";

/// None where there is no claim.
pub(super) fn render(report: &Report, shell: &Shell) -> Option<String> {
    let mut rows: Vec<&ClaimRow> = report.claims_with_verdicts().collect();
    if rows.is_empty() {
        return None;
    }
    // What a paper is read for comes first, the others in the order of the papers.
    rows.sort_by_key(|row| !is_main(row));
    let machines = report.machines.iter().map(|machine| (machine.label.as_str(), &machine.verdicts));
    let all = machines.chain([(ANY_MACHINE, &report.any)]);
    let page = Claims {
        shell,
        several: report.judged().len() > 1,
        verdicts: all.flat_map(|(machine, of)| of.iter().map(move |of| (machine, of))).collect(),
        filters: Filters::new(&rows, report),
        claims: rows.iter().filter_map(|row| ClaimView::new(row, report)).collect(),
        report,
    };
    Some(page.to_string())
}

#[derive(Template)]
#[template(path = "claims.html")]
struct Claims<'a> {
    shell: &'a Shell,
    /// Whether a machine must be named where a number stands.
    several: bool,
    /// How many claims got which verdict, a row a machine and kind of evidence.
    verdicts: Vec<(&'a str, &'a VerdictCounts)>,
    filters: Filters,
    /// Without the places where papers contradict themselves, which stand with the papers.
    claims: Vec<ClaimView<'a>>,
    report: &'a Report,
}

/// What the claims can be narrowed to: only what there is.
struct Filters {
    /// Without numbers of rows: verdicts of different kinds of evidence are not added up.
    verdicts: Vec<Mark>,
    evidence: Vec<&'static str>,
    /// Place in the list, and name.
    papers: Vec<(usize, String)>,
    kinds: Vec<&'static str>,
}

impl Filters {
    fn new(rows: &[&ClaimRow], report: &Report) -> Self {
        let results = || rows.iter().flat_map(|row| &row.results);
        let has = |mark: &Mark| results().any(|result| result.verdict == mark.0);
        let is_there = |kind: &EvidenceKind| rows.iter().any(|row| row.evidence == Some(*kind));
        let of_paper = |paper: &PublishedPaper| rows.iter().any(|row| row.paper == paper.id);
        let kinds: BTreeSet<_> = rows.iter().map(|row| row.kind).collect();
        let papers = report.papers.iter().enumerate().filter(|(_, paper)| of_paper(paper));
        Self {
            verdicts: Mark::all().into_iter().filter(has).collect(),
            evidence: EvidenceKind::ALL.into_iter().filter(is_there).map(words::evidence).collect(),
            papers: papers.map(|(place, paper)| (place, author_year(paper))).collect(),
            kinds: kinds.into_iter().map(kind_word).collect(),
        }
    }
}
