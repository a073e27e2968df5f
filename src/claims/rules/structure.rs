//! How kernels are built and what they do to memory: counted, not timed.

use super::Question;
use crate::claims::Point;
use crate::claims::evidence::Evidence;
use crate::claims::outcome::Outcome;
use crate::claims::verdict::Range;
use crate::experiment::{KernelCounts, counted_figure};
use crate::lists::distinct;
use crate::record::{CountRow, Figure, PublishedPaper, StructuralClaim};
use crate::timing::Estimate;

/// Threads a block of a kernel that was counted.
fn threads_of(row: &CountRow) -> u64 {
    row.counts.threads / row.counts.blocks.max(1)
}

fn not_counted(implementation: &str) -> Outcome {
    Outcome::missing(format!(
        "Not counted: no run given has counts of {implementation} from the emulated device (`--device emulated`)."
    ))
}

/// A figure that the emulated device counts.
pub fn structural(paper: &PublishedPaper, claim: &StructuralClaim, evidence: &Evidence) -> Outcome {
    let counts = |implementation: &str, kernel: &str| {
        let (_, row) = evidence.counts((implementation, ""), kernel)?;
        Some(KernelCounts { n: row.cell.n, counts: row.counts, threads: threads_of(row) })
    };
    let Some(counted) = counted_figure(claim, &paper.gpu, &counts) else {
        let over = claim.over.as_ref().map(|over| over.implementation.as_str());
        let lacking = over.filter(|name| evidence.counted(name).is_none());
        return not_counted(lacking.unwrap_or(&claim.implementation));
    };
    let run = evidence.counts((&claim.implementation, ""), &claim.kernel);
    let range = Range { low: claim.low, high: claim.high };
    let at = format!("{} {}", claim.implementation, claim.kernel);
    Outcome {
        compared_as: format!("{}, counted on the emulated device", in_words(claim.figure)),
        unit: unit_of(claim.figure),
        points: vec![Point::of(at, None, Estimate::exact(counted), range)],
        runs: run.iter().map(|(run, _)| run.marked_name()).collect(),
        counted: true,
        ..Outcome::default()
    }
}

fn in_words(figure: Figure) -> &'static str {
    match figure {
        Figure::GlobalBytesATask => "bytes of global memory a task",
        Figure::GlobalBytesCut => "bytes of global memory a task, of the one over those of the other",
        Figure::SharedBytes => "shared memory a block, with what the paper's GPU adds",
        Figure::ResidentBlocksByShared => {
            "blocks that fit on a multiprocessor of the paper's GPU by shared memory"
        }
        Figure::WorstLoadSteps16 => "the most ways that a half-warp's load conflicts in, 16 banks",
        Figure::LoadSectorsUsed => "bytes loaded over bytes of the 32-byte sectors that they lie in",
    }
}

/// The unit of a figure; empty for a ratio.
pub fn unit_of(figure: Figure) -> &'static str {
    match figure {
        Figure::GlobalBytesATask | Figure::SharedBytes => "bytes",
        Figure::GlobalBytesCut => "times",
        Figure::ResidentBlocksByShared => "blocks",
        Figure::WorstLoadSteps16 => "ways",
        Figure::LoadSectorsUsed => "",
    }
}

/// "Nearly 12": the shared memory of Katz & Kider's block over that of Staged Load's.
pub fn shared_memory_cut(question: &Question) -> Outcome {
    let counted = |id: &str| {
        let claim = question.paper.structural.iter().find(|claim| claim.id == id)?;
        let outcome = structural(question.paper, claim, question.evidence);
        Some((outcome.points.first()?.measured, outcome.runs))
    };
    let (Some((before, runs)), Some((after, _))) = (counted("smem-kk"), counted("smem-staged")) else {
        return not_counted("staged-load");
    };
    // Nearly: no more than the number, and what rounds to it.
    let number = question.claim.value.unwrap_or_default();
    let range = Range::new(number - 0.5, number);
    Outcome {
        compared_as:
            "shared memory a block of katz-kider over that of staged-load; nearly is read as: rounds up to it"
                .to_string(),
        unit: "times",
        points: vec![Point::of("doubly_dependent".to_string(), None, before.over(after), range)],
        runs,
        counted: true,
        ..Outcome::default()
    }
}

/// Threads a block of each kernel, one an element of a tile.
pub fn threads_a_block(question: &Question) -> Outcome {
    /// Of a tile of 32 x 32, as the paper's experiments have it.
    const ELEMENTS: f64 = 1024.0;
    let name = question.claim.implementation.as_deref().unwrap_or_default();
    let Some((run, rows)) = question.evidence.counted(name) else { return not_counted(name) };
    let point = |row: &CountRow| {
        let threads = Estimate::exact(threads_of(row) as f64);
        Point::of(row.kernel.clone(), None, threads, Range::new(ELEMENTS, ELEMENTS))
    };
    Outcome {
        counted: true,
        ..Outcome::of(
            run.marked_name(),
            "threads a block of every kernel, counted on the emulated device",
            "threads",
            distinct(rows.into_iter().map(point)),
        )
    }
}
