//! Papers as the front page shows them: what is still true of each, in a sentence for all machines together, and verdicts as signs.

use super::claim::{href, name};
use crate::judge::{ClaimRow, Verdict};
use crate::lists::grouped;
use crate::published::{ClaimKind, EvidenceKind, PublishedPaper, PublishedPlot, is_beside};
use crate::report::words::Agreement;
use crate::report::{ExperimentPage, Report, words};
use askama::Template;

/// The outcome of the main statements of one paper.
pub(super) struct PaperSummary<'a> {
    pub(super) paper: &'a PublishedPaper,
    /// The main statements that were compared, grouped by outcome.
    pub(super) groups: Vec<(Agreement, Vec<MainStatement<'a>>)>,
    /// How many of its main statements could not be compared; a reader who wants to know what is true needs no reason.
    pub(super) untested: usize,
}

/// One statement.
pub(super) struct MainStatement<'a> {
    pub(super) says: &'a str,
    /// Where its claim stands, from the front page.
    pub(super) href: String,
    /// What explains the verdict; empty where it needs no explanation.
    pub(super) numbers: String,
}

/// The summary of each paper, in the order of the report.
pub(super) fn summaries(report: &Report) -> Vec<PaperSummary<'_>> {
    report.papers.iter().map(|paper| summary(report, paper)).collect()
}

/// The main statements of a paper, grouped by outcome.
fn summary<'a>(report: &'a Report, paper: &'a PublishedPaper) -> PaperSummary<'a> {
    let is_main = |claim: &&ClaimRow| claim.paper == paper.id && claim.says.is_some();
    let main = report.claims.iter().filter(is_main).filter(|claim| !claim.results.is_empty());
    let of_claim = |claim: &'a ClaimRow| {
        let (says, outcome) = (claim.says.as_deref()?, Agreement::of(claim)?);
        Some((outcome, MainStatement { says, href: href(claim), numbers: numbers(claim, outcome) }))
    };
    let compared: Vec<_> = main.clone().filter_map(of_claim).collect();
    let untested = main.count() - compared.len();
    let mut groups = grouped(compared);
    groups.sort_by_key(|(outcome, _)| *outcome);
    PaperSummary { paper, groups, untested }
}

/// How many claims of the project's own papers that follow from code alone hold, and how many were compared.
pub(super) fn by_construction(report: &Report) -> [usize; 2] {
    let own = report.claims_with_verdicts().filter(|row| !is_beside(&report.papers, &row.paper));
    let own = own.filter(|row| row.evidence == Some(EvidenceKind::Construction));
    let outcomes: Vec<Agreement> = own.filter_map(Agreement::of).collect();
    let is_held = |one: &&Agreement| matches!(one, Agreement::Same(verdict) if verdict.holds());
    [outcomes.iter().filter(is_held).count(), outcomes.len()]
}

pub(super) fn mark(outcome: Agreement) -> Mark {
    Mark(if let Agreement::Same(verdict) = outcome { verdict } else { Verdict::InPart })
}

/// What explains why a statement does not hold, or where it does: for one machine its figures; for several, the verdicts that differ, or
/// the machines that alone compared something. Their figures are in the summary picture and in the lines of the claims.
fn numbers(claim: &ClaimRow, outcome: Agreement) -> String {
    let compared: Vec<_> = claim.results.iter().filter(|result| result.verdict.is_decided()).collect();
    let names = || compared.iter().map(|one| words::short_label(&one.machine));
    match (outcome, &claim.results[..]) {
        (Agreement::Different, _) => {
            let each = names().zip(&compared).map(|(name, one)| format!("{name} {}", one.verdict));
            each.collect::<Vec<_>>().join(", ")
        }
        (Agreement::Same(_), results) if compared.len() < results.len() => {
            format!("{} alone", words::list(&names().collect::<Vec<_>>()))
        }
        (Agreement::Same(Verdict::Differs), [one]) => words::figures(claim, one),
        _ => String::new(),
    }
}

/// A verdict as a chip: told apart by its word, and by the sign, shape and colour that the style gives its name.
#[derive(Clone, Copy, PartialEq, Eq, Template)]
#[template(source = r#"<span class="chip {{ self.name() }}">{{ self.word() }}</span>"#, ext = "html")]
pub(super) struct Mark(pub(super) Verdict);

impl Mark {
    pub(super) fn all() -> impl Iterator<Item = Self> {
        Verdict::all().map(Self)
    }

    /// The class of the chip, which style and script use.
    pub(super) fn name(self) -> String {
        self.0.to_string().to_lowercase().replace(' ', "-")
    }

    pub(super) fn word(self) -> String {
        words::capital(&self.0.to_string().to_lowercase())
    }
}

/// The anchor of the section of a paper on the front page.
pub(super) fn paper_anchor(paper: &PublishedPaper) -> String {
    format!("paper-{}", name(&paper.id))
}

/// The section of a paper.
pub(super) struct PaperView<'a> {
    pub(super) paper: &'a PublishedPaper,
    pub(super) experiments: Vec<&'a ExperimentPage>,
    /// Places where it contradicts itself or another.
    pub(super) contradictions: Vec<&'a ClaimRow>,
    /// The paper's plots whose values no table gives, each with a note about it.
    pub(super) figures: Vec<(&'a PublishedPlot, Vec<Piece>)>,
}

impl<'a> PaperView<'a> {
    pub(super) fn new(paper: &'a PublishedPaper, report: &'a Report) -> Self {
        let claims: Vec<&ClaimRow> = report.claims.iter().filter(|claim| claim.paper == paper.id).collect();
        let contradictions = claims.iter().copied().filter(|claim| claim.kind == ClaimKind::Inconsistency);
        let figures = paper.figures.iter().filter(|figure| figure.table.is_none());
        Self {
            paper,
            experiments: report.experiments_of(Some(&paper.id)),
            contradictions: contradictions.collect(),
            figures: figures.map(|figure| (figure, linked(&figure.note, &claims))).collect(),
        }
    }
}

/// A piece of text, with a link if it names a claim.
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) href: Option<String>,
}

/// Splits a note into pieces, in which the ids of claims are links.
fn linked(note: &str, claims: &[&ClaimRow]) -> Vec<Piece> {
    note.split_inclusive(' ')
        .flat_map(|word| {
            let id = word.trim_end_matches([' ', ',', '.', ';']);
            let claim = claims.iter().find(|claim| claim.id == id);
            let href = claim.map(|claim| href(claim));
            let rest = Piece { text: word[id.len()..].to_string(), href: None };
            [Piece { text: id.to_string(), href }, rest]
        })
        .filter(|piece| !piece.text.is_empty())
        .collect()
}

/// The authors of a paper and its year, as a line names it.
pub fn author_year(paper: &PublishedPaper) -> String {
    let names: Vec<&str> =
        paper.authors.split(',').filter_map(|author| author.split_whitespace().next_back()).collect();
    let who = match names[..] {
        [] => paper.id.clone(),
        [one] => one.to_string(),
        [one, two] => format!("{one} & {two}"),
        [one, ..] => format!("{one} et al."),
    };
    paper.year.map_or(who.clone(), |year| format!("{who} {year}"))
}
