//! The claims as rows, as Markdown and as JSON.

use crate::claims::{ClaimResult, ClaimRow};
use crate::report::page::kind_word;
use crate::report::{Machine, Report};
use serde::Serialize;
use std::collections::BTreeMap;

pub(super) const HEADER: &[&str] = &[
    "paper",
    "id",
    "kind",
    "statement",
    "place",
    "published",
    "published_gpu",
    "note",
    "machine",
    "verdict",
    "measured",
    "compared_as",
    "reason",
    "runs",
];

/// One row a claim and machine, and one for a claim without any.
pub(super) fn rows(report: &Report) -> Vec<Vec<String>> {
    let of = |row: &ClaimRow, result: Option<&ClaimResult>| {
        let claim = [
            &row.paper,
            &row.id,
            kind_word(row.kind),
            &row.statement,
            &row.place,
            &row.published,
            &row.published_gpu,
            row.note.as_deref().unwrap_or_default(),
        ];
        let result = result.map_or(Default::default(), |one| {
            let (machine, measured) = (one.machine.clone(), one.measured.clone());
            let how = (one.compared_as.clone(), one.reason.clone());
            [machine, one.verdict.to_string(), measured, how.0, how.1, one.runs.join(" ")]
        });
        claim.into_iter().map(String::from).chain(result).collect()
    };
    let every = |row: &ClaimRow| match row.results[..] {
        [] => vec![of(row, None)],
        ref results => results.iter().map(|result| of(row, Some(result))).collect(),
    };
    report.claims.iter().flat_map(every).collect()
}

/// A table a paper.
pub(super) fn markdown(report: &Report) -> String {
    let mut text = String::from("# Claims\n");
    let mut paper = "";
    for row in &report.claims {
        if row.paper != paper {
            paper = &row.paper;
            let title = report.papers.iter().find(|one| one.id == *paper).map_or(paper, |one| &one.title);
            text += &format!("\n## {}\n\n", cell(title));
            text += "| claim | place | published | machine | measured | verdict | reason |\n";
            text += "|---|---|---|---|---|---|---|\n";
        }
        let claim = [&row.statement, &row.place, &row.published].map(|part| cell(part)).join(" | ");
        if row.results.is_empty() {
            text += &format!("| {claim} |  |  | {} |  |\n", kind_word(row.kind));
        }
        for one in &row.results {
            let verdict = one.verdict.to_string();
            let result =
                [&one.machine, &one.measured, &verdict, &one.reason].map(|part| cell(part)).join(" | ");
            text += &format!("| {claim} | {result} |\n");
        }
    }
    text
}

/// Text that neither ends a cell nor is taken for markup.
fn cell(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('\\', "\\\\")
        .replace('|', "\\|")
        .replace(['\n', '\r'], " ")
}

/// All that the claims table shows, for programs.
#[derive(Serialize)]
pub(super) struct Json<'a> {
    schema_version: u32,
    machines: Vec<MachineJson<'a>>,
    claims: &'a [ClaimRow],
}

#[derive(Serialize)]
struct MachineJson<'a> {
    label: &'a str,
    facts: &'a [(String, String)],
    tally: BTreeMap<String, usize>,
}

impl<'a> Json<'a> {
    pub(super) fn new(report: &'a Report) -> Self {
        let machine = |machine: &'a Machine| MachineJson {
            label: &machine.label,
            facts: &machine.facts,
            tally: machine.tally.iter().map(|(verdict, count)| (verdict.to_string(), *count)).collect(),
        };
        Self {
            schema_version: super::SCHEMA_VERSION,
            machines: report.machines.iter().map(machine).collect(),
            claims: &report.claims,
        }
    }
}
