//! The page of an experiment, with all machines side by side; and that of the history.

use super::claim::name;
use super::exhibit::ExhibitView;
use super::papers::{author_year, paper_anchor};
use super::shell::Shell;
use crate::published::PublishedPaper;
use crate::report::{Exhibit, ExperimentPage, Report};
use askama::Template;

/// The file of the page of histories.
pub(super) const HISTORY: &str = "history.html";

/// The file of an experiment's page, below the folder of the report.
pub(super) fn file(experiment: &ExperimentPage) -> String {
    format!("experiments/{}.html", experiment.name)
}

/// Where what a run measured is shown, below the folder of the report: the first figure or table with values of it, else its line.
pub(super) fn address(report: &Report, run: &str) -> Option<String> {
    let has_run = |page: &&ExperimentPage| page.runs.iter().any(|line| line.name == run);
    let page = report.experiments.iter().find(has_run)?;
    let shows_run = |exhibit: &&Exhibit| exhibit.runs.iter().any(|name| name == run);
    let exhibit = page.exhibits.iter().find(shows_run).map(|exhibit| exhibit.id.clone());
    Some(format!("{}#{}", file(page), exhibit.unwrap_or_else(|| format!("run-{}", name(run)))))
}

pub(super) fn render(report: &Report, experiment: &ExperimentPage, shell: &Shell) -> String {
    let page = Experiment {
        title: &experiment.title,
        paper: report.papers.iter().find(|paper| Some(&paper.id) == experiment.paper.as_ref()),
        experiment: Some(experiment),
        exhibits: views(&experiment.exhibits, shell),
        shell,
    };
    page.to_string()
}

pub(super) fn render_history(report: &Report, shell: &Shell) -> String {
    let exhibits = views(&report.history, shell);
    Experiment { title: "Times from run to run", paper: None, experiment: None, exhibits, shell }.to_string()
}

fn views<'a>(exhibits: &'a [Exhibit], shell: &Shell) -> Vec<ExhibitView<'a>> {
    exhibits.iter().map(|exhibit| ExhibitView::new(exhibit, shell.root)).collect()
}

#[derive(Template)]
#[template(path = "experiment.html")]
struct Experiment<'a> {
    shell: &'a Shell,
    title: &'a str,
    /// The paper whose claims it tests.
    paper: Option<&'a PublishedPaper>,
    /// None of the page of histories.
    experiment: Option<&'a ExperimentPage>,
    exhibits: Vec<ExhibitView<'a>>,
}
