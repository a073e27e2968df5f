//! The front page: the outcome for the papers, the figures that show it, the papers, and the method in short.

use super::claim::{CLAIMS, anchor, begins_with_word};
use super::experiment::{self, ExhibitView, HISTORY};
use super::summary::{PaperSummary, PaperView, author_year, by_construction, mark, paper_anchor, summaries};
use crate::judge::ClaimRow;
use crate::lists::count_of;
use crate::published::is_beside;
use crate::report::machines::EMULATED;
use crate::report::page::{METHOD, Shell};
use crate::report::text::cited;
use crate::report::words::{short_label, statement};
use crate::report::{ExperimentPage, Machine, Report, words};
use askama::Template;

pub(super) fn render(report: &Report, shell: &Shell) -> String {
    let exhibits = report.experiments.iter().flat_map(|page| {
        let shown = page.exhibits.iter().filter(|exhibit| exhibit.front);
        shown.map(move |one| {
            ExhibitView::on_front(one, Some(format!("{}#{}", experiment::file(page), one.id)))
        })
    });
    let front = Front {
        shell,
        summaries: summaries(report),
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
