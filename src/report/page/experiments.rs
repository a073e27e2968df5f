//! What the front page shows of the experiments of a paper: the first figure of each, one table, and where all the others are.

use super::address;
use super::figure::{Drawings, FigureView, Over};
use crate::lists::{count_of, grouped};
use crate::report::{Home, Lead, Report, Section, words};
use askama::Template;

#[derive(Template)]
#[template(path = "experiments.html")]
pub(super) struct Experiments<'a> {
    figures: Vec<FigureView<'a>>,
    links: Vec<Link<'a>>,
}

/// The way to everything of one experiment.
struct Link<'a> {
    title: &'a str,
    /// One a machine.
    of: Vec<OnMachine>,
}

struct OnMachine {
    page: String,
    /// The machine, where one must be named.
    machine: Option<String>,
    /// How many figures and tables there are.
    holds: String,
}

impl<'a> Experiments<'a> {
    /// Those of `paper`; without one, those that go beyond the papers or are of a paper that this report does not know. None where
    /// no run is of it.
    pub(super) fn of(report: &'a Report, paper: Option<&str>) -> Option<Self> {
        let known = |id: &str| report.papers.iter().any(|paper| paper.id == id);
        let leads = report.sections.iter().filter_map(|section| Some((section, section.lead.as_ref()?)));
        let shown: Vec<(&Section, &Lead)> =
            leads.filter(|(_, lead)| lead.paper.as_deref().filter(|id| known(id)) == paper).collect();
        let several = report.machines.len() > 1;
        let over = |section: &'a Section| {
            let title = match &section.home {
                Home::Experiment(name) => name,
                Home::History => &section.title,
            };
            Some(Over { page: address(section), title })
        };
        let figures = shown.iter().flat_map(|(section, lead)| {
            let figures = section.figures.iter().take(lead.figures);
            let drawings = if lead.across { Drawings::Both } else { Drawings::Narrow };
            figures.map(move |figure| FigureView::new(figure, drawings, "").over(over(section)))
        });
        let on_machine = |section: &Section| OnMachine {
            page: address(section),
            machine: several.then(|| words::short_label(&section.machine)),
            holds: holds(section),
        };
        let of_title = shown.iter().map(|(section, _)| (section.title.as_str(), on_machine(section)));
        let links = grouped(of_title).into_iter().map(|(title, of)| Link { title, of }).collect();
        (!shown.is_empty()).then(|| Self { figures: figures.collect(), links })
    }
}

fn holds(section: &Section) -> String {
    let all = [(section.figures.len(), "figure"), (section.tables.len(), "table")];
    let held = all.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| count_of(count, what));
    held.collect::<Vec<_>>().join(", ")
}
