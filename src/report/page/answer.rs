//! What is still true of each paper, in a sentence for all machines together; and how many of its claims hold.

use super::claims::{Mark, href};
use super::papers::{PaperName, opens_those_beside};
use crate::judge::{ANY_MACHINE, ClaimResult, ClaimRow, Verdict};
use crate::published::{EvidenceKind, PublishedPaper};
use crate::report::words::Agreement;
use crate::report::{Machine, Report, words};

/// The answer for one paper.
pub(super) struct Answer<'a> {
    pub(super) anchor: &'a str,
    pub(super) short: &'a str,
    /// Whether it is the first of the papers beside those that the project is about.
    pub(super) opens_those_beside: bool,
    pub(super) parts: Vec<Part<'a>>,
    /// How many of its main statements could not be compared.
    pub(super) untested: usize,
}

/// How many claims of one paper came out how.
pub(super) struct Counts<'a> {
    /// The paper's place in the report, as filters name it.
    pub(super) place: usize,
    pub(super) short: &'a str,
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
    /// Where its claim stands, from the front page.
    pub(super) href: String,
    /// What explains the verdict; empty where it needs nothing.
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
) -> Vec<Answer<'a>> {
    let labels: Vec<&str> = machines.iter().map(|machine| machine.label.as_str()).collect();
    let of_paper = |(place, paper): (usize, &'a PublishedPaper)| {
        let (parts, untested) = parts(report, paper, &labels);
        let opens_those_beside = opens_those_beside(paper, &report.papers);
        let PaperName { anchor, short, .. } = &names[place];
        Answer { anchor, short, opens_those_beside, parts, untested }
    };
    report.papers.iter().enumerate().map(of_paper).collect()
}

/// Of each paper of which something was judged.
pub(super) fn counts<'a>(
    report: &Report,
    machines: &[&Machine],
    names: &'a [PaperName<'a>],
) -> Vec<Counts<'a>> {
    let labels: Vec<&str> = machines.iter().map(|machine| machine.label.as_str()).collect();
    let of_paper = |(place, paper): (usize, &PublishedPaper)| Counts {
        place,
        short: &names[place].short,
        counts: EvidenceKind::ALL
            .into_iter()
            .filter_map(|kind| count(report, paper, &labels, kind))
            .collect(),
    };
    let all = report.papers.iter().enumerate().map(of_paper);
    all.filter(|of| !of.counts.is_empty()).collect()
}

/// The results of a claim on these machines, and on any.
fn results<'a>(claim: &'a ClaimRow, machines: &[&str]) -> Vec<&'a ClaimResult> {
    let is_of = |result: &&ClaimResult| {
        result.machine == ANY_MACHINE || machines.iter().any(|machine| *machine == result.machine)
    };
    claim.results.iter().filter(is_of).collect()
}

/// What became of a statement on all machines together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Alike(Verdict),
    /// On one machine another than on another.
    NotAlike,
    /// What could not be compared, for whatever reason, is one group to a reader who wants to know what is true.
    NotCompared,
}

impl Outcome {
    fn of(results: &[&ClaimResult]) -> Self {
        let mut compared = results.iter().map(|result| result.verdict).filter(|verdict| verdict.is_decided());
        match Agreement::of(results.iter().map(|result| result.verdict)) {
            Some(Agreement::Different) if compared.all(Verdict::fails) => {
                Self::Alike(Verdict::FailsWhereDecided)
            }
            Some(Agreement::Same(verdict) | Agreement::SameWhereCompared(verdict)) => Self::Alike(verdict),
            Some(Agreement::Different) => Self::NotAlike,
            None => Self::NotCompared,
        }
    }

    fn mark(self) -> Mark {
        Mark::Verdict(match self {
            Self::Alike(verdict) => verdict,
            Self::NotAlike => Verdict::InPart,
            Self::NotCompared => Verdict::NotMeasured,
        })
    }

    fn lead(self) -> &'static str {
        match self {
            Self::Alike(verdict) => lead(verdict),
            Self::NotAlike => "The GPUs' verdicts differ:",
            Self::NotCompared => lead(Verdict::NotMeasured),
        }
    }
}

/// The statements of a paper by what became of them; and how many could not be compared.
fn parts<'a>(report: &'a Report, paper: &'a PublishedPaper, machines: &[&str]) -> (Vec<Part<'a>>, usize) {
    let of_claim = |claim: &'a ClaimRow| {
        let says = claim.says.as_deref()?;
        let results = results(claim, machines);
        let outcome = Outcome::of(&results);
        let figure = figure(claim, &results, outcome);
        (!results.is_empty()).then(|| (outcome, Clause { says, href: href(claim), figure }))
    };
    let of_paper = report.claims.iter().filter(|claim| claim.paper == paper.id);
    let mut all: Vec<(Outcome, Clause)> = of_paper.filter_map(of_claim).collect();
    let answered = all.len();
    all.retain(|(outcome, _)| *outcome != Outcome::NotCompared);
    let untested = answered - all.len();
    all.sort_by_key(|(outcome, _)| *outcome);
    let mut parts: Vec<(Outcome, Part)> = Vec::new();
    for (outcome, clause) in all {
        match parts.last_mut().filter(|(known, _)| *known == outcome) {
            Some((_, part)) => part.clauses.push(clause),
            None => {
                let part = Part { mark: outcome.mark(), lead: outcome.lead(), clauses: vec![clause] };
                parts.push((outcome, part));
            }
        }
    }
    (parts.into_iter().map(|(_, part)| part).collect(), untested)
}

fn lead(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Reproduced => "Still true:",
        Verdict::Exceeds => "More than that here:",
        Verdict::InPart => "True in part:",
        Verdict::Differs => "Not true here:",
        Verdict::FailsWhereDecided => "Not true where it can be told:",
        Verdict::Ambiguous => "Too close to tell:",
        Verdict::NotMeasured | Verdict::NotComparable => "Not tested here:",
    }
}

/// What explains why a statement does not hold, or where it does: its numbers where there is one machine, and the verdicts of several. What
/// they measured stands in the summary picture and in the claims' lines.
fn figure(claim: &ClaimRow, results: &[&ClaimResult], outcome: Outcome) -> String {
    match (outcome, results) {
        (Outcome::NotAlike, _) => {
            let compared = results.iter().filter(|result| result.verdict.is_decided());
            let each = compared.map(|one| format!("{} {}", words::short_label(&one.machine), one.verdict));
            each.collect::<Vec<_>>().join(", ")
        }
        (Outcome::Alike(Verdict::Differs), [one]) => words::figures(claim, one),
        _ => String::new(),
    }
}

fn count(report: &Report, paper: &PublishedPaper, machines: &[&str], kind: EvidenceKind) -> Option<Count> {
    let claims = || report.claims.iter().filter(|row| row.paper == paper.id && row.evidence == Some(kind));
    let of_machine = |machine: &&str| {
        let verdicts = claims().flat_map(|claim| results(claim, &[*machine])).map(|result| result.verdict);
        (words::short_label(machine), in_words(&verdicts.collect::<Vec<_>>()))
    };
    // What is the same on any machine needs none.
    let machines = if machines.is_empty() { &[ANY_MACHINE][..] } else { machines };
    let each: Vec<(String, String)> = machines.iter().map(of_machine).collect();
    let (_, first) = each.first().filter(|(_, words)| !words.is_empty())?;
    let verdicts = match each.iter().all(|(_, words)| words == first) {
        true => first.clone(),
        false => each.iter().map(|(label, words)| format!("{label}: {words}")).collect::<Vec<_>>().join("; "),
    };
    Some(Count { kind: words::evidence(kind), verdicts })
}

/// How many of these there are of each kind.
fn in_words(verdicts: &[Verdict]) -> String {
    let of = |wanted: &[Verdict]| verdicts.iter().filter(|one| wanted.contains(one)).count();
    let groups = [
        (of(&[Verdict::Reproduced]), "hold"),
        (of(&[Verdict::Exceeds]), "exceed"),
        (of(&[Verdict::InPart]), "in part"),
        (of(&[Verdict::Differs]), "differ"),
        (of(&[Verdict::FailsWhereDecided]), "fail where decided"),
        (of(&[Verdict::Ambiguous]), "too close"),
        (of(&[Verdict::NotMeasured, Verdict::NotComparable]), "not tested"),
    ];
    let words = groups.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
    words.collect::<Vec<_>>().join(", ")
}
