//! `repro run --smoke`: every experiment at one small size, to see that everything works.

use super::runs::{folder_for, new_manifest};
use super::session::{RunSession, failed_of};
use crate::device::Selection;
use crate::lists::distinct;
use crate::plan::ConfigError::{self, NeedsClone, With};
use crate::plan::{Experiment, available_experiments, load_experiment, smoke};
use crate::results::{StoredRun, SummaryRow};
use crate::store::{Journal, Manifest, Purpose, Status};
use repro_base::terminal::{Error, Exit, Progress, output, say_when_interrupted};
use std::collections::BTreeSet;
use std::path::Path;

/// Failures of one experiment that are printed; the records have all.
const MOST_FAILURES: usize = 5;

/// Runs the experiment `name`, or all where there is none, and prints of each what ran and what failed.
///
/// # Errors
/// When there is no such experiment or no such device, or records cannot be written.
pub fn run(name: Option<&str>, device: Selection, out: Option<&Path>, quiet: bool) -> Result<Exit, Error> {
    let mut session = RunSession::new(true, "cells")?;
    // All before the first is run: a mistake in one is found at once, and nothing is left behind.
    let (experiments, left_out) = planned(name, device)?;
    let (folder, _made) = folder_for(out, "smoke")?;
    let named = folder.display();
    if folder.read_dir()?.next().is_some() {
        return Err(format!("{named} is no empty folder: choose another with --out").into());
    }
    let remedy = "a smoke run is not continued: run it again";
    say_when_interrupted(format!("interrupted; what was run is in {named}; {remedy}"));
    let (mut failures, mut told) = (0, BTreeSet::new());
    for (at, experiment) in experiments.iter().enumerate() {
        let name = experiment.name.as_str();
        let manifest = Manifest { purpose: Purpose::Smoke, ..new_manifest(experiment.clone()) };
        let journal = Journal::create(&folder.join(name), manifest)?;
        // Failures are in its result: what would be noted of each cell is left out.
        let mut progress = Progress::new(quiet, "experiments");
        progress.progress(name, at, experiments.len(), None);
        let ran = session.measure(journal);
        progress.finish();
        let (journal, outcome) = ran?;
        failures += failed_of(outcome)?;
        output::print(&text(name, &StoredRun::of(&journal).results.summary, &mut told))?;
    }
    left_out.iter().for_each(|line| output::complain(line));
    let ended = if failures == 0 { "all right".into() } else { format!("{failures} FAILED") };
    output::print(&format!("{ended}; records, by which no claim is judged: {named}\n"))?;
    Ok(if failures == 0 { Exit::Success } else { Exit::Failed })
}

/// The small experiments, and a line for each that is left out: of all, those that this folder has no files for, or this device nothing to run.
fn planned(name: Option<&str>, device: Selection) -> Result<(Vec<Experiment>, Vec<String>), Error> {
    let names = name.map_or_else(available_experiments, |name| vec![name.to_string()]);
    let (mut experiments, mut left_out) = (Vec::new(), Vec::new());
    for each in &names {
        match load_experiment(each).and_then(|file| smoke(&file, device)) {
            Err(error @ (With { .. } | NeedsClone { .. } | ConfigError::Option { .. })) if name.is_none() => {
                left_out.push(format!("{each} is left out: {error}"));
            }
            experiment => experiments.push(experiment?),
        }
    }
    Ok((experiments, left_out))
}

/// A line on one experiment, and one below it for each failure and each reason to leave cells out that was not `told` before.
fn text(name: &str, summary: &[SummaryRow], told: &mut BTreeSet<String>) -> String {
    type Rows<'a> = Vec<&'a SummaryRow>;
    let (timed, rest): (Rows, Rows) = summary.iter().partition(|row| row.is_timed());
    let (counted, rest): (Rows, Rows) = rest.into_iter().partition(|row| row.status == Status::Counted);
    let (skipped, failed): (Rows, Rows) = rest.into_iter().partition(|row| row.status == Status::Skipped);
    let counts = [(&timed, "timed"), (&counted, "counted"), (&skipped, "left out"), (&failed, "FAILED")];
    let some = counts.iter().filter(|(rows, _)| !rows.is_empty());
    let counts: Vec<String> = some.map(|(rows, what)| format!("{} {what}", rows.len())).collect();
    let mut lines = vec![format!("{name:<20} {}", counts.join(", "))];
    let failure = |row: &&SummaryRow| format!("  {}: {}: {}", row.cell(), row.status, row.message);
    lines.extend(failed.iter().take(MOST_FAILURES).map(failure));
    let more = failed.len().saturating_sub(MOST_FAILURES);
    lines.extend((more > 0).then(|| format!("  and {more} more: see its samples.csv")));
    let reasons = distinct(skipped.iter().map(|row| row.message.clone()));
    let new = reasons.into_iter().filter(|reason| told.insert(reason.clone()));
    lines.extend(new.map(|reason| format!("  left out: {reason}")));
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_experiment_of_which_nothing_runs_on_a_device_is_left_out_with_its_reason() {
        crate::distributed::register();
        let emulated = Selection::Emulated(None);
        let (some, left_out) = planned(None, emulated).unwrap();
        assert!(some.len() > 20 && some.iter().all(|one| one.name != "cpu-cache"), "{}", some.len());
        assert!(left_out.iter().any(|line| line.starts_with("cpu-cache is left out: ")), "{left_out:?}");
        assert!(planned(Some("cpu-cache"), emulated).is_err());
    }
}
