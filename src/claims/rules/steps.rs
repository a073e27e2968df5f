//! Whether time steps up where n passes a multiple of multiprocessors times warp, as pogorilyy-cuda saw on four multiprocessors.

use super::Question;
use super::clocks::NAME;
use crate::claims::Point;
use crate::claims::evidence::Measurements;
use crate::claims::outcome::Outcome;
use crate::claims::said::{Comparison, FigureUnit, Lack, Place, Subject};
use crate::claims::verdict::Range;
use crate::timing::{Estimate, Scope, median};

const WARP: usize = 32;
/// Sizes grow in steps of half a warp, as in the paper.
const STEP: usize = 16;
/// Growth alternates with n modulo a warp: a size is compared with those a whole number of warps away, on either side.
const NEIGHBOURS: std::ops::RangeInclusive<usize> = 1..=4;

/// Growth past a multiple over the growth of n³ and over what the same step whole warps away takes. A jump would be one more wave of as many threads as the GPU holds at once.
pub fn steps(question: &Question) -> Outcome {
    let scope = question.claim.scope.unwrap_or(Scope::Total);
    let found =
        question.evidence.fullest(&question.paper.id, |run| points(question, run, scope).unwrap_or_default());
    let Some((run, points)) = found else {
        return Outcome::lacking(Lack::NoRunOf { experiment: "dense-steps".to_string() });
    };
    Outcome::of(run.name(), Comparison::StepOverTrend { scope }, FigureUnit::Times, points)
}

fn points(question: &Question, run: &Measurements, scope: Scope) -> Option<Vec<Point>> {
    let info = &run.run.device().filter(|device| device.info.multiprocessors > 0)?.info;
    let period = info.multiprocessors as usize * WARP;
    let params = run.params_of(NAME)?;
    let sizes = run.sizes_of((NAME, &params), scope);
    let resident = f64::from(info.multiprocessors) * f64::from(info.threads_per_multiprocessor);
    let at_multiple = |n: usize| {
        let waves = ((n as f64).powi(2) / resident.max(1.0)).max(1.0);
        let jump = jump(question, run, n, scope)?;
        let subject = Subject::Step { waves: waves as u32 };
        Some(Point::of(Place::at(subject, n), jump, Range::at_least(1.0 + 1.0 / waves)))
    };
    Some(sizes.into_iter().filter(|n| n.is_multiple_of(period)).filter_map(at_multiple).collect())
}

/// Growth from n to the next size, over that of n³ and over the median of the same at sizes whole warps away. None without
/// neighbours on both sides.
fn jump(question: &Question, run: &Measurements, n: usize, scope: Scope) -> Option<Estimate> {
    let beyond_cube = |n: usize| {
        let grown = super::clocks::growth(question, run, (n, n + STEP), scope)?;
        Some(grown.times(1.0 / ((n + STEP) as f64 / n as f64).powi(3)))
    };
    let side = |at: &dyn Fn(usize) -> Option<usize>| -> Vec<f64> {
        NEIGHBOURS.filter_map(|warps| Some(beyond_cube(at(warps * WARP)?)?.value)).collect()
    };
    let (below, above) = (side(&|away| n.checked_sub(away)), side(&|away| Some(n + away)));
    if below.is_empty() || above.is_empty() {
        return None;
    }
    let trend = median(&[below, above].concat())?;
    Some(beyond_cube(n)?.times(1.0 / trend))
}
