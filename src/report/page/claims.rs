//! Claims as the page shows them.

use super::address;
use super::all_claims::ALL_CLAIMS;
use super::papers::PaperName;
use crate::implementation;
use crate::judge::{ClaimResult, ClaimRow, Point, Range, Verdict};
use crate::published::{ClaimKind, EvidenceKind, Test};
use crate::report::words::{self, Agreement, statement};
use crate::report::{Report, Tally};
use crate::show::in_row;
use crate::show::words::range_in_words;
use crate::timing::Estimate;
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
    /// Those that a claim can have.
    pub(super) fn of_claims() -> [Self; Verdict::ALL.len()] {
        Verdict::ALL.map(Self::Verdict)
    }

    /// For style and script.
    pub(super) fn name(self) -> String {
        match self {
            Self::Verdict(verdict) => verdict.to_string().to_lowercase().replace(' ', "-"),
            Self::AgainstItself => "against-itself".to_string(),
        }
    }

    pub(super) fn word(self) -> String {
        match self {
            Self::Verdict(verdict) => words::capital(&verdict.to_string().to_lowercase()),
            Self::AgainstItself => "Paper against itself".to_string(),
        }
    }

    /// Signs that the embedded font has.
    fn sign(self) -> &'static str {
        match self {
            Self::Verdict(Verdict::Reproduced) => "✓",
            Self::Verdict(Verdict::Exceeds) => "+",
            Self::Verdict(Verdict::InPart) => "±",
            Self::Verdict(Verdict::Differs) => "✗",
            Self::Verdict(Verdict::FailsWhereDecided) => "×",
            Self::Verdict(Verdict::Ambiguous) => "~",
            Self::Verdict(Verdict::NotMeasured) => "?",
            Self::Verdict(Verdict::NotComparable) => "–",
            Self::AgainstItself => "!",
        }
    }

    pub(super) fn meaning(self) -> &'static str {
        match self {
            Self::Verdict(Verdict::Reproduced) => "everything measured lies within what the paper states",
            Self::Verdict(Verdict::Exceeds) => "more than a floor, or than the most that the paper reached",
            Self::Verdict(Verdict::InPart) => "some of it does, and some does not: the reason says where",
            Self::Verdict(Verdict::Differs) => "what was measured lies outside it",
            Self::Verdict(Verdict::FailsWhereDecided) => {
                "it holds nowhere and fails in some comparisons; the noise decides the others"
            }
            Self::Verdict(Verdict::Ambiguous) => {
                "inside the noise: both sides of a bound are possible, or runs contradict each other"
            }
            Self::Verdict(Verdict::NotMeasured) => "something that it needs was not measured here",
            Self::Verdict(Verdict::NotComparable) => "of another machine, or nothing could be set beside it",
            Self::AgainstItself => "two statements of one paper exclude each other",
        }
    }

    fn rank(self) -> usize {
        Verdict::ALL.iter().position(|one| Self::Verdict(*one) == self).unwrap_or(Verdict::ALL.len())
    }
}

/// What a row shows: one mark a machine, or that the paper contradicts itself.
pub(super) fn marks(row: &ClaimRow) -> Vec<Mark> {
    match row.kind {
        ClaimKind::Inconsistency => vec![Mark::AgainstItself],
        _ => row.results.iter().map(|result| Mark::Verdict(result.verdict)).collect(),
    }
}

/// A row a kind of evidence: its name, and how many claims have each of [`Verdict::ALL`].
pub(super) fn tally(of: &[Tally]) -> Vec<(&'static str, Vec<String>)> {
    let row = |of: &Tally| {
        let cell =
            |(verdict, count): &(_, usize)| format!("{count}{}", words::one_sided(*verdict, of.one_sided));
        of.counts.iter().map(cell).collect()
    };
    of.iter().map(|of| (words::evidence(of.kind), row(of))).collect()
}

/// The kind of a row in words for a reader.
pub(in crate::report) fn kind_word(kind: ClaimKind) -> &'static str {
    match kind {
        ClaimKind::Table => "column of a table",
        ClaimKind::Absolute => "absolute",
        ClaimKind::Ratio => "ratio",
        ClaimKind::Bandwidth => "bandwidth",
        ClaimKind::Derived => "derived",
        ClaimKind::Structural => "structural",
        ClaimKind::Trend => "trend",
        ClaimKind::Judgement => "judgement",
        ClaimKind::Inconsistency => "contradiction",
    }
}

/// Where a claim stands on the page.
pub(super) fn anchor(row: &ClaimRow) -> String {
    format!("claim-{}-{}", name(&row.paper), name(&row.id))
}

/// Where a claim stands, from the front page: there where a paper contradicts itself, else on the page of all claims.
pub(super) fn href(row: &ClaimRow) -> String {
    let page = if row.kind == ClaimKind::Inconsistency { "" } else { ALL_CLAIMS };
    format!("{page}#{}", anchor(row))
}

/// Whether a paper is read for this claim: a headline, a stated speed-up, or what answers for the paper on the front page.
pub(super) fn is_main(row: &ClaimRow) -> bool {
    row.headline || row.kind == ClaimKind::Ratio || row.says.is_some()
}

/// What may stand in an address: other signs become hyphens.
pub(super) fn name(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect()
}

pub(super) struct ClaimView<'a> {
    pub(super) row: &'a ClaimRow,
    pub(super) anchor: String,
    pub(super) paper: String,
    pub(super) paper_anchor: Option<String>,
    /// The paper's place in the report.
    pub(super) place: usize,
    /// 0 of a main claim, else 1.
    pub(super) main_rank: usize,
    pub(super) statement: String,
    pub(super) published: String,
    pub(super) kind: &'static str,
    pub(super) kind_rank: usize,
    /// What the verdict rests on; none where the paper contradicts itself.
    pub(super) evidence: Option<&'static str>,
    /// Whether its first letter may be made a capital: it is of a word, and not of a name or a formula.
    pub(super) begins_with_word: bool,
    /// Names of its marks, with a space between.
    pub(super) marks: String,
    pub(super) mark_rank: usize,
    /// The marks of its row: one where all machines have the same, else each with its machine.
    pub(super) shown: Vec<(Mark, Option<String>)>,
    /// Whether the machines agree, in a word; none where there is one.
    pub(super) agreement: Option<String>,
    /// What was measured, with the machine where there are several: one where all counted the same.
    pub(super) here: Vec<(String, Option<String>)>,
    pub(super) results: Vec<ResultView<'a>>,
}

impl<'a> ClaimView<'a> {
    pub(super) fn new(row: &'a ClaimRow, papers: &[PaperName], report: &Report, several: bool) -> Self {
        let place = papers.iter().position(|paper| paper.id == row.paper);
        let marks = marks(row);
        let shown = shown(row, &marks);
        Self {
            anchor: anchor(row),
            paper: place.map_or(row.paper.clone(), |place| papers[place].short.clone()),
            paper_anchor: place.map(|place| papers[place].anchor.clone()),
            place: place.unwrap_or(papers.len()),
            main_rank: usize::from(!is_main(row)),
            statement: statement(row),
            // A column is judged by its order: seconds of another GPU beside a ratio would be read as one.
            published: words::published(row),
            evidence: row.evidence.map(words::evidence),
            kind: kind_word(row.kind),
            kind_rank: row.kind as usize,
            begins_with_word: begins_with_word(&statement(row)),
            marks: shown.iter().map(|(mark, _)| mark.name()).collect::<Vec<_>>().join(" "),
            shown,
            agreement: words::agreement(row),
            here: here(row, several),
            mark_rank: marks.iter().map(|mark| mark.rank()).min().unwrap_or(Verdict::ALL.len()),
            results: row.results.iter().map(|result| ResultView::new(row, result, report, several)).collect(),
            row,
        }
    }
}

/// The marks of a row: the one that all machines have which compared something, else each with its machine.
fn shown(row: &ClaimRow, marks: &[Mark]) -> Vec<(Mark, Option<String>)> {
    match Agreement::of(row.results.iter().map(|result| result.verdict)) {
        Some(Agreement::Same(verdict) | Agreement::SameWhereCompared(verdict)) => {
            vec![(Mark::Verdict(verdict), None)]
        }
        None if marks.iter().all(|mark| *mark == marks[0]) => {
            marks.iter().take(1).map(|mark| (*mark, None)).collect()
        }
        _ => {
            let on = row.results.iter().map(|result| Some(words::short_label(&result.machine)));
            marks.iter().copied().zip(on).collect()
        }
    }
}

/// What was measured on each machine that measured something.
fn here(row: &ClaimRow, several: bool) -> Vec<(String, Option<String>)> {
    let of = |result: &ClaimResult| {
        (words::measured(row, result), several.then(|| words::short_label(&result.machine)))
    };
    let all: Vec<(String, Option<String>)> =
        row.results.iter().map(of).filter(|(text, _)| !text.is_empty()).collect();
    let is_counted = row.evidence == Some(EvidenceKind::Construction);
    match &all[..] {
        [(first, _), rest @ ..] if is_counted && rest.iter().all(|(text, _)| text == first) => {
            vec![(first.clone(), None)]
        }
        _ => all,
    }
}

/// Whether a statement begins as a sentence does, and not with a name or a symbol that has a spelling of its own.
fn begins_with_word(statement: &str) -> bool {
    let first = statement.split_whitespace().next().unwrap_or_default();
    let word = first.trim_end_matches([',', ':']);
    let is_word = word == "a" || word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    is_word && implementation::find(word).is_none()
}

pub(super) struct ResultView<'a> {
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
    /// The runs that it is from, each with where its figures and tables are.
    pub(super) runs: Vec<(&'a str, Option<String>)>,
}

impl<'a> ResultView<'a> {
    fn new(row: &ClaimRow, result: &'a ClaimResult, report: &Report, several: bool) -> Self {
        let place = |name: &'a String| {
            let mut of_it = report.sections.iter().filter(|section| section.run.as_ref() == Some(name));
            // What is counted is the same on every machine.
            let own = of_it.clone().find(|section| section.machine == result.machine);
            (name.as_str(), own.or_else(|| of_it.next()).map(address))
        };
        Self {
            runs: result.runs.iter().map(place).collect(),
            mark: Mark::Verdict(result.verdict),
            machine: several.then_some(result.machine.as_str()),
            measured: words::measured(row, result),
            reason: words::reason(row, result),
            compared_as: words::compared_as(row),
            effect: result.effect.map(|effect| words::effect(row, effect)),
            share: (result.share.of > 1).then(|| words::share(result.share)),
            sensitivity: words::sensitivity(result),
            points: result.points.iter().map(|point| PointView::new(point, &row.tests)).collect(),
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
    fn new(point: &Point, tests: &[Test]) -> Self {
        let Estimate { value, low, high } = point.measured;
        Self {
            at: words::place(&point.at, tests),
            published: range(point.published),
            measured: in_row(value),
            // None of what is exact.
            interval: (low != high).then(|| format!("[{}, {}]", in_row(low), in_row(high))),
            mark: Mark::Verdict(point.verdict),
        }
    }
}

fn range(range: Range) -> String {
    range_in_words(range.low, range.high, in_row).unwrap_or_else(|| "–".to_string())
}
