//! The page of all claims: what became of each, with the comparisons behind it.

use super::answer::{Counts, counts};
use super::claims::{self, ClaimView, Mark, kind_word};
use super::figure::{Drawings, FigureView};
use super::papers::PaperName;
use super::shell::Shell;
use crate::judge::ClaimRow;
use crate::lists::count_of;
use crate::published::EvidenceKind;
use crate::report::{Report, words};
use askama::Template;

/// The file of this page.
pub(super) const ALL_CLAIMS: &str = "claims.html";

/// None where there is no claim.
pub(super) fn render(report: &Report, shell: &Shell) -> Option<String> {
    let mut rows: Vec<&ClaimRow> = report.claims_with_verdicts().collect();
    if rows.is_empty() {
        return None;
    }
    // What a paper is read for comes first, the others in the order of the papers.
    rows.sort_by_key(|row| !claims::is_main(row));
    let names = PaperName::of(report);
    let judged = report.judged();
    let several = judged.len() > 1;
    let page = AllClaims {
        shell,
        several,
        counts: counts(report, &judged, &names),
        filters: Filters::new(&rows, &names),
        claims: rows.iter().map(|row| ClaimView::new(row, &names, report, several)).collect(),
        ratios: report.ratios.as_ref().map(|figure| FigureView::new(figure, Drawings::Both, shell.root)),
        differences: words::differences(&report.hardware),
        report,
    };
    Some(page.to_string())
}

#[derive(Template)]
#[template(path = "claims.html")]
struct AllClaims<'a> {
    shell: &'a Shell,
    /// Whether a machine must be named where a number stands.
    several: bool,
    counts: Vec<Counts<'a>>,
    filters: Filters,
    /// Without the places where papers contradict themselves, which stand with the papers.
    claims: Vec<ClaimView<'a>>,
    /// Every published ratio next to what was measured.
    ratios: Option<FigureView<'a>>,
    /// In what the GPUs of the machines differ; empty where there is one.
    differences: String,
    report: &'a Report,
}

impl AllClaims<'_> {
    /// What was compared, in one line.
    fn extent(&self) -> String {
        let against = self.report.claims.len() - self.claims.len();
        let mut text = words::count(&self.report.papers, self.claims.iter().map(|one| one.row));
        if against > 0 {
            let places = count_of(against, "place");
            text += &format!("; {places} where papers contradict themselves stand with the papers");
        }
        text
    }
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
    fn new(rows: &[&ClaimRow], papers: &[PaperName]) -> Self {
        let has = |mark: &Mark| rows.iter().any(|row| claims::marks(row).contains(mark));
        let kind_is_there = |kind: &EvidenceKind| rows.iter().any(|row| row.evidence == Some(*kind));
        let mut kinds: Vec<_> = rows.iter().map(|row| row.kind).collect();
        kinds.sort();
        kinds.dedup();
        Self {
            verdicts: Mark::of_claims().into_iter().filter(has).collect(),
            evidence: EvidenceKind::ALL.into_iter().filter(kind_is_there).map(words::evidence).collect(),
            papers: papers
                .iter()
                .enumerate()
                .filter(|(_, paper)| rows.iter().any(|row| row.paper == paper.id))
                .map(|(place, paper)| (place, paper.short.clone()))
                .collect(),
            kinds: kinds.into_iter().map(kind_word).collect(),
        }
    }
}
