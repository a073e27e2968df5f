//! The front page: the answer, the papers, the method.

use super::all_claims::ALL_CLAIMS;
use super::answer::{Answer, answers};
use super::block::{BlockView, blocks};
use super::claims::Mark;
use super::experiments::Experiments;
use super::figure::{Drawings, FigureView};
use super::papers::{PaperName, PaperView};
use super::shell::Shell;
use crate::lists::{count_of, grouped};
use crate::report::{Home, Machine, Report, Topic, What, words};
use askama::Template;

/// The topic of the method that the front page has itself.
pub(super) const RULE: &str = "rule";

pub(super) fn render(report: &Report, shell: &Shell) -> String {
    let names = PaperName::of(report);
    let several = report.machines.len() > 1;
    let (rule, further): (Vec<&Topic>, Vec<&Topic>) =
        report.method.iter().partition(|topic| topic.id == RULE);
    let sentences = |of: &dyn Fn(&What) -> bool| -> Vec<String> {
        let findings = report.findings.iter().filter(|one| of(&one.what));
        findings.map(|one| words::finding(one, several)).collect()
    };
    let judged = report.judged();
    let front = Front {
        shell,
        answers: answers(report, &judged, &names),
        stated: report.stated.as_ref().map(|figure| FigureView::new(figure, Drawings::Both, shell.root)),
        all_claims: all_claims(report),
        differences: words::differences(&report.hardware),
        findings: sentences(&|what| !matches!(what, What::Ratios { .. })),
        outcomes: outcomes(report, judged.len() > 1),
        papers: report.papers.iter().map(|paper| PaperView::new(paper, &names, report)).collect(),
        beyond: Experiments::of(report, None).map_or(String::new(), |all| all.to_string()),
        rule: rule.first().map(|topic| Rule { title: &topic.title, blocks: blocks(topic, shell.root) }),
        machines: judged,
        further_topics: further,
        report,
    };
    front.to_string()
}

/// What the page of all claims has; None where there is none.
fn all_claims(report: &Report) -> Option<String> {
    let claims = report.claims_with_verdicts().count();
    (claims > 0).then(|| format!("All {} with every comparison behind them", count_of(claims, "claim")))
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
    machines: Vec<&'a Machine>,
    answers: Vec<Answer<'a>>,
    /// The speed-ups that papers state in numbers, with what was measured.
    stated: Option<FigureView<'a>>,
    /// The words that lead to the page of all claims.
    all_claims: Option<String>,
    /// In what the GPUs of the machines differ; empty where there is one.
    differences: String,
    /// What stands out of this project's own kernels and of the host, a sentence each.
    findings: Vec<String>,
    /// What became of the stated speed-ups, a sentence of all machines of which it is true.
    outcomes: Vec<String>,
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
    /// How many main statements the papers have, where none of them could be tested.
    fn untested(&self) -> Option<usize> {
        let untested = self.answers.iter().map(|answer| answer.untested).sum();
        (untested > 0 && self.answers.iter().all(|answer| answer.parts.is_empty())).then_some(untested)
    }

    fn papers_in_words(&self) -> String {
        let in_words = ["papers", "a paper", "two papers", "three papers", "four papers"];
        let many = self.report.own_papers();
        in_words.get(many).map_or_else(|| format!("{many} papers"), ToString::to_string)
    }

    /// When it was measured, where that is of one machine.
    fn dates(&self) -> Option<&str> {
        let [machine] = self.machines[..] else { return None };
        machine.dates.as_deref()
    }

    /// Whether there is a page of histories.
    fn has_history(&self) -> bool {
        self.report.sections.iter().any(|section| section.home == Home::History)
    }
}
