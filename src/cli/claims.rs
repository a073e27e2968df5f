//! `repro claims`: what the papers claim, what each claim needs, and what stored runs say of it.

use super::report::{OpenedRuns, open_runs};
use crate::judge::{ANY_MACHINE, ClaimRow, OWN_NUMBERS, columns_as_claims, evaluate};
use crate::lists::{count_of, distinct, nearest};
use crate::published::{PublishedPaper, published_papers};
use crate::report::text::{cited, list};
use crate::report::{self, ResultWords};
use repro_base::terminal::output::{complain, json, print, show};
use repro_base::terminal::{Error, Exit};
use serde::Deserialize;
use serde_json::Value;
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  repro claims
      a line a claim: its verdict by the runs stored with this build, or the command that measures what it needs
  repro claims lund-smith-2010
  repro claims staged-over-kk --runs results/reference
  repro claims --paper experiments/published/my-paper")]
pub struct Arguments {
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

pub fn run(arguments: &Arguments) -> Result<Exit, Error> {
    let papers = match &arguments.paper {
        Some(folder) => vec![PublishedPaper::open(folder)?],
        None => published_papers()?,
    };
    let wanted = chosen(&papers, arguments.name.as_deref())?;
    // What claims need is the same on any machine.
    let rows = evaluate(&papers, &[("none", &[])], &[]);
    let (source, judged) = judged(arguments, &papers)?;
    let rows: Vec<ClaimRow> = rows.into_iter().filter(|row| wanted(row)).collect();
    let is_of = |row: &ClaimRow, value: &Value| value["paper"] == row.paper && value["id"] == row.id;
    let known = |row: &ClaimRow| match judged.iter().find(|value| is_of(row, value)) {
        Some(value) if value["results"].get(0).is_some() => Ok(value.clone()),
        _ => report::claim_value(row),
    };
    let values: Vec<Value> = rows.iter().map(known).collect::<Result<_, _>>()?;
    if arguments.json {
        print(&json(&values)?)?;
        return Ok(Exit::Success);
    }
    let is_one = arguments.name.as_ref().is_some_and(|name| papers.iter().all(|paper| paper.id != *name));
    let (mut text, mut paper) = (source + "\n", "");
    for (row, value) in rows.iter().zip(&values) {
        if row.paper != paper {
            paper = &row.paper;
            let cited = papers.iter().find(|one| one.id == paper).map(cited);
            text += &format!("{paper}: {}\n", cited.unwrap_or_default());
        }
        let told = Told::deserialize(value)?;
        text += &if is_one { whole(row, &told) } else { line(row, &told) };
    }
    if arguments.name.is_none() {
        text += &format!("{}\n", report::count(&papers, rows.iter()));
    }
    show(&text)?;
    Ok(Exit::Success)
}

/// What runs say of a claim, read from what a report has of it: the same whether the runs are stored with this build or given.
#[derive(Deserialize)]
struct Told {
    results: Vec<OnMachine>,
    words: Vec<ResultWords>,
    own_words: Option<ResultWords>,
}

#[derive(Deserialize)]
struct OnMachine {
    machine: String,
    runs: Vec<String>,
}

impl Told {
    /// That of the paper's own numbers, and each with its machine, where there are several, and its runs.
    fn results(&self) -> impl Iterator<Item = (String, &ResultWords, &[String])> {
        let on = |one: &OnMachine| match self.results.len() {
            1 => String::new(),
            _ => format!(" on {}", one.machine),
        };
        let own = self.own_words.iter().map(|words| (format!(" by {OWN_NUMBERS}"), words, &[][..]));
        let both = self.results.iter().zip(&self.words);
        own.chain(both.map(move |(one, words)| (on(one), words, &one.runs[..])))
    }
}

/// Whose verdicts these are, in a sentence, and what a report has of each claim by these runs.
///
/// # Errors
/// When a run that is named cannot be used.
fn judged(arguments: &Arguments, papers: &[PublishedPaper]) -> Result<(String, Vec<Value>), Error> {
    let (whose, values) = match (&arguments.runs[..], &arguments.paper) {
        ([], Some(_)) => return Ok(("No run is judged: `--runs RUN` names some.".to_string(), Vec::new())),
        ([], None) => ("stored with this build", report::stored_claims()?),
        (given, _) => {
            let OpenedRuns { runs, unread, .. } = open_runs(given)?;
            unread.iter().for_each(|error| complain(&format!("left out: {error}")));
            let rows = report::claims(&runs, papers);
            ("given", rows.iter().map(report::claim_value).collect::<Result<Vec<_>, _>>()?)
        }
    };
    let all: Vec<Told> = values.iter().map(Told::deserialize).collect::<Result<_, _>>()?;
    let deciding = || all.iter().flat_map(|told| &told.results).filter(|one| !one.runs.is_empty());
    let runs = distinct(deciding().flat_map(|one| &one.runs)).len();
    // What holds on any machine names none.
    let machines = deciding().map(|one| one.machine.clone()).filter(|machine| machine != ANY_MACHINE);
    let machines = list(&distinct(machines));
    let on = if machines.is_empty() { machines } else { format!(" on {machines}") };
    let others = if arguments.runs.is_empty() { "; `--runs RUN` judges others" } else { "" };
    Ok((format!("Verdicts of the runs {whose}, {}{on}{others}.", count_of(runs, "run")), values))
}

/// Which claims are wanted. What contradicts itself is no claim.
///
/// # Errors
/// When no paper and no claim has this name: what may be meant.
fn chosen<'a>(
    papers: &'a [PublishedPaper],
    name: Option<&'a str>,
) -> Result<impl Fn(&ClaimRow) -> bool + 'a, Error> {
    let columns = papers.iter().flat_map(columns_as_claims).map(|claim| claim.id);
    let claims = papers.iter().flat_map(|paper| &paper.claims).map(|claim| claim.id.clone());
    let known: Vec<String> =
        papers.iter().map(|paper| paper.id.clone()).chain(columns).chain(claims).collect();
    if let Some(name) = name.filter(|name| known.iter().all(|known| known != name)) {
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let near = nearest(name, &known).map_or(String::new(), |near| format!("did you mean {near}? "));
        return Err(
            format!("there is no paper and no claim '{name}': {near}`repro claims` has all of them").into()
        );
    }
    Ok(move |row: &ClaimRow| {
        row.evidence.is_some() && name.is_none_or(|name| row.paper == name || row.id == name)
    })
}

/// A claim in a line, and what is known of it on each machine.
fn line(row: &ClaimRow, told: &Told) -> String {
    let results =
        told.results().map(|(on, words, _)| format!("      {}{on}: {}\n", words.verdict, words.in_short));
    format!("  {}: {}\n{}", row.id, report::statement(row), results.collect::<String>())
}

/// All that there is to say of a claim.
fn whole(row: &ClaimRow, told: &Told) -> String {
    let mut text = format!("  {}: {}\n  where: {}\n", row.id, report::statement(row), row.place);
    let mut add = |what: &str, words: String| {
        if !words.is_empty() {
            text += &format!("  {what}: {words}\n");
        }
    };
    add("published", report::published(row));
    add("compared", report::compared_as(row));
    add("needs", needs(row));
    add("read by us", row.reading.clone().unwrap_or_default());
    add("note", row.note.clone().unwrap_or_default());
    let on_gpu = if report::needs_gpu(row) { ", on a GPU" } else { "" };
    add("measured by", row.run.as_ref().map_or(String::new(), |run| format!("repro run {run}{on_gpu}")));
    for (on, words, runs) in told.results() {
        let measured =
            if words.measured.is_empty() { String::new() } else { format!("{}. ", words.measured) };
        text += &format!("  {}{on}: {measured}{}\n", words.verdict, words.reason);
        if !runs.is_empty() {
            text += &format!("      by {}. {}\n", runs.join(", "), words.sensitivity);
        }
    }
    text
}

/// Every contender with the sizes, graphs and samples that it is needed with.
fn needs(row: &ClaimRow) -> String {
    let of_test = |test: &crate::published::Test| {
        let names: Vec<String> = crate::lists::distinct(test.contenders().map(report::contender));
        let sizes: Vec<String> = test.all_sizes().iter().map(ToString::to_string).collect();
        let at = if sizes.is_empty() { String::new() } else { format!(" at n = {}", sizes.join(", ")) };
        let edges: Vec<String> = test.edges_per_vertex.iter().map(ToString::to_string).collect();
        let graphs = match edges.is_empty() {
            true => String::new(),
            false => format!(" on graphs of {} edges a vertex", edges.join(", ")),
        };
        let samples = match (test.orders, test.is_counted()) {
            (0, true) => String::new(),
            (0, false) => format!(", {} samples each", test.samples),
            (orders, _) => format!(", in {orders} orders of blocks and threads"),
        };
        format!("{}{at}{graphs}{samples}", names.join(" and "))
    };
    crate::lists::distinct(row.tests.iter().map(of_test)).join("; ")
}
