//! `repro run`, and where commands may write.

mod ending;

use super::cells::{Cells, With};
use super::claim_summary::ClaimSummary;
use super::next::Purpose;
use super::{next, smoke};
use crate::distributed::team::Launch;
use crate::lists::{count_of, distinct};
use crate::measure::{
    Meeting, Outcome, RunError, Runner, WorkerProcess, probe_machine, resume, serve_as_member, this_build,
};
use crate::plan::Experiment;
use crate::regression::PastRun;
use crate::results::{StoredRun, host_findings, scope_rows};
use crate::store::{Journal, JournalError, MadeFolders, Manifest, SampleRow, Status, cells, is_run};
use clap::builder::{PathBufValueParser, TypedValueParser};
use ending::Ending;
use repro_base::terminal::{
    Error, Exit, Progress, end_interrupted, output, say_when_interrupted, watch_for_interrupts,
};
use repro_base::text::hides;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(clap::Args)]
// `--smoke` alone takes all experiments, and of a run that is resumed its folder knows it.
#[command(mut_arg("experiment", |name| name.required(false).required_unless_present_any(["smoke", "resume"])
    .default_value_ifs([
        ("smoke", clap::builder::ArgPredicate::IsPresent, smoke::ALL),
        ("resume", clap::builder::ArgPredicate::IsPresent, OF_FOLDER),
    ])), after_help = "Examples:
  repro run table1
      measures the experiment into a new folder below results/runs, and writes
      the report of it into that folder's report/, unless --no-report
  repro run table1 --device cpu --sizes 256,512 --only cpu-naive,cpu-parallel
  repro run --resume results/runs/table1-20261121T030000Z
      continues a run that was stopped
  repro run --smoke
      checks that everything works, at one small size of each experiment

Exit codes:
  0    done: all that could run was measured, and every result was right
  1    done, but a cell failed or a result was wrong; of several processes,
       one was lost or did not come
  2    not done: wrong arguments, input, device or records, or not one cell
       could run here
  130  interrupted: --resume continues the run; start a smoke run again")]
pub struct Arguments {
    #[command(flatten)]
    pub with: With,
    #[command(flatten)]
    cells: Cells,
    /// Check that everything works: each implementation of the experiment, or of every experiment where none is named, once at a small size
    #[arg(long, conflicts_with_all = [
            "resume", "sizes", "only", "parameters", "elements", "samples", "budget", "seed", "graph", "full", "no_counts", "json",
        ])]
    smoke: bool,
    /// Folder for the records; it must not hold a run yet [default: results/runs/NAME-TIME]. Of several processes that srun, mpirun or
    /// torchrun started all need it, or --resume: they meet there
    #[arg(long, value_name = "DIR", value_parser = folder_name())]
    out: Option<PathBuf>,
    /// Continue the run in this folder with the options that it was started with; EXPERIMENT may be left out. What failed in it is tried
    /// again; a run that has finished is only printed, and never changed
    #[arg(long, value_name = "DIR", conflicts_with_all = [
        "device", "sizes", "only", "parameters", "elements", "samples", "budget", "seed", "graph", "full", "no_counts", "out",
    ])]
    resume: Option<PathBuf>,
    /// Store the distances of each cell in this folder as one NumPy array, .npy, once they are verified; all processes must see it. No file
    /// that is there is written over. For experiments with `sharded = true`
    #[arg(long, value_name = "DIR", conflicts_with = "smoke")]
    distances: Option<PathBuf>,
    /// Count nothing on the emulated device. Without it a run on a GPU also has that device count, on the CPU and once all times are
    /// measured, what claims need that hold by construction, where the experiment has small sizes for it; and without a GPU it counts in
    /// place of one
    #[arg(long)]
    no_counts: bool,
    /// Write no report. Without it the report of the run lies in the folder `report` of its folder, once every cell was run; a smoke run has
    /// none
    #[arg(long)]
    no_report: bool,
    /// Show no progress, and end with at most three lines: what was decided, and where the tables and the report are
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

/// Stands for the experiment of the run that is resumed.
const OF_FOLDER: &str = "";

pub fn run(arguments: &Arguments) -> Result<Exit, Error> {
    if arguments.smoke {
        let Cells { experiment, device, .. } = &arguments.cells;
        return smoke::run(experiment, *device, arguments.out.as_deref(), arguments.quiet);
    }
    // Before signals are caught: a graph may come from a pipe that nobody writes to, and there they must end the program.
    let experiment = asked_for(arguments)?;
    let meeting = meeting(arguments, experiment.as_ref())?;
    if let Some((Launch { rank: 1.., .. }, meeting)) = &meeting {
        // Of all processes the first one alone has something to put in order. The others notice that this one is gone.
        return Ok(serve_as_member(meeting).map_or_else(|failure| lost(&failure.message), |()| Exit::Success));
    }
    let interrupted = watch_for_interrupts()?;
    say_when_interrupted("interrupted before anything was measured".into());
    let mut worker = WorkerProcess::new(std::env::current_exe()?, interrupted.clone());
    if let Some((_, meeting)) = meeting {
        worker = worker.in_team(meeting);
    }
    let progress = Progress::new(arguments.quiet, "cells");
    Session { arguments, interrupted, worker, progress }.measure(experiment)
}

/// The experiment of a new run, with what else was asked for; none where a run is resumed.
fn asked_for(arguments: &Arguments) -> Result<Option<Experiment>, Error> {
    let mut experiment = arguments.resume.is_none().then(|| arguments.cells.resolve()).transpose()?;
    if arguments.no_counts {
        if arguments.cells.device.is_emulated() {
            let problem = "the emulated device counts, and times nothing: leave it out, or choose another device with --device";
            return Err(format!("--no-counts: {problem}").into());
        }
        experiment = experiment.map(Experiment::without_counts);
    }
    if let Some(experiment) = &mut experiment {
        experiment.distances = distances(arguments, experiment)?;
    }
    Ok(experiment)
}

/// What it takes to measure.
struct Session<'a> {
    arguments: &'a Arguments,
    interrupted: Arc<AtomicBool>,
    worker: WorkerProcess,
    progress: Progress,
}

impl Session<'_> {
    /// Starts or resumes the run, and does it.
    fn measure(&mut self, experiment: Option<Experiment>) -> Result<Exit, Error> {
        let Some(mut experiment) = experiment else { return self.execute(resumed(self.arguments)?) };
        self.progress.progress("opening the device", 0, 0, None);
        // Before there is a folder: a device that is not there leaves none.
        match probe_machine(&mut self.worker, &mut experiment) {
            Err(RunError::MemberLost(problem)) => return Ok(lost(&problem)),
            here => drop(here?),
        }
        if self.interrupted.load(Ordering::Relaxed) {
            return Ok(end_interrupted());
        }
        // What was made for it goes again where it stays empty.
        let (folder, _made) = match &self.arguments.out {
            Some(folder) => (folder.clone(), MadeFolders::default()),
            None => fresh_folder(&experiment.name)?,
        };
        self.execute(Journal::create(&folder, new_manifest(experiment))?)
    }

    /// Measures what the records lack, and ends as that did. What was asked for and cannot be had leaves no records.
    fn execute(&mut self, mut journal: Journal) -> Result<Exit, Error> {
        let how_to_resume = next::resume_command(&self.arguments.cells.experiment, journal.folder());
        say_when_interrupted(format!("interrupted; continue with: {how_to_resume}"));
        self.progress.note(&format!("records: {}", journal.folder().display()));
        let (is_new, was_over) = (self.arguments.resume.is_none(), journal.is_over());
        if let Some(time) = journal.manifest().finished.as_ref() {
            self.progress.note(&format!(
                "this run finished on {time}: nothing is measured, and nothing in it is changed"
            ));
        }
        let ran = Runner::new(&mut self.worker, &mut journal, &mut self.progress, &self.interrupted).run();
        self.worker.leave();
        self.progress.finish();
        let outcome = match ran {
            Ok(outcome) => outcome,
            Err(error @ RunError::MemberLost(_)) => {
                return Ok(lost(&format!("{error}; continue with: {how_to_resume}")));
            }
            Err(error @ (RunError::Worker(_) | RunError::Journal(JournalError::Record(_)))) => {
                return Err(format!("{error}; continue with: {how_to_resume}").into());
            }
            Err(error) => {
                // The same command, once it can be done, shall not find half a run in its way.
                let nothing_done = is_new && journal.samples().iter().all(was_skipped);
                if nothing_done && matches!(error, RunError::Input(_)) {
                    journal.withdraw()?;
                }
                return Err(error.into());
            }
        };
        if let (Outcome::Finished { .. }, Some(problem)) = (outcome, nothing_ran(journal.samples())) {
            if is_new {
                journal.withdraw()?;
            }
            return Err(problem.into());
        }
        print_summary(self.arguments, &journal, outcome, was_over)?;
        match outcome {
            Outcome::Finished { failed: 0 } => return Ok(Exit::Success),
            Outcome::Finished { failed } => complain_of_failed(failed, &journal, &how_to_resume),
            Outcome::Interrupted => return Ok(end_interrupted()),
        }
        Ok(Exit::Failed)
    }
}

/// Prints tables and claims, or all of it as JSON, and writes the report.
fn print_summary(
    arguments: &Arguments,
    journal: &Journal,
    outcome: Outcome,
    was_over: bool,
) -> Result<(), Error> {
    let run = StoredRun::of(journal);
    let results = &run.results;
    let summary = ClaimSummary::by(&run)?;
    let page = match outcome {
        _ if arguments.no_report => None,
        _ if was_over => ending::there(&run),
        Outcome::Finished { .. } => ending::write(&run, arguments.resume.is_none()),
        Outcome::Interrupted => None,
    };
    let ended = next::Ended {
        experiment: &arguments.cells.experiment,
        is_over: journal.is_over(),
        has_page: page.is_some(),
    };
    let mut next = next::next(&run, &ended, &PastRun::below(Path::new("results")));
    if arguments.json {
        let result = serde_json::json!({
            "out": journal.folder(),
            "interrupted": outcome == Outcome::Interrupted,
            "summary": results.summary,
            "scopes": scope_rows(&cells(journal.manifest()), &results.times),
            "kernels": results.extra.kernel_times,
            "counts": results.extra.counts,
            "host_findings": host_findings(&journal.manifest().host_findings, &results.summary),
            "claims": summary.claims,
            "claims_in_part": summary.in_part,
            "report": page,
            "next": next,
        });
        return Ok(output::print(&output::json(&result)?)?);
    }
    // Standard error has it, whether or not it comes to this.
    next.retain(|one| one.purpose != Purpose::Resume);
    let ending = Ending { run: &run, claims: &summary, next: &next, page: page.as_deref() };
    Ok(output::show(&match arguments {
        Arguments { all: true, .. } => ending.all(),
        Arguments { quiet: true, .. } => ending.least(),
        Arguments { counts: true, .. } => ending.counts(),
        _ => ending.short(),
    })?)
}

fn complain_of_failed(failed: usize, journal: &Journal, how_to_resume: &str) {
    let remedy = match journal.is_over() {
        // Continuing it would change nothing.
        true => "this run has finished, and is not altered: measure them in a new run".to_string(),
        false => format!("try them again with: {how_to_resume}"),
    };
    output::complain(&format!(
        "{failed} of {} {} no valid time; samples.csv says why; {remedy}",
        count_of(cells(journal.manifest()).len(), "cell"),
        if failed == 1 { "has" } else { "have" }
    ));
}

fn was_skipped(row: &SampleRow) -> bool {
    row.status == Status::Skipped
}

/// Why not one cell of a run could run: the first reason, and what to do. None where one ran, rightly or not.
fn nothing_ran(samples: &[SampleRow]) -> Option<String> {
    if !samples.iter().all(was_skipped) {
        return None;
    }
    let reasons = distinct(samples.iter().map(|row| row.message.as_str()));
    let first = reasons.first().map_or_else(String::new, |reason| format!(": {reason}"));
    let more = match reasons.len().saturating_sub(1) {
        0 => String::new(),
        more => format!(" (and {})", count_of(more, "other reason")),
    };
    Some(format!(
        "nothing was measured{first}{more}; choose others with --sizes, --only or --device, or see `repro doctor`"
    ))
}

/// Where distances are to be stored, absolute, where they are sharded.
fn distances(arguments: &Arguments, experiment: &Experiment) -> Result<Option<PathBuf>, Error> {
    let given = arguments.distances.as_deref();
    if given.is_some() && !experiment.sharded {
        let problem = "has no `sharded = true`, and its distances cannot be stored";
        return Err(format!("--distances: {} {problem}", experiment.name).into());
    }
    Ok(given.map(std::path::absolute).transpose()?)
}

/// The end of one of several processes: another is lost, or did not come.
fn lost(problem: &str) -> Exit {
    output::complain(&format!("error: {problem}"));
    Exit::Failed
}

/// Who this process is among several that solve together in a run, and where they meet; none where it is alone. A matrix in one memory is
/// one process's own, and each runs for itself. Of a run that has finished nothing is solved.
fn meeting(
    arguments: &Arguments,
    experiment: Option<&Experiment>,
) -> Result<Option<(Launch, Meeting)>, Error> {
    // Most runs have no launcher, and need not be read for this.
    let Some(launch) = Launch::of_this_process().transpose() else { return Ok(None) };
    let stored = || {
        let run = StoredRun::open(arguments.resume.as_deref()?).ok()?;
        run.manifest.finished.is_none().then_some(run.manifest.experiment)
    };
    let Some(experiment) = experiment.cloned().or_else(stored).filter(|experiment| experiment.sharded) else {
        return Ok(None);
    };
    let launch = launch?;
    let folder = arguments.out.clone().or_else(|| arguments.resume.clone()).ok_or(
        "several processes meet in the folder of their run: name one that all hosts see with --out DIR, or continue a run with --resume DIR",
    )?;
    Ok(Some((launch, Meeting { folder, device: experiment.device })))
}

/// Of a run that is started now, by this command line.
pub fn new_manifest(experiment: Experiment) -> Manifest {
    Manifest::new(this_build(), experiment, std::env::args().collect(), now())
}

/// A new folder, which goes again if it stays empty: two runs may start in one second, and the one that makes a folder has it.
///
/// # Errors
/// When it cannot be made.
pub fn fresh_folder(name: &str) -> Result<(PathBuf, MadeFolders), Error> {
    let base = Path::new("results").join("runs");
    let time = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ");
    let mut folder = base.join(format!("{name}-{time}"));
    for count in 2.. {
        match MadeFolders::make_new(&folder) {
            Ok(made) => return Ok((folder, made)),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && base.is_dir() => {}
            Err(error) => {
                let message =
                    format!("cannot make {}: {error}; choose another folder with --out", folder.display());
                return Err(message.into());
            }
        }
        folder = base.join(format!("{name}-{time}-{count}"));
    }
    Err(format!("{} holds too many runs: choose another folder with --out", base.display()).into())
}

/// The run that is resumed, unless another build has measured some of it.
fn resumed(arguments: &Arguments) -> Result<Journal, Error> {
    let (folder, name) = (arguments.resume.as_deref(), &*arguments.cells.experiment);
    let folder = folder.ok_or("there is neither a run to start nor one to resume")?;
    let mut journal = resume(folder)?;
    let experiment = &journal.manifest().experiment.name;
    // A path to an experiment file resumes by the name in it.
    let asked = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
    if name != OF_FOLDER && *experiment != asked {
        let message = format!(
            "{} holds a run of {experiment}, not of {asked}: leave {asked} out, or name another folder",
            folder.display()
        );
        return Err(message.into());
    }
    let is_over = journal.is_over();
    if !is_over && !journal.samples().is_empty() && journal.manifest().build != this_build() {
        let message = format!(
            "{} was measured by another build of repro (commit {}): results must not be mixed; start a new run",
            journal.folder().display(),
            journal.manifest().build.commit
        );
        return Err(message.into());
    }
    let distances = distances(arguments, &journal.manifest().experiment)?;
    journal.change_manifest(|manifest| {
        if !is_over {
            manifest.resumed.push(now());
            manifest.build = this_build();
        }
        manifest.experiment.distances = distances;
    })?;
    Ok(journal)
}

/// The time as records have it.
pub fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Reads the name of a folder for runs, which tables, pages and advice show.
pub fn folder_name() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.to_string_lossy().contains(hides) {
        false => Ok(path),
        true => Err(format!("{path:?}: expected a name of one line without control characters")),
    })
}

/// Refuses the folder of a run and all below it: nothing else is put next to its records, since a finished run is never altered.
///
/// # Errors
/// When `folder`, or one that it is in, holds a run. `option` is how it was given, for example `--out`.
pub fn outside_of_runs(option: &str, folder: &Path) -> Result<(), Error> {
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    // What is there already, whatever links and `..` lead to it.
    let there = whole.ancestors().find_map(|folder| folder.canonicalize().ok()).unwrap_or_default();
    let Some(run) = there.ancestors().find(|folder| is_run(folder)) else { return Ok(()) };
    let place =
        if is_run(folder) { "holds a run".to_string() } else { format!("is in the run {}", run.display()) };
    Err(format!("{option} {} {place}, which is not altered: choose another folder", folder.display()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_holds_a_run_or_is_in_one_is_refused_and_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        outside_of_runs("--out", folder.path()).unwrap();
        outside_of_runs("--out", &folder.path().join("not-there")).unwrap();
        std::fs::write(folder.path().join("manifest.json"), "{}").unwrap();
        let refused = outside_of_runs("--out", folder.path()).unwrap_err().to_string();
        assert!(refused.starts_with("--out ") && refused.contains("holds a run"), "{refused}");
        let refused = outside_of_runs("--out", &folder.path().join("below/it")).unwrap_err().to_string();
        assert!(refused.contains("below/it is in the run /"), "{refused}");
        std::fs::create_dir(folder.path().join("below")).unwrap();
        outside_of_runs("--out", &folder.path().join("below/../../beside")).unwrap();
    }
}
