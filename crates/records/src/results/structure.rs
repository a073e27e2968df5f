//! Figures of a kernel that follow from what the emulated device counted.

use crate::published::{Figure, PublishedPaper};
use repro_device::emulated::{Counts, SECTOR_BYTES};
use repro_device::gpus::{BlockResources, MultiprocessorLimits, named_gpus};

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
