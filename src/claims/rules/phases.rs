//! The two-phase kernel of gaioso-2013 and its baselines.

use super::Question;
use super::ratio::at_each;
use crate::claims::evidence::Measurements;
use crate::claims::outcome::Outcome;
use crate::claims::said::{Comparison, Contender, FigureUnit, Lack, Place, Remark, Subject};
use crate::claims::verdict::Range;
use crate::claims::{Point, ranges};
use crate::device::gpus::{BlockNeeds, named_gpus};
use crate::lists::extent;
use crate::timing::{Estimate, Scope};

const TWO_PHASE: &str = "two-phase";
const KATZ_KIDER: &str = "katz-kider-1024";
const BASELINES: [&str; 2] = ["harish-narayanan", KATZ_KIDER];

/// An implementation with both unrolled or both rolled loops.
fn variant(run: &Measurements, name: &str, unrolled: bool) -> Option<String> {
    run.variant(name, &[("unrolled", u32::from(unrolled))])
}

/// Seconds of Katz & Kider over those of the two phases, each with its given parameters, at every n that both have in `run`.
fn gains(question: &Question, run: &Measurements, alike: (bool, bool)) -> Vec<(usize, Estimate)> {
    all_gains(question, run, alike).into_iter().filter(|(n, _)| question.applies_at(*n)).collect()
}

/// The same, at any n, whichever the claim is about.
fn all_gains(question: &Question, run: &Measurements, (fast, slow): (bool, bool)) -> Vec<(usize, Estimate)> {
    let (Some(fast), Some(slow)) = (variant(run, TWO_PHASE, fast), variant(run, KATZ_KIDER, slow)) else {
        return Vec::new();
    };
    let pair = ((TWO_PHASE, fast.as_str()), (KATZ_KIDER, slow.as_str()));
    question.evidence.ratios_between(run, pair, Scope::Kernel, |_| true)
}

/// The run that has both with rolled and with unrolled loops, and the gains where both are alike: rolled, unrolled.
type Alike = [(bool, Vec<(usize, Estimate)>); 2];

fn alike<'a>(question: &Question<'a>) -> Option<(&'a Measurements<'a>, Alike)> {
    let of = |run: &Measurements| [false, true].map(|both| (both, gains(question, run, (both, both))));
    let (run, _) = question.evidence.fullest(&question.paper.id, |run| match of(run) {
        [(_, rolled), (_, unrolled)] if !rolled.is_empty() && !unrolled.is_empty() => {
            rolled.into_iter().chain(unrolled).collect()
        }
        _ => Vec::new(),
    })?;
    Some((run, of(run)))
}

fn pair(run: &Measurements, (fast, slow): (bool, bool)) -> (Contender, Contender) {
    let of = |name: &str, unrolled| Contender::with(name, &variant(run, name, unrolled).unwrap_or_default());
    (of(TWO_PHASE, fast), of(KATZ_KIDER, slow))
}

/// The mean over sizes, where both are rolled and where both are unrolled: the paper does not say how either was compiled, and
/// what unrolling gains is no gain of the phases.
pub fn mean_over_katz_kider(question: &Question) -> Outcome {
    let Some((run, alike)) = alike(question) else {
        return Outcome::lacking(Lack::NoRunOf { experiment: "phases-unrolling".to_string() });
    };
    let range = ranges::stated(question.claim, question.settings);
    let points = alike.iter().filter_map(|(both, all)| {
        let ratios: Vec<Estimate> = all.iter().map(|(_, ratio)| *ratio).collect();
        let (faster, slower) = pair(run, (*both, *both));
        Some(Point::of(Place::of(Subject::Pair { faster, slower }), Estimate::mean(&ratios)?, range))
    });
    let points: Vec<Point> = points.collect();
    let unlike = [(true, false), (false, true)].into_iter().filter_map(|of| {
        let (least, most) = extent(gains(question, run, of).iter().map(|(_, ratio)| ratio.value))?;
        let (faster, slower) = pair(run, of);
        Some(Remark::Otherwise { faster, slower, least, most })
    });
    let remarks: Vec<Remark> = unlike.collect();
    Outcome::of(run.name(), Comparison::MeanPairSeconds { scope: Scope::Kernel }, FigureUnit::Times, points)
        .remarking(remarks)
}

/// "The gain comes from fewer launches": at every size, with loops alike.
pub fn gain_of_phases(question: &Question) -> Outcome {
    let Some((run, alike)) = alike(question) else {
        return Outcome::lacking(Lack::NoRunOf { experiment: "phases-unrolling".to_string() });
    };
    let points = alike.into_iter().flat_map(|(both, all)| {
        let (faster, slower) = pair(run, (both, both));
        let subject = Subject::Pair { faster, slower };
        all.into_iter()
            .map(move |(n, ratio)| Point::of(Place::at(subject.clone(), n), ratio, Range::at_least(1.0)))
    });
    Outcome::of(
        run.name(),
        Comparison::PairSeconds { scope: Scope::Kernel },
        FigureUnit::Times,
        points.collect(),
    )
}

/// Both baselines take longer, from the claim's n on.
pub fn baselines_lose(question: &Question) -> Outcome {
    let evidence = question.evidence;
    let below = question.claim.from_n.unwrap_or_default();
    let mut lost_below = Vec::new();
    for run in evidence.runs() {
        for baseline in BASELINES {
            let ratios = evidence.ratios(run, (TWO_PHASE, baseline), Scope::Kernel, |n| n < below);
            lost_below.extend(ratios.into_iter().filter(|(_, ratio)| ratio.low > 1.0).map(|(n, _)| n));
        }
    }
    let mut remarks: Vec<Remark> =
        lost_below.iter().min().map(|n| Remark::LosesEarlier { n: *n }).into_iter().collect();
    let found = evidence.fullest(&question.paper.id, |run| {
        let at_sizes = |baseline: &'static str| {
            let wanted = |n| question.applies_at(n);
            let ratios = evidence.ratios(run, (TWO_PHASE, baseline), Scope::Kernel, wanted).into_iter();
            ratios
                .map(move |(n, ratio)| Point::of(Place::contender(baseline, n), ratio, Range::at_least(1.0)))
        };
        BASELINES.into_iter().flat_map(at_sizes).collect()
    });
    let Some((run, mut points)) = found else {
        return question.lacking(&[TWO_PHASE, BASELINES[0], BASELINES[1]], question.sizes());
    };
    // Against a baseline that is unrolled as the two phases are.
    let mut runs = vec![run.name()];
    if let Some((fair, [_, (_, unrolled)])) = alike(question) {
        let baseline = pair(fair, (true, true)).1;
        let slower =
            all_gains(question, fair, (true, true)).into_iter().filter(|(_, ratio)| ratio.high < 1.0);
        let last = slower.map(|(n, _)| n).max().filter(|n| *n < below);
        remarks.extend(last.map(|n| Remark::CrossesAt { baseline: baseline.clone(), n }));
        let subject = Subject::Contender(baseline);
        points.extend(
            at_each(unrolled, Range::at_least(1.0))
                .into_iter()
                .map(|point| Point { at: Place { subject: Some(subject.clone()), ..point.at }, ..point }),
        );
        runs.push(fair.name());
        runs.dedup();
    }
    let comparison = Comparison::BaselinesOver { faster: Contender::of(TWO_PHASE), scope: Scope::Kernel };
    Outcome { runs, ..Outcome::of(run.name(), comparison, FigureUnit::Times, points) }.remarking(remarks)
}

/// The share of a multiprocessor's threads that blocks of this size fill on the paper's GPU, from its limits.
pub fn occupancy(question: &Question) -> Outcome {
    let gpu = named_gpus().into_iter().find(|gpu| question.paper.gpu.ends_with(&gpu.name));
    let Some(gpu) = gpu else {
        return Outcome::lacking(Lack::UnknownGpu { gpu: question.paper.gpu.clone() });
    };
    let found = question.evidence.fullest(&question.paper.id, |run| {
        let params = run.params_of(TWO_PHASE).unwrap_or_default();
        run.kernels_of((TWO_PHASE, &params)).to_vec()
    });
    let Some((run, kernels)) = found else { return question.lacking(&[TWO_PHASE], question.sizes()) };
    let percent =
        |resident: u64, threads: u64, most: u64| resident as f64 * threads as f64 / most as f64 * 100.0;
    let points = kernels.iter().map(|kernel| {
        let threads = u64::from(kernel.resources.threads);
        let shared_bytes = u64::from(kernel.resources.shared_bytes);
        let needs = BlockNeeds { threads, shared_bytes, registers: None };
        let share = percent(gpu.residency(needs).resident, threads, gpu.threads);
        // A paper that prints 66 may have rounded or truncated.
        let stated = question.claim.value.unwrap_or_default();
        let range = Range::new(stated - 0.5, stated + 1.0);
        let of = Subject::Kernel {
            implementation: TWO_PHASE.to_string(),
            kernel: kernel.resources.kernel.clone(),
        };
        Point::exact(of, share, range)
    });
    let points: Vec<Point> = points.collect();
    let here = run.run.device().filter(|device| !device.info.emulated).and_then(|device| {
        let most = u64::from(device.info.threads_per_multiprocessor);
        let of = |kernel: &crate::store::KernelRecord| {
            let of = &kernel.resources;
            percent(u64::from(of.resident_blocks), u64::from(of.threads), most.max(1))
        };
        let percent = kernels.iter().map(of).reduce(f64::min)?;
        Some(Remark::OccupancyHere { percent })
    });
    let comparison = Comparison::Occupancy { gpu: gpu.name, threads: gpu.threads };
    Outcome::of(run.name(), comparison, FigureUnit::Percent, points).remarking(here)
}
