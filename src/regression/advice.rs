//! What would decide the cells that are NOISY. A test does what is said here, and sees that they are decided then.

use super::compare::{CellComparison, Comparison, KindLimits, RunPair};
use super::output::cells;
use super::rule::{LEAST_RUNS, LEAST_SAMPLES, NoisyReason, Verdict};
use super::run_summary::RunSummary;
use crate::lists::count_of;
use crate::report::text::percent;

/// More samples than these are not worth their time.
const MOST_SAMPLES: usize = 200;

/// Fewer do not tell how many it takes.
const TELLING_SAMPLES: usize = 20;

/// Nobody asks for more than thrice the time alone.
const MOST_PERCENT: f64 = 200.0;

/// A sentence for each run that is not finished, and for each kind of cell and each reason.
pub(super) fn advice(comparison: &Comparison) -> Vec<String> {
    let of_runs = (0..comparison.runs.len()).filter_map(|run_pair| unfinished(comparison, run_pair));
    of_runs.chain(comparison.kinds.iter().flat_map(|kind| of_kind(comparison, kind))).collect()
}

/// How NEW goes on where it has too few samples yet.
fn unfinished(comparison: &Comparison, run_pair: usize) -> Option<String> {
    let RunSummary { how_to_go_on, finished: false, .. } = &comparison.runs.get(run_pair)?.new else {
        return None;
    };
    let of_it = |cell: &&CellComparison| {
        cell.run_pair == run_pair && matches!(cell.why, Some(NoisyReason::FewSamples(_)))
    };
    let few: Vec<&CellComparison> = comparison.cells.iter().filter(of_it).collect();
    few.first()?;
    Some(format!("{}: NEW is not finished: {how_to_go_on}.", count_of(few.len(), "cell")))
}

fn of_kind(comparison: &Comparison, kind: &KindLimits) -> Vec<String> {
    let of_it = |cell: &&CellComparison| (cell.run_pair, cell.kind) == (kind.run_pair, kind.kind);
    let noisy: Vec<&CellComparison> =
        comparison.cells.iter().filter(of_it).filter(|cell| cell.verdict == Verdict::Noisy).collect();
    let with =
        |is: &dyn Fn(NoisyReason) -> bool| noisy.iter().filter(|cell| cell.why.is_some_and(is)).count();
    let named = cells(comparison, kind.kind, &kind.experiment);
    let mut all = Vec::new();
    let mut say = |count: usize, remedy: String| {
        if count > 0 {
            all.push(format!("{count} of {} {named}: {remedy}.", kind.cells));
        }
    };
    say(with(&|why| why == NoisyReason::HighFloor), high_floor(comparison, kind, &noisy));
    let is_finished = comparison.runs.get(kind.run_pair).is_none_or(|runs| runs.new.finished);
    let few = with(&|why| is_finished && matches!(why, NoisyReason::FewSamples(_)));
    say(few, format!("take more samples on both sides, as --samples {LEAST_SAMPLES} does"));
    let wide = || noisy.iter().filter(|cell| matches!(cell.why, Some(NoisyReason::WideInterval { .. })));
    let needed = wide().filter_map(|cell| match cell.why {
        Some(NoisyReason::WideInterval { samples }) => Some(samples),
        _ => None,
    });
    let remedy = match needed.max().unwrap_or(0) {
        samples @ ..=MOST_SAMPLES => format!("--samples {samples} would probably decide"),
        _ if wide().any(|cell| fewest(cell) < TELLING_SAMPLES) => {
            format!("their samples differ much: take more first, as --samples {TELLING_SAMPLES} does")
        }
        _ => format!("their samples differ too much: {}", threshold(0.0, wide())),
    };
    say(wide().count(), remedy);
    say(with(&|why| why == NoisyReason::Clocks), "run again where the clocks are as before".to_string());
    all
}

/// The samples of the side that has fewer.
fn fewest(cell: &CellComparison) -> usize {
    [cell.base, cell.new].iter().flatten().map(|side| side.samples).min().unwrap_or(0)
}

fn high_floor(comparison: &Comparison, kind: &KindLimits, noisy: &[&CellComparison]) -> String {
    let KindLimits { floor, paired, .. } = kind;
    let asked = threshold(floor.share, noisy.iter().filter(|cell| cell.why == Some(NoisyReason::HighFloor)));
    if floor.is_known {
        return format!(
            "the noise floor of {} of one build is {} here: {asked}",
            if *paired { "processes" } else { "runs" },
            percent(floor.share)
        );
    }
    let what = if *paired { "pair" } else { "run" };
    let taken = format!(
        "two runs of one build are taken to lie up to {} apart, with {} of the {LEAST_RUNS} {what}s of the baseline's that would tell in --results",
        percent(floor.share),
        floor.runs
    );
    let missing = count_of(LEAST_RUNS.saturating_sub(floor.runs).max(1), "time");
    let is_dirty = comparison.runs.get(kind.run_pair).is_some_and(|pair| pair.base.dirty);
    match paired {
        _ if is_dirty => format!("{taken}, and none is of a build with uncommitted changes: {asked}"),
        true => format!("{taken}: {asked}, or track the baseline's build against itself {missing} more"),
        false => {
            format!(
                "{taken}: run the baseline {missing} more into it, or{} {asked}",
                or_track(comparison, kind)
            )
        }
    }
}

/// The other remedy: both builds take turns. Not where the baseline was measured with what this machine may no longer have.
fn or_track(comparison: &Comparison, kind: &KindLimits) -> &'static str {
    let same_machine = comparison.runs.get(kind.run_pair).is_some_and(|RunPair { base, new }| {
        (&base.driver, &base.gpu, &base.host) == (&new.driver, &new.gpu, &new.host)
    });
    if same_machine { " measure both builds in turn with repro track, or" } else { "" }
}

/// A threshold, at least this share, within which the intervals of these cells lie.
fn threshold<'a>(least: f64, noisy: impl Iterator<Item = &'a &'a CellComparison>) -> String {
    let ends = noisy.filter_map(|cell| cell.seconds).map(|ratio| ratio.high.max(1.0 / ratio.low) - 1.0);
    match rounded_up(ends.fold(least, f64::max)) {
        percent if percent <= MOST_PERCENT => format!("--threshold {percent} asks for larger changes alone"),
        _ => "they vary too much to be guarded, and --only or --sizes leaves them out".to_string(),
    }
}

/// In whole percent, so that the share itself lies within it.
fn rounded_up(share: f64) -> f64 {
    (share * 100.0).ceil()
}
