//! The front page: the answer, the claims, the papers, the method.

use super::answer::{Answer, answers};
use super::block::{BlockView, blocks};
use super::claims::{self, ClaimView, Mark, kind_word};
use super::experiments::Experiments;
use super::figure::{Drawings, FigureView};
use super::papers::{PaperName, PaperView};
use super::shell::Shell;
use crate::judge::ClaimRow;
use crate::lists::grouped;
use crate::published::{ClaimKind, EvidenceKind, is_beside};
use crate::report::{Home, Machine, Report, Topic, What, words};
use askama::Template;

/// The topic of the method that the front page has itself.
pub(super) const RULE: &str = "rule";

pub(super) fn render(report: &Report, shell: &Shell) -> String {
    let names: Vec<PaperName> = report.papers.iter().map(PaperName::new).collect();
    let several = report.machines.len() > 1;
    let (rule, further): (Vec<&Topic>, Vec<&Topic>) =
        report.method.iter().partition(|topic| topic.id == RULE);
    let rows: Vec<&ClaimRow> =
        report.claims.iter().filter(|row| row.kind != ClaimKind::Inconsistency).collect();
    let summaries = report.summary.iter().map(|figure| FigureView::new(figure, Drawings::Both, shell.root));
    let sentences = |of: &dyn Fn(&What) -> bool| -> Vec<String> {
        let findings = report.findings.iter().filter(|one| of(&one.what));
        findings.map(|one| words::finding(one, several)).collect()
    };
    // Who comes for verdicts is told of the machines that gave them.
    let judged: Vec<&Machine> = report.machines.iter().filter(|machine| !machine.tally.is_empty()).collect();
    let several_judged = judged.len() > 1;
    let front = Front {
        shell,
        several: several_judged,
        answers: if names.is_empty() { Vec::new() } else { answers(report, &judged, &names) },
        machines: judged,
        summaries: summaries.collect(),
        claims: rows.iter().map(|row| ClaimView::new(row, &names, several_judged)).collect(),
        differences: words::differences(&report.hardware),
        findings: sentences(&|what| !matches!(what, What::Ratios { .. })),
        outcomes: outcomes(report, several_judged),
        filters: Filters::new(&rows, &names),
        papers: report.papers.iter().map(|paper| PaperView::new(paper, &names, report)).collect(),
        beyond: Experiments::of(report, None).map_or(String::new(), |all| all.to_string()),
        rule: rule.first().map(|topic| Rule { title: &topic.title, blocks: blocks(topic, shell.root) }),
        further_topics: further,
        report,
    };
    front.to_string()
}

fn outcomes(report: &Report, several: bool) -> Vec<String> {
    let found = report.findings.iter().filter(|one| matches!(one.what, What::Ratios { .. }));
    let said = grouped(found.map(|one| (words::finding(one, false), words::short_label(&one.machine))));
    let on = |(sentence, machines): (String, Vec<String>)| match several {
        true => format!("{}: {sentence}", words::list(&machines)),
        false => sentence,
    };
    said.into_iter().map(on).collect()
}

#[derive(Template)]
#[template(path = "front.html")]
struct Front<'a> {
    shell: &'a Shell,
    /// Whether a machine must be named where a number stands.
    several: bool,
    machines: Vec<&'a Machine>,
    answers: Vec<Answer<'a>>,
    /// Every published ratio beside what was measured.
    summaries: Vec<FigureView<'a>>,
    /// Without the places where papers contradict themselves, which stand with the papers.
    claims: Vec<ClaimView<'a>>,
    /// In what the GPUs of the machines differ; empty where there is one.
    differences: String,
    /// What stands out of this project's own kernels and of the host, a sentence each.
    findings: Vec<String>,
    /// What became of the stated speed-ups, a sentence of all machines of which it is the same.
    outcomes: Vec<String>,
    filters: Filters,
    papers: Vec<PaperView<'a>>,
    /// Experiments beyond the papers, and what is drawn of several experiments.
    beyond: String,
    rule: Option<Rule<'a>>,
    /// Topics of the method that stand on their own page.
    further_topics: Vec<&'a Topic>,
    report: &'a Report,
}

struct Rule<'a> {
    title: &'a str,
    blocks: Vec<BlockView<'a>>,
}

impl Front<'_> {
    /// What was compared, in one line.
    fn extent(&self) -> String {
        let against = self.report.claims.len() - self.claims.len();
        let count = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
        let of = |claims: usize, papers: usize| {
            format!("{} of {}", count(claims, "claim", "claims"), count(papers, "paper", "papers"))
        };
        let beside = self.claims.iter().filter(|one| is_beside(&self.report.papers, &one.row.paper)).count();
        let own = self.own_papers();
        let mut text = of(self.claims.len() - beside, own);
        if beside > 0 {
            text += &format!(", and beside them {}", of(beside, self.papers.len() - own));
        }
        if against > 0 {
            let places = count(against, "place", "places");
            text += &format!(
                "; with each paper also stand {places} where papers contradict themselves or each other"
            );
        }
        text
    }

    /// How many papers the project is about.
    fn own_papers(&self) -> usize {
        self.report.papers.iter().filter(|paper| !paper.beside).count()
    }

    fn papers_in_words(&self) -> String {
        match self.own_papers() {
            0 => "papers".to_string(),
            1 => "a paper".to_string(),
            2 => "two papers".to_string(),
            3 => "three papers".to_string(),
            4 => "four papers".to_string(),
            many => format!("{many} papers"),
        }
    }

    /// When it was measured, where that is of one machine.
    fn dates(&self) -> Option<&str> {
        let [machine] = self.machines[..] else { return None };
        machine.dates.as_deref()
    }

    /// Whether there is a page of this home.
    fn has(&self, home: Home) -> bool {
        self.report.sections.iter().any(|section| section.home == home)
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
            verdicts: Mark::VERDICTS.into_iter().filter(has).collect(),
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
