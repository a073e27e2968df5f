//! What medians move by when nothing changes: the A/A noise of a machine, from its own records.

use crate::lists::{extent, grouped};
use crate::results::{StoredRun, percentile};
use crate::timing::{Scope, assumed_noise, median};
use repro_base::CellId;
use serde::Serialize;
use std::collections::BTreeMap;

/// Fewer samples say little when they are split in two.
const LEAST_SAMPLES: usize = 6;
/// What noise is stated as: the 95th percentile, by nearest rank.
const PERCENTILE: f64 = 0.95;

/// How far runs of the cells of one kind lie apart: those on a GPU or on the CPU, of sizes for which verdicts assume the same.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NoiseFloor {
    pub on_gpu: bool,
    /// The least n of the kind.
    pub from: usize,
    /// Relative difference between the lowest and the highest median of a cell over runs, the 95th percentile over cells.
    pub between_runs: f64,
    /// How many cells were measured in more than one run.
    pub cells: usize,
    /// What verdicts on fewer than three cards assume.
    pub assumed: f64,
}

/// The noise floors of one machine by kind of cell, from the times by clock `scope` in its `runs`. Medians of a cell are compared
/// between runs that did the same work on the same graph with the same kernels, even if the code around them changed. Runs in turns with
/// another build have other noise and are left out.
pub fn noise_floors(runs: &[&StoredRun], scope: Scope) -> Vec<NoiseFloor> {
    let mut medians: BTreeMap<_, Vec<f64>> = BTreeMap::new();
    // A key for a cell that holds across runs. Graphs or kernels of one name may differ between runs, so the key has what the graph is made
    // from, in place of its name, and a hash of the kernel source.
    let shared = |run: &StoredRun, cell: &CellId| {
        let graph = serde_json::to_string(run.graph_source(&cell.graph)?).ok()?;
        let kernels = run.source_hash(cell).map(str::to_string);
        let element = run.manifest.experiment.element_of(&cell.graph);
        Some((CellId { graph, ..cell.clone() }, element, kernels))
    };
    for run in runs.iter().filter(|run| run.manifest.pair.is_none()) {
        for (cell, timed) in run.results.times.by(scope) {
            let key = (run.is_on_device(&cell.implementation), shared(run, cell));
            medians.entry(key).or_default().push(timed.seconds.value);
        }
    }
    let apart = |((on_gpu, same), medians): ((bool, Option<(CellId, _, _)>), Vec<f64>)| {
        let (lowest, highest) = extent(medians.iter().copied()).filter(|(lowest, _)| *lowest > 0.0)?;
        let (from, assumed) = assumed_noise(on_gpu, same?.0.n);
        (medians.len() > 1).then_some(((on_gpu, from, assumed), highest / lowest - 1.0))
    };
    let mut kinds = grouped(medians.into_iter().filter_map(apart));
    kinds.sort_by_key(|((on_gpu, from, _), _)| (*on_gpu, *from));
    let floor = |((on_gpu, from, assumed), apart): (_, Vec<f64>)| NoiseFloor {
        on_gpu,
        from,
        between_runs: percentile(&apart, PERCENTILE).unwrap_or_default(),
        cells: apart.len(),
        assumed,
    };
    kinds.into_iter().map(floor).collect()
}

/// By how much the medians of the odd and the even samples differ, relative. None if there are too few samples.
pub fn halves(samples: &[f64]) -> Option<f64> {
    if samples.len() < LEAST_SAMPLES {
        return None;
    }
    let every_other = |from: usize| -> Vec<f64> { samples.iter().skip(from).step_by(2).copied().collect() };
    let (even, odd) = (median(&every_other(0))?, median(&every_other(1))?);
    (even > 0.0 && odd > 0.0).then(|| even.max(odd) / even.min(odd) - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_steady_samples_agree_and_of_few_say_nothing() {
        assert_eq!(halves(&[1.0; 6]), Some(0.0));
        assert!(halves(&[1.0, 1.1].repeat(3)).is_some_and(|noise| (noise - 0.1).abs() < 1e-6));
        assert_eq!(halves(&[1.0; 5]), None);
        assert_eq!(halves(&[0.0; 6]), None);
    }

    #[test]
    fn the_95th_percentile_of_few_is_the_largest() {
        assert_eq!(percentile(&[], PERCENTILE), None);
        assert_eq!(percentile(&[0.1, 0.3, 0.2], PERCENTILE), Some(0.3));
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(percentile(&hundred, PERCENTILE), Some(95.0));
    }

    #[test]
    fn distances_of_other_types_are_other_work() {
        let folder = std::path::Path::new("results/reference/h200-8f495d87/frontier");
        let run = StoredRun::open(folder).unwrap();
        let floors = noise_floors(&[&run], Scope::Kernel);
        assert_eq!(floors, []);
    }
}
