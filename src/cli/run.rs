//! `repro run`

mod claim_summary;
mod ending;
mod next;

use super::cells::{CellArgs, CellChoice};
use super::runs::{folder_for, folder_name, new_manifest};
use super::session::RunSession;
use super::{EXIT_CODES, smoke};
use crate::distributed::team::Launch;
use crate::lists::{count_of, distinct};
use crate::measure::{Outcome, Rendezvous, RunError, now, resume, serve_as_member, this_build};
use crate::plan::Experiment;
use crate::results::StoredRun;
use crate::store::{Journal, JournalError, Manifest, NewFolders, SampleRow, Status, cells};
use claim_summary::ClaimSummary;
use clap::{Arg, Args, Command};
use ending::EndText;
use repro_base::terminal::{Error, Exit, end_interrupted, output, say_when_interrupted};
use std::path::{Path, PathBuf};

/// Measure an experiment, for example `repro run table1`
#[derive(clap::Args)]
// --resume takes its cells from the run's folder, and --smoke one small size of each: options that choose cells conflict with both.
#[command(mut_args(keep_apart), after_help = format!("Examples:
  repro run table1      measures into a new folder below results/runs
  repro run table1 --device cpu --sizes 256,512 --only cpu-naive,cpu-parallel
  repro run --resume results/runs/table1-20261121T030000Z
      continues a run that was stopped
  repro run --smoke     checks that everything works, at one small size each

{EXIT_CODES}"))]
pub struct RunArgs {
    /// An experiment's name (see `repro list`) or the path of its TOML file
    #[arg(required_unless_present_any = ["smoke", "resume"])]
    experiment: Option<String>,
    #[command(flatten)]
    cells: CellArgs,
    /// Check that everything works: each implementation of the experiment, or of every experiment where none is named, once at a small size
    #[arg(long, conflicts_with_all = ["resume", "no_counts", "json"])]
    smoke: bool,
    /// Folder for the records; it must not hold a run yet [default: results/runs/NAME-TIME]. Of several processes that srun, mpirun or
    /// torchrun started all need it, or --resume: they meet there
    #[arg(long, value_name = "DIR", value_parser = folder_name())]
    out: Option<PathBuf>,
    /// Continue the run in this folder with the options that it was started with; EXPERIMENT may be left out. What failed in it is tried
    /// again; a run that has finished is only printed, and never changed
    #[arg(long, value_name = "DIR", conflicts_with_all = ["device", "no_counts", "out"])]
    resume: Option<PathBuf>,
    /// Store the distances of each cell in this folder as one NumPy array, .npy, once they are verified; all processes must see it. No file
    /// that is there is written over. For experiments with `sharded = true`
    #[arg(long, value_name = "DIR", conflicts_with = "smoke")]
    distances: Option<PathBuf>,
    /// Do not count on the emulated device. By default a run also counts, on the CPU and after all times are measured, what claims by
    /// construction need, where the experiment has small sizes for it; without a GPU it counts where a GPU would have been timed
    #[arg(long)]
    no_counts: bool,
    /// Write no report. Without it the report of the run lies in the folder `report` of its folder, once every cell was run; a smoke run has
    /// none
    #[arg(long)]
    no_report: bool,
    /// Show no progress, and end with what was decided, where the tables and the report are, and what may follow
    #[arg(long, short)]
    quiet: bool,
    /// Print every table, claim and remark; without it a run ends with at most forty lines
    #[arg(long, conflicts_with = "smoke")]
    all: bool,
    /// Print the table of what the emulated device counted, whole, in place of the first table: launches, bytes a task, bank conflicts and
    /// barriers of each kernel. `counts.csv` of the run has every count
    #[arg(long, conflicts_with_all = ["all", "quiet", "json", "smoke"])]
    counts: bool,
    /// Print results, claims, the path of the report and next commands as JSON in place of tables
    #[arg(long)]
    json: bool,
}

fn keep_apart(argument: Arg) -> Arg {
    let choice = CellChoice::augment_args(Command::new(""));
    let is_choice = choice.get_arguments().any(|one| one.get_id() == argument.get_id());
    if is_choice { argument.conflicts_with_all(["smoke", "resume"]) } else { argument }
}

pub fn run(given: &RunArgs) -> Result<Exit, Error> {
    if given.smoke {
        let RunArgs { experiment, cells, out, quiet, .. } = given;
        return smoke::run(experiment.as_deref(), cells.device, out.as_deref(), *quiet);
    }
    // Before signals are caught: reading a graph from a pipe that nobody writes to does not end, and a signal must still end the program
    // then.
    let experiment = asked_for(given)?;
    let meeting = meeting(given, experiment.as_ref())?;
    if let Some((Launch { rank: 1.., .. }, meeting)) = &meeting {
        // Signals end this process at once: only the process of rank 0 has something to put in order, and the others notice that this one
        // is gone.
        serve_as_member(meeting).map_err(|failure| RunError::MemberLost(failure.message))?;
        return Ok(Exit::Success);
    }
    let mut session = RunSession::new(given.quiet, "cells")?;
    say_when_interrupted("interrupted before anything was measured".into());
    if let Some((_, meeting)) = meeting {
        session.worker = session.worker.in_team(meeting);
    }
    let (journal, _made) = match experiment {
        Some(mut experiment) => {
            session.probe(&mut experiment)?;
            let (folder, made) = folder_for(given.out.as_deref(), &experiment.name)?;
            (Journal::create(&folder, new_manifest(experiment))?, made)
        }
        None => (resume_run(given)?, NewFolders::default()),
    };
    let go_on = next::resume_command(given.experiment.as_deref(), journal.folder());
    say_when_interrupted(format!("interrupted; continue with: {go_on}"));
    session.progress.note(&format!("records: {}", journal.folder().display()));
    let was_over = journal.is_over();
    if let Some(time) = &journal.manifest().finished {
        let nothing = "nothing is measured, and nothing in it is changed";
        session.progress.note(&format!("this run finished on {time}: {nothing}"));
    }
    let ran = session.measure(journal);
    session.progress.finish();
    let (journal, outcome) = ran.map_err(|error| with_way_on(error, &go_on))?;
    if let (Outcome::Finished { .. }, Some(problem)) = (outcome, nothing_ran(journal.samples())) {
        if given.resume.is_none() {
            journal.discard_empty()?;
        }
        return Err(problem.into());
    }
    let run = StoredRun::of(&journal);
    let has_page = !given.no_report && outcome != Outcome::Interrupted;
    let page = has_page.then(|| ending::page(&run, was_over)).flatten();
    let next = next::next(&run, &go_on, page.is_some());
    let ending = EndText { run: &run, claims: &ClaimSummary::of(&run)?, next: &next, page: page.as_deref() };
    match given {
        RunArgs { json: true, .. } => output::print(&ending.json(outcome)?)?,
        RunArgs { all: true, .. } => output::show(&ending.all())?,
        RunArgs { quiet: true, .. } => output::show(&ending.brief())?,
        RunArgs { counts: true, .. } => output::show(&ending.counts())?,
        _ => output::show(&ending.short())?,
    }
    match outcome {
        Outcome::Finished { failed: 0 } => return Ok(Exit::Success),
        Outcome::Finished { failed } => complain_of_failed(failed, &journal, &go_on),
        Outcome::Interrupted => return Ok(end_interrupted()),
    }
    Ok(Exit::Failed)
}

/// The experiment of a new run, with what else was asked for; none where a run is resumed.
fn asked_for(given: &RunArgs) -> Result<Option<Experiment>, Error> {
    let (Some(name), None) = (&given.experiment, &given.resume) else { return Ok(None) };
    let mut experiment = given.cells.resolve(name)?;
    if given.no_counts {
        if given.cells.device.is_emulated() {
            let remedy = "leave it out, or choose another device with --device";
            return Err(format!("--no-counts: the emulated device only counts: {remedy}").into());
        }
        experiment = experiment.without_counts();
    }
    experiment.distances = distances(given, &experiment)?;
    Ok(Some(experiment))
}

/// The error that stopped a run and, where the run can be continued, the command for that.
fn with_way_on(error: RunError, go_on: &str) -> Error {
    let told = format!("{error}; continue with: {go_on}");
    match error {
        RunError::MemberLost(_) => RunError::MemberLost(told).into(),
        RunError::Worker(_) | RunError::Journal(JournalError::Record(_)) => told.into(),
        error => error.into(),
    }
}

fn complain_of_failed(failed: usize, journal: &Journal, how_to_resume: &str) {
    let again = format!("try them again with: {how_to_resume}");
    // Continuing it would change nothing.
    let over = "this run has finished, and is not altered: measure them in a new run";
    let remedy = if journal.is_over() { over } else { &again };
    let all = count_of(cells(journal.manifest()).len(), "cell");
    output::complain(&format!("without a valid time: {failed} of {all}; samples.csv says why; {remedy}"));
}

/// Why no cell of a run could run, and what to do. None where at least one ran, even with a failure.
fn nothing_ran(samples: &[SampleRow]) -> Option<String> {
    let reasons = distinct(samples.iter().map(|row| row.message.as_str())).join("; ");
    let reasons = if reasons.is_empty() { "none of its implementations runs there" } else { &reasons };
    let remedy = "choose others with --sizes, --only or --device, or see `repro doctor`";
    let is_nothing = samples.iter().all(|row| row.status == Status::Skipped);
    is_nothing.then(|| format!("nothing was measured: {reasons}; {remedy}"))
}

/// Where distances are to be stored, absolute, where they are sharded.
fn distances(given: &RunArgs, experiment: &Experiment) -> Result<Option<PathBuf>, Error> {
    let Some(given) = &given.distances else { return Ok(None) };
    if experiment.sharded {
        return Ok(Some(std::path::absolute(given)?));
    }
    let problem = "has no `sharded = true`, and its distances cannot be stored";
    Err(format!("--distances: {} {problem}", experiment.name).into())
}

/// Who this process is among several that solve together in a run, and where they meet; none where it is alone. None, too, where the
/// experiment is not sharded, as each process then runs for itself, or where the run has finished.
fn meeting(given: &RunArgs, new: Option<&Experiment>) -> Result<Option<(Launch, Rendezvous)>, Error> {
    // Most runs have no launcher, and need not be read for this.
    let Some(launch) = Launch::of_this_process().transpose() else { return Ok(None) };
    let stored = || {
        let run = StoredRun::open(given.resume.as_deref()?).ok()?;
        run.manifest.finished.is_none().then_some(run.manifest.experiment)
    };
    let experiment = new.cloned().or_else(stored).filter(|experiment| experiment.sharded);
    let Some(experiment) = experiment else { return Ok(None) };
    let launch = launch?;
    let missing = "several processes meet in the folder of their run: name one that all see with --out DIR or --resume DIR";
    let folder = given.out.clone().or_else(|| given.resume.clone()).ok_or(missing)?;
    Ok(Some((launch, Rendezvous { folder, device: experiment.device })))
}

/// The run that is resumed, unless another build has measured some of it.
fn resume_run(given: &RunArgs) -> Result<Journal, Error> {
    let folder = given.resume.as_deref().ok_or("there is no run to start or to resume")?;
    let mut journal = resume(folder)?;
    let Manifest { experiment, build, finished, .. } = journal.manifest();
    let named = folder.display();
    // Of the path of an experiment file only the file's name without `.toml` counts.
    let asked = given.experiment.as_ref().and_then(|name| Path::new(name).file_stem());
    if let Some(asked) = asked.filter(|asked| **asked != *experiment.name) {
        let (of, asked) = (&experiment.name, asked.display());
        let remedy = format!("leave {asked} out, or name another folder");
        return Err(format!("{named} holds a run of {of}, not of {asked}: {remedy}").into());
    }
    let is_over = finished.is_some();
    if !is_over && !journal.samples().is_empty() && *build != this_build() {
        let problem = "results must not be mixed; start a new run";
        let commit = &build.commit;
        let build = format!("another build of repro (commit {commit})");
        return Err(format!("{named} was measured by {build}: {problem}").into());
    }
    let distances = distances(given, experiment)?;
    journal.change_manifest(|manifest| {
        if !is_over {
            manifest.resumed.push(now());
            manifest.build = this_build();
        }
        manifest.experiment.distances = distances;
    })?;
    Ok(journal)
}
