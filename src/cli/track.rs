//! `repro track`: measures, compares with a baseline, runs again what looks slower or faster, and keeps the history.

use super::cells::{Cells, With};
use super::compare::{Format, How, exit, open};
use super::run::{folder_name, outside_of_runs};
use super::run::{fresh_folder, new_manifest};
use crate::lists::count_of;
use crate::measure::{
    Executor, Outcome, Runner, WorkerProcess, create_pair, introduce, probe_machine, run_pair,
};
use crate::plan::Experiment;
use crate::regression::{self, CALIBRATION_PAIRS, Comparison, NoiseFloors, history};
use crate::report::guard::kind_of_cells;
use crate::report::history_words;
use crate::report::text::percent;
use crate::results::{StoredRun, disambiguate_names};
use crate::store::{
    Environment, Journal, JournalError, MadeFolders, Manifest, cells, is_run, write_atomically,
};
use crate::timing::Scope;
use repro_base::CellId;
use repro_base::terminal::output::{complain, show};
use repro_base::terminal::{
    Error, Exit, Progress, end_interrupted, say_when_interrupted, watch_for_interrupts,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  repro track table1 --against target/old/repro
      measures the old build and this one in turn, sample by sample
  repro track table1 --against results/reference/h200/table1
      measures this build and compares it with a stored run
  repro track table1 --calibrate
      measures this build five times in turn with itself, and keeps how far
      that lies apart on this machine: ten times as long as a run
  repro track table1
      only adds to the history

OUT/new is an ordinary run, and so is OUT/base of an old build; OUT/again has what was measured once more.

Exit codes:
  0    nothing became slower
  1    a cell became slower or failed; or the history has a step to slower that
       nobody acknowledged (see `repro history --help`)
  2    it could not be measured or compared
  3    no cell is slower, but some are NOISY (inconclusive)
  130  interrupted")]
pub struct Arguments {
    #[command(flatten)]
    pub with: With,
    #[command(flatten)]
    cells: Cells,
    /// The baseline: the binary of an old build, which is measured in turn with this one; or the folder of a stored run
    #[arg(long, value_name = "BASE")]
    against: Option<PathBuf>,
    /// Measure this build in turn with itself, and write into the file of --floors how far its runs lie apart
    #[arg(long, conflicts_with = "against")]
    calibrate: bool,
    /// Folder for the records [default: results/runs/track-NAME-TIME]
    #[arg(long, value_name = "DIR", value_parser = folder_name())]
    out: Option<PathBuf>,
    #[command(flatten)]
    how: How,
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

/// The folder, below that of the records, of what is run once more.
const AGAIN: &str = "again";

/// What it takes to measure.
struct Tracker<'a> {
    arguments: &'a Arguments,
    interrupted: Arc<AtomicBool>,
    progress: Progress,
    against: Against,
}

/// What the new run is held against.
enum Against {
    Nothing,
    /// The binary of an old build.
    Build(PathBuf),
    Stored(Box<StoredRun>),
}

/// The runs of one measurement.
struct Measured {
    base: Option<StoredRun>,
    new: StoredRun,
}

pub fn run(arguments: &Arguments) -> Result<Exit, Error> {
    let mut experiment = asked_for(arguments)?;
    if !arguments.no_history {
        outside_of_runs("--history", &arguments.history)?;
    }
    let options = arguments.how.options(Scope::Kernel)?;
    let floors = NoiseFloors::read(&arguments.how.floors)?;
    let against = against(arguments, &experiment)?;
    // Before there is a folder: a device that is not there leaves none.
    let here =
        probe_machine(&mut WorkerProcess::new(std::env::current_exe()?, Arc::default()), &mut experiment)?;
    if let (Against::Stored(base), Some(here)) = (&against, here) {
        check_baseline(arguments, &experiment, here, base)?;
    }
    // What was made for them goes again where nothing could be measured.
    let (out, _folders) = folder_for(arguments, &experiment)?;
    let progress = Progress::new(arguments.quiet, "cells");
    let mut tracker = Tracker { arguments, interrupted: watch_for_interrupts()?, progress, against };
    say_when_interrupted(format!(
        "interrupted; {} has what was measured, and nothing was compared",
        out.display()
    ));
    tracker.progress.note(&format!("records: {}", out.display()));
    if arguments.calibrate {
        return tracker.calibrate(&experiment, &out);
    }
    let Some(first) = tracker.measure(&experiment, &out)? else {
        return Ok(end_interrupted());
    };
    // A history that cannot be continued does not take the comparison away.
    let kept = if arguments.no_history { Ok(Exit::Success) } else { tracker.keep(&first.new) };
    if first.base.is_none() {
        tracker.progress.finish();
        show_measured(&first.new)?;
        return kept;
    }
    let comparison = compare(first, &floors, &options)?;
    let (comparison, stopped) = tracker.confirm(comparison, &experiment, &floors, &options, &out)?;
    tracker.progress.finish();
    for (name, format) in [("comparison.md", Format::Markdown), ("comparison.json", Format::Json)] {
        write_atomically(&out.join(name), format.text(&comparison)?.as_bytes())?;
    }
    arguments.format.print(&comparison, arguments.how.all)?;
    if stopped {
        say_when_interrupted(format!("interrupted; {} has what was measured", out.display()));
        return Ok(end_interrupted());
    }
    match (exit(&comparison), kept) {
        (Exit::Success, kept) => kept,
        // A step that nobody accepted is more than noise.
        (Exit::Inconclusive, Ok(Exit::Failed)) => Ok(Exit::Failed),
        (ended, kept) => {
            if let Err(error) = kept {
                complain(&format!("error: {error}"));
            }
            Ok(ended)
        }
    }
}

/// The experiment with enough samples to decide.
fn asked_for(arguments: &Arguments) -> Result<Experiment, Error> {
    let mut experiment = arguments.cells.resolve()?;
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

/// The folder of the records, with what was made for it.
fn folder_for(arguments: &Arguments, experiment: &Experiment) -> Result<(PathBuf, MadeFolders), Error> {
    let Some(folder) = &arguments.out else { return fresh_folder(&format!("track-{}", experiment.name)) };
    // A run is never added to by another.
    if is_run(folder) {
        return Err(JournalError::Occupied(folder.clone()).into());
    }
    let made = MadeFolders::make(folder).map_err(|error| {
        format!("cannot make {}: {error}; choose another folder with --out", folder.display())
    })?;
    Ok((folder.clone(), made))
}

/// Says how many cells were measured, where they are compared with nothing.
fn show_measured(run: &StoredRun) -> Result<(), Error> {
    let measured = run.results.summary.iter().filter(|row| row.is_timed()).count();
    if measured == 0 {
        let samples = run.folder.join("samples.csv");
        return Err(format!("nothing was measured: {} says why for each cell", samples.display()).into());
    }
    let untimed = match run.results.summary.len() - measured {
        0 => String::new(),
        without => format!("; {without} more without a time: samples.csv says why"),
    };
    let measured = count_of(measured, "cell");
    Ok(show(&format!("{measured} measured in {}{untimed}\n", run.folder.display()))?)
}

/// Compares what was measured with its baseline.
fn compare(
    measured: Measured,
    floors: &NoiseFloors,
    options: &regression::Options,
) -> Result<Comparison, Error> {
    let mut runs = [measured.base.ok_or("there is no baseline")?, measured.new];
    disambiguate_names(&mut runs);
    let [base, new] = &runs;
    Ok(regression::compare(base, new, floors, options)?)
}

/// A file is a build; a folder is a stored run.
fn against(arguments: &Arguments, experiment: &Experiment) -> Result<Against, Error> {
    let Some(base) = &arguments.against else { return Ok(Against::Nothing) };
    if base.is_file() {
        return Ok(Against::Build(std::path::absolute(base)?));
    }
    if !base.exists() {
        let named = base.display();
        return Err(format!("--against {named}: there is no such file or folder: name the binary of an old build, or the folder of a run").into());
    }
    let run = open(base)?;
    let of = &run.manifest.experiment.name;
    if *of != experiment.name {
        let named = base.display();
        return Err(
            format!("--against {named}: no run of {} there, but of {of}: name one", experiment.name).into()
        );
    }
    let timed = run.results.summary.iter().filter(|row| row.is_timed());
    let measured: Vec<CellId> = timed.map(|row| row.cell()).collect();
    if experiment.narrowed_to(&measured).columns.is_empty() {
        return Err(format!(
            "--against {}: it has none of the cells that would be measured: choose others with --sizes and --only",
            base.display()
        )
        .into());
    }
    Ok(Against::Stored(Box::new(run)))
}

/// Refuses a baseline of another machine than the one that is here, before anything is measured.
fn check_baseline(
    arguments: &Arguments,
    experiment: &Experiment,
    here: Environment,
    base: &StoredRun,
) -> Result<(), Error> {
    let manifest = Manifest { environment: Some(here), ..new_manifest(experiment.clone()) };
    let planned_cells = cells(&manifest);
    let timed = [Scope::Kernel, Scope::Program]
        .into_iter()
        .flat_map(|scope| base.results.times.by(scope).map(move |(cell, _)| (cell.clone(), scope)));
    let shared: Vec<_> = timed.filter(|(cell, _)| planned_cells.contains(cell)).collect();
    let planned = StoredRun { folder: "this machine".into(), manifest, parts: 1, ..base.clone() };
    let planned = planned.with_samples(Vec::new());
    regression::allowed_differences(base, &planned, &shared, &arguments.how.across)?;
    Ok(())
}

impl Tracker<'_> {
    /// Adds a run to the history of its machine, and names the steps in it that nobody acknowledged. Fails of one to slower.
    fn keep(&mut self, run: &StoredRun) -> Result<Exit, Error> {
        let appended = history::append(&self.arguments.history, run)?;
        if let Some(torn) = history_words::torn(&appended.path, appended.torn_bytes, "was cut off") {
            complain(&torn);
        }
        let added = history_words::appended(&appended);
        if appended.disturbed == 0 {
            self.progress.note(&added)
        } else {
            complain(&added)
        }
        let acknowledged = history::read_acknowledged(&self.arguments.history)?;
        let of_machine = [history::read(&appended.path)?];
        let steps = history::unacknowledged_steps(&of_machine, &acknowledged);
        // Not to standard output, where the comparison may be JSON.
        history_words::steps(&steps).iter().for_each(|line| complain(line));
        Ok(if steps.iter().any(|step| step.change.is_slower()) { Exit::Failed } else { Exit::Success })
    }

    /// Measures `experiment` into folders below `out`. None when the user stopped it.
    fn measure(&mut self, experiment: &Experiment, out: &Path) -> Result<Option<Measured>, Error> {
        let finished = match &self.against {
            Against::Build(old) => self.measure_pair(&old.clone(), experiment, out)?,
            Against::Nothing | Against::Stored(_) => self.measure_alone(experiment, out)?,
        };
        if !finished {
            return Ok(None);
        }
        let new = StoredRun::open(&out.join("new"))?;
        let base = match &self.against {
            Against::Nothing => None,
            Against::Build(_) => Some(StoredRun::open(&out.join("base"))?),
            Against::Stored(base) => Some((**base).clone()),
        };
        Ok(Some(Measured { base, new }))
    }

    /// Runs once more what looks slower or faster. Also returns whether the user stopped that.
    fn confirm(
        &mut self,
        first: Comparison,
        experiment: &Experiment,
        floors: &NoiseFloors,
        options: &regression::Options,
        out: &Path,
    ) -> Result<(Comparison, bool), Error> {
        let suspects = first.to_confirm();
        if suspects.is_empty() {
            return Ok((first, false));
        }
        self.progress
            .note(&format!("run once more, since slower or faster: {} of the cells", suspects.len()));
        match self.measure(&experiment.narrowed_to(&suspects), &out.join(AGAIN))? {
            None => Ok((first, true)),
            Some(again) => Ok(match compare(again, floors, options) {
                Ok(again) => (first.confirmed_by(&again), false),
                Err(error) => {
                    complain(&format!("run once more: {error}"));
                    (first, false)
                }
            }),
        }
    }

    /// Measures this build in turn with itself, and keeps what the pairs differ by.
    fn calibrate(&mut self, experiment: &Experiment, out: &Path) -> Result<Exit, Error> {
        let this = std::env::current_exe()?;
        let mut runs = Vec::new();
        for pair in 1..=CALIBRATION_PAIRS {
            self.progress.note(&format!("pair {pair} of {CALIBRATION_PAIRS}"));
            let folder = out.join(pair.to_string());
            if !self.measure_pair(&this, experiment, &folder)? {
                return Ok(end_interrupted());
            }
            for side in ["base", "new"] {
                runs.push(StoredRun::open(&folder.join(side))?);
            }
        }
        self.progress.finish();
        let floors = NoiseFloors::of_pairs(&runs);
        let path = &self.arguments.how.floors;
        let lines = floors.kinds().map(|(kind, floor, cells)| {
            let is_more = floor.share > NoiseFloors::default().floor(None, kind).share;
            let warning =
                if is_more { ": more than usual, calibrate again when the machine is idle" } else { "" };
            let (kind, apart) = (kind_of_cells(kind), percent(floor.share));
            format!(
                "{kind}: runs of one build lie up to {apart} apart, by {}{warning}\n",
                count_of(cells, "cell")
            )
        });
        let lines: String = lines.collect();
        if lines.is_empty() {
            return Err("no cell was measured in all pairs without load and throttling: calibrate again when the machine is idle".into());
        }
        floors.save(path)?;
        show(&format!("{lines}kept in {}\n", path.display()))?;
        Ok(Exit::Success)
    }

    fn measure_pair(&mut self, old: &Path, experiment: &Experiment, out: &Path) -> Result<bool, Error> {
        let this = std::env::current_exe()?;
        let worker = |program: &Path| WorkerProcess::new(program.to_path_buf(), self.interrupted.clone());
        let mut workers = [worker(old), worker(&this)];
        let ask = |program: &Path, worker: &mut dyn Executor| introduce(program, worker, experiment);
        let introduced = [ask(old, &mut workers[0])?, ask(&this, &mut workers[1])?];
        let mut journals = create_pair(out, experiment, &introduced)?;
        let ran = run_pair(&mut workers, &mut journals, introduced, &mut self.progress, &self.interrupted);
        if ran.is_err() && journals.iter().all(|journal| journal.samples().is_empty()) {
            // The same command, once it can be done, shall not find half a pair in its way.
            journals.into_iter().try_for_each(Journal::withdraw)?;
        }
        Ok(!ran?.contains(&Outcome::Interrupted))
    }

    fn measure_alone(&mut self, experiment: &Experiment, out: &Path) -> Result<bool, Error> {
        let mut journal = Journal::create(&out.join("new"), new_manifest(experiment.clone()))?;
        let mut worker = WorkerProcess::new(std::env::current_exe()?, self.interrupted.clone());
        let ran = Runner::new(&mut worker, &mut journal, &mut self.progress, &self.interrupted).run();
        if ran.is_err() && journal.samples().is_empty() {
            journal.withdraw()?;
        }
        Ok(ran? != Outcome::Interrupted)
    }
}
