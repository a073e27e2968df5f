//! Papers as the front page shows them.

use super::claims::{ClaimView, href, name};
use super::experiments::Experiments;
use crate::judge::ClaimRow;
use crate::published::{ClaimKind, PublishedFigure, PublishedPaper, Remark};
use crate::report::Report;
use crate::show::words::cited;

/// What names a paper and leads to it.
pub(super) struct PaperName<'a> {
    pub(super) id: &'a str,
    pub(super) anchor: String,
    /// Authors and year.
    pub(super) short: String,
}

impl<'a> PaperName<'a> {
    pub(super) fn new(paper: &'a PublishedPaper) -> Self {
        Self { id: &paper.id, anchor: format!("paper-{}", name(&paper.id)), short: short(paper) }
    }

    /// Of all papers of a report, in its order.
    pub(super) fn of(report: &'a Report) -> Vec<Self> {
        report.papers.iter().map(Self::new).collect()
    }
}

/// The section of a paper.
pub(super) struct PaperView<'a> {
    pub(super) anchor: &'a str,
    pub(super) short: &'a str,
    pub(super) title: &'a str,
    /// Whether it is the first of the papers beside those that the project is about.
    pub(super) opens_those_beside: bool,
    pub(super) url: Option<&'a str>,
    pub(super) cited: String,
    pub(super) experiments: String,
    pub(super) deviations: &'a [Remark],
    pub(super) contradictions: Vec<ClaimView<'a>>,
    /// Those whose values no text gives.
    pub(super) figures: Vec<FigureNote<'a>>,
}

impl<'a> PaperView<'a> {
    pub(super) fn new(paper: &'a PublishedPaper, names: &'a [PaperName<'a>], report: &'a Report) -> Self {
        let claims = || report.claims.iter().filter(|claim| claim.paper == paper.id);
        let of = |figure: &'a PublishedFigure| FigureNote { figure, note: linked(&figure.note, claims()) };
        let (anchor, short) = names
            .iter()
            .find(|name| name.id == paper.id)
            .map_or(("", ""), |name| (name.anchor.as_str(), name.short.as_str()));
        Self {
            anchor,
            short,
            title: &paper.title,
            opens_those_beside: opens_those_beside(paper, &report.papers),
            url: paper.url.as_deref(),
            cited: cited(paper),
            experiments: Experiments::of(report, Some(&paper.id))
                .map_or(String::new(), |all| all.to_string()),
            deviations: &paper.deviations,
            contradictions: claims()
                .filter(|claim| claim.kind == ClaimKind::Inconsistency)
                .map(|claim| ClaimView::new(claim, names, report, false))
                .collect(),
            figures: paper.figures.iter().filter(|figure| figure.table.is_none()).map(of).collect(),
        }
    }
}

/// Whether `paper` is the first of those beside the papers that the project is about.
pub(super) fn opens_those_beside(paper: &PublishedPaper, papers: &[PublishedPaper]) -> bool {
    papers.iter().find(|one| one.beside).is_some_and(|first| first.id == paper.id)
}

/// A figure of a paper with a note about it.
pub(super) struct FigureNote<'a> {
    pub(super) figure: &'a PublishedFigure,
    pub(super) note: Vec<Piece>,
}

/// Text, and where it leads if it names a claim.
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) href: Option<String>,
}

/// A note in pieces: the ids of claims in it lead to them.
fn linked<'c>(note: &str, claims: impl Iterator<Item = &'c ClaimRow>) -> Vec<Piece> {
    let claims: Vec<&ClaimRow> = claims.collect();
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
pub fn short(paper: &PublishedPaper) -> String {
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
