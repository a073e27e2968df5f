//! The clocks of pogorilyy-cuda: what each reads for the same work, and how time grows with n.

use super::Question;
use crate::claims::evidence::Measurements;
use crate::claims::outcome::Outcome;
use crate::claims::said::{Comparison, Contender, FigureUnit, Lack, Place, Remark, Shown, Subject};
use crate::claims::settings::Threshold;
use crate::claims::verdict::Range;
use crate::claims::{Point, ranges};
use crate::lists::{extent, grouped};
use crate::results::{Pitfall, least as least_share};
use crate::timing::{Estimate, Scope};
use repro_types::Parameters;

/// The paper's kernel: one thread an element, everything in global memory.
pub(super) const NAME: &str = "global-memory";

fn no_clocks() -> Outcome {
    Outcome::lacking(Lack::NoClocks { implementation: NAME.to_string() })
}

/// One point or more a size, from the run that has most.
fn at_sizes<'a, Points: IntoIterator<Item = Point>>(
    question: &Question<'a>,
    of: impl Fn(&Measurements<'a>, usize) -> Points,
) -> Option<(&'a Measurements<'a>, Vec<Point>)> {
    question.evidence.fullest(&question.paper.id, |run| {
        let params = run.params_of(NAME).unwrap_or_default();
        run.sizes_of((NAME, &params), Scope::Kernel).into_iter().flat_map(|n| of(run, n)).collect()
    })
}

fn ratio(question: &Question, run: &Measurements, n: usize, over: Scope, under: Scope) -> Option<Estimate> {
    let params = run.params_of(NAME)?;
    question.evidence.clocks(run, (NAME, &params), n, (over, under))
}

/// Time at `n` over time at `from`, both of one run.
pub(super) fn growth(
    question: &Question,
    run: &Measurements,
    (from, n): (usize, usize),
    scope: Scope,
) -> Option<Estimate> {
    let params = run.params_of(NAME)?;
    let noise = question.evidence.within(NAME, from.min(n));
    let of = |n| question.evidence.own_seconds(run, (NAME, &params), n, scope);
    Some(of(n)?.over(of(from)?).widened(noise))
}

fn is_large(question: &Question, n: usize) -> bool {
    n as f64 >= question.settings.get(Threshold::LargeN)
}

/// The reading at n of the clock that does not wait, beside those that do.
fn pitfall(question: &Question, run: &Measurements, n: usize) -> Option<Pitfall> {
    let params = run.params_of(NAME)?;
    let noise = question.evidence.within(NAME, n);
    let of = |scope| question.evidence.own_seconds(run, (NAME, &params), n, scope);
    let of = Pitfall::of(of)?;
    Some(Pitfall { share: of.share.widened(noise), copy: of.copy.map(|copy| copy.widened(noise)), ..of })
}

/// At large n the clock that does not wait reads too little, and the copy that follows far too much.
pub fn unsynchronized_is_wrong(question: &Question) -> Outcome {
    let short = Range::at_most(1.0 - question.settings.get(Threshold::Agree));
    let inflated = Range::at_least(question.settings.get(Threshold::Inflated));
    let found = at_sizes(question, |run, n| {
        let one = is_large(question, n).then(|| pitfall(question, run, n)).flatten();
        let share = one.map(|one| Point::of(Place::at(Subject::Reading, n), one.share, short));
        let copy = one.and_then(|one| Some(Point::of(Place::at(Subject::CopyBack, n), one.copy?, inflated)));
        share.into_iter().chain(copy).collect::<Vec<_>>()
    });
    let Some((run, points)) = found else { return no_clocks() };
    let sizes = points.iter().filter_map(|point| point.at.n);
    let all: Vec<(usize, Pitfall)> = sizes.filter_map(|n| Some((n, pitfall(question, run, n)?))).collect();
    let shares = extent(all.iter().map(|(_, one)| one.share.value * 100.0));
    let copies = extent(all.iter().filter_map(|(_, one)| one.copy).map(|copy| copy.value));
    let shown = shares.zip(copies).map(|((least, most), (copy_least, copy_most))| Shown::Readings {
        least,
        most,
        copy_least,
        copy_most,
    });
    let worst = least_share(&all, |one| Some(one.share));
    let outcome = Outcome::of(run.name(), Comparison::Unsynchronized, FigureUnit::Times, points);
    Outcome { shown, ..outcome }.remarking(worst.map(|(n, share)| Remark::ReadsLeast { n, share }))
}

/// "Depends weakly on n": its reading at twice the vertices, for which the work is eightfold, over its reading, at large n.
pub fn reading_is_flat(question: &Question) -> Outcome {
    let weakly = 1.0 + question.settings.get(Threshold::Weakly);
    let found = at_sizes(question, |run, n| {
        let grown = is_large(question, n).then(|| growth(question, run, (n, 2 * n), Scope::HostUnsynced));
        Some(Point::at_n(n, grown.flatten()?, Range::new(1.0 / weakly, weakly)))
    });
    let Some((run, points)) = found else { return no_clocks() };
    Outcome::of(run.name(), Comparison::ReadingGrowth, FigureUnit::Times, points)
}

/// "Depends on the configuration of threads": the longest copy back after that clock over the shortest, of all block shapes.
pub fn depends_on_configuration(question: &Question) -> Outcome {
    let significant = Range::at_least(1.0 + question.settings.get(Threshold::Significant));
    let found = question.evidence.fullest(&question.paper.id, |run| {
        let shaped = run.parsed_variants(NAME).into_iter().filter(|(parameters, _)| never_waits(parameters));
        let cells = shaped.flat_map(|(_, params)| {
            let sizes = run.sizes_of((NAME, &params), Scope::CopyOutUnsynced);
            sizes.into_iter().map(move |n| (n, params.clone())).collect::<Vec<_>>()
        });
        let spread = |(n, variants): (usize, Vec<String>)| {
            let read = |params: &String| {
                question.evidence.own_seconds(run, (NAME, params), n, Scope::CopyOutUnsynced)
            };
            let all: Vec<Estimate> = variants.iter().filter_map(read).collect();
            let by = |a: &&Estimate, b: &&Estimate| a.value.total_cmp(&b.value);
            let most = all.iter().max_by(by)?.over(*all.iter().min_by(by)?);
            let measured = most.widened(question.evidence.within(NAME, n));
            (all.len() > 1 && is_large(question, n)).then(|| Point::at_n(n, measured, significant))
        };
        grouped(cells).into_iter().filter_map(spread).collect()
    });
    let Some((run, points)) = found else {
        return Outcome::lacking(Lack::NoRunOf { experiment: "launch-waits".to_string() });
    };
    Outcome::of(run.name(), Comparison::ReadingSpread, FigureUnit::Times, points)
}

/// Whether the host does not wait between launches.
fn never_waits(parameters: &Parameters) -> bool {
    parameters.iter().all(|(name, value)| name != "synchronize" || value == 0)
}

/// "Changes with the load of the GPU": the copy back after that clock, with other work on the GPU, over that without.
pub fn depends_on_load(question: &Question) -> Outcome {
    let significant = Range::at_least(1.0 + question.settings.get(Threshold::Significant));
    let found = at_sizes(question, |run, n| {
        let loaded = is_large(question, n)
            .then(|| ratio(question, run, n, Scope::CopyOutUnsyncedLoaded, Scope::CopyOutUnsynced));
        Some(Point::at_n(n, loaded.flatten()?, significant))
    });
    let Some((run, points)) = found else {
        return Outcome::lacking(Lack::NoRunOf { experiment: "launch-waits".to_string() });
    };
    let comparison = Comparison::Clocks { over: Scope::CopyOutUnsyncedLoaded, under: Scope::CopyOutUnsynced };
    Outcome::of(run.name(), comparison, FigureUnit::Times, points)
}

/// At large n the synchronized host's clock, and the operating system's, read the same as the events.
pub fn timers_agree(question: &Question) -> Outcome {
    let agree = question.settings.get(Threshold::Agree);
    let range = Range::new(1.0 - agree, 1.0 + agree);
    let found = at_sizes(question, |run, n| {
        let of = |scope| {
            let measured = ratio(question, run, n, scope, Scope::Kernel).filter(|_| is_large(question, n))?;
            Some(Point::of(Place::at(Subject::Clock(scope), n), measured, range))
        };
        [Scope::HostSynced, Scope::OsSynced].into_iter().filter_map(of).collect::<Vec<_>>()
    });
    let Some((run, points)) = found else { return no_clocks() };
    Outcome::of(run.name(), Comparison::OverEvents, FigureUnit::Times, points)
}

/// At small n the operating system's timer reads more than the other two.
pub fn system_reads_more(question: &Question) -> Outcome {
    let small = question.settings.get(Threshold::SmallN);
    let found = at_sizes(question, |run, n| {
        let of = |(over, under)| {
            let measured = ratio(question, run, n, over, under).filter(|_| n as f64 <= small)?;
            Some(Point::of(Place::at(Subject::Clock(under), n), measured, Range::at_least(1.0)))
        };
        let pairs = [(Scope::OsSynced, Scope::Kernel), (Scope::OsSynced, Scope::HostSynced)];
        pairs.into_iter().filter_map(of).collect::<Vec<_>>()
    });
    let Some((run, points)) = found else {
        return Outcome::lacking(Lack::NoRunOf { experiment: "launch-waits".to_string() });
    };
    Outcome::of(run.name(), Comparison::SystemOverOthers, FigureUnit::Times, points)
}

/// The ratio over one core under the clock that encloses allocation, both copies, launches, waiting and freeing.
pub fn with_every_overhead(question: &Question) -> Outcome {
    let Some((faster, slower)) = question.pair() else { return Outcome::lacking(Lack::NoRule) };
    let evidence = question.evidence;
    let range = ranges::stated(question.claim, question.settings);
    let found = evidence.fullest(&question.paper.id, |run| {
        let (Some(fast), Some(slow)) = (run.params_of(faster), run.params_of(slower)) else {
            return Vec::new();
        };
        let sizes = run.sizes_of((faster, &fast), Scope::Everything);
        let of = |n| {
            let ours = evidence.seconds(run, (faster, &fast), n, Scope::Everything)?;
            let theirs = evidence.seconds(run, (slower, &slow), n, Scope::Kernel)?;
            Some(Point::at_n(n, theirs.over(ours), range))
        };
        sizes.into_iter().filter(|n| question.applies_at(*n)).filter_map(of).collect()
    });
    let Some((run, points)) = found else {
        return Outcome::lacking(Lack::NoRunOf { experiment: "launch-waits".to_string() });
    };
    let comparison = Comparison::SecondsUnder {
        slower: Contender::of(slower),
        faster: Contender::of(faster),
        clock: Scope::Everything,
    };
    Outcome::of(run.name(), comparison, FigureUnit::Times, points)
}

/// Twice the vertices take more than twice the time.
pub fn not_linear(question: &Question) -> Outcome {
    let scope = question.claim.scope.unwrap_or(Scope::Total);
    let found = at_sizes(question, |run, n| {
        let grown = is_large(question, n).then(|| growth(question, run, (n, 2 * n), scope)).flatten();
        Some(Point::at_n(n, grown?.times(0.5), Range::at_least(1.0)))
    });
    let Some((run, points)) = found else { return no_clocks() };
    Outcome::of(run.name(), Comparison::OverLinear { scope }, FigureUnit::Times, points)
}

/// Both copies grow with the matrix: seconds at 2n over those at n, at large n.
pub fn copies_grow(question: &Question) -> Outcome {
    let range = Range::at_least(1.0 + question.settings.get(Threshold::Significant));
    let found = at_sizes(question, |run, n| {
        let of = |scope| {
            let grown = is_large(question, n).then(|| growth(question, run, (n, 2 * n), scope)).flatten()?;
            Some(Point::of(Place::at(Subject::Clock(scope), n), grown, range))
        };
        [Scope::CopyInPageable, Scope::CopyOutPageable].into_iter().filter_map(of).collect::<Vec<_>>()
    });
    let Some((run, points)) = found else { return no_clocks() };
    let params = run.params_of(NAME).unwrap_or_default();
    let share = |n: usize| {
        let of = |scope| Some(question.evidence.own_seconds(run, (NAME, &params), n, scope)?.value);
        let copies = of(Scope::CopyInPageable)? + of(Scope::CopyOutPageable)?;
        Some((n, copies / of(Scope::TotalPageable)? * 100.0))
    };
    let sizes = run.sizes_of((NAME, &params), Scope::TotalPageable).into_iter();
    let shares: Vec<(usize, f64)> = sizes.filter(|n| is_large(question, *n)).filter_map(share).collect();
    let remark = shares
        .first()
        .zip(shares.last())
        .map(|(first, last)| Remark::CopyShare { first: *first, last: *last });
    Outcome::of(run.name(), Comparison::CopyGrowth, FigureUnit::Times, points).remarking(remark)
}

/// "Explicit synchronization is an overhead": seconds with a wait after every launch over those without, by the host's clock.
pub fn waits_cost(question: &Question) -> Outcome {
    let significant = Range::at_least(1.0 + question.settings.get(Threshold::Significant));
    const SCOPE: Scope = Scope::HostSynced;
    let found = question.evidence.fullest(&question.paper.id, |run| {
        let variants = run.parsed_variants(NAME);
        let waiting = variants.iter().filter(|(parameters, _)| !never_waits(parameters));
        let pairs = waiting.filter_map(|(parameters, waits)| {
            let is_other = |other: &Parameters| {
                other.with("synchronize", 0) == parameters.with("synchronize", 0) && never_waits(other)
            };
            Some((waits, &variants.iter().find(|(other, _)| is_other(other))?.1))
        });
        let points = pairs.flat_map(|(waits, none)| {
            let at = |n| {
                let pair = ((NAME, none.as_str()), (NAME, waits.as_str()));
                let ratio = question.evidence.ratio(run, pair, n, SCOPE)?;
                let subject = Subject::Contender(Contender::with(NAME, waits));
                Some(Point::of(Place::at(subject, n), ratio, significant))
            };
            run.sizes_of((NAME, waits), SCOPE).into_iter().filter_map(at).collect::<Vec<_>>()
        });
        points.collect()
    });
    let Some((run, points)) = found else {
        return Outcome::lacking(Lack::NoRunOf { experiment: "launch-waits".to_string() });
    };
    Outcome::of(run.name(), Comparison::WaitsOverNone { scope: SCOPE }, FigureUnit::Times, points)
}

/// "A large part of the time goes into launches": seconds launch by launch over those of one CUDA graph of the same launches.
pub fn launches_cost(question: &Question) -> Outcome {
    let significant = Range::at_least(1.0 + question.settings.get(Threshold::Significant));
    let found = at_sizes(question, |run, n| {
        Some(Point::at_n(n, ratio(question, run, n, Scope::Kernel, Scope::CudaGraph)?, significant))
    });
    let Some((run, points)) = found else { return no_clocks() };
    let comparison = Comparison::Clocks { over: Scope::Kernel, under: Scope::CudaGraph };
    Outcome::of(run.name(), comparison, FigureUnit::Times, points)
}
