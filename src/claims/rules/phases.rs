//! The two-phase kernel of gaioso-2013 and its baselines.

use super::Question;
use super::ratio::HARDLY;
use crate::claims::Point;
use crate::claims::evidence::Measurements;
use crate::claims::outcome::Outcome;
use crate::claims::verdict::{Measured, Range};
use crate::device::gpus::{BlockNeeds, named_gpus};
use crate::implementation::Parameters;
use crate::record::CellId;
use crate::timing::Scope;

const TWO_PHASE: &str = "two-phase";
const BASELINES: [&str; 2] = ["harish-narayanan", "katz-kider-1024"];

/// The slowest density over the fastest, of each implementation that ran on several.
pub fn density_is_flat(question: &Question) -> Outcome {
    let spread = |run: &Measurements, name: &str, params: &str, n: usize| -> Option<Measured> {
        let graphs = run.run.manifest.experiment.graphs.iter();
        let all: Vec<Measured> = graphs
            .filter_map(|graph| {
                let (implementation, params, graph) =
                    (name.to_string(), params.to_string(), graph.name.clone());
                run.cell(&CellId { implementation, n, params, graph }, Scope::Kernel)
            })
            .collect();
        let by = |a: &&Measured, b: &&Measured| a.value.total_cmp(&b.value);
        (all.len() > 1).then(|| Some(all.iter().max_by(by)?.over(*all.iter().min_by(by)?)))?
    };
    let found = question.evidence.fullest(&question.paper.id, |run| {
        let mut points = Vec::new();
        for name in [TWO_PHASE, BASELINES[0], BASELINES[1]] {
            let Some(params) = run.params_of(name) else { continue };
            for n in run.sizes_of((name, &params), Scope::Kernel) {
                if let Some(ratio) = spread(run, name, &params, n) {
                    points.push(Point::of(
                        format!("{name}, n = {n}"),
                        Some(n),
                        ratio,
                        Range::at_most(1.0 + HARDLY),
                    ));
                }
            }
        }
        points
    });
    let Some((run, points)) = found else { return Outcome::missing("No run has several densities.") };
    Outcome {
        compared_as: format!(
            "seconds on the slowest of the densities over those on the fastest; nearly the same is read as: within {:.0}%",
            HARDLY * 100.0
        ),
        unit: "times",
        points,
        runs: vec![run.name()],
        ..Outcome::default()
    }
}

/// Both baselines take longer, from the claim's n on.
pub fn baselines_lose(question: &Question) -> Outcome {
    let evidence = question.evidence;
    let found = evidence.fullest(&question.paper.id, |run| {
        let mut points = Vec::new();
        for baseline in BASELINES {
            let (Some(ours), Some(theirs)) = (run.params_of(TWO_PHASE), run.params_of(baseline)) else {
                continue;
            };
            let pair = ((TWO_PHASE, ours.as_str()), (baseline, theirs.as_str()));
            for n in run.sizes_of(pair.0, Scope::Kernel).into_iter().filter(|n| question.applies_at(*n)) {
                if let Some(ratio) = evidence.ratio(run, pair, n, Scope::Kernel) {
                    points.push(Point::of(
                        format!("{baseline}, n = {n}"),
                        Some(n),
                        ratio,
                        Range::at_least(1.0),
                    ));
                }
            }
        }
        points
    });
    let Some((run, points)) = found else {
        return Outcome::missing(format!(
            "No run has {TWO_PHASE} and a baseline{}.",
            question.sizes_in_words()
        ));
    };
    Outcome {
        compared_as: format!("seconds of each baseline over those of {TWO_PHASE}, scope kernel"),
        unit: "times",
        points,
        runs: vec![run.name()],
        ..Outcome::default()
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
        Point::of(kernel.resources.kernel.clone(), None, Measured::exact(share), range)
    });
    let points: Vec<Point> = points.collect();
    let device = run.run.environment().and_then(|environment| environment.device.as_ref());
    let here = device.filter(|device| !device.info.emulated).and_then(|device| {
        let most = u64::from(device.info.threads_per_multiprocessor);
        let of = |kernel: &crate::record::KernelRecord| {
            let of = &kernel.resources;
            percent(u64::from(of.resident_blocks), u64::from(of.threads), most.max(1))
        };
        let lowest = kernels.iter().map(of).reduce(f64::min)?;
        Some(format!("On the GPU at hand it is {lowest:.0}% in theory."))
    });
    Outcome {
        compared_as: format!(
            "threads of resident blocks over the {} that a multiprocessor of a {} holds",
            gpu.threads, gpu.name
        ),
        unit: "%",
        points,
        runs: vec![run.name()],
        remarks: here.into_iter().collect(),
        ..Outcome::default()
    }
}

/// Blocks of 16 x 16 over the fastest other shape, where a run has several shapes.
pub fn best_block(question: &Question) -> Outcome {
    const BEST: (u32, u32) = (16, 16);
    let name = question.claim.implementation.as_deref().unwrap_or_default();
    let shape = |params: &str| -> Option<(u32, u32)> {
        let parameters: Parameters = params.parse().ok()?;
        let of = |wanted: &str| parameters.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value);
        Some((of("block-x")?, of("block-y")?))
    };
    let evidence = question.evidence;
    let found = evidence.fullest(&question.paper.id, |run| {
        let variants = run.variants_of(name);
        let is_best = |params: &&String| shape(params) == Some(BEST);
        let Some(best) = variants.iter().find(is_best) else { return Vec::new() };
        let others: Vec<&String> =
            variants.iter().filter(|params| shape(params).is_some_and(|shape| shape != BEST)).collect();
        let at = |n: usize| {
            let ratios = others.iter().filter_map(|other| {
                evidence
                    .ratio(run, ((name, other), (name, best)), n, Scope::Kernel)
                    .map(|ratio| (*other, ratio))
            });
            let (other, ratio) = ratios.max_by(|a, b| a.1.value.total_cmp(&b.1.value))?;
            Some((n, other.clone(), ratio))
        };
        run.sizes_of((name, best), Scope::Kernel).into_iter().filter_map(at).collect::<Vec<_>>()
    });
    let Some((run, all)) = found else {
        return Outcome::missing(format!("No run has {name} with blocks of several shapes."));
    };
    let fastest: Vec<String> = all
        .iter()
        .filter(|(_, _, ratio)| ratio.value > 1.0)
        .filter_map(|(n, params, _)| shape(params).map(|(x, y)| format!("{x} x {y} at n = {n}")))
        .collect();
    Outcome {
        compared_as: "seconds with blocks of 16 x 16 threads over those with the fastest other shape"
            .to_string(),
        unit: "times",
        points: all.into_iter().map(|(n, _, ratio)| Point::at_n(n, ratio, Range::at_most(1.0))).collect(),
        runs: vec![run.name()],
        remarks: (!fastest.is_empty())
            .then(|| format!("Faster: {}.", fastest.join(", ")))
            .into_iter()
            .collect(),
        ..Outcome::default()
    }
}

/// Katz & Kider with 32 x 32 threads a block against Katz & Kider with 256.
pub fn more_threads_are_faster(question: &Question) -> Outcome {
    let evidence = question.evidence;
    let (ours, other) = ("katz-kider-1024", "katz-kider");
    let found = evidence.fullest(&question.paper.id, |run| {
        let (Some(many), Some(few)) = (run.params_of(ours), run.params_of(other)) else { return Vec::new() };
        let pair = ((ours, many.as_str()), (other, few.as_str()));
        let of = |n| Some((n, evidence.ratio(run, pair, n, Scope::Kernel)?));
        run.sizes_of(pair.0, Scope::Kernel).into_iter().filter_map(of).collect()
    });
    let Some((run, all)) = found else {
        return Outcome::missing(format!("No run has both {ours} and {other}."));
    };
    Outcome {
        compared_as:
            "seconds with 256 threads a block over those with 32 x 32, the only shapes that were tried"
                .to_string(),
        unit: "times",
        points: all.into_iter().map(|(n, ratio)| Point::at_n(n, ratio, Range::at_least(1.0))).collect(),
        runs: vec![run.name()],
        ..Outcome::default()
    }
}
