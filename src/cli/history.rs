//! `repro history`: adds what stored runs measured to the histories of their machines, and names the steps in them that nobody
//! acknowledged.

use super::folders::outside_of_runs;
use super::report::{OpenedRuns, open_runs};
use super::run::now;
use crate::lists::count_of;
use crate::regression::history::{
    Accepted, History, OpenStep, append, append_accepted, check, lines, open_steps, read_accepted,
    read_folder, rows_of,
};
use crate::store::git;
use repro_terminal::output::{complain, show};
use repro_terminal::{Error, Exit};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  repro history results/runs/table1-20261121T030000Z
  repro history results/reference --out /tmp/history
  repro history
      names the steps that are open in results/history
  repro history --accept \"the new driver; see its release notes\"

A RUN is the folder of one run, or a folder with runs below it. A run that is in the history already is not added again.

Steps are named on a line each: cells whose times changed and stayed changed. --accept acknowledges them, and they are not named again.
accepted.csv beside the histories says who did, when and why.

Exit codes:
  0  no step to slower is open
  1  one is; or a run below a folder, or another history than those that were
     added to, could not be read and was left out
  2  refused, as where a RUN itself cannot be read: nothing was changed")]
pub struct Arguments {
    /// Folders of runs, or folders with runs below them
    #[arg(value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// The folder of histories, with one CSV file for each machine
    #[arg(long, value_name = "DIR", default_value = "results/history")]
    out: PathBuf,
    /// Acknowledge all steps that are open in the histories, for this reason
    #[arg(long, value_name = "WHY", conflicts_with = "runs")]
    accept: Option<String>,
    /// Acknowledge only steps of these implementations
    #[arg(
        long,
        value_name = "NAME,...",
        value_delimiter = ',',
        requires = "accept",
        conflicts_with = "runs"
    )]
    only: Option<Vec<String>>,
}

/// Appends the runs, acknowledges steps if that is asked for, and names those that are open then.
pub fn run(arguments: &Arguments) -> Result<Exit, Error> {
    outside_of_runs("--out", &arguments.out)?;
    if arguments.accept.as_ref().is_some_and(|why| why.trim().is_empty()) {
        return Err("--accept: the reason is empty: say why the times may stay as they are".into());
    }
    // Before anything is added: what is refused changes nothing.
    let accepted = read_accepted(&arguments.out)?;
    let all_read = arguments.runs.is_empty() || add(arguments)?;
    // A run without times makes no folder.
    if !arguments.runs.is_empty() && !arguments.out.is_dir() {
        return Ok(if all_read { Exit::Success } else { Exit::Failed });
    }
    let (histories, damaged) = read_folder(&arguments.out)?;
    for error in &damaged {
        complain(&format!("left out: {error}"));
    }
    let mut open = open_steps(&histories, &accepted);
    if let Some(why) = &arguments.accept {
        refuse_unknown(arguments, &histories)?;
        open = accept(arguments, why, open)?;
    } else if arguments.runs.is_empty() && open.is_empty() {
        show("no step is open\n")?;
    }
    for line in lines(&open) {
        show(&format!("{line}\n"))?;
    }
    let is_good = all_read && damaged.is_empty() && !open.iter().any(OpenStep::is_slower);
    Ok(if is_good { Exit::Success } else { Exit::Failed })
}

/// Refuses names that no history has.
fn refuse_unknown(arguments: &Arguments, histories: &[History]) -> Result<(), Error> {
    let rows = histories.iter().flat_map(|history| &history.rows);
    let known: BTreeSet<&String> = rows.map(|row| &row.cell.implementation).collect();
    match arguments.only.iter().flatten().find(|name| !known.contains(name)) {
        Some(name) => {
            let known = Vec::from_iter(known.into_iter().map(String::as_str)).join(", ");
            Err(format!("--only {name}: no history has it; they have {known}").into())
        }
        None => Ok(()),
    }
}

/// Acknowledges what is open and meant. Gives what stays open.
fn accept<'a>(arguments: &Arguments, why: &str, open: Vec<OpenStep<'a>>) -> Result<Vec<OpenStep<'a>>, Error> {
    let is_meant = |one: &OpenStep| {
        arguments.only.as_ref().is_none_or(|only| only.contains(&one.id.cell.implementation))
    };
    let (time, who) = (now(), who());
    let (meant, others): (Vec<_>, Vec<_>) = open.into_iter().partition(is_meant);
    let rows: Vec<Accepted> = meant.into_iter().map(|one| Accepted::new(&time, &who, why, one.id)).collect();
    if rows.is_empty() {
        let of = arguments.only.as_ref().map(|only| format!(" of {}", only.join(", "))).unwrap_or_default();
        show(&format!("no step{of} is open: nothing was accepted\n"))?;
        return Ok(others);
    }
    append_accepted(&arguments.out, &rows)?;
    show(&format!("{} accepted by {who}\n", count_of(rows.len(), "step")))?;
    Ok(others)
}

/// Who acknowledges: git's name of the user, or else the system's.
fn who() -> String {
    let of_git = git(Path::new("."), &["config", "user.name"]).and_then(|name| String::from_utf8(name).ok());
    let names = [of_git, std::env::var("USER").ok()].into_iter().flatten();
    let mut names = names.map(|name| name.trim().to_string()).filter(|name| !name.is_empty());
    names.next().unwrap_or_else(|| "unknown".to_string())
}

/// Appends the runs, oldest first, and says what became of each. Tells whether all could be read.
fn add(arguments: &Arguments) -> Result<bool, Error> {
    let OpenedRuns { mut runs, unread, smoke } = open_runs(&arguments.runs, std::convert::identity)?;
    for error in unread.iter().chain(&smoke) {
        complain(&format!("left out: {error}"));
    }
    for run in runs.extract_if(.., |run| run.manifest.finished.is_none()) {
        let unfinished =
            format!("{} is not finished: {}", run.name(), run.manifest.how_to_go_on(&run.folder));
        // Who names a run wants that run.
        if arguments.runs.contains(&run.folder) {
            return Err(unfinished.into());
        }
        complain(&format!("left out: {unfinished}"));
    }
    runs.sort_by(|a, b| a.manifest.started.cmp(&b.manifest.started));
    // Before the first is added: what is refused changes nothing.
    runs.iter().try_for_each(|run| check(&arguments.out, run))?;
    for run in &runs {
        let name = run.name();
        if rows_of(run).is_empty() {
            show(&format!("{name}: no cell has a median: nothing to add\n"))?;
            continue;
        }
        let appended = append(&arguments.out, run)?;
        if let Some(notice) = &appended.notice {
            show(&format!("note: {}: {notice}\n", appended.path.display()))?;
        }
        // At once: a later run may fail.
        show(&format!("{name}: {appended}\n"))?;
    }
    Ok(unread.is_empty())
}
