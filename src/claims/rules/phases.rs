//! The two-phase kernel of gaioso-2013 and its baselines.

use super::Question;
use super::ratio::HARDLY;
use crate::claims::Point;
use crate::claims::evidence::Measurements;
use crate::claims::outcome::Outcome;
use crate::claims::verdict::Range;
use crate::device::gpus::{BlockNeeds, named_gpus};
use crate::record::CellId;
use crate::timing::{Estimate, Scope};

const TWO_PHASE: &str = "two-phase";
const BASELINES: [&str; 2] = ["harish-narayanan", "katz-kider-1024"];

/// The slowest density over the fastest, of each implementation that ran on several.
pub fn density_is_flat(question: &Question) -> Outcome {
    let spread = |run: &Measurements, name: &str, params: &str, n: usize| -> Option<Estimate> {
        let graphs = run.run.manifest.experiment.graphs.iter();
        let all: Vec<Estimate> = graphs
            .filter_map(|graph| run.cell(&CellId::new(name, n, params, &graph.name), Scope::Kernel))
            .collect();
        let by = |a: &&Estimate, b: &&Estimate| a.value.total_cmp(&b.value);
        let noise = question.evidence.noise().within(name, n);
        (all.len() > 1).then(|| Some(all.iter().max_by(by)?.over(*all.iter().min_by(by)?).widened(noise)))?
    };
    let found = question.evidence.fullest(&question.paper.id, |run| {
        let mut points = Vec::new();
        for name in [TWO_PHASE, BASELINES[0], BASELINES[1]] {
            let Some(params) = run.params_of(name) else { continue };
            for n in run.sizes_of((name, &params), Scope::Kernel) {
                if let Some(ratio) = spread(run, name, &params, n) {
                    points.push(Point::of_case(name, n, ratio, Range::at_most(1.0 + HARDLY)));
                }
            }
        }
        points
    });
    let Some((run, points)) = found else { return Outcome::missing("No run has several densities.") };
    Outcome::of(
        run.name(),
        format!(
            "seconds on the slowest of the densities over those on the fastest; nearly the same is read as: within {:.0}%",
            HARDLY * 100.0
        ),
        "times",
        points,
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
    let earlier = lost_below
        .iter()
        .min()
        .map(|n| format!("It is no crossover here: they take longer at smaller n, too, from n = {n} on."));
    let found = evidence.fullest(&question.paper.id, |run| {
        let at_sizes = |baseline: &'static str| {
            let wanted = |n| question.applies_at(n);
            let ratios = evidence.ratios(run, (TWO_PHASE, baseline), Scope::Kernel, wanted).into_iter();
            ratios.map(move |(n, ratio)| Point::of_case(baseline, n, ratio, Range::at_least(1.0)))
        };
        BASELINES.into_iter().flat_map(at_sizes).collect()
    });
    let Some((run, points)) = found else {
        return Outcome::missing(format!(
            "No run has {TWO_PHASE} and a baseline{}.",
            question.sizes_in_words()
        ));
    };
    Outcome {
        remarks: earlier.into_iter().collect(),
        ..Outcome::of(
            run.name(),
            format!("seconds of each baseline over those of {TWO_PHASE}, scope kernel"),
            "times",
            points,
        )
    }
}

/// The share of a multiprocessor's threads that blocks of this size fill on the paper's GPU, from its limits.
pub fn occupancy(question: &Question) -> Outcome {
    let gpu = named_gpus().into_iter().find(|gpu| question.paper.gpu.ends_with(&gpu.name));
    let Some(gpu) = gpu else {
        return Outcome::missing(format!("The limits of a {} are not known here.", question.paper.gpu));
    };
    let found = question.evidence.fullest(&question.paper.id, |run| {
        let params = run.params_of(TWO_PHASE).unwrap_or_default();
        run.kernels_of((TWO_PHASE, &params)).to_vec()
    });
    let Some((run, kernels)) = found else {
        return Outcome::missing(format!("No run has the resources of {TWO_PHASE}'s kernels."));
    };
    let percent =
        |resident: u64, threads: u64, most: u64| resident as f64 * threads as f64 / most as f64 * 100.0;
    let points = kernels.iter().map(|kernel| {
        let threads = u64::from(kernel.resources.threads);
        let shared_bytes = u64::from(kernel.resources.shared_bytes);
        let needs = BlockNeeds { threads, shared_bytes, registers: None };
        let share = percent(gpu.residency(needs).resident, threads, gpu.threads);
        // A text that says 66 may have rounded or cut off.
        let stated = question.claim.value.unwrap_or_default();
        let range = Range::new(stated - 0.5, stated + 1.0);
        Point::of(kernel.resources.kernel.clone(), None, Estimate::exact(share), range)
    });
    let points: Vec<Point> = points.collect();
    let here = run.run.device().filter(|device| !device.info.emulated).and_then(|device| {
        let most = u64::from(device.info.threads_per_multiprocessor);
        let of = |kernel: &crate::record::KernelRecord| {
            let of = &kernel.resources;
            percent(u64::from(of.resident_blocks), u64::from(of.threads), most.max(1))
        };
        let lowest = kernels.iter().map(of).reduce(f64::min)?;
        Some(format!("On the GPU at hand it is {lowest:.0}% in theory."))
    });
    Outcome {
        remarks: here.into_iter().collect(),
        counted: true,
        ..Outcome::of(
            run.name(),
            format!(
                "threads of resident blocks over the {} that a multiprocessor of a {} holds; the published whole percent is read as rounded or cut off",
                gpu.threads, gpu.name
            ),
            "%",
            points,
        )
    }
}
