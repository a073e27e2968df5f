//! The page of an experiment, with all machines side by side, and that of the history: figures and tables, with links to their numbers.

use super::claim::name;
use super::summary::{author_year, paper_anchor};
use crate::published::PublishedPaper;
use crate::report::page::Shell;
use crate::report::text::{ESTIMATE, Grid, UNDER_LOAD};
use crate::report::{Exhibit, ExperimentPage, Report};
use askama::Template;

/// The file of the page of histories.
pub(super) const HISTORY: &str = "history.html";

/// The file of an experiment's page, below the folder of the report.
pub(super) fn file(experiment: &ExperimentPage) -> String {
    format!("experiments/{}.html", experiment.name)
}

/// Where a run's values are shown, below the folder of the report: the first figure or table with some of them, else the run's own line.
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
    Experiment { title: "How times changed", paper: None, experiment: None, exhibits, shell }.to_string()
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
    /// None on the page of histories.
    experiment: Option<&'a ExperimentPage>,
    exhibits: Vec<ExhibitView<'a>>,
}

#[derive(Template)]
#[template(path = "exhibit.html")]
pub(super) struct ExhibitView<'a> {
    pub(super) shown: &'a Exhibit,
    /// The level of its heading.
    level: usize,
    /// The table, or the numbers of the figure; None where these stand on another page.
    table: Option<TableView<'a>>,
    /// Link to the page of its experiment, on a page that shows this exhibit alone.
    experiment: Option<String>,
    /// From the page to the report's folder: empty or `../`.
    root: &'static str,
}

impl<'a> ExhibitView<'a> {
    /// The exhibit on the page of its experiment; `root` leads from there to the report's folder.
    pub(super) fn new(shown: &'a Exhibit, root: &'static str) -> Self {
        let table = (!shown.grid.rows.is_empty()).then(|| TableView::new(&shown.grid));
        Self { shown, level: 2, table, experiment: None, root }
    }

    /// The exhibit on the front page: the numbers of a figure are on the page of its experiment, at `experiment`.
    pub(super) fn on_front(shown: &'a Exhibit, experiment: Option<String>) -> Self {
        let all = Self::new(shown, "");
        let table = all.table.filter(|_| shown.figure.is_none());
        Self { level: 3, table, experiment, ..all }
    }

    /// The CSV file with the values, relative to the folder of the report.
    fn values(&self) -> String {
        let Exhibit { id, csv, .. } = self.shown;
        if csv.is_empty() { "claims.csv".to_string() } else { format!("{}/{id}.csv", self.shown.folder()) }
    }
}

#[derive(Template)]
#[template(path = "table.html")]
pub(super) struct TableView<'a> {
    grid: &'a Grid,
    columns: Vec<ColumnView<'a>>,
}

struct ColumnView<'a> {
    lines: Vec<&'a str>,
    class: &'static str,
}

impl<'a> TableView<'a> {
    pub(super) fn new(grid: &'a Grid) -> Self {
        let column = |(place, title): (usize, &'a String)| {
            let cells =
                || grid.rows.iter().filter_map(move |row| row.get(place)).filter(|cell| !cell.is_empty());
            // Numbers stand to the right, so that their digits can be compared; sentences are broken into lines.
            let class = match () {
                () if cells().all(|cell| is_number(cell)) => " class=\"n\"",
                () if cells().any(|cell| cell.chars().count() > LONGEST) => " class=\"prose\"",
                () => "",
            };
            ColumnView { lines: title.lines().collect(), class }
        };
        Self { columns: grid.header.iter().enumerate().map(column).collect(), grid }
    }

    pub(super) fn title(&self) -> &str {
        &self.grid.title
    }

    /// Whether a cell has this sign.
    fn has(&self, sign: &str) -> bool {
        self.grid.rows.iter().flatten().any(|cell| cell.contains(sign))
    }

    fn class(&self, place: &usize) -> &'static str {
        self.columns.get(*place).map_or("", |column| column.class)
    }
}

/// A cell with more letters than this is broken into lines.
const LONGEST: usize = 48;

/// Whether a cell begins as a number does and has no more letters than digits: `1.2 (+3%)`, but not `11 of the kernels`.
fn is_number(cell: &str) -> bool {
    let count = |is: fn(char) -> bool| cell.chars().filter(|c| is(*c)).count();
    cell.starts_with(|c: char| c.is_ascii_digit() || "+-−–≥≤<>~".contains(c))
        && count(char::is_alphabetic) <= count(|c| c.is_ascii_digit())
}
