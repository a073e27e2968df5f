//! What a paper says of how its kernels use memory, beside what the emulated device counted.

use crate::device::emulated::Counts;
use crate::device::gpus::{BlockNeeds, named_gpus};
use crate::published::{Figure, StructuralClaim, published_papers};
use serde::Serialize;

/// A claim and what was counted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StructuralResult {
    pub paper: String,
    #[serde(flatten)]
    pub claim: StructuralClaim,
    /// None when the kernel was not launched or the implementation it is compared with could not be run.
    pub counted: Option<f64>,
}

impl StructuralResult {
    /// Whether what was counted is within what is claimed. None when nothing was counted.
    pub fn holds(&self) -> Option<bool> {
        let low = self.claim.low.unwrap_or(f64::NEG_INFINITY);
        let high = self.claim.high.unwrap_or(f64::INFINITY);
        self.counted.map(|counted| (low..=high).contains(&counted))
    }
}

/// Every structural claim about `implementation`. `counts` gives what a kernel of an implementation did; None where that is not known.
pub fn structural_results(
    implementation: &str,
    counts: impl Fn(&str, &str) -> Option<KernelCounts>,
) -> Vec<StructuralResult> {
    // The embedded files are tested; an inspection does not end because of one.
    let papers = published_papers().unwrap_or_default();
    papers
        .iter()
        .flat_map(|paper| paper.structural.iter().map(move |claim| (paper, claim)))
        .filter(|(_, claim)| claim.implementation == implementation)
        .map(|(paper, claim)| StructuralResult {
            paper: paper.id.clone(),
            claim: claim.clone(),
            counted: counted_figure(claim, &paper.gpu, &counts),
        })
        .collect()
}

/// What all launches of one kernel did in a solve.
#[derive(Clone, Copy, Debug)]
pub struct KernelCounts {
    pub counts: Counts,
    /// Tasks that its blocks did. None where that is not known.
    pub tasks: Option<u64>,
    /// Threads a block.
    pub threads: u64,
}

/// The figure that a claim is about. `counts` gives what a kernel of an implementation did; None where that is not known.
pub fn counted_figure(
    claim: &StructuralClaim,
    gpu: &str,
    counts: &impl Fn(&str, &str) -> Option<KernelCounts>,
) -> Option<f64> {
    let KernelCounts { counts: own, threads, .. } = counts(&claim.implementation, &claim.kernel)?;
    let bytes_a_task = |name: &str, kernel: &str| {
        let KernelCounts { counts, tasks, .. } = counts(name, kernel)?;
        Some(counts.global_bytes() as f64 / tasks? as f64)
    };
    let shared_bytes = own.shared_bytes + own.dynamic_shared_bytes;
    let papers_gpu = || named_gpus().into_iter().find(|one| gpu.ends_with(&one.name));
    match claim.figure {
        Figure::GlobalBytesATask => bytes_a_task(&claim.implementation, &claim.kernel),
        Figure::GlobalBytesCut => {
            let over = claim.over.as_ref()?;
            let before = bytes_a_task(&over.implementation, &over.kernel)?;
            Some(before / bytes_a_task(&claim.implementation, &claim.kernel)?)
        }
        Figure::SharedBytes => Some((shared_bytes + papers_gpu()?.beside_bytes) as f64),
        Figure::ResidentBlocksByShared => {
            let needs = BlockNeeds { threads, shared_bytes, registers: None };
            papers_gpu()?.residency(needs).by_shared.map(|blocks| blocks as f64)
        }
        Figure::WorstLoadSteps16 => Some(own.shared_load.banks_16.worst as f64),
        Figure::LoadSectorsUsed => {
            let moved = own.global_load.sectors * crate::device::emulated::SECTOR_BYTES;
            (moved > 0).then(|| own.global_load.bytes as f64 / moved as f64)
        }
    }
}
