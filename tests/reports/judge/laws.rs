//! The laws of verdicts, over the committed runs.

use super::known::{Known, is_met};
use super::{ALL, all_bytes, bytes, edited, judged, narrowed};
use crate::common::stored::{LIMITS, RESIDENCY, STRUCTURE, TABLE1};
use proptest::prelude::*;
use repro::judge::Verdict;
use repro::published::{Figure, Test};
use repro::results::StoredRun;
use repro_base::CellId;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Runs of which quick tests try some cells, opened once: one with counts, and of times one with each kind of need. Long ones try all.
static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let known = [STRUCTURE, TABLE1, RESIDENCY, LIMITS].map(Known::committed);
    assert!(known.iter().all(|known| known.rows.iter().any(is_met)), "a run that decides no claim");
    known.into()
});

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn without_a_needed_cell_there_is_no_verdict_and_of_any_other_no_byte_changes(
        run in 0..KNOWN.len(), cell: prop::sample::Index, deciding: bool
    ) {
        let known = &KNOWN[run];
        let among = if deciding { known.deciding() } else { known.cells.clone() };
        known.taking_away(cell.get(&among));
    }

    #[test]
    fn a_wrong_result_of_a_needed_cell_leaves_no_verdict_but_that(
        run in 0..KNOWN.len(), cell: prop::sample::Index
    ) {
        let known = &KNOWN[run];
        known.one_wrong_result(cell.get(&known.deciding()));
    }

    #[test]
    fn a_narrowed_plan_says_the_same_or_nothing(
        run in 0..KNOWN.len(), kept in any::<u64>(), by in 0..3usize
    ) {
        let known = &KNOWN[run];
        // By size, by implementation or by parameters, as the options have it: each of them stays or goes as a whole.
        let of = |cell: &CellId| match by {
            0 => cell.n.to_string(),
            1 => cell.implementation.clone(),
            _ => cell.params.clone(),
        };
        let groups: BTreeSet<String> = known.cells.iter().map(of).collect();
        let kept: BTreeSet<&String> =
            groups.iter().enumerate().filter(|(at, _)| kept >> (at % 64) & 1 == 1).map(|(_, one)| one).collect();
        known.narrowing(|cell| kept.contains(&of(cell)));
    }
}

/// Law 2 for a further run: whatever it is, claims whose needs it does not meet stay as they were.
fn further_run(known: &Known, other: &StoredRun) {
    let both = judged(&[&known.run, other]);
    for ((alone, others), both) in known.rows.iter().zip(judged(&[other])).zip(&both) {
        if is_met(alone) && !is_met(&others) {
            assert_eq!(bytes(alone), bytes(both), "{} beside {}", known.run.name(), other.name());
        }
    }
}

#[test]
fn a_further_run_that_does_not_meet_the_needs_of_a_claim_changes_no_byte_of_it() {
    for pair in KNOWN.windows(2) {
        further_run(&pair[0], &pair[1].run);
        // Of its own build, later, and narrowed to a size.
        let n = pair[0].cells.last().unwrap().n;
        let mut later = narrowed(&pair[0].run, |cell| cell.n == n);
        later.folder.push("later");
        later.manifest.started = "2031-01-01T00:00:00Z".to_string();
        further_run(&pair[0], &later);
    }
}

/// What no sample of a clock is read for.
fn exempt(figure: Figure) -> bool {
    use Figure::{
        CountedDramBytes, CountedL2Bytes, LocalBytes, MovedBytes, MultiprocessorThroughput, WrongResults,
    };
    let is_by_counters = matches!(figure, CountedDramBytes | CountedL2Bytes | MultiprocessorThroughput);
    figure.is_of_machine() || is_by_counters || matches!(figure, LocalBytes | MovedBytes | WrongResults)
}

/// Law 4: fewer samples or a stop turn no verdict into its contrary, and too few leave none by a clock.
fn of_fewer_samples(known: &Known) {
    use Verdict::{Differs, Exceeds, Reproduced};
    let rows = known.run.samples.len();
    let stopped = [rows / 3, rows - 1].map(|kept| {
        let samples = known.run.samples[..kept].to_vec();
        (usize::MAX, known.run.clone().with_samples(samples))
    });
    let fewer = [1, 2, 4].map(|samples| (samples, edited(&known.run, |row| row.sample < samples)));
    for (samples, run) in stopped.into_iter().chain(fewer) {
        for (before, after) in known.rows.iter().zip(&judged(&[&run])) {
            let what = format!("{} {}: {:?}", before.paper, before.id, after.results[0]);
            assert!(is_met(before) || !is_met(after), "{what}");
            let is_by_clock = |test: &Test| !test.is_counted() && !exempt(test.figure);
            let needs_more = |test: &Test| is_by_clock(test) && test.samples > samples;
            assert!(!after.tests.iter().any(needs_more) || !is_met(after), "{what}");
            let [was, is] = [before, after].map(|row| row.results[0].verdict);
            let contrary = |a, b| a == Differs && matches!(b, Reproduced | Exceeds);
            assert!(!contrary(was, is) && !contrary(is, was), "{was}, then {what}");
        }
    }
}

/// The order of rows changes nothing. Samples of one cell keep theirs: the last one decides whether it ended.
fn in_another_order(known: &Known) {
    let mut run = known.run.clone();
    run.results.extra.counts.reverse();
    run.results.extra.kernel_times.reverse();
    let mut samples = run.samples.clone();
    samples.sort_by_key(|row| std::cmp::Reverse((row.n, row.params.clone(), row.graph.clone())));
    for (before, after) in known.rows.iter().zip(&judged(&[&run.with_samples(samples)])) {
        let [was, is] = [before, after].map(|row| (row.results[0].verdict, row.results[0].share));
        assert_eq!(was, is, "{} {}", before.paper, before.id);
    }
}

#[test]
fn fewer_samples_a_stop_and_another_order_turn_no_verdict() {
    KNOWN.iter().for_each(|known| {
        of_fewer_samples(known);
        in_another_order(known);
    });
    let runs: Vec<&StoredRun> = KNOWN.iter().map(|known| &known.run).collect();
    let backwards: Vec<&StoredRun> = runs.iter().rev().copied().collect();
    assert_eq!(all_bytes(&backwards), all_bytes(&runs));
}

mod long {
    use super::*;
    use crate::common::part;

    #[test]
    #[ignore = "long"]
    fn no_cell_of_any_committed_run_breaks_a_law() {
        let part = part();
        for run in ALL {
            let known = Known::committed(run);
            known.scaling(0.125);
            known.widening();
            let deciding: BTreeSet<CellId> = known.deciding().into_iter().collect();
            for (_, cell) in known.cells.iter().enumerate().filter(|(place, _)| part.has(*place)) {
                known.taking_away(cell);
                if deciding.contains(cell) {
                    known.one_wrong_result(cell);
                }
            }
        }
    }

    /// What another run measured that a claim does not need changes nothing of it.
    #[test]
    #[ignore = "long"]
    fn a_run_that_a_claim_does_not_need_changes_no_byte_of_it_and_fewer_samples_no_verdict() {
        let all: Vec<Known> = ALL.iter().map(|run| Known::committed(run)).collect();
        for known in &all {
            of_fewer_samples(known);
            in_another_order(known);
            for other in all.iter().filter(|other| other.run.folder != known.run.folder) {
                further_run(known, &other.run);
            }
        }
    }
}
