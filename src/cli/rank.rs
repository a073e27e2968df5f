//! `repro rank`: which implementation is fastest, from stored runs.

use super::parameter::vertices;
use super::runs::open_all;
use crate::graph::ElementType;
use crate::ranking::{RANKED_SCOPES, RankOptions, Ranking, rank};
use crate::report::{excluded, ranking_markdown, ranking_terminal};
use crate::store::Status;
use crate::timing::Scope;
use repro_base::terminal::{Error, Exit, output, terminal_width};
use serde::Serialize;
use std::path::PathBuf;

/// Rank implementations by stored runs: one table, from the fastest on
///
/// Places are among cells of one machine, clock (GPU events or the host's), kind of graph, type and n: each such group begins with place 1. What the
/// emulated device counted has no time and no place; `repro report` shows it.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  repro rank results/reference --n 4096
  repro rank results/reference --n 8192 --scope host
      by the host's clock, both copies included: GPU and CPU are compared")]
pub struct RankArgs {
    /// Folders of runs, or folders with runs below them; without any, the runs in ./results. Runs of one machine are ranked together. Of a cell that
    /// several measured, the newest counts, one in turn with another build only where no other did
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
    /// Only the first so many places of each group
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    top: Option<u32>,
    /// Also cells that no other was measured beside, and each set of parameters in a place of its own
    #[arg(long)]
    all: bool,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
    /// Print the table in Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Json<'a> {
    schema_version: u32,
    #[serde(flatten)]
    ranking: &'a Ranking,
}

const SCHEMA_VERSION: u32 = 2;

pub fn run(given: &RankArgs) -> Result<Exit, Error> {
    let opened = open_all(&given.runs)?;
    opened.complain();
    let options = RankOptions {
        scope: given.scope,
        sizes: given.n.clone(),
        elements: given.elements.clone(),
        every_parameter_set: given.all,
        top: given.top.map(|top| top as usize),
    };
    let ranking = rank(&opened.runs, &options);
    if ranking.cells.is_empty() {
        let why = excluded(&ranking).map_or(String::new(), |why| format!(". {why}"));
        let is_counted = ranking.excluded.iter().any(|cell| cell.status == Status::Counted);
        let counted = if is_counted { "; `repro report` shows what was counted" } else { "" };
        let remedy = "leave out --n and --elements, choose another --scope, or `repro run table1`";
        let problem = "no run given has a verified time of what was asked for";
        return Err(format!("nothing to rank: {problem}: {remedy}{counted}{why}").into());
    }
    if given.json {
        output::print(&output::json(&Json { schema_version: SCHEMA_VERSION, ranking: &ranking })?)?;
    } else if given.markdown {
        output::print(&ranking_markdown(&ranking))?;
    } else {
        output::show(&ranking_terminal(&ranking, terminal_width()))?;
    }
    Ok(opened.exit())
}

fn scope(text: &str) -> Result<Scope, String> {
    RANKED_SCOPES.into_iter().find(|scope| scope.to_string() == text).ok_or_else(|| {
        let known = RANKED_SCOPES.map(|scope| scope.to_string());
        format!("expected the time of a whole solve: one of {}", known.join(", "))
    })
}
