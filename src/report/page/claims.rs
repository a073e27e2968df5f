//! Claims and papers as the page shows them.

use super::numbers::{measured, range};
use crate::claims::{ClaimResult, ClaimRow, Point, RowKind, Verdict};
use crate::implementation;
use crate::record::{PublishedFigure, PublishedPaper};
use crate::report::Machine;
use crate::report::words::{self, statement};
use askama::Template;

/// A verdict, or a paper's contradiction of itself, as a chip: told apart by word, sign and shape as well as by colour.
#[derive(Clone, Copy, PartialEq, Eq, Template)]
#[template(
    source = r#"<span class="chip {{ self.name() }}"><span class="sign" aria-hidden="true">{{ self.sign() }}</span>{{ self.word() }}</span>"#,
    ext = "html"
)]
pub(super) enum Mark {
    Verdict(Verdict),
    AgainstItself,
}

impl Mark {
    pub(super) const ALL: [Mark; 7] = [
        Mark::Verdict(Verdict::Reproduced),
        Mark::Verdict(Verdict::InPart),
        Mark::Verdict(Verdict::Differs),
        Mark::Verdict(Verdict::Ambiguous),
        Mark::Verdict(Verdict::NotMeasured),
        Mark::Verdict(Verdict::NotComparable),
        Mark::AgainstItself,
    ];

    /// Those that a claim can have.
    pub(super) const VERDICTS: [Mark; 6] = [
        Mark::Verdict(Verdict::Reproduced),
        Mark::Verdict(Verdict::InPart),
        Mark::Verdict(Verdict::Differs),
        Mark::Verdict(Verdict::Ambiguous),
        Mark::Verdict(Verdict::NotMeasured),
        Mark::Verdict(Verdict::NotComparable),
    ];

    /// For style and script.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Verdict(Verdict::Reproduced) => "reproduced",
            Self::Verdict(Verdict::InPart) => "in-part",
            Self::Verdict(Verdict::Differs) => "differs",
            Self::Verdict(Verdict::Ambiguous) => "ambiguous",
            Self::Verdict(Verdict::NotMeasured) => "not-measured",
            Self::Verdict(Verdict::NotComparable) => "not-comparable",
            Self::AgainstItself => "against-itself",
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Verdict(Verdict::Reproduced) => "Reproduced",
            Self::Verdict(Verdict::InPart) => "In part",
            Self::Verdict(Verdict::Differs) => "Differs",
            Self::Verdict(Verdict::Ambiguous) => "Ambiguous",
            Self::Verdict(Verdict::NotMeasured) => "Not measured",
            Self::Verdict(Verdict::NotComparable) => "Not comparable",
            Self::AgainstItself => "Paper against itself",
        }
    }

    /// Signs that the embedded font has.
    fn sign(self) -> &'static str {
        match self {
            Self::Verdict(Verdict::Reproduced) => "✓",
            Self::Verdict(Verdict::InPart) => "±",
            Self::Verdict(Verdict::Differs) => "✗",
            Self::Verdict(Verdict::Ambiguous) => "~",
            Self::Verdict(Verdict::NotMeasured) => "?",
            Self::Verdict(Verdict::NotComparable) => "–",
            Self::AgainstItself => "!",
        }
    }

    pub(super) fn meaning(self) -> &'static str {
        match self {
            Self::Verdict(Verdict::Reproduced) => "everything measured lies within what the paper states",
            Self::Verdict(Verdict::InPart) => "some of it does, and some does not: the reason says where",
            Self::Verdict(Verdict::Differs) => "what was measured lies outside it",
            Self::Verdict(Verdict::Ambiguous) => "inside the noise: both sides of a bound are possible",
            Self::Verdict(Verdict::NotMeasured) => "could be measured, and was not here",
            Self::Verdict(Verdict::NotComparable) => "of another machine, or nothing could be set beside it",
            Self::AgainstItself => "two statements of one paper exclude each other",
        }
    }

    fn rank(self) -> usize {
        Self::ALL.iter().position(|one| *one == self).unwrap_or_default()
    }
}

/// What a row shows: one mark a machine, or that the paper contradicts itself.
pub(super) fn marks(row: &ClaimRow) -> Vec<Mark> {
    match row.kind {
        RowKind::Inconsistency => vec![Mark::AgainstItself],
        _ => row.results.iter().map(|result| Mark::Verdict(result.verdict)).collect(),
    }
}

/// A row a kind of evidence: its name, and how many claims have which verdict.
pub(super) fn tally(machine: &Machine) -> Vec<(&'static str, Vec<(Mark, usize)>)> {
    let marks = |tally: &[(Verdict, usize)]| {
        tally.iter().map(|(verdict, count)| (Mark::Verdict(*verdict), *count)).collect()
    };
    machine.tally.iter().map(|(kind, tally)| (words::evidence(*kind), marks(tally))).collect()
}

/// The kind of a row in words for a reader.
pub(in crate::report) fn kind_word(kind: RowKind) -> &'static str {
    match kind {
        RowKind::Table => "column of a table",
        RowKind::Absolute => "absolute",
        RowKind::Ratio => "ratio",
        RowKind::Bandwidth => "bandwidth",
        RowKind::Derived => "derived",
        RowKind::Structural => "structural",
        RowKind::Trend => "trend",
        RowKind::Judgement => "judgement",
        RowKind::Inconsistency => "contradiction",
    }
}

/// Where a claim stands on the page.
fn anchor(row: &ClaimRow) -> String {
    format!("claim-{}-{}", name(&row.paper), name(&row.id))
}

/// What may stand in an address: other signs become hyphens.
fn name(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect()
}

pub(super) struct PaperView<'a> {
    pub(super) id: &'a str,
    pub(super) anchor: String,
    /// Author and year.
    pub(super) short: String,
    pub(super) title: &'a str,
    pub(super) cited: String,
    /// Those whose values no text gives.
    pub(super) figures: Vec<FigureNote<'a>>,
}

impl<'a> PaperView<'a> {
    /// `claims` are those that the page shows.
    pub(super) fn new(paper: &'a PublishedPaper, claims: &[ClaimRow]) -> Self {
        let of = |figure: &'a PublishedFigure| FigureNote {
            figure,
            note: linked(&figure.note, claims.iter().filter(|claim| claim.paper == paper.id)),
        };
        Self {
            id: &paper.id,
            anchor: format!("paper-{}", name(&paper.id)),
            short: short(paper),
            title: &paper.title,
            cited: paper.cited(),
            figures: paper.figures.iter().filter(|figure| !figure.values_in_text).map(of).collect(),
        }
    }
}

/// A figure of a paper with what is said of it.
pub(super) struct FigureNote<'a> {
    pub(super) figure: &'a PublishedFigure,
    pub(super) note: Vec<Piece>,
}

/// Text, and where it leads if it names a claim.
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) anchor: Option<String>,
}

/// A note in pieces: the ids of claims in it lead to them.
fn linked<'c>(note: &str, claims: impl Iterator<Item = &'c ClaimRow>) -> Vec<Piece> {
    let claims: Vec<&ClaimRow> = claims.collect();
    note.split_inclusive(' ')
        .flat_map(|word| {
            let id = word.trim_end_matches([' ', ',', '.', ';']);
            let claim = claims.iter().find(|claim| claim.id == id);
            let anchor = claim.map(|claim| anchor(claim));
            let rest = Piece { text: word[id.len()..].to_string(), anchor: None };
            [Piece { text: id.to_string(), anchor }, rest]
        })
        .filter(|piece| !piece.text.is_empty())
        .collect()
}

/// Authors and year.
pub(in crate::report) fn short(paper: &PublishedPaper) -> String {
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

pub(super) struct ClaimView<'a> {
    pub(super) row: &'a ClaimRow,
    pub(super) anchor: String,
    pub(super) paper: String,
    pub(super) paper_anchor: Option<String>,
    /// The paper's place in the report.
    pub(super) place: usize,
    pub(super) statement: String,
    pub(super) published: String,
    pub(super) kind: &'static str,
    pub(super) kind_rank: usize,
    /// What the verdict rests on; none where the paper contradicts itself.
    pub(super) evidence: Option<&'static str>,
    pub(super) against_itself: bool,
    /// Whether its first letter may be made a capital: it is of a word, and not of a name or a formula.
    pub(super) begins_with_word: bool,
    /// Names of its marks, with a space between.
    pub(super) marks: String,
    pub(super) mark_rank: usize,
    pub(super) results: Vec<ResultView<'a>>,
    /// What is behind the numbers, in the words of the line that opens it; none where nothing is.
    pub(super) more: Option<String>,
}

impl<'a> ClaimView<'a> {
    pub(super) fn new(row: &'a ClaimRow, papers: &[PaperView<'a>], several: bool) -> Self {
        let place = papers.iter().position(|paper| paper.id == row.paper);
        let marks = marks(row);
        Self {
            anchor: anchor(row),
            paper: place.map_or(row.paper.clone(), |place| papers[place].short.clone()),
            paper_anchor: place.map(|place| papers[place].anchor.clone()),
            place: place.unwrap_or(papers.len()),
            statement: statement(row),
            published: words::published(row),
            evidence: row.evidence.map(words::evidence),
            kind: kind_word(row.kind),
            kind_rank: row.kind as usize,
            against_itself: row.kind == RowKind::Inconsistency,
            begins_with_word: begins_with_word(&statement(row)),
            marks: marks.iter().map(|mark| mark.name()).collect::<Vec<_>>().join(" "),
            mark_rank: marks.iter().map(|mark| mark.rank()).min().unwrap_or(Mark::ALL.len()),
            results: row.results.iter().map(|result| ResultView::new(result, several)).collect(),
            more: more(row),
            row,
        }
    }
}

/// Whether a statement begins as a sentence does, and not with a name or a symbol that has a spelling of its own.
fn begins_with_word(statement: &str) -> bool {
    let first = statement.split_whitespace().next().unwrap_or_default();
    let word = first.trim_end_matches([',', ':']);
    let is_word = word == "a" || word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    is_word && implementation::find(word).is_none()
}

fn more(row: &ClaimRow) -> Option<String> {
    let points: usize = row.results.iter().map(|result| result.points.len()).sum();
    let anything = row.results.iter().any(|one| one.comparison.is_some() || !one.runs.is_empty());
    match points {
        0 if !anything => None,
        0 => Some("How it was compared".to_string()),
        1 => Some("The comparison behind it".to_string()),
        points => Some(format!("The {points} comparisons behind it")),
    }
}

pub(super) struct ResultView<'a> {
    pub(super) result: &'a ClaimResult,
    pub(super) mark: Mark,
    /// The machine, where it must be named.
    pub(super) machine: Option<&'a str>,
    pub(super) measured: String,
    pub(super) reason: String,
    pub(super) compared_as: String,
    /// How far from what is published; none where nothing was compared.
    pub(super) effect: Option<String>,
    pub(super) share: Option<String>,
    /// What would change the verdict; empty where there is none.
    pub(super) sensitivity: String,
    pub(super) points: Vec<PointView>,
}

impl<'a> ResultView<'a> {
    fn new(result: &'a ClaimResult, several: bool) -> Self {
        Self {
            result,
            mark: Mark::Verdict(result.verdict),
            machine: several.then_some(result.machine.as_str()),
            measured: words::measured(result),
            reason: words::reason(result),
            compared_as: words::compared_as(result),
            effect: result.effect.map(words::effect),
            share: (result.share.of > 1).then(|| words::share(result.share)),
            sensitivity: words::sensitivity(result),
            points: result.points.iter().map(PointView::new).collect(),
        }
    }
}

pub(super) struct PointView {
    pub(super) at: String,
    pub(super) published: String,
    pub(super) measured: String,
    pub(super) interval: Option<String>,
    pub(super) mark: Mark,
}

impl PointView {
    fn new(point: &Point) -> Self {
        let (measured, interval) = measured(point.measured);
        Self {
            at: words::place(&point.at),
            published: range(point.published),
            measured,
            interval,
            mark: Mark::Verdict(point.verdict),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn papers_are_named_by_authors_and_year() {
        let papers = crate::record::published_papers().unwrap();
        let mut names: Vec<String> = papers.iter().map(short).collect();
        names.sort();
        assert_eq!(
            names,
            ["Gaioso et al. 2013", "Likhoded & Sipeyko 2019", "Lund & Smith 2010", "Pogorilyy et al."]
        );
    }
}
