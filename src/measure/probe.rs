//! What machine a run would be on, asked before there is a run.

use crate::device::Selection;
use crate::device::emulated::Instruments;
use crate::graph::ElementType;
use crate::measure::runner::RunError;
use crate::measure::sharded;
use crate::measure::supervisor::Executor;
use crate::plan::{Experiment, host_memory};
use crate::protocol::{FailureCause, Opening, Reply, Request};
use crate::store::Environment;
use std::time::Duration;

/// Longer than a device takes to open and a kernel to compile.
const LIMIT: Duration = Duration::from_secs(120);

/// Asks a worker what machine this is. None where it could not answer: what is wrong is reported in full once there is a run
/// that it can be noted in. Sharded matrices are for as many devices as there are: where nobody chose one and a GPU was found, the
/// experiment is then on all GPUs.
///
/// # Errors
/// When the device that the user asked for is not there, or no graph can be held: the option and what to do. When all that would run on a
/// device is one user kernel, and that does not load. When another of several processes is lost or does not come.
pub fn probe_machine(
    worker: &mut dyn Executor,
    experiment: &mut Experiment,
) -> Result<Option<Environment>, RunError> {
    let mut variants = experiment.variants();
    // One that needs the device is enough for a worker to open it.
    variants.retain(|variant| variant.needs_device() || variant.takes_gpu());
    variants.sort_by_key(|variant| !variant.needs_device());
    let is_all = variants.len() == 1;
    variants.truncate(1);
    let opening = Opening::of(experiment, variants, Instruments::NONE);
    let opened = match worker.ask(&Request::Open(opening), LIMIT) {
        Ok(Reply::Opened(opened)) => opened,
        Err(failure) if failure.cause == FailureCause::MemberLost => {
            return Err(RunError::MemberLost(failure.message));
        }
        _ => return Ok(None),
    };
    let problem = missing_device(experiment, &opened.environment)
        .or(opened.unusable.filter(|_| is_all))
        .or_else(|| too_large(experiment, opened.environment.host.memory_bytes));
    if let Some(problem) = problem {
        return Err(RunError::Input(problem));
    }
    let chosen = experiment.device.parse().is_ok_and(|device: Selection| device != Selection::Auto);
    if experiment.sharded && !chosen && opened.environment.gpu().is_some() {
        experiment.device = Selection::CudaAll.to_string();
    }
    Ok(Some(opened.environment))
}

/// What is wrong where this machine, of `memory_bytes` if that is not 0, could hold no graph of the experiment, whatever else ran on it: nothing could be measured.
fn too_large(experiment: &Experiment, memory_bytes: u64) -> Option<String> {
    let least =
        experiment.columns.iter().flat_map(|column| column.sizes.iter().chain(&column.count_sizes)).min()?;
    let needed = |element: &ElementType| match experiment.sharded {
        true => sharded::host_memory(*least, *element, &experiment.limits),
        false => host_memory(*least, 1, *element, &experiment.limits, false),
    };
    let needed = experiment
        .elements()
        .iter()
        .map(needed)
        .min()
        .filter(|needed| memory_bytes > 0 && *needed > u128::from(memory_bytes))?;
    Some(format!(
        "n = {least} needs {} MiB of host memory, and this machine has {} MiB in all: choose a smaller n with --sizes",
        needed >> 20,
        memory_bytes >> 20
    ))
}

/// What is wrong where the device that the user asked for is not there.
pub(super) fn missing_device(experiment: &Experiment, environment: &Environment) -> Option<String> {
    let demanded = experiment.device.parse().ok().filter(|device: &Selection| device.is_demanded())?;
    let problem = environment.device_problem.as_ref()?;
    Some(format!("--device {}: {problem}{}", experiment.device, demanded.instead()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{ExperimentFile, Overrides, resolve};

    #[test]
    fn a_sharded_matrix_needs_no_room_for_all_of_it() {
        let text = include_str!("../../experiments/table1.toml");
        let file = ExperimentFile::parse("x", "x.toml", text).unwrap();
        let sizes = Some(vec![131_072]);
        let whole = resolve(&file, &Overrides { sizes, ..Overrides::default() }, Selection::CudaAll).unwrap();
        let memory = 16 << 30;
        assert!(too_large(&whole, memory).is_some_and(|problem| problem.contains("n = 131072 needs")));
        assert_eq!(too_large(&Experiment { sharded: true, ..whole }, memory), None);
    }
}
