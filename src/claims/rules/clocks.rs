//! The clocks of pogorilyy-cuda: what each says of the same work, and how time grows with n.

use super::Question;
use super::ratio::HARDLY;
use crate::claims::Point;
use crate::claims::evidence::Measurements;
use crate::claims::outcome::Outcome;
use crate::claims::verdict::Range;
use crate::lists::extent;
use crate::timing::{Estimate, Scope};

/// The paper's kernel: one thread an element, everything in global memory.
const NAME: &str = "global-memory";
/// Large n: launches no longer outweigh their work.
const LARGE: usize = 1024;
/// Small n: a solve is a few launches.
const SMALL: usize = 64;
/// Readings that differ by less agree.
const AGREE: f64 = 0.02;
const WARP: usize = 32;

/// One point a size of those `wanted`, from the run that has most.
fn at_sizes<Points: IntoIterator<Item = Point>>(
    question: &Question,
    of: impl Fn(&Measurements, usize) -> Points,
) -> Option<(String, Vec<Point>)> {
    let (run, points) = question.evidence.fullest(&question.paper.id, |run| {
        let params = run.params_of(NAME).unwrap_or_default();
        run.sizes_of((NAME, &params), Scope::Kernel).into_iter().flat_map(|n| of(run, n)).collect()
    })?;
    Some((run.name(), points))
}

fn ratio(question: &Question, run: &Measurements, n: usize, over: Scope, under: Scope) -> Option<Estimate> {
    let params = run.params_of(NAME)?;
    question.evidence.clocks(run, (NAME, &params), n, (over, under))
}

/// Time at `n` over time at `from`, both of one run.
fn growth(question: &Question, run: &Measurements, from: usize, n: usize, scope: Scope) -> Option<Estimate> {
    let params = run.params_of(NAME)?;
    let noise = question.evidence.noise().within(NAME, from.min(n));
    let of = |n| question.evidence.own_seconds(run, (NAME, &params), n, scope);
    Some(of(n)?.over(of(from)?).widened(noise))
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
        let share = share.map(|share| Point::of_case("reading", n, share, Range::at_most(1.0 - AGREE)));
        let copy = copy.map(|copy| Point::of_case("copy back", n, copy, Range::at_least(INFLATED)));
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
        extent(of.map(|point| point.measured.value))
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

/// "Hardly depends on n": its reading at twice the vertices over its reading, at large n.
pub fn reading_is_flat(question: &Question) -> Outcome {
    let flat = Range::new(1.0 / (1.0 + HARDLY), 1.0 + HARDLY);
    let found = at_sizes(question, |run, n| {
        let grown = (n >= LARGE).then(|| growth(question, run, n, 2 * n, Scope::HostUnsynced)).flatten();
        Some(Point::at_n(n, grown?, flat))
    });
    let compared_as = format!(
        "its reading at 2n over its reading at n, from n = {LARGE} on; hardly is read as: within {:.0}%",
        HARDLY * 100.0
    );
    outcome(found, compared_as, "times")
}

/// Launch configurations and loads are not varied under this clock.
pub fn not_varied(_question: &Question) -> Outcome {
    Outcome::missing("No run varies the launch configuration, or the load of the GPU, under this clock.")
}

/// The synchronized host's clock over the events.
pub fn timers_agree(question: &Question) -> Outcome {
    let found = at_sizes(question, |run, n| {
        let range = match n {
            n if n >= LARGE => Range::new(1.0 - AGREE, 1.0 + AGREE),
            n if n <= SMALL => Range::at_least(1.0),
            _ => return None,
        };
        Some(Point::at_n(n, ratio(question, run, n, Scope::HostSynced, Scope::Kernel)?, range))
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
    let (lowest, highest) = extent(all.iter().map(|(_, ratio)| *ratio)).unwrap_or_default();
    let from = all.iter().rposition(|(_, ratio)| *ratio < 2.0).map_or(0, |at| at + 1);
    let twice = all.get(from).map_or(String::new(), |(n, _)| format!(" It is at least 2 from n = {n} on."));
    Outcome::not_comparable(
        run.name(),
        "nothing: no such clock",
        format!("{lowest:.2} to {highest:.1} times without the allocation"),
        format!("{missing}{twice}"),
    )
}

/// Time past a multiple of multiprocessors x warp, over what n³ alone adds. A jump would be one more wave of threads.
pub fn steps(question: &Question) -> Outcome {
    let scope = question.claim.scope.unwrap_or(Scope::Total);
    let found = at_sizes(question, |run, n| {
        let info = &run.run.device().filter(|device| device.info.multiprocessors > 0)?.info;
        let resident = f64::from(info.multiprocessors) * f64::from(info.threads_per_multiprocessor);
        let waves = (n as f64).powi(2) / resident.max(1.0);
        if !n.is_multiple_of(info.multiprocessors as usize * WARP) || waves <= 0.0 {
            return None;
        }
        let cubed = ((n + 16) as f64 / n as f64).powi(3);
        let jump = growth(question, run, n, n + 16, scope)?.times(1.0 / cubed);
        let at = format!("n = {n}, {waves:.0} waves");
        Some(Point::of(at, Some(n), jump, Range::at_least(1.0 + 1.0 / waves)))
    });
    let compared_as = format!(
        "growth of time past a multiple of multiprocessors x {WARP} to the next n, 16 above, over that of n³; a jump is read as: one more wave of as many threads as the GPU holds at once"
    );
    outcome(found, compared_as, "times")
}

/// Twice the vertices take more than twice the time.
pub fn not_linear(question: &Question) -> Outcome {
    let scope = question.claim.scope.unwrap_or(Scope::Total);
    doubled(question, scope, 2.0, "time at 2n over twice the time at n")
}

/// What the copies take of the whole: the paper plots it and states no number.
pub fn copies_share(question: &Question) -> Outcome {
    let found = question.evidence.fullest(&question.paper.id, |run| {
        let Some(params) = run.params_of(NAME) else { return Vec::new() };
        let share = |n: usize| {
            let of = |scope| question.evidence.seconds(run, (NAME, &params), n, scope).map(|one| one.value);
            let copies = of(Scope::CopyInPageable)? + of(Scope::CopyOutPageable)?;
            Some((n, copies / of(Scope::TotalPageable)? * 100.0))
        };
        run.sizes_of((NAME, &params), Scope::TotalPageable)
            .into_iter()
            .filter(|n| *n >= LARGE)
            .filter_map(share)
            .collect()
    });
    let Some((run, shares)) = found else {
        return Outcome::missing(format!("No run has {NAME} under the clocks that this needs."));
    };
    let (first, last) = (shares[0], shares[shares.len() - 1]);
    Outcome::not_comparable(
        run.name(),
        "nothing: the paper plots it and states no number",
        format!("{:.1}% of the time at n = {}, {:.1}% at {}", first.1, first.0, last.1, last.0),
        "The paper has it in a figure alone. Here: both copies, pageable, as a share of the whole.",
    )
}

/// From n = 1024 on, time at 2n over time at n, over `linear`: above 1.
fn doubled(question: &Question, scope: Scope, linear: f64, what: &str) -> Outcome {
    let found = at_sizes(question, |run, n| {
        let grown = (n >= LARGE).then(|| growth(question, run, n, 2 * n, scope)).flatten();
        Some(Point::at_n(n, grown?.times(1.0 / linear), Range::at_least(1.0)))
    });
    outcome(found, format!("{what}, from n = {LARGE} on, scope {scope}"), "times")
}
