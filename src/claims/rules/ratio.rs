//! How many times faster one implementation is than another.

use super::Question;
use crate::claims::evidence::Measurements;
use crate::claims::outcome::Outcome;
use crate::claims::said::{Comparison, Contender, FigureUnit, Lack, Place, Remark, Sizes, Subject};
use crate::claims::settings::Threshold;
use crate::claims::verdict::Range;
use crate::claims::{Point, ranges};
use crate::lists::extent;
use crate::published::Speedup;
use crate::timing::{Estimate, Scope};

/// Ratios by n.
type Ratios = Vec<(usize, Estimate)>;

impl<'a> Question<'a> {
    /// The ratio at every size of those wanted, of the run that has most of them.
    pub(super) fn ratios(
        &self,
        pair: (&str, &str),
        scope: Scope,
        wanted: impl Fn(usize) -> bool,
    ) -> Option<(&'a Measurements<'a>, Ratios)> {
        let evidence = self.evidence;
        evidence.fullest(&self.paper.id, |run| evidence.ratios(run, pair, scope, &wanted))
    }

    /// The two of a ratio, faster and slower. None of a claim that names none.
    pub(super) fn pair(&self) -> Option<(&'a str, &'a str)> {
        Some((self.claim.faster.as_deref()?, self.claim.slower.as_deref()?))
    }
}

pub(super) fn seconds(scope: Scope, (faster, slower): (&str, &str)) -> Comparison {
    Comparison::Seconds { slower: Contender::of(slower), faster: Contender::of(faster), scope }
}

pub(super) fn at_each(all: Ratios, range: Range) -> Vec<Point> {
    all.into_iter().map(|(n, ratio)| Point::at_n(n, ratio, range)).collect()
}

/// A stated speed-up beside a published table: judged at the sizes at which the table itself bears the statement out.
pub fn speedup(question: &Question, claim: &Speedup) -> Outcome {
    let stated = ranges::between(Range { low: Some(claim.low), high: claim.high }, question.settings);
    let pair = (claim.faster.as_str(), claim.slower.as_str());
    let in_table = |n: usize| question.paper.tables.iter().find_map(|table| table.ratio(pair.0, pair.1, n));
    let borne_out = |n: usize| in_table(n).is_some_and(|ratio| stated.holds(ratio));
    let Some((run, all)) = question.ratios(pair, Scope::Kernel, borne_out) else {
        return question.lacking(&[pair.0, pair.1], Sizes::OfTable);
    };
    let remarks = [Some(order(&all)), by_variant(question, pair, borne_out)].into_iter().flatten();
    let remarks: Vec<Remark> = remarks.collect();
    Outcome::of(run.name(), seconds(Scope::Kernel, pair), FigureUnit::Times, at_each(all, stated))
        .remarking(remarks)
}

/// What the ratio is with every other set of parameters that the slower one ran with beside the faster one: what a choice of ours,
/// such as its blocks of threads, decides.
fn by_variant(question: &Question, pair: (&str, &str), wanted: impl Fn(usize) -> bool) -> Option<Remark> {
    let ratios = |run: &Measurements| {
        let Some(fast) = run.params_of(pair.0) else { return Vec::new() };
        let of = |slow: &String| {
            let both = ((pair.0, fast.as_str()), (pair.1, slow.as_str()));
            let all = question.evidence.ratios_between(run, both, Scope::Kernel, &wanted).into_iter();
            all.map(|(_, ratio)| ratio.value).collect::<Vec<f64>>()
        };
        run.variants_of(pair.1).iter().flat_map(of).collect()
    };
    let mut several = question.evidence.runs().iter().filter(|run| run.variants_of(pair.1).len() > 1);
    let run = several.rfind(|run| !ratios(run).is_empty())?;
    let (least, most) = extent(ratios(run))?;
    let variants = run.variants_of(pair.1).len();
    Some(Remark::ByVariant { contender: Contender::of(pair.1), variants, least, most, run: run.name() })
}

/// At how many sizes the faster one is faster.
fn order(all: &[(usize, Estimate)]) -> Remark {
    Remark::Order { held: all.iter().filter(|(_, ratio)| ratio.low > 1.0).count(), of: all.len() }
}

/// The n from which on the ratio stays in the claim's range; the paper has it from another n on. The crossover here.
fn crossover(question: &Question, all: &[(usize, Estimate)]) -> Option<Remark> {
    let published = question.claim.from_n?;
    let low = ranges::stated(question.claim, question.settings).low?;
    let below = all.iter().rposition(|(_, ratio)| ratio.value < low);
    let n = all.get(below.map_or(0, |at| at + 1)).map(|(n, _)| *n);
    Some(Remark::StaysFrom { low, n, last: all.last()?.0, published })
}

/// A ratio with its sizes and scope in the claim.
pub fn at_sizes(question: &Question) -> Outcome {
    within(question, ranges::stated(question.claim, question.settings))
}

/// The ratio of the claim's two at every size that it is about, within `range`.
fn within(question: &Question, range: Range) -> Outcome {
    let Some(pair) = question.pair() else { return Outcome::lacking(Lack::NoRule) };
    let scope = question.claim.scope.unwrap_or(Scope::Kernel);
    let Some((run, all)) = question.ratios(pair, scope, |n| question.applies_at(n)) else {
        return question.lacking(&[pair.0, pair.1], question.sizes());
    };
    let estimates =
        [pair.0, pair.1].into_iter().flat_map(|name| run.estimates(name, |n| question.applies_at(n)));
    let remarks: Vec<Remark> =
        [Some(order(&all)), crossover(question, &all)].into_iter().flatten().chain(estimates).collect();
    Outcome::of(run.name(), seconds(scope, pair), FigureUnit::Times, at_each(all, range)).remarking(remarks)
}

/// "Faster": by more than nothing.
pub fn is_faster(question: &Question) -> Outcome {
    within(question, Range::at_least(1.0))
}

/// "Significantly faster": by more than somebody would overlook.
pub fn is_significantly_faster(question: &Question) -> Outcome {
    within(question, Range::at_least(1.0 + question.settings.get(Threshold::Significant)))
}

/// A ratio that the paper averaged over its sizes.
pub fn mean_over_sizes(question: &Question) -> Outcome {
    let mut outcome = at_sizes(question);
    let all: Vec<Estimate> = outcome.points.iter().map(|point| point.measured).collect();
    let Some((measured, pair)) = Estimate::mean(&all).zip(question.pair()) else { return outcome };
    let by_size = extent(all.iter().map(|one| one.value));
    if let Some((least, most)) = by_size {
        outcome.remarks.insert(0, Remark::BySize { least, most });
    }
    let range = ranges::stated(question.claim, question.settings);
    outcome.points = vec![Point::of(Place::of(Subject::Mean { sizes: all.len() }), measured, range)];
    outcome.comparison = Some(Comparison::MeanSeconds {
        slower: Contender::of(pair.1),
        faster: Contender::of(pair.0),
        scope: question.claim.scope.unwrap_or(Scope::Kernel),
    });
    outcome
}

/// "Slower, never faster": over all sizes together, by the number of them at which it is slower, launch by launch and as one
/// CUDA graph.
///
/// At one size the difference is within the noise; over many sizes chance would make it slower at half of them.
pub fn never_faster(question: &Question) -> Outcome {
    let Some(pair) = question.pair() else { return Outcome::lacking(Lack::NoRule) };
    let wanted = |n: usize| question.applies_at(n);
    let scopes = [question.claim.scope.unwrap_or(Scope::Kernel), Scope::CudaGraph];
    let found: Vec<(Scope, String, Ratios)> = scopes
        .into_iter()
        .filter_map(|scope| question.ratios(pair, scope, wanted).map(|(run, all)| (scope, run.name(), all)))
        .collect();
    let Some((_, name, first)) = found.first() else {
        return question.lacking(&[pair.0, pair.1], question.sizes());
    };
    let points = found.iter().map(|(scope, _, all)| {
        let slower = all.iter().filter(|(_, ratio)| ratio.value > 1.0).count();
        let subject = Subject::Sign { scope: *scope, sizes: all.len() };
        Point::of(
            Place::of(subject),
            proportion(slower, all.len(), question.evidence.uncertainty()),
            Range::at_least(0.5),
        )
    });
    let by_size = extent(first.iter().map(|(_, ratio)| ratio.value));
    Outcome::of(
        name.clone(),
        Comparison::ShareOfSizes { slower: Contender::of(pair.1), faster: Contender::of(pair.0) },
        FigureUnit::OfTheSizes,
        points.collect(),
    )
    .remarking(by_size.map(|(least, most)| Remark::BySize { least, most }))
}

/// A share of so many, with its 95% interval by Wilson's score, `uncertainty` times as wide.
fn proportion(held: usize, of: usize, uncertainty: f64) -> Estimate {
    /// The normal distribution's 97.5th percentile.
    const PERCENTILE: f64 = 1.96;
    let z = PERCENTILE * uncertainty;
    let (n, p) = (of as f64, held as f64 / of as f64);
    let middle = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    Estimate { value: p, low: (middle - half).min(p), high: (middle + half).max(p) }
}

/// "Gains nothing by itself": what moving the tile into registers gains over Optimized & Blocked, with as many threads, as many
/// blocks resident as either allows.
pub fn register_move_alone(question: &Question) -> Outcome {
    let pair = ("tile-in-registers-256", "optimized-blocked");
    let Some((run, all)) = question.ratios(pair, Scope::Kernel, |n| question.applies_at(n)) else {
        return question.lacking(&[pair.0, pair.1], question.sizes());
    };
    let resident = |name: &str| {
        let params = run.params_of(name)?;
        run.kernels_of((name, &params)).last().map(|kernel| kernel.resources.resident_blocks)
    };
    let premise = resident(pair.1).zip(resident(pair.0));
    let none = Range::at_most(1.0 + question.settings.get(Threshold::Hardly));
    Outcome::of(run.name(), seconds(Scope::Kernel, pair), FigureUnit::Times, at_each(all, none))
        .remarking(premise.map(|(before, after)| Remark::Resident { before, after }))
}

/// How much faster the fastest other GPU implementation is than the one that the claim calls nearly final.
///
/// Refuted by a faster one; what was not tried proves nothing.
pub fn headroom(question: &Question) -> Outcome {
    let Some(base) = question.claim.implementation.as_deref() else { return Outcome::lacking(Lack::NoRule) };
    let others = question.evidence.on_devices().into_iter().filter(|name| *name != base);
    let fastest = others
        .filter_map(|name| {
            let (run, all) = question.ratios((name, base), Scope::Kernel, |_| true)?;
            // What is surely faster: where noise is large, the largest ratio is the least reliable.
            let (n, ratio) = all.into_iter().max_by(|a, b| a.1.low.total_cmp(&b.1.low))?;
            Some((name, run.name(), n, ratio))
        })
        .max_by(|a, b| a.3.low.total_cmp(&b.3.low));
    let Some((name, run, n, ratio)) = fastest else { return question.lacking(&[base], Sizes::Any) };
    let range = ranges::stated(question.claim, question.settings);
    let point = Point::of(Place::contender(name, n), ratio, range);
    if point.verdict == crate::claims::Verdict::Reproduced {
        let fastest = Contender::of(name);
        return Outcome {
            runs: vec![run],
            ..Outcome::lacking(Lack::NothingTriedRefutes { fastest, n, ratio: ratio.value })
        };
    }
    let comparison = Comparison::FastestBeside { base: Contender::of(base) };
    Outcome::of(run, comparison, FigureUnit::Times, vec![point])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_few_says_little_and_of_all_of_many_much() {
        let (few, many) = (proportion(3, 3, 1.0), proportion(67, 67, 1.0));
        assert!(few.low < 0.5 && many.low > 0.9, "{few:?} {many:?}");
        let half = proportion(50, 100, 1.0);
        assert!((half.low - 0.404).abs() < 1e-3 && (half.high - 0.596).abs() < 1e-3, "{half:?}");
    }
}
