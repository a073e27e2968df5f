//! Which block of threads is the fastest, as gaioso-2013 found for its baselines and its own kernels.

use super::Question;
use crate::claims::Point;
use crate::claims::evidence::Measurements;
use crate::claims::outcome::Outcome;
use crate::claims::said::{Comparison, Contender, FigureUnit, Lack, Place, Remark, Shape, Subject};
use crate::claims::verdict::Range;
use crate::timing::{Estimate, Scope};
use repro_types::Parameters;

const BEST: Shape = (16, 16);
/// Of katz-kider-1024 and two-phase, in which a block of threads is a tile.
const BEST_TILE: u32 = 32;
const OTHER_TILE: u32 = 16;

fn value(parameters: &Parameters, wanted: &str) -> Option<u32> {
    parameters.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value)
}

fn shape(params: &str) -> Option<Shape> {
    let parameters: Parameters = params.parse().ok()?;
    Some((value(&parameters, "block-x")?, value(&parameters, "block-y")?))
}

/// At every n, the fastest of the other shapes that are wanted, and the seconds with 16 x 16 over its own.
fn fastest_others(
    question: &Question,
    run: &Measurements,
    name: &str,
    wanted: impl Fn(Shape) -> bool,
) -> Vec<(usize, Shape, Estimate)> {
    let variants = run.variants_of(name);
    let Some(best) = variants.iter().find(|params| shape(params) == Some(BEST)) else { return Vec::new() };
    let others: Vec<(&String, Shape)> = variants
        .iter()
        .filter_map(|params| Some((params, shape(params)?)))
        .filter(|(_, shape)| *shape != BEST && wanted(*shape))
        .collect();
    let at = |n: usize| {
        let ratios = others.iter().filter_map(|(params, shape)| {
            let pair = ((name, params.as_str()), (name, best.as_str()));
            Some((*shape, question.evidence.ratio(run, pair, n, Scope::Kernel)?))
        });
        let (shape, ratio) = ratios.max_by(|a, b| a.1.value.total_cmp(&b.1.value))?;
        Some((n, shape, ratio))
    };
    run.sizes_of((name, best), Scope::Kernel).into_iter().filter_map(at).collect()
}

/// Blocks of 16 x 16 over the fastest other square one: the paper's are square. What others do is a remark.
pub fn best_square(question: &Question) -> Outcome {
    let name = question.claim.implementation.as_deref().unwrap_or_default();
    let is_square = |(x, y): Shape| x == y;
    let found =
        question.evidence.fullest(&question.paper.id, |run| fastest_others(question, run, name, is_square));
    let Some((run, all)) = found else {
        return Outcome::lacking(Lack::NoRunOf { experiment: "block-shapes".to_string() });
    };
    let oblong = fastest_others(question, run, name, |shape| !is_square(shape)).into_iter();
    let faster = oblong.filter(|(_, _, ratio)| ratio.low > 1.0);
    let remarks: Vec<Remark> =
        faster.map(|(n, block, ratio)| Remark::NotSquareFaster { block, n, ratio: ratio.value }).collect();
    let points = all
        .into_iter()
        .map(|(n, block, ratio)| Point::of(Place::at(Subject::Block(block), n), ratio, Range::at_most(1.0)));
    Outcome::of(run.name(), Comparison::BestOverOthers, FigureUnit::Times, points.collect())
        .remarking(remarks)
}

/// Tiles of 32, with 1,024 threads a block, over tiles of 16 with 256, loops alike.
pub fn best_tile(question: &Question) -> Outcome {
    let name = question.claim.implementation.as_deref().unwrap_or_default();
    let found = question.evidence.fullest(&question.paper.id, |run| {
        [0, 1].into_iter().flat_map(|unrolled| tiles(question, run, name, unrolled)).collect()
    });
    let Some((run, points)) = found else {
        return Outcome::lacking(Lack::NoRunOf { experiment: "phases-unrolling".to_string() });
    };
    Outcome::of(run.name(), Comparison::BestOverOthers, FigureUnit::Times, points)
}

fn tiles(question: &Question, run: &Measurements, name: &str, unrolled: u32) -> Vec<Point> {
    let of = |tile| run.variant(name, &[("tile", tile), ("unrolled", unrolled)]);
    let (Some(best), Some(other)) = (of(BEST_TILE), of(OTHER_TILE)) else { return Vec::new() };
    let pair = ((name, other.as_str()), (name, best.as_str()));
    let sizes = run.sizes_of(pair.0, Scope::Kernel).into_iter();
    let at = |n| {
        let subject = Subject::Contender(Contender::with(name, &other));
        let ratio = question.evidence.ratio(run, pair, n, Scope::Kernel)?;
        Some(Point::of(Place::at(subject, n), ratio, Range::at_most(1.0)))
    };
    sizes.filter_map(at).collect()
}
