//! How kernels are built and what they do to memory: counted, not timed.

use super::Question;
use crate::claims::Point;
use crate::claims::evidence::Evidence;
use crate::claims::outcome::Outcome;
use crate::claims::said::{Comparison, Contender, Counted, FigureUnit, Lack, Subject};
use crate::claims::settings::Threshold;
use crate::claims::verdict::Range;
use crate::lists::distinct;
use crate::published::{PublishedPaper, StructuralClaim};
use crate::results::{KernelCounts, counted_figure};
use crate::store::CountRow;
use repro_types::{CellId, Parameters};

/// Threads a block of a kernel that was counted.
fn threads_of(row: &CountRow) -> u64 {
    row.counts.threads / row.counts.blocks.max(1)
}

fn not_counted(implementation: &str) -> Outcome {
    Outcome::lacking(Lack::NotCounted { contenders: vec![Contender::of(implementation)] })
}

/// A figure that the emulated device counts.
pub fn structural(paper: &PublishedPaper, claim: &StructuralClaim, evidence: &Evidence) -> Outcome {
    let counts = |implementation: &str, kernel: &str| {
        let (_, row) = evidence.counts((implementation, ""), kernel)?;
        Some(KernelCounts { counts: row.counts, tasks: row.tasks, threads: threads_of(row) })
    };
    let Some(counted) = counted_figure(claim, &paper.gpu, &counts) else {
        let over = claim.over.as_ref().map(|over| over.implementation.as_str());
        let lacking = over.filter(|name| evidence.counted(name).is_none());
        return not_counted(lacking.unwrap_or(&claim.implementation));
    };
    let run = evidence.counts((&claim.implementation, ""), &claim.kernel);
    let range = Range { low: claim.low, high: claim.high };
    let of = Subject::Kernel { implementation: claim.implementation.clone(), kernel: claim.kernel.clone() };
    Outcome {
        comparison: Some(Comparison::CountedFigure { figure: claim.figure }),
        unit: claim.figure.into(),
        points: vec![Point::exact(of, counted, range)],
        runs: run.iter().map(|(run, _)| run.marked_name()).collect(),
        ..Outcome::default()
    }
}

/// "Nearly 12, and the traffic as it was": shared memory a block of Katz & Kider over that of Staged Load; and bytes of global
/// memory a task of the one over those of the other.
pub fn memory_cut(question: &Question) -> Outcome {
    const KERNEL: &str = "doubly_dependent";
    let (before, after) = ("katz-kider", "staged-load");
    let shared = |id: &str| {
        let claim = question.paper.structural.iter().find(|claim| claim.id == id)?;
        let outcome = structural(question.paper, claim, question.evidence);
        Some((outcome.points.first()?.measured.value, outcome.runs))
    };
    let traffic = |name: &str| {
        let (_, row) = question.evidence.counts((name, ""), KERNEL)?;
        Some((row.counts.global_load.bytes + row.counts.global_store.bytes) as f64 / row.tasks? as f64)
    };
    let (Some((whole, runs)), Some((staged, _))) = (shared("smem-kk"), shared("smem-staged")) else {
        return not_counted(after);
    };
    let (Some(old), Some(new)) = (traffic(before), traffic(after)) else { return not_counted(after) };
    // Nearly: no more than the number, and what rounds to it.
    let number = question.claim.value.unwrap_or_default();
    let nearly = Range::new(number - 0.5 * question.settings.get(Threshold::Rounding), number);
    let counted = |what| Subject::Counted { kernel: KERNEL.to_string(), what };
    let points = vec![
        Point::exact(counted(Counted::SharedBytes), whole / staged, nearly),
        Point::exact(counted(Counted::GlobalBytesATask), old / new, Range::new(1.0, 1.0)),
    ];
    let comparison = Comparison::MemoryCut { before: Contender::of(before), after: Contender::of(after) };
    Outcome { runs, ..Outcome::of(String::new(), comparison, FigureUnit::Times, points) }
}

/// Threads a block of each kernel, one an element of a tile; and less shared memory than three whole tiles, as the updated
/// element is in a register and its operands come in stages.
pub fn threads_a_block(question: &Question) -> Outcome {
    /// Entries a side of a tile, as the paper's experiments have it.
    const TILE: u32 = 32;
    const ELEMENTS: f64 = (TILE * TILE) as f64;
    /// Two whole tiles of operands.
    const TWO_TILES: f64 = 2.0 * ELEMENTS * size_of::<f32>() as f64;
    let name = question.claim.implementation.as_deref().unwrap_or_default();
    let as_published = |name: &str, value| match name {
        "tile" => value == TILE,
        "rest-threads" => false,
        _ => true,
    };
    let of_32 = |cell: &CellId| {
        let parameters = cell.params.parse::<Parameters>();
        parameters.is_ok_and(|all| all.iter().all(|(name, value)| as_published(name, value)))
    };
    let Some((run, rows)) = question.evidence.counted_with(name, of_32) else { return not_counted(name) };
    let counted = |row: &CountRow, what| Subject::Counted { kernel: row.kernel.clone(), what };
    let threads = |row: &&CountRow| {
        Point::exact(counted(row, Counted::Threads), threads_of(row) as f64, Range::new(ELEMENTS, ELEMENTS))
    };
    let rest = rows.iter().find(|row| row.kernel == "rest_blocks");
    let staged = rest.map(|row| {
        let bytes = row.counts.shared_bytes as f64;
        Point::exact(counted(row, Counted::SharedBytes), bytes, Range::at_most(TWO_TILES - 1.0))
    });
    let points = distinct(rows.iter().map(threads).chain(staged));
    Outcome::of(run.marked_name(), Comparison::ThreadsABlock, FigureUnit::None, points)
}
