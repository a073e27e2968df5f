//! What the model of the generalized blocked algorithm says of launches and global memory is what the emulated device counts.

use crate::common::mutated::solve_on;
use crate::common::{emulated, part};
use repro::device::Device;
use repro::device::emulated::Instruments;
use repro::graph::{RandomGraph, generate};
use repro::implementation::{Parameters, find};
use std::rc::Rc;

/// Launches, blocks, bytes loaded and bytes stored by kernel, as counted in one solve.
fn counted(n: usize, parameters: &Parameters) -> Vec<(String, [u64; 4])> {
    let device = Rc::new(emulated(Instruments::COUNT));
    let implementation = find("generalized-blocked").unwrap();
    let graph = generate(&RandomGraph::complete(5), n).unwrap();
    let (launches, _) = solve_on(&device, &implementation, parameters, &graph);
    device.queue().synchronize().unwrap();
    let mut kernels: Vec<(String, [u64; 4])> = Vec::new();
    for launch in launches {
        let of = launch.counts;
        let figures = [of.launches, of.blocks, of.global_load.bytes, of.global_store.bytes];
        match kernels.iter_mut().find(|(kernel, _)| *kernel == launch.kernel) {
            Some((_, sums)) => sums.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure),
            None => kernels.push((launch.kernel, figures)),
        }
    }
    kernels.sort();
    kernels
}

fn modelled(n: usize, parameters: &Parameters) -> Vec<(String, [u64; 4])> {
    let implementation = find("generalized-blocked").unwrap();
    let model = implementation.solver.model(n, parameters);
    let mut kernels: Vec<_> = model
        .into_iter()
        .map(|of| (of.kernel, [of.launches, of.blocks, of.loaded_bytes, of.stored_bytes]))
        .collect();
    kernels.sort();
    kernels
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
        assert_eq!(counted(n, &parameters), modelled(n, &parameters), "n = {n}, {parameters}");
    }
}
