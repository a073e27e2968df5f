//! A report as one HTML file that asks for nothing else: fonts, style, script and pictures are inside it.

mod claims;
mod numbers;
mod style;
mod table;

use super::{Block, Figure, Report, Section, Topic, sections, words};
use crate::record::EvidenceKind;
use askama::Template;
use base64::{Engine, prelude::BASE64_STANDARD};
use claims::{ClaimView, Mark, PaperView, tally};
use sha2::{Digest, Sha256};
use table::TableView;

pub(super) use claims::{kind_word, short};

const SCRIPT: &str = include_str!("../../report/script.js");

/// The page of a report. `dark_variants` are pairs of colours as the figures write them, for example `#FFFFFF`: the one in
/// the picture and the one that stands for it where the reader's screen is dark.
///
/// The same report gives the same bytes.
pub fn render(report: &Report, dark_variants: &[(&str, &str)]) -> String {
    let papers: Vec<PaperView> =
        report.papers.iter().map(|paper| PaperView::new(paper, &report.claims)).collect();
    let several = report.machines.len() > 1;
    let page = Page {
        style: style::style(dark_variants),
        script: SCRIPT,
        // The browser runs this script and no other, whatever a record may have brought in.
        script_hash: BASE64_STANDARD.encode(Sha256::digest(SCRIPT)),
        several,
        machines: report.machines.iter().map(MachineView::new).collect(),
        claims: report.claims.iter().map(|row| ClaimView::new(row, &papers, several)).collect(),
        findings: report
            .findings
            .iter()
            .map(|one| words::finding(one, &report.claims, &report.papers, several))
            .collect(),
        filters: Filters::new(report, &papers),
        sections: report
            .sections
            .iter()
            .enumerate()
            .map(|(at, one)| SectionView::new(one, at == 0))
            .collect(),
        method: report.method.iter().map(TopicView::new).collect(),
        rule: report.method.iter().any(|topic| topic.id == "rule"),
        papers,
        report,
    };
    page.to_string()
}

#[derive(Template)]
#[template(path = "page.html")]
struct Page<'a> {
    style: String,
    script: &'static str,
    script_hash: String,
    /// Whether a machine must be named where a number stands.
    several: bool,
    machines: Vec<MachineView<'a>>,
    papers: Vec<PaperView<'a>>,
    claims: Vec<ClaimView<'a>>,
    /// What stands out, a sentence each.
    findings: Vec<String>,
    filters: Filters,
    sections: Vec<SectionView<'a>>,
    method: Vec<TopicView<'a>>,
    /// Whether a topic states the decision rule, so that it can be linked.
    rule: bool,
    report: &'a Report,
}

impl Page<'_> {
    /// What was compared, in one line.
    fn extent(&self) -> String {
        let against = self.claims.iter().filter(|claim| claim.against_itself).count();
        let count = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
        let mut text = format!(
            "{} of {}",
            count(self.claims.len() - against, "claim", "claims"),
            count(self.papers.len(), "paper", "papers")
        );
        if against > 0 {
            text += &format!(", and {} where a paper contradicts itself", count(against, "place", "places"));
        }
        text
    }

    fn unread_figures(&self) -> bool {
        self.papers.iter().any(|paper| !paper.figures.is_empty())
    }
}

struct MachineView<'a> {
    label: &'a str,
    facts: &'a [(String, String)],
    tally: Vec<(&'static str, Vec<(Mark, usize)>)>,
}

impl<'a> MachineView<'a> {
    fn new(machine: &'a super::Machine) -> Self {
        Self { label: &machine.label, facts: &machine.facts, tally: tally(machine) }
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
    fn new(report: &Report, papers: &[PaperView]) -> Self {
        let rows = &report.claims;
        let has = |mark: &Mark| rows.iter().any(|row| claims::marks(row).contains(mark));
        let kind_is_there = |kind: &EvidenceKind| rows.iter().any(|row| row.evidence == Some(*kind));
        let mut kinds: Vec<_> = rows.iter().map(|row| row.kind).collect();
        kinds.sort();
        kinds.dedup();
        Self {
            verdicts: Mark::ALL.into_iter().filter(has).collect(),
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

struct SectionView<'a> {
    section: &'a Section,
    /// For the contents.
    short: String,
    figures: Vec<FigureView<'a>>,
    tables: Vec<TableView<'a>>,
}

impl<'a> SectionView<'a> {
    fn new(section: &'a Section, is_first: bool) -> Self {
        // One table is open, so that a reader sees what hides behind the other titles.
        let open = |place| place == 0 && (is_first || section.figures.is_empty());
        Self {
            section,
            short: short_title(&section.title),
            figures: section.figures.iter().map(|figure| FigureView { figure }).collect(),
            tables: section.tables.iter().enumerate().map(|(i, t)| TableView::new(t, open(i))).collect(),
        }
    }
}

/// A title without its details, but with what is in brackets at its end, which tells it from others.
fn short_title(title: &str) -> String {
    let short = sections::short(title);
    match title.rsplit_once(" (").filter(|(before, rest)| before.len() >= short.len() && rest.ends_with(')'))
    {
        Some((_, rest)) => format!("{short} ({rest}"),
        None => short.to_string(),
    }
}

#[derive(Template)]
#[template(path = "figure.html")]
struct FigureView<'a> {
    figure: &'a Figure,
}

struct TopicView<'a> {
    id: &'a str,
    title: &'a str,
    blocks: Vec<BlockView<'a>>,
}

impl<'a> TopicView<'a> {
    fn new(topic: &'a Topic) -> Self {
        let blocks = topic.blocks.iter().map(|block| match block {
            Block::Text(text) => BlockView::Text(text),
            Block::List(items) => BlockView::List(items),
            Block::Commands(lines) => BlockView::Commands(lines.join("\n")),
            Block::Table(table) => BlockView::Table(TableView::new(table, true)),
        });
        Self { id: &topic.id, title: &topic.title, blocks: blocks.collect() }
    }
}

enum BlockView<'a> {
    Text(&'a str),
    List(&'a [String]),
    Commands(String),
    Table(TableView<'a>),
}
