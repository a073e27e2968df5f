//! `repro run --smoke`: every experiment at one small size, to see that everything works.

use super::run::{fresh_folder, new_manifest};
use crate::device::Selection;
use crate::lists::distinct;
use crate::measure::{Observer, Outcome, RunError, Runner, WorkerProcess};
use crate::plan::{ConfigError, Experiment, available_experiments, load_experiment, smoke};
use crate::results::{StoredRun, SummaryRow};
use crate::store::{Journal, MadeFolders, Manifest, Purpose, Status};
use repro_base::terminal::output::{complain, print};
use repro_base::terminal::{
    Error, Exit, Progress, end_interrupted, say_when_interrupted, watch_for_interrupts,
};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Stands for all experiments, and is the name of none.
pub const ALL: &str = "";
/// Failures of one experiment that are printed; the records have all.
const MOST_FAILURES: usize = 5;

/// Runs the experiment `name`, or all, and prints of each what ran and what failed.
///
/// # Errors
/// When there is no such experiment or no such device, or records cannot be written.
pub fn run(name: &str, device: Selection, out: Option<&Path>, quiet: bool) -> Result<Exit, Error> {
    // All before the first is run: a mistake in one is found at once, and nothing is left behind.
    let (experiments, left_out) = planned(name, device)?;
    let interrupted = watch_for_interrupts()?;
    let (folder, _folders) = folder(out)?;
    say_when_interrupted(format!(
        "interrupted; what was run is in {}; a smoke run is not continued: run it again",
        folder.display()
    ));
    let mut worker = WorkerProcess::new(std::env::current_exe()?, interrupted.clone());
    let (mut failures, mut told) = (0, BTreeSet::new());
    for experiment in &experiments {
        let manifest = Manifest { purpose: Purpose::Smoke, ..new_manifest(experiment.clone()) };
        let mut journal = Journal::create(&folder.join(&experiment.name), manifest)?;
        let mut progress = Progress::new(quiet, "cells");
        let mut observer = Under { name: &experiment.name, progress: &mut progress };
        let ran = Runner::new(&mut worker, &mut journal, &mut observer, &interrupted).run();
        progress.finish();
        match ran {
            Ok(Outcome::Finished { failed }) => failures += failed,
            Ok(Outcome::Interrupted) => return Ok(end_interrupted()),
            Err(error) => {
                // What was asked for cannot be had, by no experiment.
                if matches!(error, RunError::Input(_)) {
                    journal.withdraw()?;
                }
                return Err(error.into());
            }
        }
        let results = StoredRun::of(&journal).results;
        print(&text(&experiment.name, &results.summary, &mut told))?;
    }
    left_out.iter().for_each(|line| complain(line));
    print(&format!("records, which no claim is judged by: {}\n", folder.display()))?;
    Ok(if failures == 0 { Exit::Success } else { Exit::Failed })
}

/// The small experiments, and a line for each that is left out: of all, those that this folder has no files for.
fn planned(name: &str, device: Selection) -> Result<(Vec<Experiment>, Vec<String>), Error> {
    let names = if name == ALL { available_experiments() } else { vec![name.to_string()] };
    let (mut experiments, mut left_out) = (Vec::new(), Vec::new());
    for each in &names {
        match load_experiment(each) {
            Err(error @ (ConfigError::With { .. } | ConfigError::NeedsClone { .. })) if name == ALL => {
                left_out.push(format!("{each} is left out: {error}"));
            }
            file => experiments.push(smoke(&file?, device)?),
        }
    }
    Ok((experiments, left_out))
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

/// A line on one experiment, and one below it for each failure and each reason to leave cells out that was not `told` before.
fn text(name: &str, summary: &[SummaryRow], told: &mut BTreeSet<String>) -> String {
    let of = |status: Status| summary.iter().filter(move |row| !row.is_timed() && row.status == status);
    let is_failure =
        |row: &&SummaryRow| !row.is_timed() && !matches!(row.status, Status::Skipped | Status::Counted);
    let failed: Vec<&SummaryRow> = summary.iter().filter(is_failure).collect();
    let counts = [
        (summary.iter().filter(|row| row.is_timed()).count(), "timed"),
        (of(Status::Counted).count(), "counted"),
        (of(Status::Skipped).count(), "left out"),
        (failed.len(), "FAILED"),
    ];
    let some = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = some.map(|(count, what)| format!("{count} {what}")).collect();
    let mut text = format!("{name:<20} {}\n", counts.join(", "));
    for row in failed.iter().take(MOST_FAILURES) {
        let _ = writeln!(text, "  {}: {}: {}", row.cell(), row.status, row.message);
    }
    if let Some(more) = failed.len().checked_sub(MOST_FAILURES).filter(|more| *more > 0) {
        let _ = writeln!(text, "  and {more} more: see its samples.csv");
    }
    for reason in distinct(of(Status::Skipped).map(|row| row.message.clone())) {
        if told.insert(reason.clone()) {
            let _ = writeln!(text, "  left out: {reason}");
        }
    }
    text
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

/// What is seen of a run while it goes on.
impl Observer for Progress {
    fn note(&mut self, line: &str) {
        self.note(line);
    }

    fn progress(&mut self, doing: &str, done: usize, of: usize, remaining_s: Option<f64>) {
        self.progress(doing, done, of, remaining_s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::StoredRun;

    #[test]
    fn what_is_left_out_has_its_reason_once_and_has_not_failed() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference/h200-x2/scaling");
        let summary = StoredRun::open(&folder).unwrap().results.summary;
        let reason = "  left out: needs 4 devices, and the CUDA driver sees 2\n";
        let mut told = BTreeSet::new();
        let first = text("scaling", &summary, &mut told);
        assert!(first.contains(" timed") && first.contains(reason) && !first.contains("FAILED"), "{first}");
        let again = text("scaling", &summary, &mut told);
        assert!(again.contains(" left out") && !again.contains(reason), "{again}");
    }
}
