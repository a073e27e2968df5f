//! Two builds side by side: every sample of the new build next to one of the old build, on one device. What the machine
//! does to one, it does to the other, so their ratio can be trusted where two runs at two times cannot.

use crate::measure::event::{Event, RunObserver};
use crate::measure::runner::{Outcome, RunError, Runner, SharedObserver, each, now, run_all};
use crate::measure::supervisor::Executor;
use crate::plan::Experiment;
use crate::protocol::{FailureCause, Introduced, Reply, Request};
use crate::store::{DeviceRecord, Environment, Journal, JournalError, Manifest, Pair, Side};
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A repro answers in milliseconds, since it looks at no device. Whoever gave another program should not wait for long.
const LIMIT: Duration = Duration::from_secs(10);

/// Asks the worker of `program` which build it is, and what of `experiment` it cannot run.
///
/// # Errors
/// When it is no repro, or one from before this was asked; within seconds.
pub fn introduce(
    program: &Path,
    executor: &mut dyn Executor,
    experiment: &Experiment,
) -> Result<Introduced, RunError> {
    let unknown = |problem: &str| {
        format!(
            "cannot be paired: it does not say which build of repro it is ({problem}); give the path of a repro \
             that is new enough to be paired, or run both builds apart with `repro run`"
        )
    };
    let problem = match executor.ask(&Request::Introduce { variants: experiment.variants() }, LIMIT) {
        // It would take a graph for one of f32, and nobody would notice.
        Ok(Reply::Introduced(introduced)) => {
            match experiment.elements().iter().find(|element| !introduced.elements.contains(element)) {
                Some(element) => {
                    format!("does not know the element type {element}: leave it out of --elements")
                }
                None => return Ok(introduced),
            }
        }
        Ok(_) => unknown("it answered something else"),
        Err(failure) if failure.cause == FailureCause::Interrupted => return Err(failure.into()),
        Err(failure) => unknown(&failure.message),
    };
    Err(RunError::Input(format!("{} {problem}", program.display())))
}

/// Starts the two runs of a pair, the old build's first, each in a folder of its own below this one, which is created.
///
/// # Errors
/// When a folder holds a run already or cannot be written; then neither holds one of this pair.
pub fn create_pair(
    folder: &Path,
    experiment: &Experiment,
    command_line: &[String],
    introduced: &[Introduced; 2],
) -> Result<[Journal; 2], JournalError> {
    let started = now();
    // No other process has this number at this time, and none starts two pairs in a second in one folder.
    let id = format!("{started}-{}", std::process::id());
    let create = |side: Side| {
        let build = introduced[side as usize].build.clone();
        let manifest = Manifest::new(build, experiment.clone(), command_line.to_vec(), started.clone());
        let pair = Some(Pair { id: id.clone(), side });
        Journal::create(&folder.join(side.to_string()), Manifest { pair, ..manifest })
    };
    let base = create(Side::Base)?;
    match create(Side::New) {
        Ok(new) => Ok([base, new]),
        Err(error) => {
            base.withdraw()?;
            Err(error)
        }
    }
}

/// Runs every cell of both journals of [`create_pair`], each with its worker, and of each what its build knows.
///
/// # Errors
/// When records cannot be written, what the user asked for cannot be had at all, or the two are not on one machine.
pub fn run_pair(
    workers: &mut [impl Executor; 2],
    journals: &mut [Journal; 2],
    introduced: [Introduced; 2],
    observer: &mut dyn RunObserver,
    interrupted: &AtomicBool,
) -> Result<[Outcome; 2], RunError> {
    let observer: SharedObserver = Rc::new(RefCell::new(observer));
    let mut runs = Vec::new();
    for ((worker, journal), known) in workers.iter_mut().zip(journals).zip(introduced) {
        let mut run = Runner::of(worker, journal, observer.clone(), interrupted);
        run.unknown = known.unknown;
        runs.push(run);
    }
    let opened = each(&mut runs, Runner::open).and_then(|_| level(&mut runs));
    let ended = run_all(&mut runs, opened)?;
    Ok([ended[0], ended[1]])
}

/// Sees to it that both runs are on one machine, and are judged by the same ceilings.
fn level(runs: &mut [Runner]) -> Result<(), RunError> {
    let Some((base, new)) = runs[0].environment().zip(runs[1].environment()) else { return Ok(()) };
    if let Some(note) = compare_machines(base, new)? {
        runs[0].observer.borrow_mut().event(None, Event::Machine(&note));
    }
    // What is too fast to be true must not depend on whose ceilings were measured in the better moment.
    let best = base.ceilings.clone().best_of(new.ceilings.clone());
    each(runs, |run| run.raise_ceilings(best.clone())).map(drop)
}

/// Says what else is not the same: another compiler makes other kernels of the same source, which is not an error, since
/// other kernels are what pairs are for.
///
/// The device is compared by its identity, not by everything that is known of it: a later build may know more.
///
/// # Errors
/// When device, driver or host differ.
fn compare_machines(base: &Environment, new: &Environment) -> Result<Option<String>, RunError> {
    let known = |of: &Environment, what: fn(&DeviceRecord) -> Option<String>| {
        of.device.as_ref().and_then(what).unwrap_or_else(|| "none".to_string())
    };
    let device = |of: &Environment| match (&of.device, &of.device_problem) {
        (None, Some(problem)) => format!("none ({problem})"),
        _ => known(of, |device| Some(device.info.uuid.clone())),
    };
    let host = |of: &Environment| format!("{}, {} threads, {}", of.host.cpu, of.host.threads, of.host.kernel);
    let mut facts = vec![("host", host(base), host(new))];
    if base.device.is_some() || new.device.is_some() {
        let driver = |of| known(of, |device| device.driver.clone());
        facts.splice(0..0, [("device", device(base), device(new)), ("driver", driver(base), driver(new))]);
    }
    let differs = facts.into_iter().filter(|(_, base, new)| base != new);
    let differs: Vec<String> =
        differs.map(|(what, base, new)| format!("{what} {base} for base and {new} for new")).collect();
    if !differs.is_empty() {
        let remedy = match base.gpu().or(new.gpu()) {
            Some(_) => "let both see the same device, for example with --device cuda:0",
            None => "let both see the same CPU alone, with --device cpu",
        };
        let differs = differs.join(", ");
        return Err(RunError::Input(format!(
            "the two builds do not run on one machine: {differs}; {remedy}"
        )));
    }
    let [base, new] = [base, new].map(|of| known(of, |device| device.compiler.clone()));
    Ok((base != new)
        .then(|| format!("base is compiled by {base} and new by {new}: times may differ by that alone")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::fixtures;

    #[test]
    fn who_has_no_gpu_is_not_told_to_take_one() {
        for (gpus, remedy) in [(1, "for example with --device cuda:0"), (0, "with --device cpu")] {
            let base = fixtures::environment(gpus);
            let mut new = base.clone();
            new.host.threads += 1;
            let told = compare_machines(&base, &new).unwrap_err().to_string();
            assert!(told.ends_with(remedy), "{told}");
        }
    }
}
