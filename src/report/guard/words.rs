//! The sentences of a comparison.

use crate::lists::{count_of, grouped};
use crate::regression::{
    CellComparison, CellKind, CellVerdict, Comparison, ComparisonOutcome, ERROR, EXCLUDED,
    InconclusiveReason, LEAST_SAMPLES, MissingReason, Reason, RunSummary,
};
use crate::report::text::{decimals, list, percent, ratio};
use crate::store::{BuildRole, Disturbance, short_commit};
use crate::timing::Scope;
use std::collections::BTreeSet;

/// If more cells than this share a reason, only the first is named.
const MOST_NAMES: usize = 2;
/// The numbers of samples from which advice is chosen.
const SAMPLES: [usize; 5] = [10, 20, 50, 100, 200];

/// The outcome and the number of cells with each verdict, in a line.
pub fn outcome(comparison: &Comparison) -> String {
    let tally = comparison.tally();
    let headline = match comparison.outcome {
        ComparisonOutcome::Slower => {
            let slower = tally.iter().filter(|(verdict, _)| verdict.is_regression());
            let count = slower.map(|(_, count)| count).sum();
            format!("{} became slower or failed", count_of(count, "cell"))
        }
        ComparisonOutcome::NotSlower => "Nothing became slower".to_string(),
        ComparisonOutcome::Noisy => "No cell is SLOWER, but some are NOISY (inconclusive)".to_string(),
    };
    let counts: Vec<String> = tally.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
    format!("{headline}: {}.", counts.join(", "))
}

/// What was compared, and what a reader should know of it.
pub fn head(comparison: &Comparison) -> Vec<String> {
    let Comparison { base, new, scope, .. } = comparison;
    let run = |run: &RunSummary| {
        let date = run.started.get(..16).unwrap_or_default().replace('T', " ");
        format!("{} ({date}, commit {})", run.name, short_commit(&run.commit))
    };
    let on = new.on.gpu.as_ref().or(new.on.host.as_ref()).map_or(String::new(), |on| format!(" on {on}"));
    let turns = if comparison.paired { ", sample by sample in turns" } else { "" };
    let mut all = vec![format!("{}{on}: BASE {}, NEW {}{turns}", new.experiment, run(base), run(new))];
    all.extend(comparison.differences.iter().map(|one| format!("Compared all the same: {one}.")));
    for (side, run) in [("BASE", base), ("NEW", new)] {
        let profile = format!("is of a {} build: its CPU cells mean little", run.profile);
        let torn = format!("has {} bytes at its end that are no whole sample", run.torn_bytes);
        let findings = [
            (!run.finished, format!("is not finished: {}", run.how_to_go_on)),
            (run.torn_bytes > 0, torn),
            (run.dirty, "was built with uncommitted changes".to_string()),
            (run.profile != "release", profile),
        ];
        let findings: Vec<String> =
            findings.into_iter().filter_map(|(is_so, finding)| is_so.then_some(finding)).collect();
        if !findings.is_empty() {
            all.push(format!("{side} {}.", list(&findings)));
        }
    }
    if !comparison.failed_in_both.is_empty() {
        let names: Vec<String> = comparison.failed_in_both.iter().map(ToString::to_string).collect();
        all.push(format!("In no verdict, as they failed in both: {}.", some_of(&names)));
    }
    let clocks: BTreeSet<Scope> = comparison.cells.iter().map(|cell| cell.scope).collect();
    let of_programs: Vec<String> =
        clocks.iter().filter(|clock| *clock != scope).map(Scope::to_string).collect();
    if !of_programs.is_empty() {
        all.push(format!(
            "External programs have no {scope} time: each is compared only with itself, by the host's clock, scope {}.",
            of_programs.join(" or ")
        ));
    }
    match comparison.without_scope {
        0 => (),
        1 => all.push(format!("Left out: 1 cell that both runs timed has no time of scope {scope}.")),
        left => {
            all.push(format!("Left out: {left} cells that both runs timed have no time of scope {scope}."));
        }
    }
    all
}

/// A line for each verdict and reason, with its cells, worst first; only of the verdicts that are wanted.
pub fn reasons(comparison: &Comparison, is_wanted: impl Fn(CellVerdict) -> bool) -> Vec<String> {
    // A confirmed verdict needs no line of its own.
    let is_told = |cell: &&CellComparison| {
        is_wanted(cell.verdict) && !matches!(cell.why, Some(Reason::Confirmed { .. }))
    };
    let cells = comparison.cells.iter().filter(is_told);
    let with_reason = cells.filter_map(|cell| Some(((cell.verdict, reason(cell)?), cell)));
    grouped(with_reason)
        .iter()
        .map(|((verdict, reason), cells)| reason_line(*verdict, reason, cells))
        .collect()
}

fn reason_line(verdict: CellVerdict, reason: &str, cells: &[&CellComparison]) -> String {
    let names: Vec<String> = cells.iter().map(|cell| cell.cell.to_string()).collect();
    format!("{verdict}: {reason}: {}.", some_of(&names))
}

/// The names if they are few, else their number and the first.
fn some_of(names: &[String]) -> String {
    match names {
        [first, ..] if names.len() > MOST_NAMES => format!("{} cells, as {first}", names.len()),
        few => few.join(", "),
    }
}

/// Why a cell has its verdict, and what would help. None if the ratio says it, or if one side was not to measure the cell.
pub fn reason(of: &CellComparison) -> Option<String> {
    let side_name = |side: BuildRole| side.to_string().to_uppercase();
    Some(match of.why.as_ref()? {
        Reason::Confirmed { confirmed_by } => {
            format!(
                "again when run once more{}",
                confirmed_by.map(|of| format!(" ({})", ratio(of))).unwrap_or_default()
            )
        }
        Reason::Missing { side, why } => {
            let side = side_name(*side);
            match why {
                MissingReason::Unfinished => format!("{side} is not finished"),
                MissingReason::NoRecord => format!("{side} was to measure it, and has no record of it"),
                MissingReason::OtherScope => format!("{side} has no time of this scope"),
                MissingReason::NoTime => format!("the median time in {side} is zero"),
                MissingReason::Untimed { status, message } if message.is_empty() => {
                    format!("{status} in {side}")
                }
                MissingReason::Untimed { status, message } => format!("{status} in {side}: {message}"),
            }
        }
        Reason::Inconclusive(why) => inconclusive_reason(why),
    })
}

fn inconclusive_reason(why: &InconclusiveReason) -> String {
    match why {
        InconclusiveReason::FewSamples { samples: 0 } => "no sample that both took in one turn".to_string(),
        InconclusiveReason::FewSamples { .. } => {
            format!("fewer than {LEAST_SAMPLES} samples on a side: measure with --samples {LEAST_SAMPLES}")
        }
        InconclusiveReason::WideInterval { samples_needed } => {
            match SAMPLES.into_iter().find(|samples| samples >= samples_needed) {
                Some(samples) => {
                    format!(
                        "the interval is too wide: measuring with --samples {samples} would probably decide"
                    )
                }
                None => "its samples differ too much: --threshold asks for larger changes alone".to_string(),
            }
        }
        InconclusiveReason::ClocksDiffer => {
            "the clocks differ, and seconds and cycles do not agree: run again where the clocks are as before"
                .to_string()
        }
        InconclusiveReason::Disturbed { base, new } => {
            let was = |(side, what): (&str, &Option<Disturbance>)| {
                Some(format!("{side} was {}", disturbance((*what)?)))
            };
            let both: Vec<String> = [("BASE", base), ("NEW", new)].into_iter().filter_map(was).collect();
            format!("{}, so measure again", list(&both))
        }
        InconclusiveReason::OtherCpu { base, new } => format!("on another CPU: {base} before, {new} now"),
        InconclusiveReason::NoTime => "the median time in BASE is zero".to_string(),
        InconclusiveReason::NotConfirmed { first, again, ratio: of } => {
            let of = of.map(|of| format!(", {}", ratio(of))).unwrap_or_default();
            format!("{first} at first, not confirmed by another run ({again}{of})")
        }
    }
}

/// The disturbance under which a cell was measured, so that its times say nothing about the build.
pub fn disturbance(what: Disturbance) -> &'static str {
    match what {
        Disturbance::UnderLoad => "under load",
        Disturbance::Throttled => "throttled",
    }
}

/// The rule, with the numbers that it has in this comparison.
pub fn rule(comparison: &Comparison) -> Vec<String> {
    let Comparison { confidence, kinds, new, .. } = comparison;
    let by_threshold =
        grouped(kinds.iter().map(|kind| ((place(kind.kind), percent(kind.limits.threshold)), kind.kind)));
    let thresholds: Vec<String> = by_threshold
        .into_iter()
        .map(|((place, threshold), kinds)| format!("{threshold} for {place}, {}", sizes(&kinds)))
        .collect();
    let calibrated = kinds.iter().filter_map(|kind| kind.floor.calibrated_by).min();
    let origin = match calibrated {
        Some(pairs) if kinds.iter().all(|kind| kind.floor.calibrated_by.is_some()) => {
            format!("by {pairs} pairs of one build on this machine")
        }
        _ => {
            let defaults = if calibrated.is_some() { "partly defaults" } else { "defaults" };
            format!("{defaults}; repro track {} --calibrate measures this machine's", new.experiment)
        }
    };
    vec![
        format!(
            "Ratios of medians, intervals of nominally {}% ({} over all cells). SLOWER, FASTER: all of it beyond the threshold. SAME: a change of {}, or of the threshold, is ruled out.",
            decimals(confidence * 100.0),
            percent(1.0 - ERROR),
            percent(EXCLUDED),
        ),
        format!("Thresholds: {}. Noise floors: {origin}.", thresholds.join("; ")),
    ]
}

/// The kind in words: "GPU cells, n from 2048 to 4095".
pub fn kind_of_cells(kind: CellKind) -> String {
    format!("{}, {}", place(kind), sizes(&[kind]))
}

fn place(kind: CellKind) -> String {
    let place = if kind.on_gpu { "GPU" } else { "CPU" };
    match kind.program {
        Some(scope) => format!("programs on the {place}, scope {scope}"),
        None => format!("{place} cells"),
    }
}

/// The sizes of kinds on one device, smallest first; adjacent sizes form one range.
fn sizes(kinds: &[CellKind]) -> String {
    let ranges = kinds.chunk_by(|one, next| one.below_n() == Some(next.from_n));
    let range = |kinds: &[CellKind]| {
        let (first, last) = (kinds.first()?.from_n, kinds.last()?.below_n());
        Some(match (first, last) {
            (0, None) => "all n".to_string(),
            (0, Some(below)) => format!("n below {below}"),
            (first, Some(below)) => format!("n from {first} to {}", below - 1),
            (first, None) => format!("n from {first}"),
        })
    };
    list(&ranges.filter_map(range).collect::<Vec<_>>())
}
