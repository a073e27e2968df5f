//! `repro run --smoke`: a smoke run of every experiment, within a time that is kept.

mod budget;
mod tally;

use super::run::{fresh_folder, new_manifest};
use crate::device::Selection;
use crate::measure::{Executor, Observer, Outcome, RunError, Runner, WorkerProcess};
use crate::plan::{ConfigError, Experiment, available_experiments, load_experiment, smoke};
use crate::results::Results;
use crate::store::{Journal, MadeFolders, cells};
use budget::Budget;
pub use budget::{BUDGET_S, read as budget};
use repro_terminal::output::{complain, print};
use repro_terminal::{Error, Exit, Progress, end_interrupted, say_when_interrupted, watch_for_interrupts};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tally::{Ran, Tally};

/// Stands for all experiments, and is the name of none.
pub const ALL: &str = "";

/// Runs the experiment `name`, or all, and prints of each what ran, how long it took, and what failed.
///
/// # Errors
/// When there is no such experiment or no such device, or records cannot be written.
pub fn run(
    name: &str,
    device: Selection,
    out: Option<&Path>,
    quiet: bool,
    whole: Duration,
) -> Result<Exit, Error> {
    let begun = Instant::now();
    let names = if name == ALL { available_experiments() } else { vec![name.to_string()] };
    // All before the first is run: a mistake in one is found at once, and nothing is left behind.
    let mut of_files = Vec::new();
    let mut left_out = Vec::new();
    for each in &names {
        match load_experiment(each) {
            // Of all, what this folder has no files for is left out.
            Err(error @ (ConfigError::With { .. } | ConfigError::NeedsClone { .. })) if name == ALL => {
                left_out.push(format!("{each} is left out: {error}"));
            }
            loaded => of_files.push(loaded?),
        }
    }
    // Programs of others last: they start for seconds each, and the last has all the time that the others left.
    of_files.sort_by_key(|file| !file.with.is_empty());
    let experiments: Vec<Experiment> =
        of_files.iter().map(|file| smoke(file, device)).collect::<Result<_, _>>()?;
    let budget = Budget::new(watch_for_interrupts()?, begun, whole);
    let (folder, _folders) = folder(out)?;
    say_when_interrupted(format!(
        "interrupted; what was run is in {}; a smoke run is not continued: run it again",
        folder.display()
    ));
    let mut worker = WorkerProcess::new(std::env::current_exe()?, budget.stop());
    let mut tally = Tally::default();
    for (at, experiment) in experiments.iter().enumerate() {
        budget.allow_share(experiments.len() - at - 1);
        let Some(ran) = run_one(experiment, &folder, &mut worker, &budget, quiet)? else {
            return Ok(end_interrupted());
        };
        print(&ran.text())?;
        tally.add(ran);
    }
    left_out.iter().for_each(|line| complain(line));
    print(&tally.text(begun.elapsed(), &folder))?;
    Ok(if tally.is_right() { Exit::Success } else { Exit::Failed })
}

/// Runs one experiment into a folder of its own. None when the user stopped it.
fn run_one(
    experiment: &Experiment,
    folder: &Path,
    worker: &mut dyn Executor,
    budget: &Budget,
    quiet: bool,
) -> Result<Option<Ran>, Error> {
    let begun = Instant::now();
    let manifest = new_manifest(experiment.clone()).as_smoke_run();
    let mut journal = Journal::create(&folder.join(&experiment.name), manifest)?;
    let mut progress = Progress::new(quiet, "cells");
    let mut observer = Under { name: &experiment.name, progress: &mut progress };
    let stop = budget.stop();
    let ran = Runner::new(worker, &mut journal, &mut observer, &stop).run();
    progress.finish();
    let problem = match ran {
        Ok(Outcome::Finished { .. }) => None,
        Ok(Outcome::Interrupted) if budget.is_interrupted() => return Ok(None),
        Ok(Outcome::Interrupted) => Some("stopped, since its time was over".to_string()),
        Err(error @ RunError::Input(_)) => {
            // What was asked for cannot be had, by no experiment.
            journal.withdraw()?;
            return Err(error.into());
        }
        Err(error) => Some(error.to_string()),
    };
    let planned = cells(journal.manifest());
    Ok(Some(Ran {
        name: experiment.name.clone(),
        planned: planned.len(),
        summary: Results::of(&journal, &planned).summary,
        problem,
        took: begun.elapsed(),
        environment: journal.manifest().environment.clone(),
    }))
}

/// The folder for the folders of all experiments: a new one, or one that was named and holds nothing.
fn folder(out: Option<&Path>) -> Result<(PathBuf, MadeFolders), Error> {
    let Some(folder) = out else { return fresh_folder("smoke") };
    let is_taken = match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    };
    if is_taken {
        let problem = "is no empty folder: take away what is there, or choose another folder with --out";
        return Err(format!("{} {problem}", folder.display()).into());
    }
    Ok((folder.to_path_buf(), MadeFolders::default()))
}

/// The progress of one experiment among several. What it would note of each cell is left out: failures are in its result.
struct Under<'a> {
    name: &'a str,
    progress: &'a mut Progress,
}

impl Observer for Under<'_> {
    fn note(&mut self, _: &str) {}

    fn progress(&mut self, doing: &str, done: usize, of: usize, _: Option<f64>) {
        self.progress.progress(&format!("{}: {doing}", self.name), done, of, None);
    }
}
