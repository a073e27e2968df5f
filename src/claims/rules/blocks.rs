//! Which block of threads is the fastest, as gaioso-2013 found for its baselines.

use super::Question;
use crate::claims::Point;
use crate::claims::evidence::Measurements;
use crate::claims::outcome::Outcome;
use crate::claims::verdict::Range;
use crate::implementation::Parameters;
use crate::timing::{Estimate, Scope};

/// Columns and rows of threads.
type Shape = (u32, u32);

const BEST: Shape = (16, 16);

fn shape(params: &str) -> Option<Shape> {
    let parameters: Parameters = params.parse().ok()?;
    let of = |wanted: &str| parameters.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value);
    Some((of("block-x")?, of("block-y")?))
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
        return Outcome::missing(format!("No run has {name} with square blocks of several sizes."));
    };
    let oblong: Vec<String> = fastest_others(question, run, name, |shape| !is_square(shape))
        .into_iter()
        .filter(|(_, _, ratio)| ratio.low > 1.0)
        .map(|(n, (x, y), ratio)| format!("{x} x {y} at n = {n} ({:.2} times)", ratio.value))
        .collect();
    let remark = format!("Not square and faster than 16 x 16: {}.", oblong.join(", "));
    Outcome {
        remarks: (!oblong.is_empty()).then_some(remark).into_iter().collect(),
        ..Outcome::of(
            run.name(),
            "seconds with blocks of 16 x 16 threads over those with the fastest other square block",
            "times",
            all.into_iter().map(|(n, _, ratio)| Point::at_n(n, ratio, Range::at_most(1.0))).collect(),
        )
    }
}

/// In that paper a block of threads is a tile, and no other tile of Katz & Kider is implemented here.
pub fn no_other_tile(_question: &Question) -> Outcome {
    Outcome::missing(
        "A block of threads is a tile there, and Katz & Kider is implemented here with tiles of 32 x 32 alone.",
    )
}
