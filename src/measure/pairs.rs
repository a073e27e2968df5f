//! Two builds side by side: every sample of the new build next to one of the old build, on one device. What the machine
//! does to one, it does to the other, so their ratio can be trusted where two runs at two times cannot.

use crate::measure::runner::{Outcome, Result, RunError, Runner, SharedObserver, each, now, run_all};
use crate::measure::supervisor::Executor;
use crate::measure::{RunEvent, RunObserver};
use crate::plan::Experiment;
use crate::protocol::{FailureCause, Reply, Request, WorkerInfo};
use crate::store::{BuildRole, Environment, Journal, Manifest, PairMember};
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// repro answers this request in milliseconds, as it opens no device. Whoever named another program by mistake should not wait for long.
const LIMIT: Duration = Duration::from_secs(10);

/// Asks the worker of `program` which build it is, and what of `experiment` it cannot run.
///
/// # Errors
/// When it is not repro, or too old a build to know this request; found out within seconds.
pub fn introduce(program: &Path, executor: &mut dyn Executor, experiment: &Experiment) -> Result<WorkerInfo> {
    let program = program.display();
    let problem = match executor.ask(&Request::Introduce { variants: experiment.variants() }, LIMIT) {
        Ok(Reply::Introduced(introduced)) => return Ok(introduced),
        Ok(_) => "it answered something else".to_string(),
        Err(failure) if failure.cause == FailureCause::Interrupted => return Err(failure.into()),
        Err(failure) => failure.message,
    };
    Err(RunError::Input(format!(
        "{program} cannot be paired: it does not say which build of repro it is ({problem}); give the path of a \
         repro that is new enough to be paired, or run both builds apart with `repro run`"
    )))
}

/// Starts the two runs of a pair for this command line, the old build's first, each in a folder of its own below this one, which is created.
///
/// # Errors
/// When a folder holds a run already or cannot be written; then no run of this pair is left in either.
pub fn create_pair(
    folder: &Path,
    experiment: &Experiment,
    introduced: &[WorkerInfo; 2],
) -> Result<[Journal; 2]> {
    let started = now();
    // No other process has this number at this time, and none starts two pairs in a second in one folder.
    let id = format!("{started}-{}", std::process::id());
    let create = |side: BuildRole| {
        let build = introduced[side as usize].build.clone();
        let command_line = std::env::args().collect();
        let manifest = Manifest::new(build, experiment.clone(), command_line, started.clone());
        let pair = Some(PairMember { id: id.clone(), side });
        Journal::create(&folder.join(side.to_string()), Manifest { pair, ..manifest })
    };
    let base = create(BuildRole::Base)?;
    match create(BuildRole::New) {
        Ok(new) => Ok([base, new]),
        Err(error) => Ok(base.discard_empty().and(Err(error))?),
    }
}

/// Runs every cell of both journals of [`create_pair`], each by its own worker, leaving out the variants that a build does not know.
///
/// # Errors
/// When records cannot be written, what the user asked for cannot be had at all, or the two are not on one machine.
pub fn run_pair(
    workers: &mut [impl Executor; 2],
    journals: &mut [Journal; 2],
    introduced: [WorkerInfo; 2],
    observer: &mut dyn RunObserver,
    interrupted: &AtomicBool,
) -> Result<[Outcome; 2]> {
    let observer: SharedObserver = Rc::new(RefCell::new(observer));
    let mut runs = Vec::new();
    for ((worker, journal), info) in workers.iter_mut().zip(journals).zip(introduced) {
        let mut run = Runner::with_observer(worker, journal, observer.clone(), interrupted);
        run.unknown = info.unknown;
        runs.push(run);
    }
    let opened = each(&mut runs, Runner::open).and_then(|_| share_ceilings(&mut runs));
    let ended = run_all(&mut runs, opened)?;
    Ok([ended[0], ended[1]])
}

/// Sees to it that both runs are on one machine, and are judged by the same ceilings.
fn share_ceilings(runs: &mut [Runner]) -> Result {
    let Some((base, new)) = runs[0].environment().zip(runs[1].environment()) else { return Ok(()) };
    if let Some(note) = compare_machines(base, new)? {
        runs[0].observer.borrow_mut().event(None, RunEvent::Machine(&note));
    }
    // What is too fast to be true must not depend on whose ceilings were measured in the better moment.
    let best = base.ceilings.clone().best_of(new.ceilings.clone());
    each(runs, |run| run.raise_ceilings(best.clone())).map(drop)
}

/// Another compiler is only noted: it makes other kernels of the same source, and other kernels are what pairs compare.
///
/// The device is compared by its identity, not by everything that is known of it: a later build may know more.
///
/// # Errors
/// When device, driver or host differ.
fn compare_machines(base: &Environment, new: &Environment) -> Result<Option<String>> {
    let has_device = base.device.is_some() || new.device.is_some();
    let facts = |of: &Environment| {
        let (device, host) = (of.device.as_ref(), &of.host);
        let problem = of.device_problem.as_ref().filter(|_| has_device);
        let facts = [
            device.map(|device| device.info.uuid.clone()).or(problem.map(|why| format!("none ({why})"))),
            device.and_then(|device| device.driver.clone()),
            Some(format!("{}, {} threads, {}", host.cpu, host.threads, host.kernel)),
            device.and_then(|device| device.compiler.clone()),
        ];
        facts.map(|fact| fact.unwrap_or_else(|| "none".to_string()))
    };
    let ([of_base @ .., base_compiler], [of_new @ .., new_compiler]) = (facts(base), facts(new));
    let both = ["device", "driver", "host"].into_iter().zip(of_base.iter().zip(&of_new));
    let differs = both.filter(|(_, (base, new))| base != new);
    let differs = differs.map(|(what, (base, new))| format!("{what} {base} for base and {new} for new"));
    let differs = differs.collect::<Vec<_>>().join(", ");
    if !differs.is_empty() {
        let remedy = match base.gpu().or(new.gpu()) {
            Some(_) => "let both see the same device, for example with --device cuda:0",
            None => "let both see the same CPU alone, with --device cpu",
        };
        return Err(RunError::Input(format!(
            "the two builds do not run on one machine: {differs}; {remedy}"
        )));
    }
    Ok((base_compiler != new_compiler).then(|| {
        format!(
            "base is compiled by {base_compiler} and new by {new_compiler}: times may differ by that alone"
        )
    }))
}
