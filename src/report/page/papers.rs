//! Papers as the front page shows them.

use super::claim::{href, name};
use crate::judge::ClaimRow;
use crate::published::{ClaimKind, PublishedFigure, PublishedPaper};
use crate::report::text::words::cited;
use crate::report::{ExperimentPage, Report};

/// What names a paper and leads to it.
pub(super) struct PaperName<'a> {
    pub(super) id: &'a str,
    pub(super) anchor: String,
    /// Authors and year.
    pub(super) short: String,
}

impl<'a> PaperName<'a> {
    pub(super) fn new(paper: &'a PublishedPaper) -> Self {
        Self { id: &paper.id, anchor: format!("paper-{}", name(&paper.id)), short: author_year(paper) }
    }
}

/// All papers of a report, in its order.
pub(super) fn papers_of(report: &Report) -> Vec<PaperName<'_>> {
    report.papers.iter().map(PaperName::new).collect()
}

/// The section of a paper.
pub(super) struct PaperView<'a> {
    pub(super) name: &'a PaperName<'a>,
    pub(super) paper: &'a PublishedPaper,
    /// Whether it is the first of the papers beside those that the project is about.
    pub(super) opens_those_beside: bool,
    pub(super) cited: String,
    pub(super) experiments: Vec<&'a ExperimentPage>,
    /// Places where it contradicts itself or another.
    pub(super) contradictions: Vec<&'a ClaimRow>,
    /// Those whose values no text gives, each with a note about it.
    pub(super) figures: Vec<(&'a PublishedFigure, Vec<Piece>)>,
}

impl<'a> PaperView<'a> {
    pub(super) fn new(paper: &'a PublishedPaper, name: &'a PaperName<'a>, report: &'a Report) -> Self {
        let claims: Vec<&ClaimRow> = report.claims.iter().filter(|claim| claim.paper == paper.id).collect();
        let contradictions = claims.iter().copied().filter(|claim| claim.kind == ClaimKind::Inconsistency);
        let figures = paper.figures.iter().filter(|figure| figure.table.is_none());
        Self {
            name,
            paper,
            opens_those_beside: opens_those_beside(paper, &report.papers),
            cited: cited(paper),
            experiments: report.experiments_of(Some(&paper.id)),
            contradictions: contradictions.collect(),
            figures: figures.map(|figure| (figure, linked(&figure.note, &claims))).collect(),
        }
    }
}

/// Whether `paper` is the first of those beside the papers that the project is about.
pub(super) fn opens_those_beside(paper: &PublishedPaper, papers: &[PublishedPaper]) -> bool {
    papers.iter().find(|one| one.beside).is_some_and(|first| first.id == paper.id)
}

/// Text, and where it leads if it names a claim.
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) href: Option<String>,
}

/// A note in pieces: the ids of claims in it lead to them.
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
