//! Papers as the front page shows them.

use super::claim::{href, name};
use crate::judge::ClaimRow;
use crate::published::{ClaimKind, PublishedPaper, PublishedPlot};
use crate::report::{ExperimentPage, Report};

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
