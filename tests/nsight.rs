//! The committed comparison of the emulated device's counts with Nsight Compute's counters on an H200, and that the device
//! still counts what it counted then.

mod common;

use common::{column, emulated};
use repro::device::Device;
use repro::device::emulated::{Counts, Instruments};
use repro::graph::{RandomGraph, generate};
use repro::implementation::{Body, Parameters, Solver, WorkingMemory, find};
use std::collections::BTreeMap;
use std::path::PathBuf;

fn comparison() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("results/nsight/h200-512.csv")
}

#[test]
fn the_hardware_counts_what_the_emulated_device_counts() {
    let path = comparison();
    let [names, kernels, figures, emulated, nsight] =
        ["implementation", "kernel", "figure", "emulated", "nsight"].map(|title| column(&path, title));
    let number = |text: &str| text.parse::<f64>().unwrap();
    let wavefronts = |at: usize, of: &str| {
        let same = |other: &usize| {
            (&names[*other], &kernels[*other]) == (&names[at], &kernels[at])
                && figures[*other] == format!("shared {of} wavefronts")
        };
        number(&nsight[(0..names.len()).find(same).unwrap()])
    };
    let mut compared = [0; 3];
    for at in 0..names.len() {
        let (ours, theirs) = (number(&emulated[at]), number(&nsight[at]));
        let what = format!("{} {} {}: {ours} and {theirs}", names[at], kernels[at], figures[at]);
        match figures[at].as_str() {
            // Conflicts as a share of what is served: of none, no share could be told.
            "shared load conflicts" => {
                assert!((ours - theirs).abs() <= 1e-3 * wavefronts(at, "load"), "{what}");
                compared[0] += 1;
            }
            figure if figure.starts_with("shared load") => {
                // The GPU's compiler merges loads; it never adds any to speak of.
                assert!(ours >= theirs * 0.999, "{what}");
                compared[1] += 1;
            }
            _ => {
                assert_eq!(ours, theirs, "{what}");
                compared[2] += 1;
            }
        }
    }
    // Nineteen kernels of seven implementations, twelve figures each.
    assert_eq!(compared, [19, 3 * 19, 8 * 19]);
}

/// The same as in scripts/nsight-counts.
fn figure(counts: &Counts, name: &str) -> u64 {
    let (load, store) = (&counts.shared_load, &counts.shared_store);
    match name {
        "loaded bytes, each once an instruction" => counts.global_load.distinct_bytes,
        "stored bytes, each once an instruction" => counts.global_store.distinct_bytes,
        "load sectors" => counts.global_load.sectors,
        "store sectors" => counts.global_store.sectors,
        "shared loaded bytes, each once an instruction" => load.distinct_bytes,
        "shared stored bytes, each once an instruction" => store.distinct_bytes,
        "shared load instructions" => load.requests,
        "shared store instructions" => store.requests,
        "shared load wavefronts" => load.banks_32.steps,
        "shared store wavefronts" => store.banks_32.steps,
        "shared load conflicts" => load.banks_32.steps - load.banks_32.parts,
        "shared store conflicts" => store.banks_32.steps - store.banks_32.parts,
        _ => panic!("unknown figure {name}"),
    }
}

/// What a solve of 512 vertices does, kernel by kernel. None without a C++ compiler, or with another than the committed
/// counts are of: compilers keep different loads.
fn counted(implementation: &str) -> Option<BTreeMap<String, Counts>> {
    let n = 512;
    let device = emulated(Instruments::COUNT)?;
    let compiler = device.compiler().unwrap();
    if compiler.contains("clang") {
        eprintln!("nothing was compared: the committed counts are of g++, and this is {compiler}");
        return None;
    }
    let Body::Device(schedule) = find(implementation).unwrap().body else { panic!("{implementation}") };
    let solver = Solver::load(&device, schedule, &Parameters::default()).unwrap();
    let mut memory = WorkingMemory::allocate(&device, n).unwrap();
    memory.make_room(&device, solver.layout()).unwrap();
    let mut input = device.allocate_host(n * n).unwrap();
    input.copy_from_slice(generate(&RandomGraph::complete(1), n).unwrap().as_slice());
    let mut output = device.allocate_host(n * n).unwrap();
    let launches = solver.run(&device, &memory, n, &input, &mut output).unwrap();
    let mut kernels: BTreeMap<String, Counts> = BTreeMap::new();
    for launch in launches {
        *kernels.entry(launch.kernel).or_default() += launch.counts;
    }
    Some(kernels)
}

/// That the committed column of an implementation is what is counted today.
fn assert_unchanged(implementation: &str) {
    let path = comparison();
    let [names, kernels, figures, emulated] =
        ["implementation", "kernel", "figure", "emulated"].map(|title| column(&path, title));
    let Some(counted) = counted(implementation) else { return };
    let mut compared = 0;
    for at in (0..names.len()).filter(|&at| names[at] == implementation) {
        let now = figure(&counted[&kernels[at]], &figures[at]);
        assert_eq!(now.to_string(), emulated[at], "{implementation} {} {}", kernels[at], figures[at]);
        compared += 1;
    }
    assert_eq!(compared, 12 * counted.len(), "{implementation}");
}

/// The one that takes least: those with an element a thread or in stages take half a minute and more.
#[test]
fn tiles_in_shared_memory_are_counted_as_they_were_compared() {
    assert_unchanged("katz-kider");
}
