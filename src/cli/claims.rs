//! `repro claims`: what the papers claim, what each claim needs, and what stored runs say of it.

use super::runs::open_all;
use crate::judge::{ANY_MACHINE, ClaimRow, OWN_NUMBERS, evaluate};
use crate::lists::{count_of, distinct, grouped, nearest};
use crate::published::{PublishedPaper, Test, published_papers};
use crate::report::text::{cited, list};
use crate::report::{self, ResultWords};
use repro_base::terminal::{Error, Exit, output};
use serde::Deserialize;
use serde_json::Value;
use std::path::PathBuf;

/// Print what the papers claim, what each claim needs, its verdict by stored runs, and the command that would decide it
///
/// Without a name each claim has a line: its verdict by the runs stored with this build, or the command that measures what it needs.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  repro claims staged-over-kk --runs results/reference
  repro claims --paper experiments/published/my-paper")]
pub struct ClaimsArgs {
    /// A paper or a claim; all when left out
    #[arg(value_name = "PAPER|ID")]
    name: Option<String>,
    /// Judge by these instead: folders of runs, or folders with runs below them [default: the runs stored with this build]
    #[arg(long, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// The folder of a paper that is not built in, with its paper.toml and claims.toml
    #[arg(long, value_name = "DIR")]
    paper: Option<PathBuf>,
    /// Print values instead
    #[arg(long)]
    json: bool,
}

pub fn run(given: &ClaimsArgs) -> Result<Exit, Error> {
    let papers = match &given.paper {
        Some(folder) => vec![PublishedPaper::open(folder)?],
        None => published_papers()?.to_vec(),
    };
    let name = given.name.as_deref();
    // What claims need is the same on any machine. What contradicts itself is no claim.
    let mut rows = chosen(evaluate(&papers, &[("none", &[])], &[]), name)?;
    rows.retain(|row| row.evidence.is_some());
    let judged = judged(given, &papers)?;
    let is_of = |row: &ClaimRow, value: &Value| value["paper"] == row.paper && value["id"] == row.id;
    let known = |row: &ClaimRow| match judged.iter().find(|value| is_of(row, value)) {
        Some(value) if value["results"].get(0).is_some() => Ok(value.clone()),
        _ => report::claim_value(row),
    };
    let values: Vec<Value> = rows.iter().map(known).collect::<Result<_, _>>()?;
    if given.json {
        output::print(&output::json(&values)?)?;
        return Ok(Exit::Success);
    }
    let is_one = name.is_some_and(|name| papers.iter().all(|paper| paper.id != name));
    let mut text = source(given, &judged)?;
    for (paper, of_paper) in grouped(rows.iter().zip(&values).map(|one| (&one.0.paper, one))) {
        let cited = papers.iter().find(|one| one.id == *paper).map(cited);
        text += &format!("{paper}: {}\n", cited.unwrap_or_default());
        for (row, value) in of_paper {
            let told = ClaimAnswer::deserialize(value)?;
            text += &if is_one { whole(row, &told) } else { line(row, &told) };
        }
    }
    if name.is_none() {
        text += &format!("{}\n", report::count(&papers, rows.iter()));
    }
    output::show(&text)?;
    Ok(Exit::Success)
}

/// What runs say of a claim, read from what a report has of it: the same whether the runs are stored with this build or given.
#[derive(Deserialize)]
struct ClaimAnswer {
    results: Vec<MachineAnswer>,
    words: Vec<ResultWords>,
    own_words: Option<ResultWords>,
}

#[derive(Deserialize)]
struct MachineAnswer {
    machine: String,
    runs: Vec<String>,
}

impl ClaimAnswer {
    /// That of the paper's own numbers, and each with its machine, where there are several, and its runs.
    fn results(&self) -> impl Iterator<Item = (String, &ResultWords, &[String])> {
        let on = |one: &MachineAnswer| match self.results.len() {
            1 => String::new(),
            _ => format!(" on {}", one.machine),
        };
        let own = self.own_words.iter().map(|words| (format!(" by {OWN_NUMBERS}"), words, &[][..]));
        let both = self.results.iter().zip(&self.words);
        own.chain(both.map(move |(one, words)| (on(one), words, &one.runs[..])))
    }
}

/// What a report has of each claim by the runs that are meant; nothing where none is.
///
/// # Errors
/// When a run that is named cannot be used.
fn judged(given: &ClaimsArgs, papers: &[PublishedPaper]) -> Result<Vec<Value>, Error> {
    if given.runs.is_empty() {
        return if given.paper.is_some() { Ok(Vec::new()) } else { Ok(report::stored_claims()?) };
    }
    let opened = open_all(&given.runs)?;
    opened.complain();
    Ok(report::claims(&opened.runs, papers).iter().map(report::claim_value).collect::<Result<_, _>>()?)
}

/// Whose verdicts these are, in a line.
fn source(given: &ClaimsArgs, judged: &[Value]) -> Result<String, Error> {
    let (whose, others) = match (&given.runs[..], &given.paper) {
        ([], Some(_)) => return Ok("No run is judged: `--runs RUN` names some.\n".to_string()),
        ([], None) => ("stored with this build", "; `--runs RUN` judges others"),
        _ => ("given", ""),
    };
    let all: Vec<ClaimAnswer> = judged.iter().map(ClaimAnswer::deserialize).collect::<Result<_, _>>()?;
    let deciding = || all.iter().flat_map(|told| &told.results).filter(|one| !one.runs.is_empty());
    let runs = count_of(distinct(deciding().flat_map(|one| &one.runs)).len(), "run");
    // What holds on any machine names none.
    let machines = deciding().map(|one| one.machine.clone()).filter(|machine| machine != ANY_MACHINE);
    let machines = list(&distinct(machines));
    let on = if machines.is_empty() { machines } else { format!(" on {machines}") };
    Ok(format!("Verdicts of the runs {whose}, {runs}{on}{others}.\n"))
}

/// The claims of a paper, the one of this name, or all.
///
/// # Errors
/// When no paper and no claim has this name: what may be meant.
fn chosen(mut rows: Vec<ClaimRow>, name: Option<&str>) -> Result<Vec<ClaimRow>, Error> {
    let Some(name) = name else { return Ok(rows) };
    let known: Vec<&str> = rows.iter().flat_map(|row| [row.paper.as_str(), &row.id]).collect();
    if !known.contains(&name) {
        let near = nearest(name, &known).map_or(String::new(), |near| format!("did you mean {near}? "));
        let all = "`repro claims` has all of them";
        return Err(format!("there is no paper and no claim '{name}': {near}{all}").into());
    }
    rows.retain(|row| row.paper == name || row.id == name);
    Ok(rows)
}

/// A claim in a line, and what is known of it on each machine.
fn line(row: &ClaimRow, told: &ClaimAnswer) -> String {
    let results =
        told.results().map(|(on, words, _)| format!("      {}{on}: {}\n", words.verdict, words.in_short));
    format!("  {}: {}\n{}", row.id, report::statement(row), results.collect::<String>())
}

/// All that there is to say of a claim.
fn whole(row: &ClaimRow, told: &ClaimAnswer) -> String {
    let on_gpu = if report::needs_gpu(row) { ", on a GPU" } else { "" };
    let facts = [
        ("where", row.place.clone()),
        ("published", report::published(row)),
        ("compared", report::compared_as(row)),
        ("needs", needs(row)),
        ("read by us", row.reading.clone().unwrap_or_default()),
        ("note", row.note.clone().unwrap_or_default()),
        ("measured by", row.run.as_ref().map_or(String::new(), |run| format!("repro run {run}{on_gpu}"))),
    ];
    let facts = facts.iter().filter(|(_, words)| !words.is_empty());
    let facts: String = facts.map(|(what, words)| format!("  {what}: {words}\n")).collect();
    let mut text = format!("  {}: {}\n{facts}", row.id, report::statement(row));
    for (on, words, runs) in told.results() {
        let ResultWords { verdict, measured, reason, sensitivity, .. } = words;
        let measured = if measured.is_empty() { String::new() } else { format!("{measured}. ") };
        text += &format!("  {verdict}{on}: {measured}{reason}\n");
        if !runs.is_empty() {
            text += &format!("      by {}. {sensitivity}\n", runs.join(", "));
        }
    }
    text
}

/// Every contender with the sizes, graphs and samples that it is needed with.
fn needs(row: &ClaimRow) -> String {
    let of_test = |test: &Test| {
        let mut words = distinct(test.contenders().map(report::contender)).join(" and ");
        let sizes: Vec<String> = test.all_sizes().iter().map(ToString::to_string).collect();
        if !sizes.is_empty() {
            words += &format!(" at n = {}", sizes.join(", "));
        }
        let edges: Vec<String> = test.edges_per_vertex.iter().map(ToString::to_string).collect();
        if !edges.is_empty() {
            words += &format!(" on graphs of {} edges a vertex", edges.join(", "));
        }
        if test.orders > 0 {
            words += &format!(", in {} orders of blocks and threads", test.orders);
        } else if !test.is_counted() {
            words += &format!(", {} samples each", test.samples);
        }
        words
    };
    distinct(row.tests.iter().map(of_test)).join("; ")
}
