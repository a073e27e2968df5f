//! What a paper says of how its kernels use memory, beside what the emulated device counted.

use crate::device::emulated::{Counts, LaunchCounts};
use crate::device::gpus::{BlockNeeds, named_gpus};
use crate::implementation::{self, Parameters};
use crate::record::{Figure, StructuralClaim, published_papers};
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

/// Every structural claim about `implementation`. `launches` gives n and the launches of a solve by an implementation.
pub fn results(
    implementation: &str,
    launches: impl Fn(&str) -> Option<(usize, Vec<LaunchCounts>)>,
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
            counted: counted(claim, &paper.gpu, &launches),
        })
        .collect()
}

/// The figure that a claim is about.
fn counted(
    claim: &StructuralClaim,
    gpu: &str,
    launches: &impl Fn(&str) -> Option<(usize, Vec<LaunchCounts>)>,
) -> Option<f64> {
    let (n, own) = launches(&claim.implementation)?;
    let (counts, threads) = of_kernel(&own, &claim.kernel)?;
    let bytes_a_task = |name: &str, kernel: &str, n: usize, counts: &Counts| {
        let tasks = implementation::tasks_of(
            implementation::find(name)?,
            &Parameters::default(),
            kernel,
            n,
            counts.blocks,
        )?;
        Some(counts.global_bytes() as f64 / tasks as f64)
    };
    let shared_bytes = counts.shared_bytes + counts.dynamic_shared_bytes;
    let papers_gpu = || named_gpus().into_iter().find(|one| gpu.ends_with(&one.name));
    match claim.figure {
        Figure::GlobalBytesATask => bytes_a_task(&claim.implementation, &claim.kernel, n, &counts),
        Figure::GlobalBytesCut => {
            let over = claim.over.as_ref()?;
            let (other_n, other) = launches(&over.implementation)?;
            let (other, _) = of_kernel(&other, &over.kernel)?;
            let before = bytes_a_task(&over.implementation, &over.kernel, other_n, &other)?;
            Some(before / bytes_a_task(&claim.implementation, &claim.kernel, n, &counts)?)
        }
        Figure::SharedBytes => Some((shared_bytes + papers_gpu()?.beside_bytes) as f64),
        Figure::ResidentBlocksByShared => {
            let needs = BlockNeeds { threads, shared_bytes, registers: None };
            papers_gpu()?.residency(needs).by_shared.map(|blocks| blocks as f64)
        }
        Figure::WorstLoadSteps16 => Some(f64::from(counts.shared_load.banks_16.worst)),
        Figure::LoadSectorsUsed => {
            let moved = counts.global_load.sectors * crate::device::emulated::SECTOR_BYTES;
            (moved > 0).then(|| counts.global_load.bytes as f64 / moved as f64)
        }
    }
}

/// What all launches of a kernel did, and its threads a block.
fn of_kernel(launches: &[LaunchCounts], kernel: &str) -> Option<(Counts, u64)> {
    let of_kernel = || launches.iter().filter(|launch| launch.kernel == kernel);
    let first = of_kernel().next()?;
    let mut counts = Counts::default();
    of_kernel().for_each(|launch| counts += launch.counts);
    Some((counts, u64::from(first.block.0) * u64::from(first.block.1)))
}
