//! The committed comparison of the emulated device's counts with Nsight Compute's counters on an H200, and that the device still counts
//! what it counted then; and what the model of the generalized blocked algorithm says of launches and global memory.

use crate::common::mutated::solve_on;
use crate::common::{emulated, part};
use repro::device::Device;
use repro::device::emulated::{Counts, Instruments};
use repro::graph::{RandomGraph, generate};
use repro::implementation::{Parameters, find};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;

/// A row of the comparison: a figure of a kernel, as the emulated device counted it and as the hardware did.
#[derive(Deserialize)]
struct Compared {
    implementation: String,
    kernel: String,
    figure: String,
    emulated: f64,
    nsight: f64,
}

fn committed() -> Vec<Compared> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/nsight/h200-512.csv");
    csv::Reader::from_path(file).unwrap().deserialize().map(Result::unwrap).collect()
}

/// Asserts that `ours` is what the hardware counted in the row `of`, as far as a figure can be the same.
fn assert_agrees(ours: f64, of: &Compared, all: &[Compared]) {
    let Compared { implementation, kernel, figure, nsight, .. } = of;
    let what = format!("{implementation} {kernel} {figure}: {ours} and {nsight}");
    match figure.as_str() {
        // Conflicts as a share of what is served: of none, no share could be told.
        "shared load conflicts" => {
            let served = all.iter().find(|row| {
                (&row.implementation, &row.kernel) == (implementation, kernel)
                    && row.figure == "shared load wavefronts"
            });
            assert!((ours - nsight).abs() <= 1e-3 * served.unwrap().nsight, "{what}");
        }
        // The GPU's compiler merges loads; it never adds any to speak of.
        figure if figure.starts_with("shared load") => assert!(ours >= nsight * 0.999, "{what}"),
        _ => assert_eq!(ours, *nsight, "{what}"),
    }
}

/// The figure of this name, as scripts/nsight-counts computes it.
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

/// What a solve of a complete graph does, kernel by kernel.
fn counted(implementation: &str, parameters: &Parameters, n: usize) -> BTreeMap<String, Counts> {
    let device = Rc::new(emulated(Instruments::COUNT));
    let graph = generate(&RandomGraph::complete(1), n).unwrap();
    let (launches, _) = solve_on(&device, &find(implementation).unwrap(), parameters, &graph);
    let mut kernels: BTreeMap<String, Counts> = BTreeMap::new();
    for launch in launches {
        *kernels.entry(launch.kernel).or_default() += launch.counts;
    }
    kernels
}

/// What is counted today is what the hardware counted, and what was counted when the two were compared. Each takes half a minute and more.
#[test]
#[ignore = "long"]
fn every_compared_implementation_is_counted_as_the_hardware_counts_it() {
    // Compilers keep different loads, and the committed counts are of g++.
    let compiler = emulated(Instruments::COUNT).compiler().unwrap();
    assert!(!compiler.contains("clang"), "{compiler} keeps other loads than g++: set REPRO_CXX to g++");
    let (all, part) = (committed(), part());
    assert_eq!(all.len(), 19 * 12, "nineteen kernels of seven implementations, twelve figures each");
    let compared: BTreeSet<&String> = all.iter().map(|row| &row.implementation).collect();
    for (_, implementation) in compared.into_iter().enumerate().filter(|(at, _)| part.has(*at)) {
        let counted = counted(implementation, &Parameters::default(), 512);
        let of_it: Vec<&Compared> = all.iter().filter(|row| row.implementation == *implementation).collect();
        assert_eq!(of_it.len(), 12 * counted.len(), "{implementation}");
        for row in of_it {
            let now = figure(&counted[&row.kernel], &row.figure) as f64;
            assert_agrees(now, row, &all);
            assert_eq!(now, row.emulated, "{implementation} {} {}", row.kernel, row.figure);
        }
    }
}

/// Launches, blocks, bytes loaded and bytes stored by kernel, as the model has them.
fn modelled(n: usize, parameters: &Parameters) -> BTreeMap<String, [u64; 4]> {
    let model = find("generalized-blocked").unwrap().solver.model(n, parameters);
    let of = model.into_iter();
    of.map(|of| (of.kernel, [of.launches, of.blocks, of.loaded_bytes, of.stored_bytes])).collect()
}

#[test]
#[ignore = "long"]
fn the_modelled_launches_and_bytes_are_the_counted_ones_for_every_kappa() {
    let of_kappa = |n: usize, tile: u32| {
        let kappas = (1..=n.div_ceil(tile as usize) as u32).flat_map(|kappa| [(kappa, 0), (kappa, 1)]);
        kappas.map(move |(kappa, spread)| {
            (n, Parameters::from([("kappa", kappa), ("tile", tile), ("spread-lead", spread)]))
        })
    };
    // The depth of stages and the threads of rest blocks change nothing.
    let others = [
        Parameters::from([("kappa", 2), ("stage", 4)]),
        Parameters::from([("kappa", 3), ("stage", 32)]),
        Parameters::from([("kappa", 2), ("stage", 4), ("rest-threads", 64)]),
        Parameters::from([("kappa", 3), ("rest-threads", 64)]),
        Parameters::from([("kappa", 3), ("stage", 16), ("tile", 16)]),
    ];
    let all = [(56, 8), (33, 16), (100, 32)].into_iter().flat_map(|(n, tile)| of_kappa(n, tile));
    let all = all.chain(others.map(|parameters| (100, parameters)));
    let part = part();
    for (_, (n, parameters)) in all.enumerate().filter(|(at, _)| part.has(*at)) {
        let of = counted("generalized-blocked", &parameters, n).into_iter();
        let figures = of.map(|(kernel, of)| {
            (kernel, [of.launches, of.blocks, of.global_load.bytes, of.global_store.bytes])
        });
        assert_eq!(figures.collect::<BTreeMap<_, _>>(), modelled(n, &parameters), "n = {n}, {parameters}");
    }
}
