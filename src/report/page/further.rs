//! The pages behind the front page: one an experiment, the history, and the method with the machines.

use super::block::{BlockView, blocks};
use super::claims::{Mark, tally};
use super::figure::{Drawings, FigureView};
use super::papers::PaperName;
use super::shell::Shell;
use super::table::TableView;
use crate::judge::ANY_MACHINE;
use crate::report::{Home, Report, Section};
use askama::Template;

/// The page with all sections of `home`.
pub(super) fn sections(report: &Report, home: &Home, shell: &Shell) -> String {
    let all: Vec<&Section> = report.sections.iter().filter(|section| section.home == *home).collect();
    let paper = all.iter().find_map(|section| section.lead.as_ref()?.paper.as_deref());
    let back = report.papers.iter().find(|known| Some(known.id.as_str()) == paper);
    let page = Further {
        shell,
        title: match home {
            Home::Experiment(name) => format!("Experiment {name}"),
            Home::History => "History".to_string(),
        },
        back: back.map(|paper| PaperName::new(paper).anchor),
        several: report.machines.len() > 1,
        sections: all.iter().map(|section| SectionView::new(section, shell.root)).collect(),
    };
    page.to_string()
}

/// The page of the method: machines, sampling, verification, environment, commands.
pub(super) fn method(report: &Report, shell: &Shell) -> String {
    let machines = report.machines.iter();
    let any = (!report.any.is_empty()).then(|| MachineView {
        label: ANY_MACHINE,
        facts: &[],
        tally: tally(&report.any),
    });
    let page = MethodPage {
        shell,
        machines: machines
            .map(|machine| MachineView {
                label: &machine.label,
                facts: &machine.facts,
                tally: tally(&machine.tally),
            })
            .chain(any)
            .collect(),
        topics: report
            .method
            .iter()
            .filter(|topic| topic.id != super::front::RULE)
            .map(|topic| TopicView { id: &topic.id, title: &topic.title, blocks: blocks(topic, shell.root) })
            .collect(),
    };
    page.to_string()
}

#[derive(Template)]
#[template(path = "further.html")]
struct Further<'a> {
    shell: &'a Shell,
    title: String,
    /// The place on the front page that leads here.
    back: Option<String>,
    several: bool,
    sections: Vec<SectionView<'a>>,
}

struct SectionView<'a> {
    section: &'a Section,
    /// Without those on the front page: no figure stands twice.
    figures: Vec<FigureView<'a>>,
    /// The anchor of the figure on the front page, where there is one.
    elsewhere: Option<String>,
    tables: Vec<TableView<'a>>,
}

impl<'a> SectionView<'a> {
    fn new(section: &'a Section, root: &'static str) -> Self {
        let ahead = section.lead.as_ref().map_or(0, |lead| lead.figures);
        let figures = section.figures.iter().skip(ahead);
        let elsewhere = section.figures.first().filter(|_| ahead > 0);
        Self {
            section,
            figures: figures.map(|figure| FigureView::new(figure, Drawings::Both, root)).collect(),
            elsewhere: elsewhere.map(|figure| format!("figure-{}", figure.id)),
            // One is open, so that a reader sees what hides behind the other titles.
            tables: section
                .tables
                .iter()
                .enumerate()
                .map(|(place, table)| TableView::new(table, place == 0, root))
                .collect(),
        }
    }
}

#[derive(Template)]
#[template(path = "method.html")]
struct MethodPage<'a> {
    shell: &'a Shell,
    machines: Vec<MachineView<'a>>,
    topics: Vec<TopicView<'a>>,
}

struct MachineView<'a> {
    label: &'a str,
    facts: &'a [(String, String)],
    tally: Vec<(&'static str, Vec<String>)>,
}

struct TopicView<'a> {
    id: &'a str,
    title: &'a str,
    blocks: Vec<BlockView<'a>>,
}
