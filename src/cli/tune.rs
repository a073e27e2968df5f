//! `repro tune`: searches the parameters of one implementation.

mod shown;

use super::next::quoted;
use super::parameter::vertices;
use super::run::{fresh_folder, new_manifest, now, refuse_other_build};
use super::with::With;
use crate::device::Selection;
use crate::external;
use crate::graph::ElementType;
use crate::implementation::{Implementation, find};
use crate::lists::count_of;
use crate::measure::{Observer, Outcome, RunError, Runner, WorkerProcess, probe_machine, resume, this_build};
use crate::plan::{Experiment, implementation_named};
use crate::results::StoredRun;
use crate::store::{Environment, Journal, JournalError, MadeFolders};
use crate::tuning::{Axes, Budget, Measured, Tuner, experiment};
use repro_terminal::Progress;
use repro_terminal::output::{complain, print_value};
use repro_terminal::{Error, Exit};
use repro_terminal::{end_interrupted, say_when_interrupted, watch_for_interrupts};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The n where none is asked for: on a GPU, on the CPU, on the emulated device.
const ON_GPU: usize = 4096;
const ON_CPU: usize = 1024;
const ON_EMULATED: usize = 64;
/// How many points there are where no limit is given.
const POINTS: u32 = 24;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  repro tune my-kernel.toml --n 4096 --points 40
  repro tune generalized-blocked --n 2048 --seconds 120
  repro tune --resume results/runs/tune-my-kernel-20261121T030000Z
      continues a search that was stopped

A point is one set of parameters. The first is that of the defaults. A third of the points are then random, and each further one changes one parameter of the best to a neighbouring value. Each point is measured as a cell of a run, and verified. A point that is wrong or fails is listed with its reason and never chosen. Points that the implementation refuses are passed over and cost nothing.

On a GPU the median time of the kernels decides. The emulated device has no clock: there the bytes of global memory a task decide, which are counted, not timed.

`repro run EXPERIMENT --tuned DIR`, with the folder of the search, takes what was best on the same model of GPU.

Exit codes:
  0    done, and every point was right
  1    done, but a point was wrong or failed
  2    not done: wrong arguments, input, device or records
  130  interrupted: --resume continues the search")]
pub struct Arguments {
    #[command(flatten)]
    pub with: With,
    /// A file that describes a kernel, or the name of an implementation that has parameters (see `repro list`)
    #[arg(value_name = "FILE|NAME", required_unless_present = "resume")]
    kernel: Option<String>,
    /// Number of vertices [default: 4096 on a GPU, 1024 on the CPU, 64 on the emulated device]
    #[arg(long, value_name = "N", value_parser = vertices)]
    n: Option<usize>,
    /// Type of the distances [default: f32, or else the first that the implementation takes]
    #[arg(long, visible_alias = "element", value_name = "TYPE")]
    elements: Option<ElementType>,
    /// Where to run: auto, cpu, cuda, cuda:N or emulated
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: Selection,
    /// Decides the order of random points; with the same measurements, the same seed gives the same points
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Try at most so many points [default: 24; with --seconds no limit]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    points: Option<u32>,
    /// Begin no further point after so many seconds of measuring
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    seconds: Option<f64>,
    /// Folder for the records; it must not hold a run yet [default: results/runs/tune-NAME-TIME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Continue the search in this folder with the options that it was started with. Points that failed are not tried again; a search
    /// that has ended is only printed
    #[arg(long, value_name = "DIR", conflicts_with_all = [
        "kernel", "n", "elements", "device", "seed", "points", "seconds", "out",
    ])]
    resume: Option<PathBuf>,
    /// Show no progress, only the result
    #[arg(long, short)]
    quiet: bool,
    /// Print points, the best and the command to run with it as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<Exit, Error> {
    let interrupted = watch_for_interrupts()?;
    let mut worker = WorkerProcess::new(std::env::current_exe()?, interrupted.clone());
    let mut progress = Progress::new(arguments.quiet, "points");
    let (mut journal, _folders) = match (&arguments.resume, &arguments.kernel) {
        (Some(folder), _) => (resumed(folder)?, MadeFolders::default()),
        (None, Some(kernel)) => {
            progress.progress("opening the device", 0, 0, None);
            started(arguments, kernel, &mut worker)?
        }
        (None, None) => return Err("there is neither a search to start nor one to resume".into()),
    };
    let implementation = searched_in(&journal)?;
    let axes = Axes::of(&implementation);
    let how_to_resume = format!("repro tune --resume {}", quoted(journal.folder()));
    say_when_interrupted(format!("interrupted; continue with: {how_to_resume}"));
    progress.note(&format!("records: {}", journal.folder().display()));
    let has_ended = journal.manifest().experiment.search.as_ref().is_some_and(|search| search.ended);
    let outcome = if has_ended {
        progress.note("this search has ended: nothing is measured, and nothing in it is changed");
        None
    } else {
        let search = journal.manifest().experiment.search.as_ref();
        let of = search.and_then(|search| search.points);
        let mut points = Points { of, progress: &mut progress };
        let runner = Runner::new(&mut worker, &mut journal, &mut points, &interrupted);
        Some(Tuner { runner, implementation: &implementation, axes: &axes }.run())
    };
    progress.finish();
    let is_interrupted = match outcome.transpose() {
        Ok(outcome) => outcome == Some(Outcome::Interrupted),
        Err(error @ (RunError::Worker(_) | RunError::Journal(JournalError::Record(_)))) => {
            return Err(format!("{error}; continue with: {how_to_resume}").into());
        }
        Err(error) => {
            // What was asked for cannot be had. The same command, once it can, shall not find a run in its way.
            if arguments.resume.is_none() && journal.samples().is_empty() {
                journal.withdraw()?;
            }
            return Err(error.into());
        }
    };
    let run = StoredRun::of(&journal);
    let shown = shown::SearchReport::of(&run, &axes, arguments.kernel.as_deref());
    print_value(arguments.json, &shown, |width| shown.text(width))?;
    if is_interrupted {
        return Ok(end_interrupted());
    }
    if shown.points.is_empty() {
        let experiment = &run.manifest.experiment;
        return Err(format!("no point was tried: {}", refusal(&implementation, experiment)).into());
    }
    let failed = shown.points.iter().filter(|point| point.cost.is_none()).count();
    if failed > 0 {
        let (was, is) = if failed == 1 { ("was", "is") } else { ("were", "are") };
        let all = count_of(shown.points.len(), "point");
        complain(&format!("{failed} of {all} {was} wrong or failed, and {is} not chosen"));
        return Ok(Exit::Failed);
    }
    Ok(Exit::Success)
}

/// The progress of a search: its cells are known one by one, and so are no measure of how many points it will try.
struct Points<'a> {
    /// How many points it tries at most, if that is limited.
    of: Option<usize>,
    progress: &'a mut Progress,
}

impl Observer for Points<'_> {
    fn note(&mut self, line: &str) {
        self.progress.note(line);
    }

    fn progress(&mut self, doing: &str, done: usize, cells: usize, _: Option<f64>) {
        match self.of.filter(|_| cells > 0) {
            Some(of) => self.progress.progress(doing, done, of, None),
            None => self.progress.progress(&format!("{}: {doing}", count_of(done, "point")), 0, 0, None),
        }
    }
}

/// A new run for a search, and the folders that were made for it.
fn started(
    arguments: &Arguments,
    kernel: &str,
    worker: &mut WorkerProcess,
) -> Result<(Journal, MadeFolders), Error> {
    let implementation = named(kernel)?;
    let axes = Axes::of(&implementation);
    if axes.is_empty() {
        return Err(format!(
            "{} has no parameter with a second value, so there is nothing to search",
            implementation.name
        )
        .into());
    }
    let element = arguments.elements.unwrap_or_else(|| implementation.usual_element());
    let limit = arguments.points.or(Some(POINTS).filter(|_| arguments.seconds.is_none()));
    let budget = Budget {
        seed: arguments.seed,
        points: limit.map(|points| points as usize),
        seconds: arguments.seconds,
    };
    let of_n = |n: usize| {
        if n == 0 {
            return Err(Error::from("--n 0: a graph has at least 1 vertex"));
        }
        let measured = Measured { n, element, device: arguments.device };
        Ok(experiment(&implementation, &axes, measured, budget)?)
    };
    let mut asked = of_n(arguments.n.unwrap_or(ON_EMULATED))?;
    // Before there is a folder: a device that is not there leaves none.
    let here = probe_machine(worker, &mut asked)?;
    if arguments.n.is_none() {
        asked = of_n(usual_n(&implementation, here.as_ref()))?;
    }
    check_device(&implementation, &asked, here.as_ref())?;
    let (folder, folders) = match &arguments.out {
        Some(folder) => (folder.clone(), MadeFolders::default()),
        None => fresh_folder(&asked.name)?,
    };
    Ok((Journal::create(&folder, new_manifest(asked))?, folders))
}

/// The implementation of this name, or that of a file.
fn named(kernel: &str) -> Result<Arc<Implementation>, Error> {
    let unknown = match implementation_named(kernel) {
        Ok(known) => return Ok(known),
        Err(unknown) => unknown,
    };
    let path = Path::new(kernel);
    if !path.exists() && path.extension().is_none_or(|end| end != "toml") {
        return Err(format!("{unknown}; or name the file of a kernel").into());
    }
    let file = external::read(path)?;
    external::register(&file)?;
    find(&file.name).ok_or_else(|| format!("{kernel}: {} was not registered", file.name).into())
}

fn usual_n(implementation: &Implementation, here: Option<&Environment>) -> usize {
    let has_gpu = here.is_some_and(|here| here.gpu().is_some());
    match implementation.needs_device() {
        false => ON_CPU,
        true if has_gpu => ON_GPU,
        true => ON_EMULATED,
    }
}

/// Refuses what no point could be measured on.
fn check_device(
    implementation: &Implementation,
    experiment: &Experiment,
    here: Option<&Environment>,
) -> Result<(), Error> {
    let Some(here) = here.filter(|_| implementation.needs_device()) else { return Ok(()) };
    let problem = here.device_problem.clone().unwrap_or_default();
    match &here.device {
        None => Err(format!("{} needs a device: {problem}", implementation.name).into()),
        Some(device) if device.info.emulated && experiment.columns.iter().all(|one| one.count_sizes.is_empty()) => {
            Err(format!("--n is too large for the emulated device, unless you ask for it with --device emulated; {problem}").into())
        }
        Some(_) => Ok(()),
    }
}

/// Opens a search that was stopped or has ended.
fn resumed(folder: &Path) -> Result<Journal, Error> {
    let mut journal = resume(folder)?;
    match &journal.manifest().experiment.search {
        None => {
            let folder = quoted(folder);
            return Err(
                format!("{folder} holds no search: continue it with repro run --resume {folder}").into()
            );
        }
        Some(search) if search.ended => {}
        Some(_) => {
            refuse_other_build(&journal)?;
            journal.note_resumption(now(), this_build());
        }
    }
    Ok(journal)
}

/// The implementation whose parameters are searched in a run.
fn searched_in(journal: &Journal) -> Result<Arc<Implementation>, Error> {
    let columns = &journal.manifest().experiment.columns;
    let name = columns.first().map(|column| column.implementation.clone()).unwrap_or_default();
    find(&name).ok_or_else(|| {
        let folder = journal.folder().display();
        format!("{folder}: this program has no implementation '{name}' any more: start a new search").into()
    })
}

/// Why no point may be tried.
fn refusal(implementation: &Implementation, experiment: &Experiment) -> String {
    let Some(column) = experiment.columns.first() else { return "the search has no n".into() };
    let n = column.count_sizes.first().or(column.sizes.first()).copied().unwrap_or_default();
    let parameters = &column.parameters;
    let elements = experiment.elements();
    let refused = implementation
        .check(parameters)
        .and_then(|()| implementation.fits(n, parameters))
        .and_then(|()| elements.iter().try_for_each(|&element| implementation.takes(element, parameters)));
    refused.err().unwrap_or_else(|| "the limit of seconds was reached before the first".into())
}

fn seconds(text: &str) -> Result<f64, String> {
    let read = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0 && seconds.is_finite());
    read.ok_or_else(|| "expected more than 0 seconds".to_string())
}
