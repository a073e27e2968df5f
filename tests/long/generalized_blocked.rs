//! What the model of the generalized blocked algorithm says of launches and global memory is what the emulated device counts.

use super::nsight::counted;
use crate::common::part;
use repro::implementation::{Parameters, find};
use std::collections::BTreeMap;

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
