//! What limits a kernel: bytes, calculation, or one of its kernels. Tested by changing what the paper names as the limit.

use super::{Question, context};
use crate::claims::Point;
use crate::claims::evidence::Measurements;
use crate::claims::outcome::Outcome;
use crate::claims::said::{Comparison, Contender, FigureUnit, Lack, Place, Remark, Subject};
use crate::claims::settings::Threshold;
use crate::claims::verdict::Range;
use crate::graph::ElementType;
use crate::timing::{Estimate, Scope};

/// "The traffic to memory limits it".
pub fn limited_by_memory(question: &Question) -> Outcome {
    limited(question, true)
}

/// "Calculation limits it".
pub fn limited_by_calculation(question: &Question) -> Outcome {
    limited(question, false)
}

/// Seconds in 16 bits over those in 32, the most of all implementations of the run at n, and at least 1.
fn cost_of_16_bits(question: &Question, run: &Measurements, n: usize) -> f64 {
    let columns = run.run.manifest.experiment.columns.iter();
    let cost = |column: &crate::plan::Column| {
        let params = column.parameters.to_string();
        let variant = (column.implementation.as_str(), params.as_str());
        let half = run.in_element(variant, n, ElementType::U16)?;
        Some(half.value / question.evidence.own_seconds(run, variant, n, Scope::Kernel)?.value)
    };
    columns.filter_map(cost).fold(1.0, f64::max)
}

/// Distances of half the bytes: what bytes limit becomes faster by it, what calculation limits does not.
///
/// Twice as fast is limited by bytes alone, as fast as before by anything but them; the middle between the two by ratio divides
/// them. Kernels of 16 bits calculate more: what that costs at most, of all kernels of the run, widens the interval upwards.
fn limited(question: &Question, by_memory: bool) -> Outcome {
    let Some(name) = question.claim.implementation.as_deref() else { return Outcome::lacking(Lack::NoRule) };
    let middle = 2f64.powf(question.settings.get(Threshold::Limits));
    let range = if by_memory { Range::at_least(middle) } else { Range::at_most(middle) };
    let evidence = question.evidence;
    let found = evidence.fullest(&question.paper.id, |run| {
        let Some(params) = run.params_of(name) else { return Vec::new() };
        let variant = (name, params.as_str());
        let halved = |n: usize| {
            let half = run.in_element(variant, n, ElementType::U16)?;
            let ratio = evidence.own_seconds(run, variant, n, Scope::Kernel)?.over(half);
            let ratio = ratio.widened(evidence.within(name, n));
            Some((n, Estimate { high: ratio.high * cost_of_16_bits(question, run, n), ..ratio }))
        };
        run.sizes_of(variant, Scope::Kernel)
            .into_iter()
            .filter(|n| question.applies_at(*n))
            .filter_map(halved)
            .collect()
    });
    let Some((run, all)) = found else {
        return Outcome::lacking(Lack::NoRunOf { experiment: "limits".to_string() });
    };
    let mut points: Vec<Point> =
        all.into_iter().map(|(n, ratio)| Point::of(Place::at(Subject::HalfBytes, n), ratio, range)).collect();
    if !by_memory {
        points.extend(fewer_instructions(question, run, name));
    }
    Outcome::of(run.name(), Comparison::HalfTheBytes, FigureUnit::Times, points)
}

/// The same bytes with fewer instructions: what calculation limits becomes significantly faster by it.
fn fewer_instructions(question: &Question, run: &Measurements, name: &str) -> Vec<Point> {
    let other = match name {
        "katz-kider" => "katz-kider-shifts",
        // What its order of k costs in indices; "small changes to the code affect performance".
        "staged-load" => "staged-plain-order",
        _ => return Vec::new(),
    };
    let all = question.evidence.ratios(run, (other, name), Scope::Kernel, |n| question.applies_at(n));
    let range = Range::at_least(1.0 + question.settings.get(Threshold::Significant));
    all.into_iter().map(|(n, ratio)| Point::of(Place::contender(other, n), ratio, range)).collect()
}

/// A run, its shares of the limit by n in percent, and the bytes a task that the limit is of.
type Shares<'a> = (&'a Measurements<'a>, Vec<(usize, Estimate)>, f64);

/// What was reached, as a share of what the copy measured here allows; in percent.
fn shares<'a>(question: &Question<'a>) -> Option<Shares<'a>> {
    let name = question.claim.implementation.as_deref()?;
    let bytes = context::bytes_a_task(question)?;
    let evidence = question.evidence;
    let (run, shares) = evidence.fullest(&question.paper.id, |run| {
        let Some(copy) = evidence.copy_gbs(run) else { return Vec::new() };
        let share = |(n, seconds): (usize, Estimate)| {
            let gbs = Estimate::exact((n as f64).powi(3) * bytes * 1e-9).over(seconds);
            (n, gbs.over(copy).times(100.0))
        };
        evidence.times(run, name, |_| true).into_iter().map(share).collect()
    })?;
    Some((run, shares, bytes))
}

fn of_limit(question: &Question, range: Range) -> Outcome {
    let Some((run, shares, bytes)) = shares(question) else {
        return match (question.claim.implementation.as_deref(), question.evidence.runs().is_empty()) {
            (Some(name), true) => question.lacking(&[name], question.sizes()),
            _ => Outcome::lacking(Lack::NoCopy),
        };
    };
    let limit = question.evidence.copy_gbs(run).map(|copy| copy.value * 1e9 / bytes);
    let points = shares.into_iter().map(|(n, share)| Point::at_n(n, share, range)).collect();
    Outcome::of(run.name(), Comparison::ShareOfCopyLimit { bytes }, FigureUnit::PercentOfLimit, points)
        .remarking(limit.map(|tasks_per_s| Remark::LimitHere { tasks_per_s }))
}

/// "The copy leaves room for no more than this".
pub fn below_copy(question: &Question) -> Outcome {
    of_limit(question, Range::at_most(100.0))
}

/// "Far below what the copy allows": the paper's kernel reaches a tenth of it.
pub fn far_below_copy(question: &Question) -> Outcome {
    of_limit(question, Range::at_most(question.settings.get(Threshold::Limits) * 100.0))
}

/// "Its efficiency determines the speed": the share of a solve that a kernel takes.
pub fn kernel_decides(question: &Question) -> Outcome {
    let Some(name) = question.claim.implementation.as_deref() else { return Outcome::lacking(Lack::NoRule) };
    const KERNEL: &str = "doubly_dependent";
    let found = question.evidence.fullest(&question.paper.id, |run| {
        let rows =
            || run.kernel_times().iter().filter(|row| row.implementation == name && row.params.is_empty());
        let own = rows().filter(|row| row.kernel == KERNEL && question.applies_at(row.n));
        let share = |row: &crate::store::KernelTimeRow| {
            let all = rows().filter(|other| other.n == row.n && other.graph == row.graph);
            (row.n, row.seconds / all.map(|other| other.seconds).sum::<f64>() * 100.0)
        };
        own.map(share).collect()
    });
    let Some((run, shares)) = found else {
        return Outcome::lacking(Lack::NoKernelTimes { implementation: name.to_string() });
    };
    let range = Range::at_least(question.settings.get(Threshold::Limits) * 100.0);
    let points = shares.into_iter().map(|(n, share)| {
        Point::at_n(n, Estimate::exact(share).widened(question.evidence.within(name, n)), range)
    });
    let comparison = Comparison::KernelShare { kernel: KERNEL.to_string(), of: Contender::of(name) };
    Outcome::of(run.name(), comparison, FigureUnit::Percent, points.collect())
}
