//! `repro rank`: a league table of implementations from stored runs.

use super::parameter::vertices;
use super::report::{OpenedRuns, open_runs};
use crate::graph::ElementType;
use crate::lists::count_of;
use crate::ranking::{
    Clock, List, Medium, Options, Ranking, counted_grid, grid, left_out_lines, notes, rank, sources,
};
use crate::report::text::Grid;
use crate::timing::Scope;
use repro_terminal::output::{self, complain, print, show};
use repro_terminal::terminal_width;
use repro_terminal::{Error, Exit};
use serde::Serialize;
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  repro rank results/reference --n 4096
  repro rank results/reference --n 1024,16384 --elements f32 --top 5
  repro rank results/runs/table1-20261121T030000Z --markdown
  repro rank results/reference --n 8192 --scope host
      by the host's clock, both copies included: GPU and CPU in one list

A RUN is the folder of one run, or a folder with runs below it. Without any, the runs in ./results are taken. Runs of one machine are ranked together. Of a cell that several measured, one alone on the device counts before one in turn with another build, then the newest build, then the most samples.

Only equal clocks stand in one list: by GPU events, or by the host's clock. What the emulated device counted has no time, and is listed by the global memory that it moves.

Exit codes:
  0  done
  1  done, but a run could not be read
  2  nothing to rank, or wrong arguments")]
pub struct Arguments {
    /// Folders of runs, or folders with runs below them
    #[arg(value_name = "RUN", default_value = "results", hide_default_value = true)]
    runs: Vec<PathBuf>,
    /// Only these numbers of vertices
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = vertices)]
    n: Vec<usize>,
    /// Only these types of distance
    #[arg(long, visible_alias = "type", value_name = "TYPE,...", value_delimiter = ',')]
    elements: Vec<ElementType>,
    /// Which time to rank by: kernel (launches alone), device (with layout changes), total (with both copies), host (the same by the host's
    /// clock), or another scope that is the time of a whole solve
    #[arg(long, default_value = "kernel", value_parser = scope)]
    scope: Scope,
    /// Only the first so many places of each list
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    top: Option<u32>,
    /// Also lists of one implementation alone, and each set of parameters in a place of its own
    #[arg(long)]
    all: bool,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
    /// Print tables in Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Json<'a> {
    schema_version: u32,
    #[serde(flatten)]
    ranking: &'a Ranking,
    notes: Vec<String>,
}

const SCHEMA_VERSION: u32 = 1;

pub fn run(arguments: &Arguments) -> Result<Exit, Error> {
    let OpenedRuns { runs, unread, smoke } = open_runs(&arguments.runs, std::convert::identity)?;
    for error in unread.iter().chain(&smoke) {
        complain(&format!("left out: {error}"));
    }
    let options = Options {
        scope: arguments.scope,
        sizes: arguments.n.clone(),
        elements: arguments.elements.clone(),
        every_parameter: arguments.all,
        top: arguments.top.map(|top| top as usize),
    };
    let mut ranking = rank(&runs, &options);
    if ranking.lists.is_empty() && ranking.counted.is_empty() {
        return Err(nothing(arguments, &ranking).into());
    }
    let alone = if arguments.all || !arguments.n.is_empty() { 0 } else { ranking.drop_lists_of_one() };
    let mut notes = notes(&ranking);
    if alone > 0 {
        let (are, them) = if alone == 1 { ("is", "it") } else { ("are", "them") };
        let lists = count_of(alone, "list");
        notes.push(format!("{lists} of one implementation alone {are} left out; --all or --n has {them}."));
    }
    match (arguments.json, arguments.markdown) {
        (true, _) => {
            let json = Json { schema_version: SCHEMA_VERSION, ranking: &ranking, notes };
            print(&output::json(&json)?)?;
        }
        (_, true) => print(&markdown(&ranking, &notes))?,
        _ => show(&terminal(&ranking, &notes, Some(terminal_width())))?,
    }
    Ok(if unread.is_empty() { Exit::Success } else { Exit::Failed })
}

/// Why there is no list, and what to do.
fn nothing(arguments: &Arguments, ranking: &Ranking) -> String {
    let left_out = left_out_lines(&ranking.left_out);
    let why = left_out.first().map_or(String::new(), |first| {
        let cells = count_of(ranking.left_out.len(), "cell");
        format!("; without a valid time: {cells}, the first being {first}")
    });
    let narrowed =
        !arguments.n.is_empty() || !arguments.elements.is_empty() || arguments.scope != Scope::Kernel;
    let remedy =
        if narrowed { "leave out --n, --elements or --scope" } else { "`repro run table1` measures" };
    format!("nothing to rank: no run given has a verified result of what was asked for{why}; {remedy}")
}

/// Every list as a table, with what stands below it.
fn grids(ranking: &Ranking, shown: Medium) -> impl Iterator<Item = (Grid, Option<String>)> {
    let more = |further: usize| (further > 0).then(|| format!("and {further} more"));
    let timed = ranking.lists.iter().map(move |list: &List| (grid(list, shown), more(list.further)));
    timed.chain(ranking.counted.iter().map(move |list| (counted_grid(list, shown), more(list.further))))
}

fn terminal(ranking: &Ranking, notes: &[String], width: Option<u16>) -> String {
    let mut text = String::new();
    for (grid, more) in grids(ranking, Medium::Terminal) {
        text += &grid.terminal(width);
        text += &more.map_or(String::new(), |more| format!("{more}\n"));
        text.push('\n');
    }
    text += &sources(ranking).map_or(String::new(), |grid| format!("{}\n", grid.terminal(width)));
    for line in notes {
        text += &format!("{line}\n");
    }
    if !ranking.left_out.is_empty() {
        text += "\nWithout a valid time:\n";
        left_out_lines(&ranking.left_out).iter().for_each(|line| text += &format!("  {line}\n"));
    }
    text
}

fn markdown(ranking: &Ranking, notes: &[String]) -> String {
    let mut text = String::new();
    for (grid, more) in grids(ranking, Medium::Document) {
        text += &format!("{}\n", grid.markdown());
        text += &more.map_or(String::new(), |more| format!("{more}\n\n"));
    }
    let item = |line: &String| format!("- {}\n", line.replace('<', "&lt;"));
    text.extend(notes.iter().map(item));
    if !ranking.left_out.is_empty() {
        text += "\nWithout a valid time:\n\n";
        text.extend(left_out_lines(&ranking.left_out).iter().map(item));
    }
    text
}

fn scope(text: &str) -> Result<Scope, String> {
    let known = Clock::scopes();
    known.iter().copied().find(|scope| scope.to_string() == text).ok_or_else(|| {
        let known: Vec<String> = known.iter().map(ToString::to_string).collect();
        format!("expected the time of a whole solve: one of {}", known.join(", "))
    })
}
