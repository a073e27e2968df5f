//! The front page: what came of the papers, the figures that show it, the papers, the method in short.

use super::claim::{anchor, begins_with_word};
use super::claims::CLAIMS;
use super::exhibit::ExhibitView;
use super::experiment::{self, HISTORY};
use super::method::METHOD;
use super::papers::{PaperView, papers_of};
use super::shell::Shell;
use super::summary::{PaperSummary, reproduced, summaries};
use crate::lists::count_of;
use crate::report::words::{short_label, statement};
use crate::report::{ExperimentPage, Machine, Report, words};
use askama::Template;

pub(super) fn render(report: &Report, shell: &Shell) -> String {
    let names = papers_of(report);
    let summaries = summaries(report, &names);
    let papers = report.papers.iter().zip(&names);
    let exhibits = report.experiments.iter().flat_map(|page| {
        let shown = page.exhibits.iter().filter(|exhibit| exhibit.front);
        shown.map(move |one| ExhibitView::on_front(one, format!("{}#{}", experiment::file(page), one.id)))
    });
    let front = Front {
        shell,
        headline: headline(report, &summaries),
        summaries,
        machines: report.judged(),
        stated: report.stated.as_ref().map(|figure| ExhibitView::of_claims(figure, 3)),
        exhibits: exhibits.collect(),
        papers: papers.map(|(paper, name)| PaperView::new(paper, name, report)).collect(),
        beyond: report.experiments_of(None),
        report,
    };
    front.to_string()
}

#[derive(Template)]
#[template(path = "front.html")]
struct Front<'a> {
    shell: &'a Shell,
    /// What came of the papers, in a sentence.
    headline: String,
    summaries: Vec<PaperSummary<'a>>,
    /// Those that claims were judged on.
    machines: Vec<&'a Machine>,
    /// The speed-ups that papers state in numbers, with what was measured.
    stated: Option<ExhibitView<'a>>,
    exhibits: Vec<ExhibitView<'a>>,
    papers: Vec<PaperView<'a>>,
    /// Experiments beyond the papers.
    beyond: Vec<&'a ExperimentPage>,
    report: &'a Report,
}

impl Front<'_> {
    /// How many main statements the papers have, where none of them could be tested.
    fn untested(&self) -> Option<usize> {
        let untested = self.summaries.iter().map(|summary| summary.untested).sum();
        (untested > 0 && self.summaries.iter().all(|summary| summary.groups.is_empty())).then_some(untested)
    }

    /// The words that lead to the page of all claims; none where there is no claim.
    fn all_claims(&self) -> Option<String> {
        let claims = self.report.claims_with_verdicts().count();
        (claims > 0).then(|| format!("All {} with every comparison behind them", count_of(claims, "claim")))
    }

    fn machine_names(&self) -> String {
        words::list(&self.machines.iter().map(|machine| short_label(&machine.label)).collect::<Vec<_>>())
    }

    /// When it was measured, where that is of one machine.
    fn dates(&self) -> Option<&str> {
        let [machine] = self.machines[..] else { return None };
        machine.dates.as_deref()
    }
}

fn papers_in_words(many: usize) -> String {
    let in_words = ["no papers", "one paper", "two papers", "three papers", "four papers"];
    in_words.get(many).map_or_else(|| format!("{many} papers"), ToString::to_string)
}

/// What came of the papers that the project is about: of their main statements, or without a GPU of what needs none.
fn headline(report: &Report, summaries: &[PaperSummary]) -> String {
    let own = || summaries.iter().filter(|summary| !summary.is_beside);
    let groups = || own().flat_map(|summary| &summary.groups);
    let count = |wanted: Option<bool>| {
        let of = groups().filter(|group| group.holds() == wanted);
        of.map(|group| group.statements.len()).sum::<usize>()
    };
    let [hold, fail, unclear] = [Some(true), Some(false), None].map(count);
    let untested: usize = own().map(|summary| summary.untested).sum();
    let has_gpu = report.machines.iter().any(|machine| machine.has_gpu);
    if !has_gpu || hold + fail + unclear == 0 {
        return without_gpu(reproduced(report), has_gpu);
    }
    let rest = match (unclear, untested) {
        (0, 0) => "",
        (0, _) => "; the others could not be tested here",
        (_, 0) => "; the others are true in part or too close to tell",
        _ => "; the others are true in part, too close to tell, or could not be tested here",
    };
    format!(
        "Of {} main statements of {}, {hold} {} still true on today's GPUs and {fail} {} not{rest}.",
        hold + fail + unclear + untested,
        papers_in_words(report.own_papers()),
        are(hold),
        are(fail),
    )
}

/// What came of the claims that need no GPU.
fn without_gpu((compared, [by_construction, otherwise]): (usize, [usize; 2]), has_gpu: bool) -> String {
    if compared == 0 {
        return "No claim of the papers could be compared with these runs.".to_string();
    }
    let with = if has_gpu { "With these runs" } else { "Without a GPU" };
    let held = match by_construction + otherwise {
        0 => "none is".to_string(),
        1 if compared == 1 => "it is".to_string(),
        all if all == compared => "all are".to_string(),
        some => format!("{some} of them {}", are(some)),
    };
    let how = match (by_construction, otherwise) {
        (0, 0) => String::new(),
        (_, 0) => ": they are counted from code that follows the papers".to_string(),
        (0, _) => ", as measured on this CPU".to_string(),
        _ => format!(
            ": {by_construction} counted from code that follows the papers, the others measured on this CPU"
        ),
    };
    format!(
        "{with} {} of the papers could be compared, and {held} reproduced{how}.",
        count_of(compared, "claim")
    )
}

fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}
