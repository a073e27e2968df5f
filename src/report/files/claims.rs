//! The claims as rows, as Markdown and as JSON.

use crate::judge::{ANY_MACHINE, ClaimResult, ClaimRow, Effect};
use crate::report::page::kind_word;
use crate::report::words::{self, published, statement};
use crate::report::{Report, VerdictCounts};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A row for each result of a claim, or one row for a claim without results; each field has the name of its column.
pub(super) fn rows(report: &Report) -> Vec<Vec<(&'static str, String)>> {
    let every = |row: &ClaimRow| match row.results[..] {
        [] => vec![columns(row, None)],
        _ => row.all_results().map(|result| columns(row, Some(result))).collect(),
    };
    report.claims.iter().flat_map(every).collect()
}

fn columns(row: &ClaimRow, result: Option<&ClaimResult>) -> Vec<(&'static str, String)> {
    let of = |text: &dyn Fn(&ClaimResult) -> String| result.map(text).unwrap_or_default();
    let effect = |log: fn(Effect) -> f64| {
        let effect = result.and_then(|one| one.effect);
        effect.map_or(String::new(), |effect| format!("{:.4}", log(effect)))
    };
    vec![
        ("paper", row.paper.clone()),
        ("id", row.id.clone()),
        ("kind", kind_word(row.kind).to_string()),
        ("statement", statement(row)),
        ("place", row.place.clone()),
        ("published", published(row)),
        ("published_gpu", row.published_on.clone()),
        ("note", row.note.clone().unwrap_or_default()),
        ("machine", of(&|one| one.machine.clone())),
        ("evidence", of(&|_| row.evidence.map_or("", words::evidence).to_string())),
        ("verdict", of(&|one| one.verdict.to_string())),
        ("share", of(&|one| format!("{}/{}", one.share.held, one.share.of))),
        ("measured", of(&|one| words::measured(row, one))),
        ("log_ratio", effect(|of| of.log_ratio)),
        ("log_ratio_low", effect(|of| of.low)),
        ("log_ratio_high", effect(|of| of.high)),
        ("compared_as", of(&|_| words::compared_as(row))),
        ("reason", of(&|one| words::reason(row, one))),
        ("sensitivity", of(&words::sensitivity)),
        ("runs", of(&|one| one.runs.join(" "))),
        ("cards", of(&|one| one.cards.to_string())),
    ]
}

/// The claims in Markdown, one table for each paper.
pub(super) fn markdown(report: &Report) -> String {
    let mut text = String::from("# Claims\n");
    let mut paper = "";
    for row in &report.claims {
        if row.paper != paper {
            paper = &row.paper;
            let known = report.papers.iter().find(|one| one.id == *paper);
            let [title, source] = known.map_or([paper, ""], |one| [&one.title, &one.reference]).map(cell);
            text += &format!("\n## {title}\n\n{source}\n\n");
            text += "| claim | place | published | machine | measured | evidence | verdict | reason |\n";
            text += "|---|---|---|---|---|---|---|---|\n";
        }
        let claim = [&statement(row), &row.place, &published(row)].map(|part| cell(part)).join(" | ");
        let evidence = row.evidence.map_or("", words::evidence);
        if row.results.is_empty() {
            text += &format!("| {claim} |  |  |  | {} |  |\n", kind_word(row.kind));
        }
        for one in row.all_results() {
            let verdict = words::verdict(one);
            let (measured, reason) = (words::measured(row, one), words::reason(row, one));
            let result = [&one.machine, &measured, evidence, &verdict, &reason].map(cell).join(" | ");
            text += &format!("| {claim} | {result} |\n");
        }
    }
    text
}

/// The text escaped, so that it neither ends a cell nor becomes markup.
fn cell(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('\\', "\\\\")
        .replace('|', "\\|")
        .replace(['\n', '\r'], " ")
}

/// The schema version of `claims.json`: 2 added words to the values of claims, 3 the tests that claims need, 4 the fields of the files of
/// papers and a result by the paper's own numbers.
const CLAIMS_VERSION: u32 = 4;

/// All that the claims table shows, for programs.
#[derive(Serialize)]
pub(super) struct Json<'a> {
    schema_version: u32,
    machines: Vec<MachineJson<'a>>,
    claims: Vec<ClaimJson<'a>>,
}

/// A claim as values, with the words that the page has for its results.
#[derive(Serialize)]
struct ClaimJson<'a> {
    #[serde(flatten)]
    row: &'a ClaimRow,
    words: Vec<ResultWords>,
    /// The words for the result where the claim is judged on the numbers that its paper prints, not on a machine's.
    own_words: Option<ResultWords>,
}

impl<'a> ClaimJson<'a> {
    fn new(row: &'a ClaimRow) -> Self {
        let of = |result| ResultWords::new(row, result);
        Self { row, words: row.results.iter().map(of).collect(), own_words: row.own.as_ref().map(of) }
    }
}

/// A claim as `claims.json` has it.
///
/// # Errors
/// When it cannot be written as JSON.
pub fn claim_value(row: &ClaimRow) -> serde_json::Result<Value> {
    serde_json::to_value(ClaimJson::new(row))
}

/// The claims of the reference report that is built into the program; a test makes that report again.
///
/// # Errors
/// When that report is not valid.
pub fn stored_claims() -> serde_json::Result<Vec<Value>> {
    let mut report: Value = serde_json::from_str(include_str!("../../../report/reference/claims.json"))?;
    serde_json::from_value(report["claims"].take())
}

/// What became of a claim on one machine.
#[derive(Serialize, Deserialize)]
pub struct ResultWords {
    /// The verdict with its share.
    pub verdict: String,
    /// The figures; or how to measure them, or why there are none.
    pub in_short: String,
    compared_as: String,
    pub measured: String,
    pub reason: String,
    pub sensitivity: String,
}

impl ResultWords {
    fn new(row: &ClaimRow, of: &ClaimResult) -> Self {
        Self {
            verdict: words::verdict(of),
            in_short: words::in_short(row, of),
            compared_as: words::compared_as(row),
            measured: words::measured(row, of),
            reason: words::reason(row, of),
            sensitivity: words::sensitivity(of),
        }
    }
}

#[derive(Serialize)]
struct MachineJson<'a> {
    label: &'a str,
    facts: &'a [(&'static str, String)],
    /// Counts of verdicts by kind of evidence; "one-sided" counts those of the REPRODUCED that hold a bound on one side only.
    tally: BTreeMap<&'static str, BTreeMap<String, usize>>,
}

impl<'a> MachineJson<'a> {
    fn new(label: &'a str, facts: &'a [(&'static str, String)], verdicts: &[VerdictCounts]) -> Self {
        let counts = |of: &VerdictCounts| {
            let by_verdict = of.counts.iter().map(|(verdict, count)| (verdict.to_string(), *count));
            by_verdict.chain([("one-sided".to_string(), of.one_sided)]).collect()
        };
        let tally = verdicts.iter().map(|of| (words::evidence(of.kind), counts(of))).collect();
        Self { label, facts, tally }
    }
}

impl<'a> Json<'a> {
    pub(super) fn new(report: &'a Report) -> Self {
        let machines = report.machines.iter();
        let machines = machines.map(|one| MachineJson::new(&one.label, &one.facts, &one.verdicts));
        let any = (!report.any.is_empty()).then(|| MachineJson::new(ANY_MACHINE, &[], &report.any));
        Self {
            schema_version: CLAIMS_VERSION,
            machines: machines.chain(any).collect(),
            claims: report.claims.iter().map(ClaimJson::new).collect(),
        }
    }
}
