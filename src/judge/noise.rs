//! What medians move by when nothing changes: the A/A noise of a machine, from its own records.

use super::evidence::SMALL_BELOW;
use crate::lists::extent;
use crate::results::{StoredRun, percentile};
use crate::timing::{Scope, median};
use repro_base::CellId;
use serde::Serialize;
use std::collections::BTreeMap;

/// Fewer samples say little when they are split in two.
const LEAST_SAMPLES: usize = 6;
/// What noise is stated as: the 95th percentile, by nearest rank.
const PERCENTILE: f64 = 0.95;

/// The noise floor of the cells of one kind: those on a GPU or on the CPU, with small n or larger ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NoiseFloor {
    pub on_gpu: bool,
    /// n below 1,024.
    pub small: bool,
    /// Relative difference between the medians of a cell's odd and its even samples, the 95th percentile over cells.
    pub within_runs: Option<f64>,
    /// How many cells `within_runs` is from.
    pub cells: usize,
    /// Relative difference between the lowest and the highest median of the same cell over runs, the 95th percentile over cells.
    pub between_runs: Option<f64>,
    /// How many cells were measured in more than one run.
    pub repeated: usize,
}

/// The noise floors of one machine by kind of cell, from the times by clock `scope` in its `runs`. Medians of a cell are compared
/// between runs that did the same work on the same graph with the same kernels, even if the code around them changed.
pub fn noise_floors(runs: &[&StoredRun], scope: Scope) -> Vec<NoiseFloor> {
    // For each kind, the differences within runs and those between runs.
    let mut by_kind: BTreeMap<(bool, bool), (Vec<f64>, Vec<f64>)> = BTreeMap::new();
    let mut medians: BTreeMap<_, ((bool, bool), Vec<f64>)> = BTreeMap::new();
    // A key for a cell that holds across runs. Graphs or kernels of one name may differ between runs, so the key has what the graph is made
    // from, in place of its name, and a hash of the kernel source.
    let shared = |run: &StoredRun, cell: &CellId| {
        let graph = serde_json::to_string(run.graph_source(&cell.graph)?).ok()?;
        let kernels = run.source_hash(cell).map(str::to_string);
        let element = run.manifest.experiment.element_of(&cell.graph);
        Some((CellId { graph, ..cell.clone() }, element, kernels))
    };
    for run in runs {
        for (cell, timed) in run.results.times.by(scope) {
            let kind = (run.is_on_device(&cell.implementation), cell.n < SMALL_BELOW);
            by_kind.entry(kind).or_default().0.extend(halves(&timed.samples));
            if run.manifest.pair.is_some() {
                // Runs that have the device for themselves lack the noise of another build's turns.
                continue;
            }
            if let Some(same) = shared(run, cell) {
                medians.entry(same).or_insert((kind, Vec::new())).1.push(timed.seconds.value);
            }
        }
    }
    for (kind, medians) in medians.into_values().filter(|(_, medians)| medians.len() > 1) {
        if let Some((lowest, highest)) = extent(medians).filter(|(lowest, _)| *lowest > 0.0) {
            by_kind.entry(kind).or_default().1.push(highest / lowest - 1.0);
        }
    }
    let floor = |((on_gpu, small), (within, between)): (_, (Vec<f64>, Vec<f64>))| NoiseFloor {
        on_gpu,
        small,
        within_runs: percentile(&within, PERCENTILE),
        cells: within.len(),
        between_runs: percentile(&between, PERCENTILE),
        repeated: between.len(),
    };
    by_kind.into_iter().map(floor).collect()
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
        let folder = std::path::Path::new("results/reference/h200/frontier");
        let run = StoredRun::open(folder).unwrap();
        let floors = noise_floors(&[&run], Scope::Kernel);
        assert!(floors.iter().all(|floor| floor.repeated == 0), "{floors:?}");
    }
}
