//! What a run holds of what a claim needs: its cells, by what was planned, and whether their results were right.

use crate::graph::ElementType;
use crate::published::{Contender, Test};
use crate::results::StoredRun;
use crate::store::{ImplementationRecord, cells};
use repro_base::{CellId, Parameters};
use std::collections::{BTreeMap, BTreeSet};

/// Below this n a solve takes well under a millisecond on a GPU, and launches and clocks show; on a CPU, caches and clock rates do.
pub const SMALL_BELOW: usize = 1024;
/// What two medians of one cell in one run may differ by when nothing changes: on a GPU, there below [`SMALL_BELOW`], on a CPU, and
/// there below it. At least as much as 95% of the cells of the committed runs show, which a test holds.
pub const NOISE: [f64; 4] = [0.007, 0.15, 0.1, 0.6];

/// A run as claims read it.
pub struct RunEvidence<'a> {
    pub run: &'a StoredRun,
    /// By implementation and n: cells in f32, as papers had it.
    planned: BTreeMap<(String, usize), Vec<CellId>>,
    /// Of each cell with a right end whether its results were right, of those that were compared with the reference.
    pub checked: BTreeMap<CellId, Vec<bool>>,
}

impl<'a> RunEvidence<'a> {
    pub fn new(run: &'a StoredRun) -> Self {
        let (mut planned, mut checked) = (BTreeMap::<_, Vec<CellId>>::new(), BTreeMap::<_, Vec<bool>>::new());
        let is_f32 = |cell: &CellId| run.manifest.experiment.element_of(&cell.graph) == ElementType::F32;
        for cell in cells(&run.manifest).into_iter().filter(is_f32) {
            planned.entry((cell.implementation.clone(), cell.n)).or_default().push(cell);
        }
        for (row, is_right) in run.judged() {
            checked.entry(row.cell()).or_default().push(is_right);
        }
        Self { run, planned, checked }
    }

    /// The cells of `of` with n vertices that the run was to measure on graphs such as `test` needs.
    pub fn planned(&self, test: &Test, of: &Contender, n: usize) -> Vec<&CellId> {
        let edges = &test.edges_per_vertex;
        let graph = |cell: &CellId| {
            let is_it = self.is_variant(of, &cell.params);
            let source = self.run.graph_source(&cell.graph).filter(|source| is_it && source.is_generated());
            let source = source.filter(|source| source.weights().negative == test.negative)?;
            match edges.is_empty() {
                true => Some((None, cell.graph.clone())),
                false => source
                    .edges_per_vertex()
                    .filter(|of| edges.contains(of))
                    .map(|of| (Some(of), String::new())),
            }
        };
        // A default may be written out or not: the same solve is planned twice then. And of graphs that are asked for by their edges, one
        // stands for all of as many.
        let mut graphs = BTreeSet::new();
        let all = self.planned.get(&(of.implementation.clone(), n)).into_iter().flatten();
        all.filter(|cell| graph(cell).is_some_and(|graph| graphs.insert(graph))).collect()
    }

    /// Whether an implementation with these parameters is `of`, with what is not set as its default.
    fn is_variant(&self, of: &Contender, params: &str) -> bool {
        let non_default = |set: &Parameters| self.run.results.facts.non_default(&of.implementation, set);
        params.parse().is_ok_and(|set| non_default(&set) == non_default(&of.parameters))
    }

    /// What the run recorded of `of`, at whatever n.
    pub fn record(&self, of: &Contender) -> Option<&'a ImplementationRecord> {
        let mut all = self.run.environment()?.implementations.iter();
        all.find(|one| one.implementation == of.implementation && self.is_variant(of, &one.params))
    }

    /// How many results of a cell were wrong. None of a cell without a right end.
    pub fn wrong_results(&self, cell: &CellId) -> Option<usize> {
        Some(self.checked.get(cell)?.iter().filter(|is_right| !**is_right).count())
    }
}
