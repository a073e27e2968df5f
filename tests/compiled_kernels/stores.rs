//! What kernels of the papers store, by the emulated device, is what the papers' folders say: in global memory all that is theirs, whatever the
//! distances are; in shared memory, in the kernels that a deviation names, only what has become shorter.

use crate::common::emulated;
use crate::common::mutated::solve_on;
use repro::device::emulated::{Counts, Instruments};
use repro::graph::{DistanceMatrix, RandomGraph, generate};
use repro::implementation::{Implementation, Parameters, catalogue, cpu_parallel};
use repro::published::published_papers;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// By paper, the kernels of its implementations that store to shared memory only what has become shorter, and vertices for two tiles a side,
/// the last one padded, or for three that one group joins.
const CONDITIONAL: [(&str, usize, &[&str]); 4] = [
    ("gaioso-2013", 33, &["independent", "singly_dependent", "phase_one"]),
    ("likhoded-sipeyko-2019", 70, &["lead_block", "lead_row_and_column"]),
    ("lund-smith-2010", 33, &["independent", "singly_dependent"]),
    ("pogorilyy-cuda", 33, &[]),
];

/// Bytes of all elements that are a kernel's to store in its launches.
fn own_bytes(kernel: &str, n: usize, parameters: &Parameters, of: &Counts) -> u64 {
    let tile = parameters.iter().find(|(name, _)| *name == "tile").map_or(32, |(_, tile)| u64::from(tile));
    let elements = match kernel {
        "harish_narayanan" | "global_memory" | "shared_buffer" => of.launches * (n * n) as u64,
        // However many blocks close the diagonal tile, one stores it.
        "phase_one" => of.launches * (2 * n.next_multiple_of(32) as u64 / tile - 1) * tile * tile,
        "lead_block_part" => of.blocks * 8,
        _ => of.blocks * tile * tile,
    };
    elements * 4
}

/// Implementations of a paper that are kernels, with every set of parameters that they are verified with.
fn kernels_of(paper: &str) -> Vec<(Arc<Implementation>, Parameters)> {
    let all = catalogue().into_iter();
    let of_it = all.filter(|one| {
        one.source.starts_with(paper) && one.capabilities(&Parameters::default()).is_launch_list
    });
    let with_each = |one: Arc<Implementation>| {
        let sets: Vec<_> = one.verified_parameters().collect();
        sets.into_iter().map(move |parameters| (one.clone(), parameters))
    };
    of_it.flat_map(with_each).collect()
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn kernels_store_all_that_is_theirs_and_in_shared_memory_only_what_falls_where_a_deviation_names_them() {
        let (papers, device) = (published_papers().unwrap(), Rc::new(emulated(Instruments::COUNT)));
        for (paper, n, conditional) in CONDITIONAL {
            let open: DistanceMatrix = generate(&RandomGraph::complete(11), n).unwrap();
            let mut closed = open.clone();
            cpu_parallel::solve(closed.as_mut_slice(), n);
            let names_all = |text: &str| conditional.iter().all(|&kernel| text.contains(kernel));
            let deviations = papers.iter().filter(|one| one.id == paper).flat_map(|one| &one.deviations);
            let mut of_stores =
                deviations.filter(|one| one.statement.contains("only what has become shorter"));
            assert!(
                conditional.is_empty() || of_stores.any(|one| names_all(&one.statement)),
                "{paper}: declare {conditional:?}"
            );
            let mut seen = BTreeSet::new();
            for (implementation, parameters) in kernels_of(paper) {
                let [open, closed] = [&open, &closed].map(|graph| {
                    let mut kernels: BTreeMap<String, Counts> = BTreeMap::new();
                    for launch in solve_on(&device, &implementation, &parameters, graph).0 {
                        *kernels.entry(launch.kernel).or_default() += launch.counts;
                    }
                    kernels
                });
                for (kernel, of_closed) in &closed {
                    let what = format!("{} {parameters}: {kernel}", implementation.name);
                    let [closed, open] = [of_closed, &open[kernel]];
                    let own = own_bytes(kernel, n, &parameters, closed);
                    assert_eq!([closed, open].map(|counts| counts.global_store.bytes), [own; 2], "{what}");
                    let [stored, by_open] = [closed, open].map(|counts| counts.shared_store.bytes);
                    if conditional.contains(&kernel.as_str()) {
                        // Nothing falls in a closed matrix: what is loaded is copied to shared memory, and no more is stored there.
                        assert_eq!(stored, closed.global_load.bytes, "{what}");
                        assert!(by_open > stored, "{what}");
                        seen.insert(kernel.clone());
                    } else {
                        assert_eq!(by_open, stored, "{what} stores by what the distances are: declare it");
                    }
                }
            }
            assert_eq!(seen.len(), conditional.len(), "{paper}: {seen:?} of {conditional:?}");
        }
    }
}
