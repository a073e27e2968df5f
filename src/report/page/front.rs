//! The front page: the outcome for the papers, the figures that show it, the papers, and the method in short.

use super::claim::{CLAIMS, anchor, begins_with_word};
use super::experiment::{self, ExhibitView, HISTORY};
use super::summary::{
    PaperSummary, PaperView, Piece, author_year, mark, paper_anchor, reproduced, summaries,
};
use crate::judge::{ClaimRow, Verdict};
use crate::lists::{count_of, distinct};
use crate::published::is_beside;
use crate::report::machines::EMULATED;
use crate::report::page::{METHOD, Shell};
use crate::report::text::cited;
use crate::report::words::{short_label, statement};
use crate::report::{ExperimentPage, Machine, Report, words};
use askama::Template;

pub(super) fn render(report: &Report, shell: &Shell) -> String {
    let summaries = summaries(report);
    let exhibits = report.experiments.iter().flat_map(|page| {
        let shown = page.exhibits.iter().filter(|exhibit| exhibit.front);
        shown.map(move |one| {
            ExhibitView::on_front(one, Some(format!("{}#{}", experiment::file(page), one.id)))
        })
    });
    let front = Front {
        shell,
        headline: headline(report, &summaries),
        summaries,
        machines: report.judged(),
        stated: report.stated.as_ref().map(|one| ExhibitView::on_front(one, None)),
        exhibits: exhibits.collect(),
        papers: report.papers.iter().map(|paper| PaperView::new(paper, report)).collect(),
        beyond: report.experiments_of(None),
        report,
    };
    front.to_string()
}

#[derive(Template)]
#[template(path = "front.html")]
struct Front<'a> {
    shell: &'a Shell,
    /// The outcome for the papers, in a sentence or two.
    headline: Vec<Piece>,
    summaries: Vec<PaperSummary<'a>>,
    /// The machines that claims were judged on.
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
    /// How many main statements the papers have, if none of them could be tested; else None.
    fn untested(&self) -> Option<usize> {
        let untested = self.summaries.iter().map(|summary| summary.untested).sum();
        (untested > 0 && self.summaries.iter().all(|summary| summary.groups.is_empty())).then_some(untested)
    }

    /// The text of the link to the page of all claims; None if there is no claim.
    fn all_claims(&self) -> Option<String> {
        let is_apart = |row: &&ClaimRow| is_beside(&self.report.papers, &row.paper);
        let (apart, own): (Vec<_>, Vec<_>) = self.report.claims_with_verdicts().partition(is_apart);
        let apart = if apart.is_empty() { String::new() } else { format!(", and {} apart,", apart.len()) };
        let all = count_of(own.len(), "claim");
        (!own.is_empty()).then(|| format!("All {all}{apart} with every comparison behind them"))
    }

    /// Whether the kernels were measured or counted, and on which machines.
    fn measured(&self) -> String {
        let names: Vec<String> = self.machines.iter().map(|machine| short_label(&machine.label)).collect();
        match &names[..] {
            [] => "measured".to_string(),
            [only] if only == EMULATED => format!("counted on an {EMULATED}"),
            _ => format!("measured on {}", words::list(&names)),
        }
    }
}

/// The outcome for the project's own papers: for their main statements, or without a GPU for the claims that need none.
fn headline(report: &Report, summaries: &[PaperSummary]) -> Vec<Piece> {
    let own = || summaries.iter().filter(|summary| !summary.paper.beside);
    let groups = || own().flat_map(|summary| &summary.groups);
    let count = |wanted: Option<bool>| {
        let of = groups().filter(|(outcome, _)| outcome.holds() == wanted);
        of.map(|(_, statements)| statements.len()).sum::<usize>()
    };
    let [hold, fail, unclear] = [Some(true), Some(false), None].map(count);
    let untested: usize = own().map(|summary| summary.untested).sum();
    let (tested, has_gpu) = (hold + fail + unclear, report.machines.iter().any(|machine| machine.has_gpu));
    if !has_gpu || tested == 0 {
        let tested = if tested == 0 { "none".to_string() } else { tested.to_string() };
        return without_gpu(report, has_gpu, &tested);
    }
    let doubts = groups().filter_map(|(outcome, _)| outcome.doubt());
    let rest = distinct(doubts.chain((untested > 0).then_some("could not be tested here")));
    let rest = match &rest[..] {
        [] => String::new(),
        [only] => format!("; the others {only}"),
        [first @ .., last] => format!("; the others {}, or {last}", first.join(", ")),
    };
    let text = format!(
        "Of the papers' {} main statements, {hold} {} still true on today's GPUs and {fail} {} not{rest}.",
        tested + untested,
        are(hold),
        are(fail),
    );
    vec![Piece { text, href: None }]
}

/// The outcome for the claims that need no GPU, with a link to them, and how many main statements could be tested.
fn without_gpu(report: &Report, has_gpu: bool, tested: &str) -> Vec<Piece> {
    let piece = |text: &str, href| Piece { text: text.to_string(), href };
    let (compared, [by_construction, otherwise]) = reproduced(report);
    if compared == 0 {
        return vec![piece("No claim of the papers could be compared with these runs.", None)];
    }
    let with = if has_gpu { "With these runs " } else { "Without a GPU " };
    let how = match otherwise {
        0 => ": by counts of code that follows the papers, which say that it is as described",
        _ => ": by counts of code that follows the papers, and by times of this CPU",
    };
    let (claims, held) = (count_of(compared, "claim"), by_construction + otherwise);
    let held = if held == compared { "all".to_string() } else { format!("{held} of them") };
    let found = format!("{claims} of the papers could be compared, and {held} are reproduced");
    let main = format!("{how}. Of the main statements {tested} could be tested.");
    let is_reproduced = |row: &ClaimRow| row.results.iter().any(|one| one.verdict == Verdict::Reproduced);
    let filter = report.claims_with_verdicts().any(is_reproduced).then_some("#verdict-reproduced");
    let href = format!("{CLAIMS}{}", filter.unwrap_or_default());
    vec![piece(with, None), piece(&found, Some(href)), piece(&main, None)]
}

fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}
