//! Figures of a kernel that follow from what the emulated device counted.

use crate::device::emulated::{Counts, SECTOR_BYTES};
use crate::device::gpus::{BlockNeeds, Gpu, named_gpus};
use crate::published::{Claim, Contender, Figure, PublishedPaper, Test, published_papers};
use crate::store::CountRow;
use serde::Serialize;

/// A claim about one kernel and what was counted of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StructuralResult {
    pub paper: String,
    pub id: String,
    pub statement: String,
    pub place: String,
    /// What is allowed; open where an end is None.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// None when the kernel was not launched or the implementation it is compared with could not be run.
    pub counted: Option<f64>,
}

impl StructuralResult {
    /// Whether what was counted is within what is claimed. None when nothing was counted.
    pub fn holds(&self) -> Option<bool> {
        let low = self.low.unwrap_or(f64::NEG_INFINITY);
        let high = self.high.unwrap_or(f64::INFINITY);
        self.counted.map(|counted| (low..=high).contains(&counted))
    }
}

/// Every claim that one count of a kernel of `implementation` decides, with its default parameters. `counts` gives what a kernel of an
/// implementation did; None where that is not known.
pub fn structural_results(
    implementation: &str,
    counts: impl Fn(&str, &str) -> Option<KernelCounts>,
) -> Vec<StructuralResult> {
    // The embedded files are tested; an inspection does not end because of one.
    let papers = published_papers().unwrap_or_default();
    let of = |one: &Contender, figure: Figure, gpu: Option<&Gpu>| {
        counted_figure(figure, &counts(&one.implementation, one.kernel.as_ref()?)?, gpu)
    };
    let mut all = Vec::new();
    for paper in &papers {
        let gpu = gpu_of(paper);
        let decided = paper.claims.iter().filter_map(decided_by_a_count);
        for (claim, test, own, beside) in decided.filter(|(.., own, _)| own.implementation == implementation)
        {
            let counted = of(own, test.figure, gpu.as_ref()).and_then(|own| match beside {
                None => Some(own),
                Some(beside) => Some(of(beside, test.figure, gpu.as_ref())? / own),
            });
            all.push(StructuralResult {
                paper: paper.id.clone(),
                id: claim.id.clone(),
                statement: claim.statement.clone(),
                place: claim.place.clone(),
                low: test.at_least.or(test.exactly).or(claim.value).or(claim.low),
                high: test.at_most.or(test.exactly).or(claim.value).or(claim.high),
                counted,
            });
        }
    }
    all
}

/// The limits of a paper's GPU. None where they are not known.
pub fn gpu_of(paper: &PublishedPaper) -> Option<Gpu> {
    named_gpus().into_iter().find(|gpu| paper.gpu.ends_with(&gpu.name))
}

/// The only test of a claim, with its contender and what that is set beside, where it is a count of one kernel and no polynomial.
fn decided_by_a_count(claim: &Claim) -> Option<(&Claim, &Test, &Contender, Option<&Contender>)> {
    let [test] = &claim.tests[..] else { return None };
    let is_plain = test.contenders().all(|one| one.parameters.is_empty() && one.kernel.is_some());
    let (own, beside) = match (&test.pairs[..], &test.series[..]) {
        ([(own, beside)], []) => (own, Some(beside)),
        ([], [own]) => (own, None),
        _ => return None,
    };
    (test.figure.is_counted() && is_plain && test.polynomial.is_none()).then_some((claim, test, own, beside))
}

/// What all launches of one kernel did in a solve.
#[derive(Clone, Copy, Debug)]
pub struct KernelCounts {
    pub counts: Counts,
    /// Tasks that its blocks did. None where that is not known.
    pub tasks: Option<u64>,
}

impl KernelCounts {
    pub fn of(row: &CountRow) -> Self {
        Self { counts: row.counts, tasks: row.tasks }
    }
}

/// A figure of a kernel; some are of the paper's GPU. None where that is not known, or of what is not counted.
pub fn counted_figure(figure: Figure, of: &KernelCounts, papers_gpu: Option<&Gpu>) -> Option<f64> {
    let KernelCounts { counts, tasks } = *of;
    let threads = counts.threads / counts.blocks.max(1);
    let a_task = |bytes: u64| Some(bytes as f64 / tasks.filter(|tasks| *tasks > 0)? as f64);
    let shared_bytes = counts.shared_bytes + counts.dynamic_shared_bytes;
    let residency =
        || papers_gpu.map(|gpu| gpu.residency(BlockNeeds { threads, shared_bytes, registers: None }));
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
