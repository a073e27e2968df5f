//! What a run recorded of its implementations in addition to their times, so that no build has to know them to read it.
//! Figures of a kernel that follow from what the emulated device counted are here, too.

use crate::plan::{NamedGraph, runs_on_device};
use crate::published::{Figure, PublishedPaper};
use crate::store::ImplementationRecord;
use repro_base::{CellId, Parameters, half_tasks};
use repro_device::emulated::{Counts, SECTOR_BYTES};
use repro_device::gpus::{BlockResources, MultiprocessorLimits, named_gpus};
use repro_timing::ProcessorKind;

/// The records of all implementations of a run, with their parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VariantTable(Vec<ImplementationRecord>);

impl VariantTable {
    /// The table of what a run recorded.
    pub fn of(records: &[ImplementationRecord]) -> Self {
        Self(records.to_vec())
    }

    /// The record of a cell's implementation with its parameters, whatever n and graph. None where the run has no such column.
    pub fn variant(&self, cell: &CellId) -> Option<&ImplementationRecord> {
        self.0.iter().find(|one| (&*one.implementation, &*one.params) == cell.variant())
    }

    /// Tasks of a solve of a cell on its `graph`: all n³, or of an undirected graph those of each pair of vertices once; of a batch, those
    /// of all its graphs.
    pub fn tasks(&self, cell: &CellId, graph: Option<&NamedGraph>) -> f64 {
        let undirected = graph.is_some_and(|graph| graph.source.weights().symmetric);
        let of_one = match undirected && self.variant(cell).is_some_and(|facts| facts.halves) {
            true => half_tasks(cell.n),
            false => (cell.n as f64).powi(3),
        };
        of_one * graph.map_or(1, |graph| graph.source.graphs()) as f64
    }

    /// The record of an implementation with any parameters: with those that come first as text.
    pub fn any(&self, implementation: &str) -> Option<&ImplementationRecord> {
        let own = self.0.iter().filter(|one| one.implementation == implementation);
        own.min_by(|one, other| one.params.cmp(&other.params))
    }

    /// Whether an implementation ran on a device, or would have. For one that no worker has looked at, this build may know it.
    pub fn is_on_device(&self, implementation: &str) -> bool {
        match self.any(implementation) {
            Some(facts) => facts.solved_on == ProcessorKind::Device,
            None => runs_on_device(implementation),
        }
    }

    /// How many devices share a matrix: 1 for a cell that needs none or is not known.
    pub fn devices_sharing(&self, cell: &CellId) -> usize {
        self.variant(cell).map_or(1, |record| record.devices.max(1))
    }

    /// Parameters without those that have their default value.
    pub fn non_default(&self, implementation: &str, parameters: &Parameters) -> Parameters {
        let known = self.any(implementation);
        known.map_or_else(|| parameters.clone(), |facts| parameters.without(&facts.defaults))
    }

    /// Parameters as records write them, without those that have their default value; unchanged where they cannot be parsed.
    pub fn written_non_default(&self, implementation: &str, params: &str) -> String {
        match params.parse() {
            Ok(set) => self.non_default(implementation, &set).to_string(),
            Err(_) => params.to_string(),
        }
    }
}

/// The limits of a paper's GPU. None where they are not known.
pub fn gpu_of(paper: &PublishedPaper) -> Option<MultiprocessorLimits> {
    named_gpus().into_iter().find(|gpu| paper.gpu.ends_with(&gpu.name))
}

/// A figure of a kernel, from the counts of all its launches in a solve and the tasks that its blocks did, where they are known; some
/// depend on the paper's GPU. None where that is not known, or for a figure that is not counted.
pub fn counted_figure(
    figure: Figure,
    counts: Counts,
    tasks: Option<u64>,
    papers_gpu: Option<&MultiprocessorLimits>,
) -> Option<f64> {
    let threads = counts.threads / counts.blocks.max(1);
    let a_task = |bytes: u64| Some(bytes as f64 / tasks.filter(|tasks| *tasks > 0)? as f64);
    let shared_bytes = counts.shared_bytes + counts.dynamic_shared_bytes;
    let residency =
        || papers_gpu.map(|gpu| gpu.residency(BlockResources { threads, shared_bytes, registers: None }));
    Some(match figure {
        Figure::Launches => counts.launches as f64,
        Figure::Blocks => counts.blocks as f64,
        Figure::Threads => threads as f64,
        Figure::StoredBytes => counts.global_store.bytes as f64,
        Figure::StoredBytesATask => a_task(counts.global_store.bytes)?,
        Figure::GlobalBytesATask => a_task(counts.global_bytes())?,
        Figure::SharedBytes => shared_bytes as f64,
        Figure::SharedBytesOfPaper => (shared_bytes + papers_gpu?.beside_bytes) as f64,
        Figure::ResidentBlocksByShared => residency()?.by_shared? as f64,
        Figure::Occupancy => (residency()?.resident * threads) as f64 / papers_gpu?.threads as f64 * 100.0,
        Figure::WorstLoadSteps16 => counts.shared_load.banks_16.worst as f64,
        Figure::LoadSectorsUsed => {
            let moved = counts.global_load.sectors * SECTOR_BYTES;
            (moved > 0).then(|| counts.global_load.bytes as f64 / moved as f64)?
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::fixtures::record;

    #[test]
    fn what_shares_its_matrix_with_nobody_or_is_not_known_counts_as_one_device() {
        repro_solvers::distributed::register();
        let all = [("distributed-blocked", "devices=4"), ("staged-load", ""), ("cpu-naive", "")];
        let facts = VariantTable::of(&all.map(record));
        let sharing = |(implementation, params): (&str, &str)| {
            facts.devices_sharing(&CellId::new(implementation, 64, params, ""))
        };
        assert_eq!(all.map(sharing), [4, 1, 1]);
        assert_eq!(sharing(("in-no-column", "")), 1);
    }

    #[test]
    fn what_a_record_says_counts_and_not_what_this_build_knows() {
        let known = ImplementationRecord {
            solved_on: ProcessorKind::Cpu,
            defaults: [("x", 1)].into(),
            halves: true,
            ..record(("staged-load", ""))
        };
        let facts = VariantTable::of(&[known]);
        assert!(!facts.is_on_device("staged-load") && facts.is_on_device("in-no-column"));
        assert!(!facts.is_on_device("cpu-naive"), "no worker has looked at it");
        assert_eq!(facts.written_non_default("staged-load", "x=1;y=2"), "y=2");
        assert_eq!(facts.written_non_default("staged-load", "no parameters"), "no parameters");
        assert_eq!(facts.written_non_default("in-no-column", "x=1"), "x=1");
    }
}
