//! What is still true of each paper, in a sentence, and how many of its claims hold.

use super::claims::{Mark, anchor};
use super::papers::{PaperName, opens_those_beside};
use crate::judge::{ClaimResult, ClaimRow, Verdict};
use crate::published::{EvidenceKind, PublishedPaper};
use crate::report::{Machine, Report, words};

/// The answers of one machine.
pub(super) struct MachineAnswers<'a> {
    pub(super) label: &'a str,
    pub(super) papers: Vec<Answer<'a>>,
}

/// The answer for one paper.
pub(super) struct Answer<'a> {
    /// The paper's place in the report, as filters name it.
    pub(super) place: usize,
    pub(super) anchor: &'a str,
    pub(super) short: &'a str,
    /// Whether it is the first of the papers beside those that the project is about.
    pub(super) opens_those_beside: bool,
    pub(super) parts: Vec<Part<'a>>,
    pub(super) counts: Vec<Count>,
}

/// The main statements that came out alike.
pub(super) struct Part<'a> {
    pub(super) mark: Mark,
    pub(super) lead: &'static str,
    pub(super) clauses: Vec<Clause<'a>>,
}

/// One statement.
pub(super) struct Clause<'a> {
    pub(super) says: &'a str,
    pub(super) anchor: String,
    /// What was published and what was measured, as far as it explains the verdict.
    pub(super) figure: String,
}

/// What became of the claims of one kind of evidence.
pub(super) struct Count {
    pub(super) kind: &'static str,
    /// How many had which verdict, in words, without those that none had.
    pub(super) verdicts: String,
}

pub(super) fn answers<'a>(
    report: &'a Report,
    machines: &[&'a Machine],
    names: &'a [PaperName<'a>],
) -> Vec<MachineAnswers<'a>> {
    let of_machine = |label: &'a str| MachineAnswers {
        label,
        papers: report
            .papers
            .iter()
            .enumerate()
            .map(|(place, paper)| Answer {
                place,
                anchor: &names[place].anchor,
                short: &names[place].short,
                opens_those_beside: opens_those_beside(paper, &report.papers),
                parts: parts(report, paper, label),
                counts: EvidenceKind::ALL
                    .into_iter()
                    .filter_map(|kind| count(report, paper, label, kind))
                    .collect(),
            })
            .collect(),
    };
    machines.iter().map(|machine| of_machine(&machine.label)).collect()
}

/// The result of a claim on a machine.
fn result<'a>(claim: &'a ClaimRow, machine: &str) -> Option<&'a ClaimResult> {
    claim.results.iter().find(|result| result.machine == machine)
}

fn parts<'a>(report: &'a Report, paper: &'a PublishedPaper, machine: &str) -> Vec<Part<'a>> {
    let all: Vec<(Verdict, Clause)> = paper
        .answer
        .iter()
        .filter_map(|clause| {
            let claim = report.claims.iter().find(|row| row.paper == paper.id && row.id == clause.claim)?;
            let result = result(claim, machine)?;
            // What could not be compared, for whatever reason, is one group to a reader who wants to know what is true.
            let verdict = if result.verdict.is_decided() { result.verdict } else { Verdict::NotMeasured };
            Some((
                verdict,
                Clause { says: &clause.says, anchor: anchor(claim), figure: figure(claim, result) },
            ))
        })
        .collect();
    let mut all = all;
    all.sort_by_key(|(verdict, _)| *verdict);
    let mut parts: Vec<Part> = Vec::new();
    for (verdict, clause) in all {
        match parts.last_mut().filter(|part| part.mark == Mark::Verdict(verdict)) {
            Some(part) => part.clauses.push(clause),
            None => {
                parts.push(Part { mark: Mark::Verdict(verdict), lead: lead(verdict), clauses: vec![clause] });
            }
        }
    }
    parts
}

fn lead(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Reproduced => "Still true:",
        Verdict::Exceeds => "More than that here:",
        Verdict::InPart => "True in part:",
        Verdict::Differs => "Not true here:",
        Verdict::Ambiguous => "Too close to tell:",
        Verdict::NotMeasured | Verdict::NotComparable => "Not tested here:",
    }
}

/// The numbers that explain why a statement does not hold. Those of one that holds stand in its line and in the summary picture.
fn figure(claim: &ClaimRow, result: &ClaimResult) -> String {
    if result.verdict != Verdict::Differs {
        return String::new();
    }
    words::figures(claim, result)
}

fn count(report: &Report, paper: &PublishedPaper, machine: &str, kind: EvidenceKind) -> Option<Count> {
    let claims = report.claims.iter().filter(|row| row.paper == paper.id && row.evidence == Some(kind));
    let verdicts: Vec<Verdict> = claims.filter_map(|claim| Some(result(claim, machine)?.verdict)).collect();
    let of = |wanted: &[Verdict]| verdicts.iter().filter(|one| wanted.contains(one)).count();
    let groups = [
        (of(&[Verdict::Reproduced]), "hold"),
        (of(&[Verdict::Exceeds]), "exceed"),
        (of(&[Verdict::InPart]), "in part"),
        (of(&[Verdict::Differs]), "differ"),
        (of(&[Verdict::Ambiguous]), "too close"),
        (of(&[Verdict::NotMeasured, Verdict::NotComparable]), "not tested"),
    ];
    let words: Vec<String> = groups
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    (!words.is_empty()).then(|| Count { kind: words::evidence(kind), verdicts: words.join(", ") })
}
