//! Two builds side by side: every sample of the new build next to one of the old build, on one device. What the machine
//! does to one, it does to the other, so their ratio can be trusted where two runs at two times cannot.

use crate::graph::ElementType;
use crate::measure::event::{Event, RunObserver, RunProgress};
use crate::measure::runner::{Outcome, RunError, Runner, SharedProgress, each, now, run_all};
use crate::measure::supervisor::Executor;
use crate::plan::Experiment;
use crate::protocol::{FailureCause, Introduced, Reply, Request};
use crate::store::{DeviceRecord, Environment, Journal, JournalError, Manifest, Pair, Side};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use thiserror::Error;

/// A repro answers in milliseconds, since it looks at no device. Whoever gave another program should not wait for long.
const LIMIT: Duration = Duration::from_secs(10);

/// Something of the old build and the same of the new one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Both<T> {
    pub base: T,
    pub new: T,
}

impl<T> Both<T> {
    pub fn get(&self, side: Side) -> &T {
        match side {
            Side::Base => &self.base,
            Side::New => &self.new,
        }
    }
}

/// Why two builds cannot be run side by side.
#[derive(Debug, Error)]
pub enum PairError {
    #[error(
        "{} cannot be paired: it does not say which build of repro it is ({problem}); give the path of a repro \
         that is new enough to be paired, or run both builds apart with `repro run`",
        program.display()
    )]
    Unknown { program: PathBuf, problem: String },
    #[error("the two builds do not run on one machine: {differs}; {remedy}")]
    Machines { differs: String, remedy: &'static str },
    #[error("{} does not know the element type {element}: leave it out of --elements", program.display())]
    Element { program: PathBuf, element: ElementType },
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("interrupted before anything was measured")]
    Interrupted,
}

/// Asks the worker of `program` which build it is, and what of `experiment` it cannot run.
///
/// # Errors
/// When it is no repro, or one from before this was asked; within seconds.
pub fn introduce(
    program: &Path,
    executor: &mut dyn Executor,
    experiment: &Experiment,
) -> Result<Introduced, PairError> {
    let unknown = |problem| PairError::Unknown { program: program.to_path_buf(), problem };
    match executor.ask(&Request::Introduce { variants: experiment.variants() }, LIMIT) {
        Ok(Reply::Introduced(introduced)) => {
            // It would take a graph for one of f32, and nobody would notice.
            match experiment.elements().into_iter().find(|element| !introduced.elements.contains(element)) {
                Some(element) => Err(PairError::Element { program: program.to_path_buf(), element }),
                None => Ok(introduced),
            }
        }
        Ok(_) => Err(unknown("it answered something else".to_string())),
        Err(failure) if failure.cause == FailureCause::Interrupted => Err(PairError::Interrupted),
        Err(failure) => Err(unknown(failure.message)),
    }
}

/// Starts the two runs of a pair, each in a folder of its own, which is created.
///
/// # Errors
/// When a folder holds a run already or cannot be written; then neither holds one of this pair.
pub fn create_pair(
    folders: &Both<PathBuf>,
    experiment: &Experiment,
    command_line: &[String],
    introduced: &Both<Introduced>,
) -> Result<Both<Journal>, JournalError> {
    let started = now();
    // No other process has this number at this time, and none starts two pairs in a second in one folder.
    let id = format!("{started}-{}", std::process::id());
    let create = |side: Side| {
        let build = introduced.get(side).build.clone();
        let manifest = Manifest::new(build, experiment.clone(), command_line.to_vec(), started.clone());
        let pair = Some(Pair { id: id.clone(), side });
        Journal::create(folders.get(side), Manifest { pair, ..manifest })
    };
    let base = create(Side::Base)?;
    match create(Side::New) {
        Ok(new) => Ok(Both { base, new }),
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
    workers: &mut Both<impl Executor>,
    journals: &mut Both<Journal>,
    introduced: Both<Introduced>,
    observer: &mut dyn RunObserver,
    interrupted: &AtomicBool,
) -> Result<Both<Outcome>, PairError> {
    let runs = vec![RunProgress::default(); 2];
    let progress = Rc::new(RefCell::new(SharedProgress { observer, runs }));
    let run =
        |executor, journal, side| Runner::of(executor, journal, progress.clone(), Some(side), interrupted);
    let mut runs = [
        run(&mut workers.base, &mut journals.base, Side::Base),
        run(&mut workers.new, &mut journals.new, Side::New),
    ];
    runs[0].unknown = introduced.base.unknown;
    runs[1].unknown = introduced.new.unknown;
    let mut opened = each(&mut runs, Runner::open).map(drop);
    if opened.is_ok() {
        if let Some((base, new)) = runs[0].environment().zip(runs[1].environment())
            && let Some(note) = compare_machines(base, new)?
        {
            progress.borrow_mut().observer.event(None, Event::PairDiffers(&note));
        }
        // What is too fast to be true must not depend on whose ceilings were measured in the better moment.
        let best = runs[0].ceilings().best_of(runs[1].ceilings());
        opened = each(&mut runs, |run| run.raise_ceilings(best.clone())).map(drop);
    }
    let ended = run_all(&mut runs, opened)?;
    Ok(Both { base: ended[0], new: ended[1] })
}

/// Says what else is not the same: another compiler makes other kernels of the same source, which is not an error, since
/// other kernels are what pairs are for.
///
/// The device is compared by its identity, not by everything that is known of it: a later build may know more.
///
/// # Errors
/// When device, driver or host differ.
fn compare_machines(base: &Environment, new: &Environment) -> Result<Option<String>, PairError> {
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
        facts.insert(0, ("device", device(base), device(new)));
        facts.insert(1, ("driver", driver(base), driver(new)));
    }
    facts.retain(|(_, base, new)| base != new);
    if !facts.is_empty() {
        let differs =
            facts.iter().map(|(what, base, new)| format!("{what} {base} for base and {new} for new"));
        let remedy = match base.gpu().or(new.gpu()) {
            Some(_) => "let both see the same device, for example with --device cuda:0",
            None => "let both see the same CPU alone, with --device cpu",
        };
        return Err(PairError::Machines { differs: differs.collect::<Vec<_>>().join(", "), remedy });
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
