//! The laws of verdicts, over runs with invented numbers: of any speed, and so with any verdict. And that the run which a claim names
//! measures all that the claim needs.

use super::invented::{commands, invented, most_rows, papers_of};
use super::known::{Known, is_met};
use super::lacks;
use super::sound::assert_sound;
use proptest::prelude::*;
use proptest::sample::Index;
use repro::judge::{Verdict, evaluate};
use repro::published::{Claim, Figure, PublishedPaper};
use repro_base::CellId;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The commands that plan few rows, which are quick to judge often.
static SMALL: LazyLock<Vec<String>> =
    LazyLock::new(|| commands().into_iter().filter(|command| most_rows(command) <= 1600).collect());

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
    assert_sound(&known.rows);
    known.all_comparisons();
}

/// Laws of what never comes about would be none.
#[test]
fn invented_numbers_reach_every_verdict_that_a_comparison_can_have() {
    let all: BTreeSet<Verdict> = Verdict::all().filter(|verdict| *verdict != Verdict::NotMeasured).collect();
    let mut reached = BTreeSet::new();
    let runs = (0..5).flat_map(|seed| (0..SMALL.len()).map(move |command| (command, seed)));
    for (command, seed) in runs {
        reached.extend(known(command, seed).rows.iter().map(|row| row.results[0].verdict));
        if reached == all {
            return;
        }
    }
    assert_eq!(reached, all, "of {} commands", SMALL.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_laws_hold_for_invented_numbers(
        command in 0..SMALL.len(), seed: u64, cell: Index, kept: u64
    ) {
        hold_all_laws(command, seed, cell, kept);
    }
}

/// Not only the plan has all cells, clocks and samples: a program that works writes what every claim needs.
#[test]
fn a_run_that_went_well_decides_every_claim_that_names_it() {
    let lacking = commands().into_iter().flat_map(|command| lacking(&command, &papers_of(&command)));
    assert_eq!(lacking.collect::<Vec<_>>(), [""; 0]);
}

/// What claims of these papers lack of a run.
fn lacking(command: &str, papers: &[PublishedPaper]) -> Vec<String> {
    let run = invented(command, 1);
    let rows = evaluate(papers, &[("GPU", &[&run])], &[]);
    let lacking = rows.iter().filter_map(|row| Some((row, row.results.iter().find(|result| lacks(result))?)));
    lacking.map(|(row, result)| format!("{command}: {} {}: {:?}", row.paper, row.id, result.lack)).collect()
}

/// Whoever has a GPU needs no second run for what is counted. Solves in several orders and looks between launches take a minute, and stay
/// an experiment of their own.
#[test]
fn a_run_on_a_gpu_also_decides_what_its_experiment_has_counted_for_claims() {
    let is_cheap =
        |claim: &Claim| claim.tests.iter().all(|test| test.orders == 0 && test.figure != Figure::UnlikePlain);
    let mut claims = 0;
    for command in commands().into_iter().filter(|command| command.contains("--device emulated")) {
        let mut papers = papers_of(&command);
        papers.iter_mut().for_each(|paper| paper.claims.retain(is_cheap));
        let of_them: usize = papers.iter().map(|paper| paper.claims.len()).sum();
        let on_gpu = command.split(' ').next().unwrap();
        assert!(of_them == 0 || lacking(on_gpu, &papers).is_empty(), "{:?}", lacking(on_gpu, &papers));
        claims += of_them;
    }
    assert!(claims >= 20, "{claims}");
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
