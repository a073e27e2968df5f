//! How far runs of one build lie apart on a machine, from its own records.

use super::kind::CellKind;
use super::programs::scopes_beside;
use super::rule::{Floor, LEAST_RUNS, Level, default_floor, floor_of, span};
use crate::results::{SameCell, StoredRun};
use crate::store::Side;
use crate::timing::{Pairing, Scope};
use repro_types::CellId;
use std::collections::{BTreeMap, BTreeSet};

/// A build in an experiment.
type Work = (String, String);

/// What the runs of one build say of the cells of one kind.
#[derive(Clone, Debug, Default)]
struct BuildLevels {
    /// The runs, or pairs, that have such cells.
    runs: BTreeSet<usize>,
    /// The levels of each cell, a run each; of pairs how far new was from base.
    levels: BTreeMap<SameCell, Vec<Level>>,
}

/// What is known of one machine, by kind of cell and whether samples were taken in turns.
#[derive(Clone, Debug, Default)]
pub struct MachineNoise(BTreeMap<(CellKind, bool), BTreeMap<Work, BuildLevels>>);

impl MachineNoise {
    /// From what the clock `scope`, and those of programs, say in `runs` of one machine.
    ///
    /// Runs are held against each other where they are of one build without uncommitted changes: that kernels are the same is not
    /// enough, since a slow-down of the host's code leaves them as they were, and must not count as noise when it is measured
    /// again. Of runs that were taken side by side those of one build are held against their partners alone.
    pub fn of(runs: &[&StoredRun], scope: Scope) -> Self {
        let mut noise = Self::default();
        for (at, run) in runs.iter().enumerate() {
            let Some(base) = runs.iter().find(|base| are_paired(run, base)) else {
                if run.manifest.pair.is_none() && !run.manifest.build.dirty {
                    noise.add(at, run, scope, Pairing::Apart, |_, _, seconds| Level::of(seconds));
                }
                continue;
            };
            noise.add(at, run, scope, Pairing::Together, |cell, scope, seconds| {
                let (new, base) = (Level::of(seconds)?, Level::of(&base.cell(cell).timed(scope)?.samples)?);
                let error = new.error + base.error;
                Some(Level { logarithm: new.logarithm - base.logarithm, error })
            });
        }
        noise
    }

    fn add(
        &mut self,
        at: usize,
        run: &StoredRun,
        scope: Scope,
        pairing: Pairing,
        level: impl Fn(&CellId, Scope, &[f64]) -> Option<Level>,
    ) {
        let paired = pairing == Pairing::Together;
        let work = (run.manifest.build.commit.clone(), run.manifest.experiment.name.clone());
        for scope in scopes_beside(scope) {
            for (cell, timed) in run.results.times.by(scope) {
                let (Some(same), Some(level)) = (SameCell::of(run, cell), level(cell, scope, &timed.samples))
                else {
                    continue;
                };
                let of_kind = self.0.entry((CellKind::timed(run, cell, scope), paired)).or_default();
                let known = of_kind.entry(work.clone()).or_default();
                known.runs.insert(at);
                known.levels.entry(same).or_default().push(level);
            }
        }
    }

    /// The floor of cells of this kind: what five or more runs, or pairs, of one build tell, else the default. How many there are is told of the
    /// build that measured the baseline, at `commit`.
    pub fn floor(&self, kind: CellKind, pairing: Pairing, commit: &str) -> Floor {
        let of_kind = || self.0.get(&(kind, pairing == Pairing::Together)).into_iter().flatten();
        let spans: Vec<f64> = of_kind()
            .flat_map(|(_, known)| known.levels.values())
            .filter(|levels| levels.len() >= LEAST_RUNS)
            .map(|levels| apart(levels, pairing))
            .collect();
        let known = floor_of(&spans);
        Floor {
            share: known.unwrap_or_else(|| default_floor(kind, pairing)),
            is_known: known.is_some(),
            runs: of_kind()
                .filter(|((of, _), _)| of == commit)
                .map(|(_, known)| known.runs.len())
                .max()
                .unwrap_or(0),
        }
    }
}

/// How far the levels of a cell lie apart. Of pairs it is asked how far one may be off, to whichever side.
fn apart(levels: &[Level], pairing: Pairing) -> f64 {
    match pairing {
        Pairing::Apart => span(levels),
        Pairing::Together => levels.iter().map(|pair| pair.logarithm.abs() - pair.error).fold(0.0, f64::max),
    }
}

/// Whether `new` was taken in turn with `base`, and both are of one build.
fn are_paired(new: &StoredRun, base: &StoredRun) -> bool {
    let (Some(of_new), Some(of_base)) = (&new.manifest.pair, &base.manifest.pair) else { return false };
    of_new.id == of_base.id
        && (of_new.side, of_base.side) == (Side::New, Side::Base)
        // Uncommitted changes may be anything.
        && new.manifest.build == base.manifest.build
        && !new.manifest.build.dirty
}
