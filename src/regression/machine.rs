//! What is known of the noise of a machine, for whoever has to find out whether the program changed.

use super::between::{Between, Group, Medians, between, of_cells};
use super::programs::scopes_beside;
use crate::results::{CellKind, SameCell, StoredRun, halves, percentile};
use crate::store::Side;
use crate::timing::{Scope, median};
use repro_types::CellId;
use serde::Serialize;
use std::collections::BTreeMap;

/// Noise between runs is known from so many cells on: of a few, the 95th percentile is luck.
const LEAST_REPEATED: usize = 10;

/// What is known of one kind of cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct KindNoise {
    /// Relative difference between the medians of a cell's odd and its even samples: the 95th percentile over cells, of the run
    /// in the middle.
    pub within_runs: Option<f64>,
    /// From runs of one build. None where fewer than ten cells were measured twice.
    pub between: Option<Between>,
    /// Of each cell that tells it, how far apart it is beyond what runs share, whatever its build.
    #[serde(skip)]
    pub of_cells: BTreeMap<CellId, f64>,
    /// Relative difference between the medians of a cell in two runs of one build, taken side by side: the 95th percentile, of
    /// the pair in the middle. None where fewer than ten cells tell.
    pub in_pairs: Option<f64>,
}

/// The noise of one machine, by kind of cell.
#[derive(Clone, Debug, Default)]
pub struct MachineNoise(BTreeMap<CellKind, KindNoise>);

/// What the runs say of one kind of cell.
#[derive(Default)]
struct Gathered {
    within: Vec<f64>,
    pairs: Vec<Vec<f64>>,
    /// By build and experiment.
    medians: BTreeMap<(String, String), Medians<SameCell>>,
}

impl MachineNoise {
    /// From what the clock `scope`, and those of programs, say in `runs` of one machine.
    ///
    /// Runs are held against each other where they are of one build without uncommitted changes: that kernels are the same is not
    /// enough, since a slow-down of the host's code leaves them as they were, and must not count as noise when it is measured
    /// again. Those that were taken side by side are compared with each other alone.
    pub fn of(runs: &[&StoredRun], scope: Scope) -> Self {
        let mut kinds: BTreeMap<CellKind, Gathered> = BTreeMap::new();
        for (at, run) in runs.iter().enumerate() {
            if let Some(base) = runs.iter().find(|base| are_paired(run, base)) {
                for (kind, differences) in differences(base, run, scope) {
                    kinds.entry(kind).or_default().pairs.push(differences);
                }
            }
            let mut within: BTreeMap<CellKind, Vec<f64>> = BTreeMap::new();
            let timed = scopes_beside(scope).flat_map(|scope| {
                run.results.times.by(scope).map(move |(cell, timed)| (cell, scope, &timed.samples))
            });
            for (cell, scope, samples) in timed {
                let kind = CellKind::timed(run, cell, scope);
                within.entry(kind).or_default().extend(halves(samples));
                // Another build's turns on the device are no noise of runs that have it for themselves.
                let (None, false) = (&run.manifest.pair, run.manifest.build.dirty) else { continue };
                if let (Some(same), Some(middle)) = (SameCell::of(run, cell), median(samples)) {
                    let of = (run.manifest.build.commit.clone(), run.manifest.experiment.name.clone());
                    let medians = kinds.entry(kind).or_default().medians.entry(of).or_default();
                    medians.entry(same).or_default().push((at, middle));
                }
            }
            for (kind, within) in within {
                kinds.entry(kind).or_default().within.extend(percentile(&within));
            }
        }
        let names: Vec<String> = runs.iter().map(|run| run.name()).collect();
        Self(kinds.into_iter().map(|(kind, gathered)| (kind, gathered.noise(&names))).collect())
    }

    /// What is known of cells of this kind.
    pub fn of_kind(&self, kind: CellKind) -> KindNoise {
        self.0.get(&kind).cloned().unwrap_or_default()
    }
}

impl Gathered {
    fn noise(self, names: &[String]) -> KindNoise {
        let of_pairs: Vec<f64> = self.pairs.iter().filter_map(|pair| percentile(pair)).collect();
        let paired: usize = self.pairs.iter().map(Vec::len).sum();
        let groups: Vec<Group<SameCell>> = self.medians.values().filter_map(Group::of).collect();
        let between = between(&groups, names).filter(|between| between.cells >= LEAST_REPEATED);
        let own = between.as_ref().map_or(0.0, |between| between.own);
        let mut own_of: BTreeMap<CellId, f64> = BTreeMap::new();
        for (same, own) in of_cells(&groups, own) {
            // Cells of several graphs or types share the name that is left of them.
            let known = own_of.entry(same.cell.clone()).or_default();
            *known = known.max(own);
        }
        KindNoise {
            within_runs: median(&self.within),
            between,
            of_cells: own_of,
            in_pairs: median(&of_pairs).filter(|_| paired >= LEAST_REPEATED),
        }
    }
}

/// Whether `new` was taken beside `base`, and both are of one build.
fn are_paired(new: &StoredRun, base: &StoredRun) -> bool {
    let (Some(of_new), Some(of_base)) = (&new.manifest.pair, &base.manifest.pair) else { return false };
    of_new.id == of_base.id
        && (of_new.side, of_base.side) == (Side::New, Side::Base)
        // Uncommitted changes may be anything.
        && new.manifest.build == base.manifest.build
        && !new.manifest.build.dirty
}

/// How far the medians of two runs are apart, cell by cell.
fn differences(base: &StoredRun, new: &StoredRun, scope: Scope) -> BTreeMap<CellKind, Vec<f64>> {
    let mut all: BTreeMap<CellKind, Vec<f64>> = BTreeMap::new();
    for scope in scopes_beside(scope) {
        for (cell, now) in new.results.times.by(scope) {
            let medians = base.cell(cell).time(scope).map(|before| (before.value, now.seconds.value));
            let difference = medians.map(|(before, now)| before.max(now) / before.min(now) - 1.0);
            all.entry(CellKind::timed(new, cell, scope))
                .or_default()
                .extend(difference.filter(|difference| difference.is_finite()));
        }
    }
    all
}
