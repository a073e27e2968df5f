//! How many times faster one implementation is than another.

use super::Question;
use crate::claims::evidence::{Evidence, Measurements};
use crate::claims::outcome::Outcome;
use crate::claims::verdict::Range;
use crate::claims::{Point, ranges};
use crate::implementation;
use crate::lists::extent;
use crate::record::{Claim, PublishedPaper, Speedup};
use crate::timing::{Estimate, Scope};

/// How much a text that says "no gain" or "nearly" leaves open, relative: more than the noise, less than anybody would call
/// a gain.
pub(super) const HARDLY: f64 = 0.05;

/// The ratio at every size, of the run that has most of them.
fn ratios<'a>(
    (paper, evidence): (&PublishedPaper, &'a Evidence<'a>),
    pair: (&str, &str),
    scope: Scope,
    wanted: impl Fn(usize) -> bool,
) -> Option<(&'a Measurements<'a>, Vec<(usize, Estimate)>)> {
    evidence.fullest(&paper.id, |run| evidence.ratios(run, pair, scope, &wanted))
}

fn nothing_measured(evidence: &Evidence, faster: &str, slower: &str, place: &str) -> Outcome {
    let is_measured = |name: &&&str| {
        evidence.runs().iter().any(|run| {
            run.params_of(name).is_some_and(|params| !run.sizes_of((name, &params), Scope::Kernel).is_empty())
        })
    };
    let lacking: Vec<&str> = [faster, slower].iter().filter(|name| !is_measured(name)).copied().collect();
    Outcome::missing(match lacking[..] {
        [] => format!("No run has both {faster} and {slower}{place}."),
        _ => format!("Not measured: {}.", lacking.join(", ")),
    })
}

fn told(scope: Scope, faster: &str, slower: &str) -> String {
    format!("seconds of {slower} over those of {faster}, medians of scope {scope}")
}

/// A stated speed-up beside a published table: judged at the sizes at which the table itself bears the statement out.
pub fn speedup(paper: &PublishedPaper, claim: &Speedup, evidence: &Evidence) -> Outcome {
    let stated = Range { low: Some(claim.low), high: claim.high }.widened_by_rounding();
    let (faster, slower) = (claim.faster.as_str(), claim.slower.as_str());
    let in_table = |n: usize| paper.tables.iter().find_map(|table| table.ratio(faster, slower, n));
    let borne_out = |n: usize| in_table(n).is_some_and(|ratio| stated.holds(ratio));
    let Some((run, all)) = ratios((paper, evidence), (faster, slower), Scope::Kernel, borne_out) else {
        return nothing_measured(evidence, faster, slower, " at a size of the paper's table");
    };
    Outcome {
        remarks: order(&all),
        ..Outcome::of(
            run.name(),
            told(Scope::Kernel, faster, slower),
            "times",
            all.into_iter().map(|(n, ratio)| Point::at_n(n, ratio, stated)).collect(),
        )
    }
}

/// Whether the faster one is at least that.
fn order(all: &[(usize, Estimate)]) -> Vec<String> {
    let faster = all.iter().filter(|(_, ratio)| ratio.low > 1.0).count();
    vec![match (faster, all.len()) {
        (1, 1) => "The order is the paper's.".to_string(),
        (0, _) => "The order is not the paper's.".to_string(),
        (faster, count) if faster == count => format!("The order is the paper's at all {count}."),
        (faster, count) => format!("The order is the paper's at {faster} of {count}."),
    }]
}

/// From which n on the ratio stays at what a claim says that it is from another n on: the crossover here.
fn crossover(claim: &Claim, all: &[(usize, Estimate)]) -> Option<String> {
    let (from, low) = (claim.from_n?, ranges::stated(claim).low?);
    let below = all.iter().rposition(|(_, ratio)| ratio.value < low);
    let last = all.last().map(|(n, _)| *n)?;
    Some(match all.get(below.map_or(0, |at| at + 1)) {
        Some((n, _)) => {
            format!("It stays above {low:.2} from n = {n} to {last}, where the paper has from {from} on.")
        }
        None => format!("It does not stay above {low:.2} up to n = {last}."),
    })
}

/// A ratio with its sizes and scope in the claim.
pub fn at_sizes(question: &Question) -> Outcome {
    let claim = question.claim;
    let (Some(faster), Some(slower)) = (&claim.faster, &claim.slower) else {
        return Outcome::missing("The claim names no two implementations.");
    };
    let scope = claim.scope.unwrap_or(Scope::Kernel);
    let wanted = |n: usize| question.applies_at(n);
    let Some((run, all)) = ratios((question.paper, question.evidence), (faster, slower), scope, wanted)
    else {
        return nothing_measured(question.evidence, faster, slower, &question.sizes_in_words());
    };
    let estimates = [faster, slower].into_iter().flat_map(|name| run.estimates(name, wanted));
    Outcome {
        remarks: order(&all).into_iter().chain(crossover(claim, &all)).chain(estimates).collect(),
        ..Outcome::of(
            run.name(),
            told(scope, faster, slower),
            "times",
            all.into_iter().map(|(n, ratio)| Point::at_n(n, ratio, ranges::stated(claim))).collect(),
        )
    }
}

/// A ratio that the paper averaged over its sizes.
pub fn mean_over_sizes(question: &Question) -> Outcome {
    let mut outcome = at_sizes(question);
    let all: Vec<Estimate> = outcome.points.iter().map(|point| point.measured).collect();
    let Some(measured) = Estimate::mean(&all) else { return outcome };
    if let Some((lowest, highest)) = extent(all.iter().map(|one| one.value)) {
        outcome.remarks.insert(0, format!("By size it is {lowest:.2} to {highest:.2}."));
    }
    let at = format!("the mean over {} sizes", all.len());
    outcome.points = vec![Point::of(at, None, measured, ranges::stated(question.claim))];
    outcome.compared_as = format!("the mean over all sizes of {}", outcome.compared_as);
    outcome
}

/// "Slower, never faster": the slower one takes at least as long at every size.
pub fn never_faster(question: &Question) -> Outcome {
    let mut outcome = at_sizes(question);
    for point in &mut outcome.points {
        *point = Point::of(point.at.clone(), point.n, point.measured, Range::at_least(1.0));
    }
    let (Some(faster), Some(slower)) = (&question.claim.faster, &question.claim.slower) else {
        return outcome;
    };
    outcome.remarks.clear();
    if let Some((_, all)) =
        ratios((question.paper, question.evidence), (faster, slower), Scope::CudaGraph, |_| true)
    {
        let longer = all.iter().filter(|(_, ratio)| ratio.value > 1.0).count();
        outcome.remarks.push(format!(
            "As one CUDA graph, where launches hide nothing, its median is longer at {longer} of {} sizes.",
            all.len()
        ));
    }
    outcome
}

/// "Gains nothing by itself": what moving the tile into registers gains over Optimized & Blocked, with as many threads.
pub fn register_move_alone(question: &Question) -> Outcome {
    let wanted = |n: usize| question.applies_at(n);
    let (before, after) = ("optimized-blocked", "tile-in-registers-256");
    let asked = (question.paper, question.evidence);
    let Some((run, all)) = ratios(asked, (after, before), Scope::Kernel, wanted) else {
        return nothing_measured(question.evidence, after, before, "");
    };
    let resident = |name: &str| {
        let params = run.params_of(name)?;
        run.kernels_of((name, &params)).last().map(|kernel| kernel.resources.resident_blocks)
    };
    let premise = resident(before).zip(resident(after)).map(|(before, after)| {
        format!(
            "The reason given is that one block stays resident; here it is {before} before and {after} after."
        )
    });
    let none = Range::at_most(1.0 + HARDLY);
    Outcome {
        remarks: premise.into_iter().collect(),
        ..Outcome::of(
            run.name(),
            format!(
                "{}; nothing is read as: at most {:.0}% faster",
                told(Scope::Kernel, after, before),
                HARDLY * 100.0
            ),
            "times",
            all.into_iter().map(|(n, ratio)| Point::at_n(n, ratio, none)).collect(),
        )
    }
}

/// How much faster the fastest other GPU implementation is than the one that the claim calls nearly final.
///
/// Refuted by a faster one; what was not tried proves nothing.
pub fn headroom(question: &Question) -> Outcome {
    let Some(base) = question.claim.implementation.as_deref() else {
        return Outcome::missing("The claim names no implementation.");
    };
    let catalogue = implementation::catalogue();
    let others = catalogue.iter().filter(|one| one.needs_device() && one.name != base);
    let fastest = others
        .map(|one| &*one.name)
        .filter_map(|name| {
            let (run, all) =
                ratios((question.paper, question.evidence), (name, base), Scope::Kernel, |_| true)?;
            // What is surely faster: where noise is large, the largest ratio says least.
            let (n, ratio) = all.into_iter().max_by(|a, b| a.1.low.total_cmp(&b.1.low))?;
            Some((name, run.name(), n, ratio))
        })
        .max_by(|a, b| a.3.low.total_cmp(&b.3.low));
    let Some((name, run, n, ratio)) = fastest else {
        return Outcome::missing(format!("No run has {base} beside another GPU implementation."));
    };
    let compared_as = format!("seconds of {base} over those of the fastest GPU implementation beside it");
    let point = Point::of_case(name, n, ratio, ranges::stated(question.claim));
    let runs = vec![run];
    if point.verdict == crate::claims::Verdict::Reproduced {
        let shown = format!("{:.2} times", ratio.value);
        let missing = format!(
            "The fastest here, {name} at n = {n}, is {:.2} times as fast: within what the authors thought, but what was not tried proves nothing.",
            ratio.value
        );
        return Outcome { compared_as, shown, missing, runs, ..Outcome::default() };
    }
    Outcome { compared_as, unit: "times", points: vec![point], runs, ..Outcome::default() }
}
