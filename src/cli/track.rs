//! `repro track`: measures, compares with a baseline, runs again what looks slower or faster, and keeps the history.

use super::EXIT_CODES;
use super::cells::CellArgs;
use super::compare::{CompareFlags, Format, exit};
use super::runs::{folder_for, folder_name, new_manifest, open, outside_of_runs};
use super::session::{RunSession, failed_of};
use crate::lists::count_of;
use crate::measure::{Executor, create_pair, introduce, run_pair};
use crate::plan::Experiment;
use crate::regression::{self, CALIBRATION_PAIRS, Comparison, NoiseFloor, NoiseFloors, history};
use crate::report::guard::{kind_of_cells, markdown};
use crate::report::history_words;
use crate::report::text::percent;
use crate::results::{StoredRun, disambiguate_names};
use crate::store::{Environment, Journal, Manifest, cells, write_atomically};
use crate::timing::Scope;
use repro_base::terminal::{Error, Exit, output, say_when_interrupted};
use std::path::{Path, PathBuf};

/// Measure an experiment, compare it with a baseline, measure again what looks slower or faster, and keep the history
#[derive(clap::Args)]
#[command(after_help = format!("Examples:
  repro track table1 --against target/old/repro
      measures the old build and this one in turn, sample by sample
  repro track table1 --against results/reference/h200-e117a75b/table1
      measures this build and compares it with a stored run
  repro track table1 --calibrate
      measures this build five times in turn with itself, and keeps how far
      that lies apart on this machine: ten times as long as a run
  repro track table1
      only adds to the history

{EXIT_CODES}"))]
pub struct TrackArgs {
    /// An experiment's name (see `repro list`) or the path of its TOML file
    experiment: String,
    #[command(flatten)]
    cells: CellArgs,
    /// The baseline: the binary of an old build, which is measured in turn with this one; or the folder of a stored run
    #[arg(long, value_name = "BASE")]
    against: Option<PathBuf>,
    /// Measure this build in turn with itself, and write into the file of --floors how far its runs lie apart
    #[arg(long, conflicts_with = "against")]
    calibrate: bool,
    /// Folder for the records [default: results/runs/track-NAME-TIME]. OUT/new is an ordinary run, and so is OUT/base of an old build; OUT/again
    /// has what was measured once more
    #[arg(long, value_name = "DIR", value_parser = folder_name())]
    out: Option<PathBuf>,
    #[command(flatten)]
    how: CompareFlags,
    /// The folder of histories, one CSV file a machine
    #[arg(long, value_name = "DIR", default_value = "results/history")]
    history: PathBuf,
    /// Add nothing to the history
    #[arg(long)]
    no_history: bool,
    /// How the comparison is printed; OUT has it as comparison.md and comparison.json in any case
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    format: Format,
    /// Show no progress, only the result
    #[arg(long, short)]
    quiet: bool,
}

/// The remedy of a calibration that the machine disturbed.
const IDLE: &str = "calibrate again when the machine is idle";

/// What it takes to measure this build, and what it is held against.
struct Tracker<'a> {
    given: &'a TrackArgs,
    session: RunSession,
    /// The binary of an old build, which is measured in turn with this one.
    build: Option<PathBuf>,
    /// The run that is the baseline.
    stored: Option<StoredRun>,
    floors: NoiseFloors,
    options: regression::Settings,
}

pub fn run(given: &TrackArgs) -> Result<Exit, Error> {
    let mut experiment = asked_for(given)?;
    if !given.no_history {
        outside_of_runs("--history", &given.history)?;
    }
    let options = given.how.options(Scope::Kernel)?;
    let floors = NoiseFloors::read(&given.how.floors)?;
    let base = given.against.as_deref();
    let build = base.filter(|base| base.is_file()).map(std::path::absolute).transpose()?;
    let stored = base.filter(|_| build.is_none()).map(|base| baseline(base, &experiment)).transpose()?;
    let mut session = RunSession::new(given.quiet, "cells")?;
    let here = session.probe(&mut experiment)?;
    // Nobody else holds the device while builds are measured.
    session.worker = session.worker_of(&std::env::current_exe()?);
    let mut tracker = Tracker { given, session, build, stored, floors, options };
    here.map_or(Ok(()), |here| tracker.check_baseline(&experiment, here))?;
    given.out.iter().try_for_each(|out| outside_of_runs("--out", out))?;
    let (out, _made) = folder_for(given.out.as_deref(), &format!("track-{}", experiment.name))?;
    let named = out.display();
    say_when_interrupted(format!(
        "interrupted; {named} has what was measured: begin again with another --out"
    ));
    tracker.session.progress.note(&format!("records: {named}"));
    if given.calibrate {
        return tracker.calibrate(&experiment, &out);
    }
    tracker.measure(&experiment, &out)?;
    let new = StoredRun::open(&out.join("new"))?;
    // A history that cannot be continued does not take the comparison away.
    let kept = if given.no_history { Ok(Exit::Success) } else { tracker.keep(&new) };
    if given.against.is_none() {
        tracker.session.progress.finish();
        show_measured(&new)?;
        return kept;
    }
    let mut comparison = tracker.compare(&out)?;
    let confirmed = tracker.confirm(&mut comparison, &experiment, &out);
    tracker.session.progress.finish();
    write_atomically(&out.join("comparison.md"), markdown(&comparison).as_bytes())?;
    write_atomically(&out.join("comparison.json"), output::json(&comparison)?.as_bytes())?;
    given.format.print(&comparison, given.how.all)?;
    confirmed?;
    match (exit(&comparison), kept) {
        (Exit::Success, kept) => kept,
        // A step that nobody accepted is more than noise.
        (Exit::Inconclusive, Ok(Exit::Failed)) => Ok(Exit::Failed),
        (ended, kept) => {
            kept.inspect_err(|error| output::complain(&format!("error: {error}"))).ok();
            Ok(ended)
        }
    }
}

/// The experiment with enough samples to decide.
fn asked_for(given: &TrackArgs) -> Result<Experiment, Error> {
    let mut experiment = given.cells.resolve(&given.experiment)?;
    // It compares times: `repro counts --check` has the counts.
    experiment.counted_beside_gpu = false;
    let sampling = &mut experiment.sampling;
    // Fewer decide nothing, unless exactly so many are asked for.
    if sampling.min_samples < sampling.max_samples {
        sampling.min_samples = sampling.min_samples.max(regression::LEAST_SAMPLES);
        sampling.max_samples = sampling.max_samples.max(sampling.min_samples);
    }
    Ok(experiment)
}

/// Says how many cells were measured, where they are compared with nothing.
fn show_measured(run: &StoredRun) -> Result<(), Error> {
    let measured = run.results.summary.iter().filter(|row| row.is_timed()).count();
    let folder = run.folder.display();
    if measured == 0 {
        return Err(format!("nothing was measured: {folder}/samples.csv says why for each cell").into());
    }
    let untimed = match run.results.summary.len() - measured {
        0 => String::new(),
        without => format!("; {without} more without a time: samples.csv says why"),
    };
    Ok(output::show(&format!("{} measured in {folder}{untimed}\n", count_of(measured, "cell")))?)
}

/// The run that is the baseline.
///
/// # Errors
/// When there is none, or it measured something else.
fn baseline(base: &Path, experiment: &Experiment) -> Result<StoredRun, Error> {
    let (named, name) = (base.display(), &experiment.name);
    if !base.exists() {
        return Err(format!("--against {named}: no such file or folder: name the binary of an old build, or the folder of a run").into());
    }
    let run = open(base)?;
    let of = &run.manifest.experiment.name;
    if of != name {
        return Err(format!("--against {named}: no run of {name} there, but of {of}: name one").into());
    }
    Ok(run)
}

impl Tracker<'_> {
    /// Refuses a baseline of another machine than the one that is here, or of other cells, before anything is measured.
    fn check_baseline(&self, experiment: &Experiment, here: Environment) -> Result<(), Error> {
        let Some(base) = &self.stored else { return Ok(()) };
        let manifest = Manifest { environment: Some(here), ..new_manifest(experiment.clone()) };
        let planned_cells = cells(&manifest);
        let timed = |scope| base.results.times.by(scope).map(move |(cell, _)| (cell.clone(), scope));
        let timed = [Scope::Kernel, Scope::Program].into_iter().flat_map(timed);
        let shared: Vec<_> = timed.filter(|(cell, _)| planned_cells.contains(cell)).collect();
        if shared.is_empty() {
            let (named, problem) = (base.folder.display(), "it has none of the cells that would be measured");
            return Err(format!("--against {named}: {problem}: choose others with --sizes and --only").into());
        }
        let planned = StoredRun { folder: "this machine".into(), manifest, parts: 1, ..base.clone() };
        let planned = planned.with_samples(Vec::new());
        Ok(regression::allowed_differences(base, &planned, &shared, &self.options.across).map(drop)?)
    }

    /// Adds a run to the history of its machine, and names the steps in it that nobody acknowledged. Fails of one to slower.
    fn keep(&mut self, run: &StoredRun) -> Result<Exit, Error> {
        let appended = history::append(&self.given.history, run)?;
        if let Some(torn) = history_words::torn(&appended.path, appended.torn_bytes, "was cut off") {
            output::complain(&torn);
        }
        let added = history_words::appended(&appended);
        match appended.disturbed {
            0 => self.session.progress.note(&added),
            _ => output::complain(&added),
        }
        let acknowledged = history::read_acknowledged(&self.given.history)?;
        let of_machine = [history::read(&appended.path)?];
        let steps = history::unacknowledged_steps(&of_machine, &acknowledged);
        // Not to standard output, where the comparison may be JSON.
        history_words::steps(&steps).iter().for_each(|line| output::complain(line));
        Ok(if steps.iter().any(|step| step.change.is_slower()) { Exit::Failed } else { Exit::Success })
    }

    /// Measures `experiment` into folders below `out`.
    fn measure(&mut self, experiment: &Experiment, out: &Path) -> Result<(), Error> {
        if let Some(old) = self.build.clone() {
            return self.measure_pair(&old, experiment, out);
        }
        let journal = Journal::create(&out.join("new"), new_manifest(experiment.clone()))?;
        Ok(failed_of(self.session.measure(journal)?.1).map(drop)?)
    }

    /// Compares what was measured into folders below `out` with the baseline.
    fn compare(&self, out: &Path) -> Result<Comparison, Error> {
        let base = self.stored.clone().map_or_else(|| StoredRun::open(&out.join("base")), Ok)?;
        let mut runs = [base, StoredRun::open(&out.join("new"))?];
        disambiguate_names(&mut runs);
        let [base, new] = &runs;
        Ok(regression::compare(base, new, &self.floors, &self.options)?)
    }

    /// Runs once more what looks slower or faster.
    fn confirm(&mut self, first: &mut Comparison, experiment: &Experiment, out: &Path) -> Result<(), Error> {
        let suspects = first.to_confirm();
        if suspects.is_empty() {
            return Ok(());
        }
        say_when_interrupted(format!("interrupted; {} has what was measured", out.display()));
        let again = count_of(suspects.len(), "cell");
        self.session.progress.note(&format!("once more, since slower or faster: {again}"));
        let out = out.join("again");
        self.measure(&experiment.narrowed_to(&suspects), &out)?;
        match self.compare(&out) {
            Ok(again) => *first = first.clone().confirmed_by(&again),
            Err(error) => output::complain(&format!("run once more: {error}")),
        }
        Ok(())
    }

    /// Measures this build in turn with itself, and keeps what the pairs differ by.
    fn calibrate(&mut self, experiment: &Experiment, out: &Path) -> Result<Exit, Error> {
        let (mut runs, mut floors) = (Vec::new(), NoiseFloors::default());
        for pair in 1..=CALIBRATION_PAIRS {
            self.session.progress.note(&format!("pair {pair} of {CALIBRATION_PAIRS}"));
            let folder = out.join(pair.to_string());
            self.measure_pair(&std::env::current_exe()?, experiment, &folder)?;
            for side in ["base", "new"] {
                runs.push(StoredRun::open(&folder.join(side))?);
            }
            floors = NoiseFloors::of_pairs(&runs);
            // A cell is of use where no pair was disturbed: further ones would bring none back.
            if floors.kinds().next().is_none() {
                return Err(format!("after pair {pair} of {CALIBRATION_PAIRS} no cell was measured in every pair without load and throttling: {IDLE}").into());
            }
        }
        self.session.progress.finish();
        let is_more = |kind, floor: NoiseFloor| floor.share > NoiseFloors::default().floor(None, kind).share;
        let line = |(kind, floor, cells)| {
            let more =
                if is_more(kind, floor) { format!(": more than usual, {IDLE}") } else { String::new() };
            let (kind, apart, cells) = (kind_of_cells(kind), percent(floor.share), count_of(cells, "cell"));
            format!("{kind}: runs of one build lie up to {apart} apart, by {cells}{more}\n")
        };
        let lines: String = floors.kinds().map(line).collect();
        // Of a CPU it would hide what is smaller until somebody calibrates again.
        if floors.kinds().any(|(kind, floor, _)| !kind.on_gpu && is_more(kind, floor)) {
            output::show(&format!("{lines}not kept\n"))?;
            return Ok(Exit::Inconclusive);
        }
        floors.save(&self.given.how.floors)?;
        output::show(&format!("{lines}kept in {}\n", self.given.how.floors.display()))?;
        Ok(Exit::Success)
    }

    fn measure_pair(&mut self, old: &Path, experiment: &Experiment, out: &Path) -> Result<(), Error> {
        let this = std::env::current_exe()?;
        let mut workers = [self.session.worker_of(old), self.session.worker_of(&this)];
        let ask = |program: &Path, worker: &mut dyn Executor| introduce(program, worker, experiment);
        let introduced = [ask(old, &mut workers[0])?, ask(&this, &mut workers[1])?];
        let mut journals = create_pair(out, experiment, &introduced)?;
        let RunSession { progress, interrupted, .. } = &mut self.session;
        let ran = run_pair(&mut workers, &mut journals, introduced, progress, interrupted);
        if ran.is_err() && journals.iter().all(|journal| journal.samples().is_empty()) {
            // The same command, once it can be done, shall not find half a pair in its way.
            journals.into_iter().try_for_each(Journal::discard_empty)?;
        }
        Ok(ran?.into_iter().try_for_each(|outcome| failed_of(outcome).map(drop))?)
    }
}
