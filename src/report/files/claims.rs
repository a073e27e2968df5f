//! The claims as rows, as Markdown and as JSON.

use crate::judge::{ANY_MACHINE, ClaimResult, ClaimRow};
use crate::report::page::kind_word;
use crate::report::words::{self, published, statement};
use crate::report::{Report, VerdictCounts};
use serde::{Deserialize, Serialize};
use serde_json::Value;
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
    "evidence",
    "verdict",
    "share",
    "measured",
    "log_ratio",
    "log_ratio_low",
    "log_ratio_high",
    "compared_as",
    "reason",
    "sensitivity",
    "runs",
];

/// One row a claim and machine, and one for a claim without any.
pub(super) fn rows(report: &Report) -> Vec<Vec<String>> {
    let of = |row: &ClaimRow, result: Option<&ClaimResult>| {
        let claim = [
            &row.paper,
            &row.id,
            kind_word(row.kind),
            &statement(row),
            &row.place,
            &published(row),
            &row.published_on,
            row.note.as_deref().unwrap_or_default(),
        ];
        let result = result.map_or(Default::default(), |one| {
            let logs = one.effect.map(|of| [of.log_ratio, of.low, of.high].map(|log| format!("{log:.4}")));
            let [log, low, high] = logs.unwrap_or_default();
            [
                one.machine.clone(),
                row.evidence.map_or("", words::evidence).to_string(),
                one.verdict.to_string(),
                format!("{}/{}", one.share.held, one.share.of),
                words::measured(row, one),
                log,
                low,
                high,
                words::compared_as(row),
                words::reason(row, one),
                words::sensitivity(one),
                one.runs.join(" "),
            ]
        });
        claim.into_iter().map(String::from).chain(result).collect()
    };
    let every = |row: &ClaimRow| match row.results[..] {
        [] => vec![of(row, None)],
        _ => row.all_results().map(|result| of(row, Some(result))).collect(),
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

/// Text that neither ends a cell nor is taken for markup.
fn cell(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('\\', "\\\\")
        .replace('|', "\\|")
        .replace(['\n', '\r'], " ")
}

/// Of `claims.json`: 2 since claims are values with their words beside them, 3 since they have the tests that they need, 4 since they have
/// the fields of the papers' files and a result by the paper's own numbers.
const CLAIMS_VERSION: u32 = 4;

/// All that the claims table shows, for programs.
#[derive(Serialize)]
pub(super) struct Json<'a> {
    schema_version: u32,
    machines: Vec<MachineJson<'a>>,
    claims: Vec<ClaimJson<'a>>,
}

/// A claim as values, and the words that the page has for them.
#[derive(Serialize)]
struct ClaimJson<'a> {
    #[serde(flatten)]
    row: &'a ClaimRow,
    words: Vec<ResultWords>,
    /// Of the result by the paper's own numbers.
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

/// The claims of the runs that are stored with this build, from the report that a test makes again.
///
/// # Errors
/// When that report is none.
pub fn stored_claims() -> serde_json::Result<Vec<Value>> {
    let mut report: Value = serde_json::from_str(include_str!("../../../report/reference/claims.json"))?;
    serde_json::from_value(report["claims"].take())
}

/// What became of a claim on one machine.
#[derive(Serialize, Deserialize)]
pub struct ResultWords {
    /// With its share.
    pub verdict: String,
    /// The figures, or what would bring some.
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
    /// By what the verdicts rest on; "one-sided" are those among the reproduced that hold a bound on one side.
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
