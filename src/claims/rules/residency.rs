//! What blocks that are resident together gain: lund-smith-2010's explanation, tested by forcing how many there are.
//!
//! Shared memory that nobody uses keeps a kernel from having more blocks on a multiprocessor than the paper's GPU had.

use super::Question;
use super::ratio::at_each;
use crate::claims::evidence::Measurements;
use crate::claims::outcome::Outcome;
use crate::claims::said::{Comparison, Contender, FigureUnit, Lack, Place, Remark, Subject};
use crate::claims::settings::Threshold;
use crate::claims::verdict::Range;
use crate::claims::{Point, ranges};
use crate::timing::{Estimate, Scope};

/// Blocks of the doubly dependent kernel on a multiprocessor, and the parameters that make it so many, most first.
fn by_resident(run: &Measurements, name: &str) -> Vec<(u32, String)> {
    let resident = |params: &str| {
        let kernels = run.kernels_of((name, params));
        kernels
            .iter()
            .find(|one| one.resources.kernel == "doubly_dependent")
            .map(|one| one.resources.resident_blocks)
    };
    let mut all: Vec<(u32, String)> =
        run.variants_of(name).into_iter().filter_map(|params| Some((resident(&params)?, params))).collect();
    all.sort_by(|a, b| b.cmp(a));
    all
}

/// The variant with so many blocks resident, or with the most that are fewer.
fn resident_at_most(run: &Measurements, name: &str, most: u32) -> Option<(u32, String)> {
    by_resident(run, name).into_iter().find(|(blocks, _)| *blocks <= most)
}

fn ratios(
    question: &Question,
    run: &Measurements,
    (faster, fast): (&str, &str),
    (slower, slow): (&str, &str),
) -> Vec<(usize, Estimate)> {
    let pair = ((faster, fast), (slower, slow));
    question.evidence.ratios_between(run, pair, Scope::Kernel, |n| question.applies_at(n))
}

/// A ratio of two implementations with so many blocks resident of the faster and of the slower.
fn forced(
    question: &Question,
    (faster, most_fast): (&str, u32),
    (slower, most_slow): (&str, u32),
    range: Range,
) -> Outcome {
    let of = |run: &Measurements| {
        let fast = resident_at_most(run, faster, most_fast)?;
        let slow = resident_at_most(run, slower, most_slow).filter(|(blocks, _)| *blocks == most_slow)?;
        Some((fast, slow))
    };
    let found = question.evidence.fullest(&question.paper.id, |run| match of(run) {
        Some(((_, fast), (_, slow))) => ratios(question, run, (faster, &fast), (slower, &slow)),
        None => Vec::new(),
    });
    let Some((run, all)) = found else { return missing() };
    let Some(((after, fast), (before, slow))) = of(run) else { return missing() };
    let comparison = Comparison::Seconds {
        slower: Contender::with(slower, &slow),
        faster: Contender::with(faster, &fast),
        scope: Scope::Kernel,
    };
    Outcome::of(run.name(), comparison, FigureUnit::Times, at_each(all, range))
        .remarking([Remark::Resident { before, after }])
}

fn missing() -> Outcome {
    Outcome::lacking(Lack::NoRunOf { experiment: "residency".to_string() })
}

/// A C1060 holds at most so many blocks.
const MOST_OF_C1060: u32 = 8;

/// What staging gains where, as on the paper's GPU, the unstaged kernel has one block a multiprocessor and the staged one eight.
pub fn staged_as_resident(question: &Question) -> Outcome {
    let range = ranges::stated(question.claim, question.settings);
    forced(question, ("staged-load", MOST_OF_C1060), ("optimized-blocked", 1), range)
}

/// What the register move gains where one block stays resident before and after.
pub fn register_move_alone(question: &Question) -> Outcome {
    let none = Range::at_most(1.0 + question.settings.get(Threshold::Hardly));
    forced(question, ("tile-in-registers-256", 1), ("optimized-blocked", 1), none)
}

/// "Several blocks hide latency": the same kernel with one block resident over that with as many as fit.
pub fn blocks_hide_latency(question: &Question) -> Outcome {
    let significant = Range::at_least(1.0 + question.settings.get(Threshold::Significant));
    // Those of 256 threads a block: a single block of 64 would leave schedulers without any warp.
    const NAMES: [&str; 3] = ["katz-kider", "optimized-blocked", "tile-in-registers-256"];
    let found = question.evidence.fullest(&question.paper.id, |run| {
        let of = |name: &'static str| {
            let all = by_resident(run, name);
            let ((most, free), (_, one)) =
                (all.first()?.clone(), all.into_iter().find(|(blocks, _)| *blocks == 1)?);
            let points =
                ratios(question, run, (name, &free), (name, &one)).into_iter().map(move |(n, ratio)| {
                    let subject = Subject::Resident { contender: Contender::of(name), most };
                    Point::of(Place::at(subject, n), ratio, significant)
                });
            Some(points.collect::<Vec<_>>())
        };
        NAMES.into_iter().filter_map(of).flatten().collect()
    });
    let Some((run, points)) = found else { return missing() };
    Outcome::of(run.name(), Comparison::OneResident, FigureUnit::Times, points)
}
