//! The page of all claims: the outcome of each on a line that opens to the comparisons from which the verdict follows.

use super::experiment;
use super::summary::{Mark, author_year, paper_anchor};
use crate::judge::{ANY_MACHINE, AcceptanceRange, ClaimResult, ClaimRow, Comparison, Verdict};
use crate::lists::distinct;
use crate::plan::place_in_catalogue;
use crate::published::{ClaimKind, EvidenceKind, PublishedPaper};
use crate::report::page::Shell;
use crate::report::text::{digits, in_row, interval, range_in_words};
use crate::report::words::{short_label, statement};
use crate::report::{Report, VerdictCounts, words};
use crate::timing::Estimate;
use askama::Template;
use std::collections::BTreeSet;

/// The kind of a claim, as a reader sees it.
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

/// The anchor of a claim on its page.
pub(super) fn anchor(row: &ClaimRow) -> String {
    format!("claim-{}-{}", name(&row.paper), name(&row.id))
}

/// Link to a claim from the front page: a contradiction of a paper is on the front page itself, everything else on the page of all claims.
pub(super) fn href(row: &ClaimRow) -> String {
    let page = if row.kind == ClaimKind::Inconsistency { "" } else { CLAIMS };
    format!("{page}#{}", anchor(row))
}

/// Whether a claim is a main one: a headline, a stated speed-up, or what stands for the paper on the front page.
pub(super) fn is_main(row: &ClaimRow) -> bool {
    row.headline || row.kind == ClaimKind::Ratio || row.says.is_some()
}

/// The text as a part of an address: all signs but letters, digits and `-_.` become hyphens.
pub(super) fn name(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect()
}

/// Whether a statement begins as a sentence does, and not with a name or a symbol that has a spelling of its own.
pub(super) fn begins_with_word(statement: &str) -> bool {
    let first = statement.split_whitespace().next().unwrap_or_default();
    let word = first.trim_end_matches([',', ':']);
    let is_word = word == "a" || word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    is_word && place_in_catalogue(word).is_none()
}

#[derive(Template)]
#[template(path = "claim.html")]
pub(super) struct ClaimView<'a> {
    row: &'a ClaimRow,
    paper: &'a PublishedPaper,
    /// The paper's place in the report.
    place: usize,
    /// Whether a machine must be named where a number stands.
    several: bool,
    statement: String,
    kind: &'static str,
    /// What the verdict rests on.
    evidence: Option<&'static str>,
    /// The verdicts in its row: one if all machines have the same, else one for each machine, with its name.
    marks: Vec<(Mark, Option<String>)>,
    /// Whether the machines agree, in a word; None if there is one machine.
    agreement: Option<String>,
    /// What was measured, with the machine where there are several; one entry where all counted the same.
    measured: Vec<(String, Option<String>)>,
    /// What would change the verdict, where it is the same of all machines.
    sensitivity: Option<String>,
    /// What is allowed, if it is the same in all comparisons.
    allowed: Option<String>,
    points: Vec<PointRow<'a>>,
    report: &'a Report,
}

impl<'a> ClaimView<'a> {
    /// The view of a claim; None if the report does not have its paper.
    pub(super) fn new(row: &'a ClaimRow, report: &'a Report) -> Option<Self> {
        let place = report.papers.iter().position(|paper| paper.id == row.paper)?;
        let several = report.judged().len() > 1;
        let points = points(row);
        let sensitivities = distinct(row.results.iter().map(words::sensitivity));
        Some(Self {
            paper: &report.papers[place],
            place,
            several,
            statement: statement(row),
            kind: kind_word(row.kind),
            evidence: row.evidence.map(words::evidence),
            marks: marks(row),
            agreement: words::agreement(row),
            measured: measured(row, several),
            sensitivity: only(sensitivities),
            allowed: only(distinct(points.iter().map(|point| point.published.clone()))),
            points,
            row,
            report,
        })
    }

    /// The places at which the script sorts it: main claims first, kinds, verdicts.
    fn ranks(&self) -> [usize; 3] {
        let rank = |result: &ClaimResult| Verdict::all().position(|one| one == result.verdict);
        let verdict =
            self.row.results.iter().filter_map(rank).min().unwrap_or_else(|| Verdict::all().count());
        [usize::from(!is_main(self.row)), self.row.kind as usize, verdict]
    }
}

/// The only element; None if there are none or several.
fn only<T>(all: Vec<T>) -> Option<T> {
    <[T; 1]>::try_from(all).ok().map(|[one]| one)
}

/// One verdict, if all machines that compared something have the same; else one for each machine, with its name.
fn marks(row: &ClaimRow) -> Vec<(Mark, Option<String>)> {
    let verdicts = row.results.iter().map(|result| result.verdict);
    let (compared, others): (Vec<_>, Vec<_>) = verdicts.partition(|one| one.is_decided());
    let one = only(distinct(if compared.is_empty() { others } else { compared }));
    let each = |result: &ClaimResult| (Mark(result.verdict), Some(short_label(&result.machine)));
    one.map_or_else(|| row.results.iter().map(each).collect(), |verdict| vec![(Mark(verdict), None)])
}

/// What was measured on each machine that measured something.
fn measured(row: &ClaimRow, several: bool) -> Vec<(String, Option<String>)> {
    let of =
        |result: &ClaimResult| (words::measured(row, result), several.then(|| short_label(&result.machine)));
    let all: Vec<(String, Option<String>)> =
        row.results.iter().map(of).filter(|(text, _)| !text.is_empty()).collect();
    match only(distinct(all.iter().map(|(text, _)| text.clone()))) {
        Some(counted) if row.evidence == Some(EvidenceKind::Construction) => vec![(counted, None)],
        _ => all,
    }
}

/// A comparison on every machine that made it.
struct PointRow<'a> {
    at: String,
    published: String,
    /// In the order of the results.
    machines: Vec<Option<&'a Comparison>>,
}

/// The comparisons of all results, those of one place on several machines in one row.
fn points(row: &ClaimRow) -> Vec<PointRow<'_>> {
    let mut rows: Vec<PointRow> = Vec::new();
    for (place, result) in row.results.iter().enumerate() {
        for point in &result.points {
            let AcceptanceRange { low, high, .. } = point.published;
            let published = range_in_words(low, high, in_row).unwrap_or_else(|| "–".to_string());
            let at = words::place(&point.at, &row.tests);
            let is_it = |one: &PointRow| {
                (&one.at, &one.published) == (&at, &published) && one.machines[place].is_none()
            };
            let known = rows.iter().position(is_it).unwrap_or_else(|| {
                let machines = row.results.iter().map(|_| None).collect();
                rows.push(PointRow { at, published, machines });
                rows.len() - 1
            });
            rows[known].machines[place] = Some(point);
        }
    }
    rows
}

/// What was measured, with its interval.
fn measured_at(point: &Comparison) -> String {
    let Estimate { value, low, high } = point.measured;
    let ends = if low == high { "exact".to_string() } else { interval(low, high, in_row) };
    format!("{} {ends}", in_row(value))
}

/// The file of this page.
pub(super) const CLAIMS: &str = "claims.html";

/// The page of all claims; None if there is no claim.
pub(super) fn render(report: &Report, shell: &Shell) -> Option<String> {
    let mut rows: Vec<&ClaimRow> = report.claims_with_verdicts().collect();
    if rows.is_empty() {
        return None;
    }
    // Main claims come first, the others in the order of the papers.
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

/// The filters that a reader can choose from: only values that occur.
struct Filters {
    /// Verdicts, without counts: verdicts of different kinds of evidence are not added up.
    verdicts: Vec<Mark>,
    evidence: Vec<&'static str>,
    /// The place of a paper in the report, and its name.
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
            verdicts: Mark::all().filter(has).collect(),
            evidence: EvidenceKind::ALL.into_iter().filter(is_there).map(words::evidence).collect(),
            papers: papers.map(|(place, paper)| (place, author_year(paper))).collect(),
            kinds: kinds.into_iter().map(kind_word).collect(),
        }
    }
}
