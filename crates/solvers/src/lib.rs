//! Every way to compute all-pairs shortest paths, and what they have in common: a [`Problem`] and [`Devices`] go in; [`Solver::prepare`]
//! makes what a solve needs; [`PreparedSolve::run`] queues a solve under a [`Clock`]. The crate uses no record and no report.
//!
//! A new implementation that is a list of launches is two files of `kernels/`, as docs/adding-an-implementation.md says. Any other is a file here
//! and a line in [`built_in`]; or, in another crate, one call of [`register`].

mod batched;
mod device_solve;
pub mod distributed;
mod implementation;
pub mod kernel_file;
mod kernels;
mod layout;
mod on_cpu;
mod pinning;
/// Public for solvers of other crates that are made of its tiles.
pub mod register_blocked;
mod registry;
#[cfg(test)]
mod solve_tests;
pub mod stored_code;
pub use device_solve::{BackToBackSolve, DeviceSolve};
pub use implementation::{
    Capabilities, Cost, Implementation, Parameter, PreparedSolve, Solver, Traffic, check_batch,
};
pub use kernels::{
    Address, BatchMode, DistanceSigns, KernelSet, KernelTraffic, KernelUse, LaunchArgument, LaunchList,
    LaunchSite, Memory, PaperFigures, PlannedLaunch, Target,
};
pub use layout::{BlockSink, DeviceTimes, Devices, Problem, ShardedSolve, require_device};
pub use layout::{Layout, MOST_BLOCKS_IN_Y};
pub use on_cpu::{CpuSolver, ForElement, HostMethod, for_element};
pub use pinning::{PinGuard, PinnedCores, Pinning, SolverThreads};
pub use register_blocked::HALF;
pub use registry::{
    DuplicateName, ImplementationFile, ImplementationRef, catalogue, find, given_files, names, register,
    register_unlisted,
};
pub use repro_base::{Parameters, Scope, TimingPoint};
pub use repro_cpu::{
    generalized as cpu_generalized, naive as cpu_naive, parallel as cpu_parallel, peak as cpu_peak,
};
pub use repro_device::{Clock, NoClock};
pub use repro_graph::Block;

/// The implementations of this crate, in the order in which tables show them: those of `kernels/` by the place that each names.
fn built_in() -> Vec<Implementation> {
    let coded = [
        (0, on_cpu::naive()),
        (100, register_blocked::implementation()),
        (101, on_cpu::parallel()),
        (102, on_cpu::generalized_blocked()),
        (103, batched::implementation()),
    ];
    let mut all = kernel_file::built_in();
    all.extend(coded);
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, implementation)| implementation).collect()
}

/// The implementation for a device where nobody chose one: of [`built_in`], the fastest that can be solved in pieces.
pub fn default_for_device() -> Implementation {
    register_blocked::implementation()
}

/// Tasks that `kernel` of an implementation did in `blocks` blocks of a solve of `problem`. None when it has no such kernel.
pub fn tasks_of(
    implementation: &Implementation,
    parameters: &Parameters,
    kernel: &str,
    problem: &Problem,
    blocks: u64,
) -> Option<u64> {
    let set = implementation.launched_kernels(Target::default(), parameters)?;
    let used = set.uses.iter().find(|used| used.name == kernel)?;
    if let Some(tasks) = used.tasks_a_block {
        return Some(tasks.saturating_mul(blocks));
    }
    let model = implementation.solver.model(problem.n, parameters);
    let modelled = model.iter().find(|modelled| modelled.kernel == kernel).map(|modelled| modelled.tasks);
    // A kernel that does whole solves does what those take: half of the tasks where half suffices.
    let whole = || implementation.solver.cost(problem, parameters).tasks as u64;
    Some(modelled.filter(|&tasks| tasks != (problem.n as u64).pow(3)).unwrap_or_else(whole))
}

#[cfg(test)]
mod tests {
    use super::*;
    use repro_graph::{ElementType, WeightRange};

    const WEIGHTS: WeightRange =
        WeightRange { largest: 1.0, negative: false, complete: false, grain: 1.0, symmetric: false };

    #[test]
    fn the_kernel_that_does_a_whole_solve_does_the_tasks_of_its_problem() {
        let known = find("register-blocked").unwrap();
        let tasks = |kernel, symmetric, half| {
            let problem = Problem::one(100, ElementType::F32, WeightRange { symmetric, ..WEIGHTS });
            tasks_of(&known, &Parameters::from([("half", half)]), kernel, &problem, 7)
        };
        assert_eq!(tasks("solve_tiles_of_64", true, 1), Some(505_000));
        assert_eq!(tasks("solve_tiles_of_64", true, 0), Some(1_000_000));
        assert_eq!(tasks("solve_tiles_of_64", false, 1), Some(1_000_000));
        assert_eq!((tasks("begin_64", true, 1), tasks("no-kernel", true, 1)), (Some(0), None));
    }

    #[test]
    fn parameters_without_kernels_and_sizes_beyond_them_are_refused_with_what_is_allowed() {
        let known = |name| find(name).unwrap_or_else(|| panic!("no {name}"));
        for (name, parameters, allowed) in [
            ("generalized-blocked", &[("tile", 24)][..], Some("tile = 24: it takes 8, 16, 32")),
            ("generalized-blocked", &[("stage", 8), ("tile", 8)], None),
            (
                "generalized-blocked",
                &[("stage", 16), ("tile", 8)],
                Some("requires stage <= tile, not tile = 8, stage = 16"),
            ),
            ("generalized-blocked", &[("stage", 12)], Some("stage = 12")),
            ("generalized-blocked", &[("stage", 32), ("rest-threads", 64)], None),
            (
                "generalized-blocked",
                &[("rest-threads", 64), ("tile", 16)],
                Some("rest_threads == 0 || tile == 32, not tile = 16, rest-threads = 64"),
            ),
            ("generalized-blocked", &[("rest-threads", 32)], Some("rest-threads = 32")),
            ("cpu-generalized-blocked", &[("tile", 248)], None),
            ("cpu-generalized-blocked", &[("tile", 36)], Some("tile = 36: expected a multiple of 8")),
            ("katz-kider-1024", &[("tile", 16)], None),
            ("katz-kider-1024", &[("tile", 24)], Some("tile = 24: it takes 16, 32")),
            ("register-blocked", &[("tile", 96)], Some("64 or 128")),
            ("register-blocked", &[("chain", 1), ("depth", 1)], None),
            ("register-blocked", &[("chain", 1), ("tile", 64)], None),
            ("register-blocked", &[("chain", 1), ("depth", 2)], Some("chain")),
            ("register-blocked", &[("chain", 1), ("tile", 128)], Some("chain")),
            ("register-blocked", &[("chain", 1), ("omit", 3)], Some("chain")),
        ] {
            let found = known(name).check(&parameters.iter().copied().collect()).err();
            let as_expected = match (&found, allowed) {
                (Some(refused), Some(allowed)) => refused.contains(allowed),
                (found, allowed) => found.is_none() && allowed.is_none(),
            };
            assert!(as_expected, "{name} {parameters:?}: {found:?}, expected {allowed:?}");
        }
        for (name, problem) in [
            (
                "generalized-blocked",
                "requires kappa <= (n + tile - 1) / tile: n has 3 tiles a side, and kappa is at most their number",
            ),
            ("cpu-generalized-blocked", "n = 96 has 3 of 32"),
        ] {
            assert_eq!(known(name).fits(97, &Parameters::from([("kappa", 4)])), Ok(()));
            let refused = known(name).fits(96, &Parameters::from([("kappa", 4)])).unwrap_err();
            assert!(refused.contains(problem), "{refused}");
        }
        let refused = known("two-phase").takes(ElementType::U16, &Parameters::default());
        assert_eq!(refused.unwrap_err(), "two-phase does not solve in u16: it takes f32");
        let of_rows = known("harish-narayanan");
        assert_eq!(of_rows.fits(65_535, &Parameters::default()), Ok(()));
        assert_eq!(
            of_rows.fits(65_536, &Parameters::default()).unwrap_err(),
            "n = 65536 is not for harish-narayanan: it requires n <= 65_535 * block_y: set block-y to 2 or more"
        );
        assert_eq!(of_rows.fits(131_070, &Parameters::from([("block-x", 128), ("block-y", 2)])), Ok(()));
        assert!(of_rows.fits(usize::MAX, &Parameters::default()).is_err());
    }

    #[test]
    fn names_are_unique_and_findable() {
        for implementation in catalogue() {
            assert_eq!(find(&implementation.name).unwrap().summary, implementation.summary);
        }
        assert!(find("no-such-implementation").is_none());
        let again = built_in().remove(0);
        assert_eq!(register(again), Err(DuplicateName("cpu-naive".to_string())));
    }

    #[test]
    fn every_kernel_that_is_named_is_in_its_file() {
        for implementation in catalogue() {
            for parameters in &implementation.verified_with {
                assert_eq!(implementation.check(parameters), Ok(()));
            }
            for parameters in implementation.verified_parameters() {
                let Some(set) = implementation.kernels(Target::default(), &parameters) else { continue };
                let whole = set.source.expanded();
                for kernel in set.names() {
                    let declared = whole.contains(&format!(" {kernel}("));
                    assert!(declared, "{} has no kernel {kernel}", set.source.file);
                }
            }
        }
    }
}
