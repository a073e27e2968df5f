//! The clocks of pogorilyy-cuda: what each says of the same work, and how time grows with n.

use super::Question;
use crate::claims::Point;
use crate::claims::evidence::Measurements;
use crate::claims::outcome::Outcome;
use crate::claims::verdict::{Measured, Range};
use crate::timing::Scope;

/// The paper's kernel: one thread an element, everything in global memory.
const NAME: &str = "global-memory";
/// Large n: launches no longer outweigh their work.
const LARGE: usize = 1024;
/// Small n: a solve is a few launches.
const SMALL: usize = 64;
/// Readings that differ by less agree.
const AGREE: f64 = 0.02;
const WARP: usize = 32;
/// A jump in time beside which its neighbours are steady.
const JUMP: f64 = 0.05;

/// One point a size of those `wanted`, from the run that has most.
fn at_sizes(
    question: &Question,
    of: impl Fn(&Measurements, usize) -> Vec<Point>,
) -> Option<(String, Vec<Point>)> {
    let (run, points) = question.evidence.fullest(&question.paper.id, |run| {
        let params = run.params_of(NAME).unwrap_or_default();
        run.sizes_of((NAME, &params), Scope::Kernel).into_iter().flat_map(|n| of(run, n)).collect()
    })?;
    Some((run.name(), points))
}

fn ratio(question: &Question, run: &Measurements, n: usize, over: Scope, under: Scope) -> Option<Measured> {
    let params = run.params_of(NAME)?;
    question.evidence.clocks(run, (NAME, &params), n, (over, under))
}

/// Time at `n` over time at `from`.
fn growth(question: &Question, run: &Measurements, from: usize, n: usize, scope: Scope) -> Option<Measured> {
    let params = run.params_of(NAME)?;
    let of = |n| question.evidence.seconds(run, (NAME, &params), n, scope);
    Some(of(n)?.over(of(from)?))
}

fn outcome(found: Option<(String, Vec<Point>)>, compared_as: String, unit: &'static str) -> Outcome {
    match found {
        Some((run, points)) => Outcome { compared_as, unit, points, runs: vec![run], ..Outcome::default() },
        None => Outcome::missing(format!("No run has {NAME} under the clocks that this needs.")),
    }
}

/// At large n the clock that does not wait reads too little, and the copy that follows far too much.
pub fn unsynchronized_is_wrong(question: &Question) -> Outcome {
    /// The copy appears absurdly long: at least so many times what it takes.
    const INFLATED: f64 = 2.0;
    let found = at_sizes(question, |run, n| {
        if n < LARGE {
            return Vec::new();
        }
        let share = ratio(question, run, n, Scope::HostUnsynced, Scope::HostSynced);
        let copy = ratio(question, run, n, Scope::CopyOutUnsynced, Scope::CopyOutPageable);
        let share = share
            .map(|share| Point::of(format!("reading, n = {n}"), Some(n), share, Range::at_most(1.0 - AGREE)));
        let copy = copy
            .map(|copy| Point::of(format!("copy back, n = {n}"), Some(n), copy, Range::at_least(INFLATED)));
        share.into_iter().chain(copy).collect()
    });
    let compared_as = format!(
        "from n = {LARGE} on: its reading over the true time, wrong is read as: more than {:.0}% short; and the copy back that follows over a copy back, absurd is read as: twice or more",
        AGREE * 100.0
    );
    let mut outcome = outcome(found, compared_as, "times");
    let worst = outcome.points.iter().filter(|point| point.at.starts_with("reading"));
    if let Some(worst) = worst.min_by(|a, b| a.measured.value.total_cmp(&b.measured.value)) {
        outcome.remarks.push(format!(
            "It reads least of the true time at {}: {:.1}%.",
            worst.at.trim_start_matches("reading, "),
            worst.measured.value * 100.0
        ));
    }
    let range = |start: &str| {
        let of = outcome.points.iter().filter(|point| point.at.starts_with(start));
        let values: Vec<f64> = of.map(|point| point.measured.value).collect();
        Some((values.iter().copied().reduce(f64::min)?, values.iter().copied().reduce(f64::max)?))
    };
    if let (Some((least, most)), Some((low, high))) = (range("reading"), range("copy back")) {
        outcome.shown = format!(
            "reads {:.0} to {:.0}% of the true time; the copy back takes {low:.1} to {high:.1} times as long as it should",
            least * 100.0,
            most * 100.0
        );
    }
    outcome
}

/// The synchronized host's clock over the events.
pub fn timers_agree(question: &Question) -> Outcome {
    let found = at_sizes(question, |run, n| {
        let range = match n {
            n if n >= LARGE => Range::new(1.0 - AGREE, 1.0 + AGREE),
            n if n <= SMALL => Range::at_least(1.0),
            _ => return Vec::new(),
        };
        let ratio = ratio(question, run, n, Scope::HostSynced, Scope::Kernel);
        ratio.map(|ratio| Point::at_n(n, ratio, range)).into_iter().collect()
    });
    let compared_as = format!(
        "the synchronized host's clock over the events: within {:.0}% from n = {LARGE} on, and above them up to n = {SMALL}",
        AGREE * 100.0
    );
    outcome(found, compared_as, "times")
}

/// No clock here encloses the allocation of device memory.
pub fn with_every_overhead(question: &Question) -> Outcome {
    let (Some(faster), Some(slower)) = (&question.claim.faster, &question.claim.slower) else {
        return Outcome::missing("The claim names no two implementations.");
    };
    let evidence = question.evidence;
    let found = evidence.fullest(&question.paper.id, |run| {
        let (Some(fast), Some(slow)) = (run.params_of(faster), run.params_of(slower)) else {
            return Vec::new();
        };
        let sizes = run.sizes_of((faster, &fast), Scope::TotalPageable);
        let of = |n| {
            let ours = evidence.seconds(run, (faster, &fast), n, Scope::TotalPageable)?;
            Some((n, evidence.seconds(run, (slower, &slow), n, Scope::Kernel)?.over(ours).value))
        };
        sizes.into_iter().filter_map(of).collect::<Vec<(usize, f64)>>()
    });
    let missing = "No clock here encloses the allocation of device memory, and the paper names no n.";
    let Some((run, all)) = found else { return Outcome::missing(missing) };
    let lowest = all.iter().map(|(_, ratio)| *ratio).fold(f64::INFINITY, f64::min);
    let highest = all.iter().map(|(_, ratio)| *ratio).fold(0.0, f64::max);
    let from = all.iter().rposition(|(_, ratio)| *ratio < 2.0).map_or(0, |at| at + 1);
    let twice = all.get(from).map_or(String::new(), |(n, _)| format!(" It is at least 2 from n = {n} on."));
    Outcome {
        compared_as: "nothing: no such clock".to_string(),
        shown: format!("{lowest:.2} to {highest:.1} times without the allocation"),
        missing: format!("{missing}{twice}"),
        runs: vec![run.name()],
        ..Outcome::default()
    }
}

/// Time past a multiple of multiprocessors x warp, over what n³ alone adds.
pub fn steps(question: &Question) -> Outcome {
    let scope = question.claim.scope.unwrap_or(Scope::Total);
    let found = at_sizes(question, |run, n| {
        let device = run.run.environment().and_then(|environment| environment.device.as_ref());
        let period = device.map_or(0, |device| device.info.multiprocessors as usize * WARP);
        if period == 0 || !n.is_multiple_of(period) {
            return Vec::new();
        }
        let cubed = ((n + 16) as f64 / n as f64).powi(3);
        let grown = growth(question, run, n, n + 16, scope);
        let jump = grown.map(|grown| Point::at_n(n, grown.times(1.0 / cubed), Range::at_least(1.0 + JUMP)));
        jump.into_iter().collect()
    });
    let compared_as = format!(
        "growth of time past a multiple of multiprocessors x {WARP} to the next n, 16 above, over that of n³; a jump is read as: {:.0}% or more",
        JUMP * 100.0
    );
    outcome(found, compared_as, "times")
}

/// Twice the vertices take more than twice the time.
pub fn not_linear(question: &Question) -> Outcome {
    let scope = question.claim.scope.unwrap_or(Scope::Total);
    doubled(question, scope, 2.0, "time at 2n over twice the time at n")
}

/// The copies both ways, page-locked, at twice the vertices.
pub fn copies_grow(question: &Question) -> Outcome {
    let mut both = Outcome::default();
    for (scope, name) in [(Scope::CopyIn, "copy in"), (Scope::CopyOut, "copy back")] {
        let found = doubled(question, scope, 1.0, "copy at 2n over copy at n");
        if found.points.is_empty() {
            return found;
        }
        let named =
            found.points.into_iter().map(|point| Point { at: format!("{name}, {}", point.at), ..point });
        both.points.extend(named);
        (both.compared_as, both.unit, both.runs) = (found.compared_as, found.unit, found.runs);
    }
    both
}

/// From n = 1024 on, time at 2n over time at n, over `linear`: above 1.
fn doubled(question: &Question, scope: Scope, linear: f64, what: &str) -> Outcome {
    let found = at_sizes(question, |run, n| {
        let grown = (n >= LARGE).then(|| growth(question, run, n, 2 * n, scope)).flatten();
        let grown = grown.map(|grown| Point::at_n(n, grown.times(1.0 / linear), Range::at_least(1.0)));
        grown.into_iter().collect()
    });
    outcome(found, format!("{what}, from n = {LARGE} on, scope {scope}"), "times")
}
