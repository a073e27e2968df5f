//! The row of a sample, and what the sample is worth: ok, throttled, or too good to be true.

use crate::implementation::{Cost, Implementation, Parameters, Problem};
use crate::plan::{NamedGraph, PlannedCell, Variant};
use crate::protocol::SampleReply;
use crate::store::{Environment, SampleRow, Status};
use crate::timing::{Scope, TimeLowerBound};

/// The row of a verified sample, with scope and seconds still to be filled in. Where the environment's ceilings are known, a time below the
/// floor is `impossible`.
pub fn row_of(
    cell: &PlannedCell,
    graph: &NamedGraph,
    sample: usize,
    sampled: &SampleReply,
    environment: Option<&Environment>,
) -> SampleRow {
    let telemetry = sampled.telemetry.clone().unwrap_or_default();
    let Variant { implementation, parameters } = &cell.variant;
    let bounded = implementation.known().zip(environment).map(|(known, environment)| {
        floor_of(known, parameters, &graph.problem(cell.id.n), telemetry.sm_mhz, environment)
    });
    let problem = bounded.and_then(|(floor, scopes)| {
        let read = scopes.iter().filter_map(|scope| sampled.seconds.get(*scope));
        let seconds = read.reduce(f64::min).filter(|seconds| floor.is_beaten_by(*seconds))?;
        let least = floor.seconds;
        Some(format!("{seconds:.3e} s is less than the {least:.3e} s that the measured ceilings allow"))
    });
    let status = match &problem {
        Some(_) => Status::Impossible,
        None if telemetry.is_throttled() => Status::Throttled,
        None => Status::Ok,
    };
    SampleRow {
        verified: true,
        verification: Some(sampled.result.verification),
        digest: sampled.result.digest.clone(),
        sm_mhz: telemetry.sm_mhz,
        memory_mhz: telemetry.memory_mhz,
        power_w: telemetry.power_w,
        temperature_c: telemetry.temperature_c,
        throttled_by: telemetry.throttled_by.join("+"),
        iterations: sampled.iterations,
        others_load: sampled.others_load,
        ..SampleRow::without_time(&cell.id, sample, status, &problem.unwrap_or_default())
    }
}

/// The scopes that enclose a whole solve on the CPU, by this program or a foreign one.
const ON_CPU: [Scope; 4] = [Scope::Kernel, Scope::ProgramOwn, Scope::ProgramSolve, Scope::Program];

/// The shortest time that an implementation with its parameters can honestly take, and the scopes that it binds: on a device its own clock
/// alone, since what the host reads without waiting is no time of a solve. `clock_mhz` is the clock of the multiprocessors during the sample;
/// without it their highest clock is taken.
fn floor_of(
    known: &Implementation,
    parameters: &Parameters,
    problem: &Problem,
    clock_mhz: Option<u32>,
    environment: &Environment,
) -> (TimeLowerBound, &'static [Scope]) {
    let abilities = known.capabilities(parameters);
    let Problem { n, element, .. } = *problem;
    let Cost { tasks, floor_seconds: raised, .. } = known.solver.cost(problem, parameters);
    let devices = *abilities.devices.start();
    if devices == 0 {
        let (ceilings, threads) = (&environment.ceilings, environment.host.threads);
        let rates = ceilings.cpu_tasks_per_s(element).zip(ceilings.most_cpu_tasks_per_s(element, threads));
        let floor = rates.filter(|_| abilities.is_cubic);
        let floor =
            floor.map_or(TimeLowerBound::NONE, |(rate, most)| TimeLowerBound::on_cpu(tasks, rate, most));
        return (floor.raised_to(raised), &ON_CPU);
    }
    let known = environment.device.as_ref().zip(environment.ceilings.device.as_ref());
    let floor = known.map_or(TimeLowerBound::NONE, |(device, ceilings)| {
        let rate = ceilings.tasks_per_s(element, &device.info, clock_mhz).filter(|_| abilities.is_cubic);
        TimeLowerBound::on_devices(n, element, devices, rate.map(|rate| tasks / rate), ceilings.copy_gbs)
    });
    (floor.raised_to(raised), &[Scope::Kernel, Scope::CudaGraph])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::RandomGraph;
    use crate::implementation::find;
    use crate::timing::DeviceCeilings;

    /// A machine whose GPU does 10¹² tasks a second and whose issue slots nobody knows.
    fn environment() -> Environment {
        let mut environment = crate::results::fixtures::environment(1);
        let info = &mut environment.device.as_mut().unwrap().info;
        (info.multiprocessors, info.clock_mhz) = (1, 1);
        let ceilings =
            DeviceCeilings { copy_gbs: 4000.0, add_min_tasks_per_s: 1e12, ..DeviceCeilings::default() };
        environment.ceilings.device = Some(ceilings);
        environment
    }

    #[test]
    fn the_floor_follows_the_tasks_that_are_done() {
        let n = 8192;
        let weights = |undirected| RandomGraph { undirected, ..RandomGraph::complete(1) }.weights();
        let floor = |name: &str, undirected, parameters: Parameters| {
            let known = find(name).unwrap();
            let (weights, element) = (weights(undirected), crate::graph::ElementType::F32);
            let problem = Problem::one(n, element, weights);
            floor_of(&known, &parameters, &problem, None, &environment()).0.seconds
        };
        let (all, none) = ((n as f64).powi(3) / 1e12, Parameters::default);
        let half = all * (n + 1) as f64 / (2 * n) as f64;
        assert_eq!(floor("register-blocked", false, none()), all);
        assert!((floor("register-blocked", true, none()) / half - 1.0).abs() < 1e-12);
        // Whatever does all tasks is held to all.
        assert_eq!(floor("register-blocked", true, Parameters::from([("half", 0)])), all);
        assert_eq!(floor("staged-load", true, none()), all);
    }
}
