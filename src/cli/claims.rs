//! `repro claims`: what the papers claim, what each claim needs, and what stored runs say of it.

use super::report::{OpenedRuns, open_runs};
use crate::judge::{ClaimResult, ClaimRow, Evidence, Lack, Verdict, evaluate};
use crate::lists::nearest;
use crate::published::{PublishedPaper, published_papers};
use crate::report;
use repro_terminal::output::{complain, json, print, show};
use repro_terminal::{Error, Exit};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  repro claims
      a line a claim: its verdict by the runs in ./results, or the command that measures what it needs
  repro claims lund-smith-2010
  repro claims staged-over-kk --runs results/reference
  repro claims --paper experiments/published/my-paper")]
pub struct Arguments {
    /// A paper or a claim; all when left out
    #[arg(value_name = "PAPER|ID")]
    name: Option<String>,
    /// Folders of runs, or folders with runs below them [default: ./results, where there is one]
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
    let given = match &arguments.runs[..] {
        [] => [PathBuf::from("results")].into_iter().filter(|folder| folder.is_dir()).collect(),
        given => given.to_vec(),
    };
    let OpenedRuns { runs, unread, .. } = open_runs(&given)?;
    unread.iter().for_each(|error| complain(&format!("left out: {error}")));
    let rows = match runs.is_empty() {
        // What claims need is the same on any machine.
        true => evaluate(&papers, &[&Evidence::new("none", &[], &[])]),
        false => report::claims(&runs, &papers),
    };
    let rows: Vec<ClaimRow> = rows.into_iter().filter(|row| wanted(row)).collect();
    if arguments.json {
        print(&json(&rows)?)?;
        return Ok(Exit::Success);
    }
    let is_one = arguments.name.as_ref().is_some_and(|name| papers.iter().all(|paper| paper.id != *name));
    let mut text = String::new();
    for paper in &papers {
        let mut of_paper = rows.iter().filter(|row| row.paper == paper.id).peekable();
        if of_paper.peek().is_some() {
            text += &format!("{}: {}\n", paper.id, paper.cited());
        }
        text += &of_paper.map(|row| if is_one { whole(row) } else { line(row) }).collect::<String>();
    }
    if arguments.name.is_none() {
        text += &format!("{}\n", report::count(&papers, rows.iter()));
    }
    show(&text)?;
    Ok(Exit::Success)
}

/// Which claims are wanted. What contradicts itself is no claim.
///
/// # Errors
/// When no paper and no claim has this name: what may be meant.
fn chosen<'a>(
    papers: &'a [PublishedPaper],
    name: Option<&'a str>,
) -> Result<impl Fn(&ClaimRow) -> bool + 'a, Error> {
    let columns = papers.iter().flat_map(PublishedPaper::columns_as_claims).map(|claim| claim.id);
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
fn line(row: &ClaimRow) -> String {
    let results = row.results.iter().map(|result| {
        format!("      {}{}: {}\n", report::verdict(result), on(row, result), in_short(row, result))
    });
    format!("  {}: {}\n{}", row.id, report::statement(row), results.collect::<String>())
}

/// The figure, or what would bring one.
fn in_short(row: &ClaimRow, result: &ClaimResult) -> String {
    match (&result.lack, &row.run) {
        (Some(Lack::Needs { .. }), Some(run)) => {
            let first = if report::needs_gpu(row) { "needs a GPU; then: " } else { "" };
            format!("{first}repro run {run}")
        }
        (Some(_), _) if result.shown.is_none() => report::reason(row, result),
        _ => report::figures(row, result),
    }
}

/// All that there is to say of a claim.
fn whole(row: &ClaimRow) -> String {
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
    for result in &row.results {
        let is_decided = result.verdict.is_decided();
        let measured =
            if is_decided { format!("{}. ", report::measured(row, result)) } else { String::new() };
        let verdict = format!("{}{}", report::verdict(result), on(row, result));
        text += &format!("  {verdict}: {measured}{}\n", report::reason(row, result));
        if result.verdict != Verdict::NotMeasured && !result.runs.is_empty() {
            text += &format!("      by {}. {}\n", result.runs.join(", "), report::sensitivity(result));
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

/// The machine, where there are several.
fn on(row: &ClaimRow, result: &ClaimResult) -> String {
    match row.results.len() {
        1 => String::new(),
        _ => format!(" on {}", result.machine),
    }
}
