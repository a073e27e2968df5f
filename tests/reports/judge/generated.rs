//! The laws of verdicts, over runs with invented numbers: of any speed, and so with any verdict.

use super::invented::{commands, invented, papers_of};
use super::known::{Known, is_met};
use proptest::prelude::*;
use proptest::sample::Index;
use repro_base::CellId;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The commands that plan few cells, which are quick to judge often.
static SMALL: LazyLock<Vec<String>> = LazyLock::new(|| {
    const MOST_ROWS: usize = 1600;
    commands().into_iter().filter(|command| invented(command, 0).samples.len() <= MOST_ROWS).collect()
});

fn known(command: usize, seed: u64) -> Known {
    let command = &SMALL[command];
    Known::of(invented(command, seed), papers_of(command))
}

/// Every law, each with one change.
fn hold_all_laws(command: usize, seed: u64, cell: Index, kept: u64) {
    let known = known(command, seed);
    assert!(known.rows.iter().filter(|row| !row.tests.is_empty()).all(is_met));
    known.taking_away(cell.get(&known.cells));
    let deciding = known.deciding();
    if !deciding.is_empty() {
        known.one_wrong_result(cell.get(&deciding));
    }
    let sizes: BTreeSet<usize> = known.cells.iter().map(|cell| cell.n).collect();
    let kept: BTreeSet<usize> =
        sizes.iter().enumerate().filter(|(at, _)| kept >> (at % 64) & 1 == 1).map(|(_, n)| *n).collect();
    known.narrowing(|cell: &CellId| kept.contains(&cell.n));
    known.scaling(if kept.len().is_multiple_of(2) { 0.25 } else { 8.0 });
    known.widening();
    known.all_comparisons();
}

/// Laws of what never comes about would be none.
#[test]
fn invented_numbers_reach_every_verdict_that_a_comparison_can_have() {
    use repro::judge::Verdict::{
        Ambiguous, Differs, Exceeds, FailsWhereDecided, InPart, NotComparable, Reproduced,
    };
    let mut reached = BTreeSet::new();
    for (command, seed) in (0..SMALL.len()).flat_map(|command| (0..5).map(move |seed| (command, seed))) {
        reached.extend(known(command, seed).rows.iter().map(|row| row.results[0].verdict));
    }
    let all = [Reproduced, Exceeds, InPart, Differs, FailsWhereDecided, Ambiguous, NotComparable];
    assert_eq!(reached, BTreeSet::from(all), "of {} commands", SMALL.len());
    assert!(SMALL.len() >= 10, "{}", SMALL.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_laws_hold_for_invented_numbers(
        command in 0..SMALL.len(), seed: u64, cell: Index, kept: u64
    ) {
        hold_all_laws(command, seed, cell, kept);
    }
}

mod long {
    use super::*;
    use crate::common::part;
    use proptest::test_runner::{Config, TestRunner};

    /// In all, over the parts that the work is divided into.
    const CASES: usize = 10_000;

    #[test]
    #[ignore = "long"]
    fn all_laws_hold_for_thousands_of_invented_runs() {
        let part = part();
        let cases = (0..CASES).filter(|place| part.has(*place)).count() as u32;
        let config = Config { cases, failure_persistence: None, ..Config::default() };
        let any_case = (0..SMALL.len(), any::<u64>(), any::<Index>(), any::<u64>());
        TestRunner::new(config)
            .run(&any_case, |(command, seed, cell, kept)| {
                hold_all_laws(command, seed, cell, kept);
                Ok(())
            })
            .unwrap();
    }
}
