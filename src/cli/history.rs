//! `repro history`: adds what stored runs measured to the histories of their machines, and names the steps in them that nobody
//! acknowledged.

use super::EXIT_CODES;
use super::runs::{open_all, outside_of_runs};
use crate::lists::count_of;
use crate::measure::now;
use crate::regression::history::{
    AcknowledgedStep, History, UnacknowledgedStep, acknowledge, append, check, read_acknowledged,
    read_folder, rows_of, unacknowledged_steps,
};
use crate::report::history_words;
use repro_base::terminal::{Error, Exit, output};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

/// Add stored runs to the history of their machine, which reports draw as curves over time
///
/// Steps are named: times that changed and stayed changed for two nights. A line has all cells that stepped in one night by like amounts. A step that
/// is undone, or acknowledged with --accept, is named no more. accepted.csv beside the histories says who acknowledged it, when and why.
#[derive(clap::Args)]
#[command(after_help = format!("Examples:
  repro history results/runs/table1-20261121T030000Z
  repro history --accept \"the new driver; see its release notes\"

{EXIT_CODES}"))]
pub struct HistoryArgs {
    /// Folders of runs, or folders with runs below them. A run that is in the history already is not added again
    #[arg(value_name = "RUN", conflicts_with = "only")]
    runs: Vec<PathBuf>,
    /// The folder of histories, with one CSV file for each machine
    #[arg(long, value_name = "DIR", default_value = "results/history")]
    out: PathBuf,
    /// Acknowledge all steps that are named, for this reason, in the name that Git has for you (user.name), or else $USER
    #[arg(long, value_name = "WHY", conflicts_with = "runs")]
    accept: Option<String>,
    /// Acknowledge only steps of these implementations
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', requires = "accept")]
    only: Option<Vec<String>>,
}

/// Appends the runs, acknowledges steps if that is asked for, and names those that nobody acknowledged.
pub fn run(given: &HistoryArgs) -> Result<Exit, Error> {
    let folder = &given.out;
    outside_of_runs("--out", folder)?;
    if given.accept.as_ref().is_some_and(|why| why.trim().is_empty()) {
        return Err("--accept: the reason is empty: say why the times may stay as they are".into());
    }
    // Before anything is added: what is refused changes nothing. Nobody knows whether a damaged history has steps.
    let acknowledged = read_acknowledged(folder)?;
    let known = folder.is_dir().then(|| read_folder(folder)).transpose()?;
    known.into_iter().flat_map(|(_, damaged)| damaged).next().map_or(Ok(()), Err)?;
    let added = if given.runs.is_empty() { Exit::Success } else { add(given)? };
    // A run without times makes no folder.
    if !given.runs.is_empty() && !folder.is_dir() {
        return Ok(added);
    }
    let (histories, _) = read_folder(folder)?;
    let mut steps = unacknowledged_steps(&histories, &acknowledged);
    if given.accept.is_some() {
        accept(given, &histories, &mut steps)?;
    } else if given.runs.is_empty() && steps.is_empty() {
        let files = count_of(histories.len(), "file");
        output::show(&format!("no step that nobody acknowledged in {files}\n"))?;
    }
    output::show(&history_words::steps(&steps).iter().map(|line| format!("{line}\n")).collect::<String>())?;
    Ok(if steps.iter().any(|step| step.change.is_slower()) { Exit::Failed } else { added })
}

/// Acknowledges those of the steps that are meant, and leaves the others.
///
/// # Errors
/// When no history has an implementation that is named, or it cannot be written.
fn accept(given: &HistoryArgs, all: &[History], steps: &mut Vec<UnacknowledgedStep>) -> Result<(), Error> {
    let rows = all.iter().flat_map(|history| &history.rows);
    let known: BTreeSet<&str> = rows.map(|row| row.cell.implementation.as_str()).collect();
    if let Some(name) = given.only.iter().flatten().find(|name| !known.contains(name.as_str())) {
        let known = Vec::from_iter(known).join(", ");
        return Err(format!("--only {name}: no history has it; they have {known}").into());
    }
    // Git's name of the user, or else the system's.
    let asked = Command::new("git").args(["config", "user.name"]).output();
    let name = asked.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    let mut names = [name, std::env::var("USER").ok()].into_iter().flatten();
    let nameless = "--accept: in whose name? `git config --global user.name NAME` or USER=NAME in the environment says so";
    let who = names.find(|name| !name.trim().is_empty()).ok_or(nameless)?;
    let is_meant = |step: &mut UnacknowledgedStep| {
        given.only.as_ref().is_none_or(|only| only.contains(&step.change.after.cell.implementation))
    };
    let meant = steps.extract_if(.., is_meant);
    let (time, why) = (now(), given.accept.as_deref().unwrap_or_default());
    let row = |one: UnacknowledgedStep| AcknowledgedStep::new(&time, &who, why, &one.file, one.change.after);
    let rows: Vec<AcknowledgedStep> = meant.map(row).collect();
    let Some(first) = rows.first() else {
        return Ok(output::show("no such step: nothing was accepted\n")?);
    };
    let accepted = acknowledge(&given.out, &rows)?;
    Ok(output::show(&format!("{} accepted by {}\n", count_of(accepted, "step"), first.who))?)
}

/// Appends the runs, oldest first, and says what became of each.
fn add(given: &HistoryArgs) -> Result<Exit, Error> {
    let mut opened = open_all(&given.runs)?;
    opened.complain();
    let runs = &mut opened.runs;
    for run in runs.extract_if(.., |run| run.manifest.finished.is_none()) {
        let how_to_go_on = run.manifest.how_to_go_on(&run.folder);
        let unfinished = format!("{} is not finished: {how_to_go_on}", run.name());
        // Who names a run wants that run.
        if given.runs.contains(&run.folder) {
            return Err(unfinished.into());
        }
        output::complain(&format!("left out: {unfinished}"));
    }
    runs.sort_by(|a, b| a.manifest.started.cmp(&b.manifest.started));
    // Before the first is added: what is refused changes nothing.
    runs.iter().try_for_each(|run| check(&given.out, run))?;
    for run in &opened.runs {
        let name = run.name();
        if rows_of(run).is_empty() {
            output::show(&format!("{name}: no cell has a median: nothing to add\n"))?;
            continue;
        }
        let appended = append(&given.out, run)?;
        if let Some(torn) = history_words::torn(&appended.path, appended.torn_bytes, "was cut off") {
            output::show(&format!("note: {torn}\n"))?;
        }
        // At once: a later run may fail.
        output::show(&format!("{name}: {}\n", history_words::appended(&appended)))?;
    }
    Ok(opened.exit())
}
