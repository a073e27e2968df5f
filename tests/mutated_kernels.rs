//! Mistakes made in the real kernels must show on the emulated device: a barrier taken away as a race, an index that is off
//! by one as a finding or a wrong result. Without a C++ compiler the tests say that they did nothing.

mod common;

use common::emulated;
use repro::device::emulated::{EmulatedDevice, Finding, FindingKind, Instruments};
use repro::device::{Buffer, Device, DeviceError, Kernel, KernelSource};
use repro::graph::{DistanceMatrix, RandomGraph, generate};
use repro::implementation::{
    Body, KernelUse, Layout, Parameters, Schedule, Solver, WorkingMemory, cpu_parallel, find,
};

/// Three tiles a side, the last one padded.
const N: usize = 70;
const BARRIER: &str = "__syncthreads();";
const IMPLEMENTATIONS: [&str; 12] = [
    "harish-narayanan",
    "global-memory",
    "shared-buffer",
    "katz-kider",
    "katz-kider-shifts",
    "optimized-blocked",
    "tile-in-registers-256",
    "tile-in-registers",
    "staged-row-major",
    "staged-plain-order",
    "staged-load",
    "staged-load-256",
];

/// The schedule of an implementation with other kernels.
struct Mutated {
    original: &'static dyn Schedule,
    source: KernelSource,
}

impl Schedule for Mutated {
    fn source(&self, _: &Parameters) -> KernelSource {
        self.source
    }

    fn kernels(&self, parameters: &Parameters) -> Vec<KernelUse> {
        self.original.kernels(parameters)
    }

    fn check(&self, parameters: &Parameters) -> Result<(), String> {
        self.original.check(parameters)
    }

    fn layout(&self) -> Layout {
        self.original.layout()
    }

    fn solve(
        &self,
        device: &dyn Device,
        kernels: &[Kernel],
        data: &Buffer,
        n: usize,
        parameters: &Parameters,
    ) -> Result<(), DeviceError> {
        self.original.solve(device, kernels, data, n, parameters)
    }
}

fn schedule_of(implementation: &str) -> &'static dyn Schedule {
    match find(implementation).unwrap().body {
        Body::Device(schedule) => schedule,
        Body::Cpu(_) => panic!("{implementation} needs no device"),
    }
}

/// The kernels of an implementation with their headers in place.
fn text_of(implementation: &str) -> String {
    schedule_of(implementation).source(&Parameters::default()).expanded()
}

/// `text` with the occurrence of this index, counted from 0, replaced.
fn with_one_replaced(text: &str, index: usize, old: &str, new: &str) -> String {
    let (at, _) = text.match_indices(old).nth(index).unwrap();
    format!("{}{new}{}", &text[..at], &text[at + old.len()..])
}

fn graph() -> DistanceMatrix {
    generate(&RandomGraph::complete(11), N).unwrap()
}

fn solved() -> Vec<f32> {
    let mut distances = graph().as_slice().to_vec();
    cpu_parallel::solve(&mut distances, N);
    distances
}

fn bits(distances: &[f32]) -> Vec<u32> {
    distances.iter().map(|distance| distance.to_bits()).collect()
}

/// What comes of a mutation.
struct Outcome {
    findings: Vec<Finding>,
    right: bool,
}

impl Outcome {
    fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.right
    }

    fn has_race(&self) -> bool {
        self.findings.iter().any(|finding| finding.kind == FindingKind::RaceInBlock)
    }
}

/// Solves the graph by the schedule of `implementation` with the kernels of `text`.
fn outcome(device: &EmulatedDevice, implementation: &str, text: String, expected: &[f32]) -> Outcome {
    let original = schedule_of(implementation);
    let source = KernelSource {
        file: original.source(&Parameters::default()).file,
        text: Box::leak(text.into_boxed_str()),
    };
    let schedule: &'static Mutated = Box::leak(Box::new(Mutated { original, source }));
    let solver = Solver::load(device, schedule, &Parameters::default()).unwrap();
    let mut memory = WorkingMemory::allocate(device, N).unwrap();
    memory.make_room(device, solver.layout()).unwrap();
    let mut host = device.allocate_host(N * N).unwrap();
    host.copy_from_slice(graph().as_slice());
    device.upload(&host, &memory.matrix, N * N).unwrap();
    solver.pack(device, &memory, N).unwrap();
    solver.solve(device, &memory, N).unwrap();
    solver.unpack(device, &memory, N).unwrap();
    device.download(&memory.matrix, &mut host, N * N).unwrap();
    Outcome { findings: device.take_findings(), right: bits(&host) == bits(expected) }
}

/// Takes the barriers of `implementation` away one by one. Returns how many it has, and the index of each that nobody missed.
fn barriers_not_missed(implementation: &str) -> Option<(usize, Vec<usize>)> {
    let device = emulated(Instruments::CHECK)?;
    let (text, expected) = (text_of(implementation), solved());
    let barriers = text.matches(BARRIER).count();
    let is_missed = |index: &usize| {
        let without = with_one_replaced(&text, *index, BARRIER, ";");
        outcome(&device, implementation, without, &expected).has_race()
    };
    Some((barriers, (0..barriers).filter(|index| !is_missed(index)).collect()))
}

#[test]
fn the_kernels_as_they_are_give_no_finding_and_the_right_bits() {
    let Some(device) = emulated(Instruments::CHECK) else { return };
    let expected = solved();
    for implementation in IMPLEMENTATIONS {
        let outcome = outcome(&device, implementation, text_of(implementation), &expected);
        assert!(outcome.is_clean(), "{implementation}, right: {}, {:?}", outcome.right, outcome.findings);
    }
}

#[test]
fn every_barrier_of_three_tiles_in_shared_memory_is_missed() {
    for implementation in ["katz-kider", "katz-kider-shifts", "optimized-blocked"] {
        let Some(found) = barriers_not_missed(implementation) else { return };
        assert_eq!(found, (3, vec![]), "{implementation}");
    }
}

#[test]
fn every_barrier_of_row_major_stages_is_missed() {
    let Some(found) = barriers_not_missed("staged-row-major") else { return };
    assert_eq!(found, (4, vec![]));
}

#[test]
fn every_barrier_of_the_tile_in_registers_is_missed_but_the_one_behind_its_only_stage() {
    for implementation in ["tile-in-registers-256", "tile-in-registers"] {
        let Some(found) = barriers_not_missed(implementation) else { return };
        // The kernel's text is that of `staged-row-major`, where the barrier keeps the next stage from overwriting this one.
        assert_eq!(found, (4, vec![3]), "{implementation}");
        let device = emulated(Instruments::CHECK).unwrap();
        let without = with_one_replaced(&text_of(implementation), 3, BARRIER, ";");
        assert!(outcome(&device, implementation, without, &solved()).is_clean(), "{implementation}");
    }
}

#[test]
fn every_barrier_of_staged_loading_is_missed() {
    for implementation in ["staged-load", "staged-load-256"] {
        let Some(found) = barriers_not_missed(implementation) else { return };
        assert_eq!(found, (6, vec![]), "{implementation}");
    }
}

/// Replaces `old` wherever it occurs, one occurrence at a time, and asserts that each time it shows.
fn assert_each_shows(implementation: &str, mutations: &[(&str, &str)]) {
    let Some(device) = emulated(Instruments::CHECK) else { return };
    let (text, expected) = (text_of(implementation), solved());
    let mut unseen = Vec::new();
    for (old, new) in mutations {
        let occurrences = text.matches(old).count();
        assert!(occurrences > 0, "{implementation} has no '{old}'");
        for index in 0..occurrences {
            let mutated = with_one_replaced(&text, index, old, new);
            if outcome(&device, implementation, mutated, &expected).is_clean() {
                unseen.push(format!("occurrence {index} of '{old}' as '{new}'"));
            }
        }
    }
    assert_eq!(unseen, [""; 0], "{implementation}");
}

#[test]
fn every_shifted_index_of_one_launch_per_k_shows() {
    let mutations =
        [("(size_t)i * n", "(size_t)i * n + 1"), ("row + k", "row + k + 1"), ("k * n", "k * n + 1")];
    assert_each_shows("harish-narayanan", &mutations);
}

#[test]
fn every_shifted_index_of_the_buffer_in_shared_memory_shows() {
    let mutations = [
        ("own[0]", "own[1]"),
        ("own[threads]", "own[threads + 1]"),
        ("own[2 * threads]", "own[2 * threads + 1]"),
        ("2 * threads", "threads"),
        ("= d[task.to]", "= d[task.from]"),
    ];
    assert_each_shows("shared-buffer", &mutations);
}

#[test]
fn every_shifted_index_of_three_tiles_in_shared_memory_shows() {
    let mutations = [
        ("* TILE + k]", "* TILE + k + 1]"),
        ("[k * TILE", "[k * TILE + 1"),
        ("element(round, round,", "element(round + 1, round,"),
        ("e, pitch, tile)] = ", "e + 1, pitch, tile)] = "),
        ("block >= round", "block > round"),
    ];
    assert_each_shows("katz-kider", &mutations);
}

#[test]
fn every_shifted_index_of_row_major_stages_shows() {
    let mutations = [
        ("stage * STAGE", "stage * STAGE + 1"),
        ("own * OWNERS / TILE", "own * OWNERS / TILE + 1"),
        ("STAGE + k]", "STAGE + k + 1]"),
    ];
    assert_each_shows("staged-row-major", &mutations);
    assert_each_shows("tile-in-registers", &mutations[1..]);
    assert_each_shows("tile-in-registers-256", &mutations[1..]);
}

#[test]
fn every_shifted_index_of_staged_loading_shows() {
    let mutations = [
        ("own * THREADS", "own * THREADS + 1"),
        ("own * DEPENDENT_THREADS", "own * DEPENDENT_THREADS + 1"),
        ("part * THREADS", "part * THREADS + 1"),
        ("SMALL_PER_SIDE + stage", "SMALL_PER_SIDE + stage + 1"),
        ("stage * STAGE_ELEMENTS", "(stage + 1) * STAGE_ELEMENTS"),
        ("tile_start(round, round,", "tile_start(round, round + 1,"),
        ("tile_start(tile_row, round,", "tile_start(tile_row, round + 1,"),
    ];
    assert_each_shows("staged-load", &mutations);
    // Sixteen half-warps begin in two rows of 4 x 4 tiles.
    let of_256 = [
        ("own * HALF_WARPS", "own * HALF_WARPS + 1"),
        ("? 0 : first_small", "? 0 : 0 * first_small"),
        ("|| e < STAGE_ELEMENTS", "|| e <= STAGE_ELEMENTS"),
    ];
    assert_each_shows("staged-load-256", &[&mutations[..], &of_256].concat());
}
