//! Every way to compute all-pairs shortest paths, one file each, and what they have in common: a [`Problem`] and a [`Machine`] go
//! in; [`Method::prepare`] makes what a solve needs; [`Prepared::run`] queues a solve under a [`Clock`].
//!
//! A new implementation is one kernel file, one file here and one line in [`built_in`]; or, in another crate, one call of
//! [`register`].

mod batched;
mod cpu_columns;
mod cpu_generalized_blocked;
#[cfg(feature = "fault-injection")]
mod fault_injection;
mod generalized_blocked;
mod given;
mod global_memory;
mod harish_narayanan;
mod implementation;
mod katz_kider;
mod katz_kider_1024;
mod katz_kider_shifts;
mod layout;
mod on_cpu;
mod one_launch_a_k;
mod optimized_blocked;
mod padding;
mod pinning;
mod problem;
/// Public for solvers of other crates that are made of its tiles.
pub mod register_blocked;
mod registry;
mod schedule;
mod scheduled;
mod sharded;
mod shared_buffer;
#[cfg(test)]
mod solve_tests;
mod square_blocks;
mod staged_bank_conflicts;
mod staged_load;
mod staged_load_256;
mod staged_plain_order;
mod staged_row_major;
pub mod stored;
mod three_kernel_rounds;
mod tile_in_registers;
mod tile_in_registers_256;
mod trees;
mod two_phase;
mod weight_range;
pub use given::GivenFile;
pub use implementation::{Abilities, Implementation, InPieces, Method, Prepared, Repeating, Traffic};
pub use layout::{Layout, MOST_BLOCKS_IN_Y};
pub use on_cpu::{CpuSolver, ForElement, OnCpu, for_element};
pub use pinning::{Pin, Pinned, Pinning, Threads};
pub use problem::{Machine, Output, Problem};
pub use register_blocked::HALF;
pub use registry::{
    AlreadyRegistered, Named, catalogue, find, given_files, names, non_default, register, register_unlisted,
};
pub use repro_cpu::{
    Vectorized, generalized as cpu_generalized, naive as cpu_naive, parallel as cpu_parallel,
    peak as cpu_peak,
};
pub use repro_device::{Clock, Untimed};
pub use repro_graph::Block;
pub use repro_types::{Parameter, Parameters, Point, Scope};
pub use schedule::{
    Batches, KernelTraffic, KernelUse, Launcher, PaperFigures, RecordedArgument, RecordedBuffer,
    RecordedLaunch, Recording, Schedule, Signs, Solve, Target,
};
pub use scheduled::Scheduled;
pub use sharded::{DeviceTimes, ShardedSolve, TakeBlock};
pub use trees::{Incoming, Trees};
pub use weight_range::{
    Obstacle, WeightAt, WeightFacts, place_weights, rows_side_by_side, weights_are_symmetric,
};

/// The implementations of this crate, in the order in which tables show them.
fn built_in() -> Vec<Implementation> {
    vec![
        cpu_columns::naive(),
        harish_narayanan::implementation(),
        global_memory::implementation(),
        shared_buffer::implementation(),
        katz_kider::implementation(),
        katz_kider_1024::implementation(),
        katz_kider_shifts::implementation(),
        optimized_blocked::implementation(),
        tile_in_registers_256::implementation(),
        tile_in_registers::implementation(),
        staged_row_major::implementation(),
        staged_plain_order::implementation(),
        staged_bank_conflicts::implementation(),
        staged_load::implementation(),
        staged_load_256::implementation(),
        generalized_blocked::implementation(),
        two_phase::implementation(),
        register_blocked::implementation(),
        cpu_columns::parallel(),
        cpu_generalized_blocked::implementation(),
        batched::implementation(),
    ]
}

/// What solves a graph on a device where nobody chose: of [`built_in`], the fastest that is solved in pieces.
pub fn usual() -> Implementation {
    register_blocked::implementation()
}

/// Tasks that `kernel` of an implementation did in `blocks` blocks of a solve of `n` vertices. None when it has no such kernel.
pub fn tasks_of(
    implementation: &Implementation,
    parameters: &Parameters,
    kernel: &str,
    n: usize,
    blocks: u64,
) -> Option<u64> {
    implementation.schedule()?.tasks(kernel, n, blocks, parameters)
}

/// Tasks that `kernel` did in `blocks` blocks of a solve of `problem`, as [`tasks_of`]: one that does whole solves does what that takes.
pub fn tasks_of_problem(
    implementation: &Implementation,
    parameters: &Parameters,
    kernel: &str,
    problem: &Problem,
    blocks: u64,
) -> Option<u64> {
    let kernels = implementation.schedule()?.kernels(Target::default(), parameters);
    let used = kernels.iter().find(|used| used.name == kernel)?;
    let all = tasks_of(implementation, parameters, kernel, problem.n, blocks)?;
    let is_whole = used.tasks_a_block.is_none() && all as f64 * problem.graphs as f64 == problem.cubed();
    let done = implementation.method.tasks_of_solve(problem, parameters);
    Some(if is_whole { done as u64 } else { all })
}

#[cfg(test)]
mod tests {
    use super::*;
    use repro_graph::ElementType;

    #[test]
    fn the_kernel_that_does_a_whole_solve_does_the_tasks_of_its_problem() {
        let known = find("register-blocked").unwrap();
        let tasks = |kernel, symmetric, half| {
            let of = Problem { n: 100, ..Problem::undirected(ElementType::F32) };
            let problem = Problem { weights: repro_graph::WeightRange { symmetric, ..of.weights }, ..of };
            tasks_of_problem(&known, &Parameters::from([("half", half)]), kernel, &problem, 7)
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
            ("generalized-blocked", &[("tile", 24)][..], Some("8, 16 and 32")),
            ("generalized-blocked", &[("stage", 8), ("tile", 8)], None),
            (
                "generalized-blocked",
                &[("stage", 16), ("tile", 8)],
                Some("stage = 16 with tile = 8: expected 0, 4, 8, 16 or 32, and at most the tile"),
            ),
            ("generalized-blocked", &[("stage", 12)], Some("stage = 12")),
            ("generalized-blocked", &[("stage", 32), ("rest-threads", 64)], None),
            (
                "generalized-blocked",
                &[("rest-threads", 64), ("tile", 16)],
                Some("rest-threads = 64 with tile = 16: expected 0, or 64 with tile = 32"),
            ),
            ("generalized-blocked", &[("rest-threads", 32)], Some("rest-threads = 32")),
            ("cpu-generalized-blocked", &[("tile", 248)], None),
            ("cpu-generalized-blocked", &[("tile", 36)], Some("tile = 36: expected a multiple of 8")),
            ("katz-kider-1024", &[("tile", 16)], None),
            ("katz-kider-1024", &[("tile", 24)], Some("tile = 24: there are kernels for 16 and 32")),
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
        for name in ["generalized-blocked", "cpu-generalized-blocked"] {
            assert_eq!(known(name).fits(97, &Parameters::from([("kappa", 4)])), Ok(()));
            let refused = known(name).fits(96, &Parameters::from([("kappa", 4)])).unwrap_err();
            assert!(refused.contains("n = 96 has 3 tiles of 32 a side"), "{refused}");
        }
        let refused = known("two-phase").takes(ElementType::U16, &Parameters::default());
        assert_eq!(refused.unwrap_err(), "two-phase does not solve in u16: it takes f32");
        let of_rows = known("harish-narayanan");
        assert_eq!(of_rows.fits(65_535, &Parameters::default()), Ok(()));
        assert_eq!(
            of_rows.fits(65_536, &Parameters::default()).unwrap_err(),
            "n = 65536 needs a grid of 65536 rows of blocks, and CUDA has 65535: set block-y to 2 or more"
        );
        assert_eq!(of_rows.fits(131_070, &Parameters::from([("block-x", 128), ("block-y", 2)])), Ok(()));
        assert!(of_rows.fits(usize::MAX, &Parameters::default()).is_err());
    }

    #[test]
    fn only_programs_have_the_scopes_of_programs() {
        for implementation in catalogue() {
            let scopes = implementation.method.abilities(&Parameters::default()).scopes;
            assert!(!Scope::PROGRAM.iter().any(|scope| scopes.contains(scope)), "{}", implementation.name);
            assert!(scopes.contains(&Scope::Kernel), "{}", implementation.name);
        }
    }

    #[test]
    fn names_are_unique_and_findable() {
        for implementation in catalogue() {
            assert_eq!(find(&implementation.name).unwrap().summary, implementation.summary);
        }
        assert!(find("no-such-implementation").is_none());
        let again = built_in().remove(0);
        assert_eq!(register(again), Err(AlreadyRegistered("cpu-naive".to_string())));
    }

    #[test]
    fn every_kernel_named_by_a_schedule_is_in_its_file() {
        for implementation in catalogue() {
            if let Some(schedule) = implementation.schedule() {
                for parameters in schedule.also_checked().into_iter().chain([Parameters::default()]) {
                    assert_eq!(implementation.check(&parameters), Ok(()));
                    let source = schedule.source(Target::default(), &parameters);
                    let whole = source.expanded();
                    for kernel in schedule.kernels(Target::default(), &parameters) {
                        let declared = whole.contains(&format!(" {}(", kernel.name));
                        assert!(declared, "{} has no kernel {}", source.file, kernel.name);
                    }
                }
            }
        }
    }
}
