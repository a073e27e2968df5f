//! What a run holds of what a claim needs: its cells, by what was planned and what became of each.

use super::Missing;
use crate::graph::ElementType;
use crate::published::{Contender, Test};
use crate::results::{StoredRun, halves};
use crate::store::{CountRow, ImplementationRecord, KernelRecord, KernelTimeRow, cells};
use crate::timing::{Estimate, Scope};
use repro_types::{CellId, Parameters};
use std::collections::{BTreeMap, BTreeSet};

/// Below this n a solve takes well under a millisecond on a GPU, and launches and clocks show; on a CPU, caches and clock rates do.
const SMALL_BELOW: usize = 1024;
/// What two medians of one cell in one run may differ by when nothing changes: on a GPU, there below [`SMALL_BELOW`], on a CPU, and
/// there below it. At least as much as 95% of the cells of the committed runs show, which a test holds.
pub const NOISE: [f64; 4] = [0.007, 0.15, 0.1, 0.6];

/// A cell that a run was to measure.
struct Planned {
    id: CellId,
    /// Its parameters without those that are what they would be anyway.
    set: Parameters,
    /// Edges a vertex of its graph, where they are so many by design.
    edges_per_vertex: Option<u32>,
    /// Whether its graph has negative weights.
    negative: bool,
}

impl Planned {
    /// Whether it is on such a graph as `test` asks for.
    fn suits(&self, test: &Test) -> bool {
        let asked = &test.edges_per_vertex;
        self.negative == test.negative
            && (asked.is_empty() || self.edges_per_vertex.is_some_and(|edges| asked.contains(&edges)))
    }
}

/// A run as claims read it.
pub struct Cells<'a> {
    pub run: &'a StoredRun,
    /// By implementation and n: cells in f32, as papers had it.
    planned: BTreeMap<(String, usize), Vec<Planned>>,
    /// How many results of each cell were wrong, of those that were compared with the reference.
    judged: BTreeMap<CellId, usize>,
}

impl<'a> Cells<'a> {
    pub fn new(run: &'a StoredRun) -> Self {
        let mut planned: BTreeMap<(String, usize), Vec<Planned>> = BTreeMap::new();
        let experiment = &run.manifest.experiment;
        for id in cells(&run.manifest) {
            let source = run.graph_source(&id.graph);
            let Some((set, graph)) = id.params.parse::<Parameters>().ok().zip(source) else { continue };
            if experiment.element_of(&id.graph) == ElementType::F32 && graph.is_generated() {
                let set = run.results.facts.non_default(&id.implementation, &set);
                let of_it = planned.entry((id.implementation.clone(), id.n)).or_default();
                let (edges_per_vertex, negative) = (graph.edges_per_vertex(), graph.weights().negative);
                of_it.push(Planned { id, set, edges_per_vertex, negative });
            }
        }
        let mut judged = BTreeMap::new();
        for (row, is_right) in run.judged() {
            *judged.entry(row.cell()).or_default() += usize::from(!is_right);
        }
        Self { run, planned, judged }
    }

    /// The cells of `of` with n vertices that the run was to measure on graphs such as `test` needs.
    pub fn planned(&self, test: &Test, of: &Contender, n: usize) -> Vec<&CellId> {
        let wanted = self.run.results.facts.non_default(&of.implementation, &of.parameters);
        let all = self.planned.get(&(of.implementation.clone(), n)).map_or(&[][..], Vec::as_slice);
        let of_it = all.iter().filter(|one| one.set == wanted && one.suits(test));
        // A default may be written out or not: the same solve is planned twice then. And of graphs that are asked for by their edges, one
        // stands for all of as many.
        let graph = |one: &&Planned| match test.edges_per_vertex.is_empty() {
            true => (None, one.id.graph.clone()),
            false => (one.edges_per_vertex, String::new()),
        };
        let mut graphs = BTreeSet::new();
        of_it.filter(|one| graphs.insert(graph(one))).map(|one| &one.id).collect()
    }

    /// What the run recorded of `of`, at whatever n.
    pub fn record(&self, of: &Contender) -> Option<&'a ImplementationRecord> {
        let facts = &self.run.results.facts;
        let non_default = |set: &Parameters| facts.non_default(&of.implementation, set);
        let wanted = non_default(&of.parameters);
        let is_it = |one: &&ImplementationRecord| {
            one.implementation == of.implementation
                && one.params.parse().is_ok_and(|set| non_default(&set) == wanted)
        };
        self.run.environment()?.implementations.iter().find(is_it)
    }

    /// The seconds of one cell by a clock.
    ///
    /// # Errors
    /// When it is no evidence: not measured, too few samples, an estimate where none is asked for, or
    /// another number of resident blocks.
    pub fn seconds(
        &self,
        test: &Test,
        of: &Contender,
        cell: &CellId,
        clock: Scope,
    ) -> Result<Estimate, Missing> {
        self.check_resident(of)?;
        let is_estimate = self.run.row(cell).is_some_and(|row| row.iterations.is_some());
        let asks_for_estimate = of.parameters.iter().any(|(name, _)| name == "iterations");
        if is_estimate && !asks_for_estimate {
            return Err(Missing::Estimate);
        }
        let timed = self.run.cell(cell).timed(clock).ok_or(Missing::NotMeasured)?;
        if timed.samples.len() < test.samples {
            return Err(Missing::FewSamples { has: timed.samples.len(), needs: test.samples });
        }
        // A time of nothing is no time, and nothing can be divided by it.
        let known = Some(timed.seconds).filter(|seconds| seconds.low > 0.0).ok_or(Missing::NotMeasured)?;
        let noise = self.noise(of, cell.n).max(halves(&timed.samples).unwrap_or(0.0));
        Ok(known.widened(noise / 2.0))
    }

    /// Whether a result of the cell was wrong: then nothing else of it counts.
    pub fn is_wrong(&self, cell: &CellId) -> bool {
        self.judged.get(cell).is_some_and(|wrong| *wrong > 0)
    }

    /// What two medians of such a cell may differ by, relative.
    pub fn noise(&self, of: &Contender, n: usize) -> f64 {
        let is_on_device = self.run.is_on_device(&of.implementation);
        NOISE[2 * usize::from(!is_on_device) + usize::from(n < SMALL_BELOW)]
    }

    /// What was counted of a cell, a row a kernel, at any of these cells.
    pub fn counts(&self, planned: &[&CellId]) -> Vec<&'a CountRow> {
        let first = |cell: &&&CellId| self.run.results.counts.iter().any(|row| row.cell == ***cell);
        let Some(cell) = planned.iter().find(first) else { return Vec::new() };
        self.run.results.counts.iter().filter(|row| row.cell == **cell).collect()
    }

    /// Times by kernel of a cell.
    pub fn kernel_times(&self, cell: &CellId) -> Vec<&'a KernelTimeRow> {
        let is_of = |row: &&KernelTimeRow| row.cell() == *cell;
        self.run.results.kernel_times.iter().filter(is_of).collect()
    }

    /// What the kernels of a contender take on the device.
    pub fn kernels(&self, of: &Contender) -> &'a [KernelRecord] {
        self.record(of).map_or(&[], |record| &record.kernels)
    }

    /// How many samples of these cells were compared with the reference and wrong. None where one of the cells has no right end.
    pub fn wrong(&self, planned: &[&CellId]) -> Option<usize> {
        planned.iter().map(|cell| self.judged.get(cell)).sum()
    }

    pub fn check_resident(&self, of: &Contender) -> Result<(), Missing> {
        let Some(needs) = of.resident else { return Ok(()) };
        let kernel = self.kernels(of).iter().find(|one| one.paper.is_some());
        match kernel.map(|one| one.resources.resident_blocks) {
            Some(has) if has == needs => Ok(()),
            has => Err(Missing::Resident { has, needs }),
        }
    }
}

/// An interval `factor` times as wide, by ratios, so that it stays positive.
pub fn stretched(of: Estimate, factor: f64) -> Estimate {
    if factor == 1.0 || of.value <= 0.0 {
        return of;
    }
    let end = |end: f64| of.value * (end / of.value).powf(factor);
    Estimate { low: end(of.low), high: end(of.high), ..of }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_as_uncertain_is_half_as_wide_and_as_certain_as_it_was_is_the_same() {
        let of = Estimate { value: 2.0, low: 1.0, high: 8.0 };
        assert_eq!(stretched(of, 1.0), of);
        let half = stretched(of, 0.5);
        assert!((half.low - 2f64.sqrt()).abs() < 1e-9 && (half.high - 4.0).abs() < 1e-9, "{half:?}");
        assert_eq!(stretched(Estimate::exact(3.0), 2.0), Estimate::exact(3.0));
    }
}
