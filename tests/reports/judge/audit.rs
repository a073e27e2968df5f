//! Verdicts that their run did not carry, each tried as a user would: plain commands and narrowed ones.

use super::{
    ALL, GAIOSO, LIKHODED, LUND, POGORILYY, edited, ended, judged, lacks, narrowed, open, result, verdict,
    with_cells,
};
use crate::common::stored::{ABLATION, KAPPA, LIMITS, OCCUPANCY, SHAPES, STRUCTURE, TABLE1, TIMERS};
use repro::judge::Verdict::{Differs, InPart, NotComparable, NotMeasured, Reproduced};
use repro::judge::{Lack, Unit};
use repro::results::StoredRun;
use repro::store::{Status, cells};
use std::collections::BTreeSet;

/// A committed run, had it been made with `--sizes`.
fn of_sizes(run: &str, sizes: &[usize]) -> StoredRun {
    narrowed(&open(run), |cell| sizes.contains(&cell.n))
}

#[test]
fn a_kappa_that_does_not_fit_n_and_was_skipped_is_no_wrong_result() {
    let mut run = of_sizes(KAPPA, &[8192, 16384]);
    // As `--sizes 8192` plans it: every κ of the experiment at that n, of which 512 does not fit.
    for column in &mut run.manifest.experiment.columns {
        column.sizes.retain(|n| *n == 8192);
    }
    let mut too_large = run.manifest.experiment.columns[0].clone();
    too_large.parameters = "kappa=512".parse().unwrap();
    run.manifest.experiment.columns.push(too_large);
    let skipped = |row: &mut repro::store::SampleRow| {
        if row.n == 16384 && row.params == "kappa=1" {
            (row.n, row.params) = (8192, "kappa=512".to_string());
            return ended(row, Status::Skipped, "kappa = 512 is above the 256 tiles of n = 8192")
                && row.sample == 0;
        }
        row.n == 8192
    };
    let run = edited(&run, skipped);
    assert!(run.samples.iter().any(|row| row.status == Status::Skipped));
    assert_eq!(verdict(&run, (LIKHODED, "same-result")), Reproduced);
}

#[test]
fn what_is_possible_at_best_is_decided_by_no_run() {
    for run in ALL {
        assert_eq!(verdict(&open(run), (LUND, "ten-operations")), NotComparable, "{run}");
    }
}

#[test]
fn what_follows_from_no_run_is_told_by_none() {
    for run in ALL {
        assert_eq!(verdict(&open(run), (LUND, "rows-of-16")), NotMeasured, "{run}");
    }
}

#[test]
fn one_kappa_says_nothing_of_whatever_kappa() {
    let run = of_sizes(OCCUPANCY, &[4096]);
    assert_eq!(verdict(&run, (LIKHODED, "same-result")), NotMeasured);
    let one = narrowed(&open(KAPPA), |cell| cell.params == "kappa=1");
    assert_eq!(verdict(&one, (LIKHODED, "same-result")), NotMeasured);
}

#[test]
fn one_size_of_seventeen_says_nothing_of_the_tables_order() {
    for (run, n) in [(ABLATION, 4096), (TABLE1, 4096), (TABLE1, 17408)] {
        let run = of_sizes(run, &[n]);
        for row in judged(&[&run]).iter().filter(|row| row.id.starts_with("table1-")) {
            assert_eq!(row.results[0].verdict, NotMeasured, "{}", row.id);
        }
    }
}

#[test]
fn experiments_with_other_blocks_and_sizes_do_not_answer_for_each_other() {
    let claim = (LUND, "kk-over-hn");
    for run in [OCCUPANCY, LIMITS, TABLE1] {
        assert_eq!(verdict(&open(run), claim), NotMeasured, "{run}");
    }
    let all = [OCCUPANCY, LIMITS, TABLE1, SHAPES].map(open);
    let together = result(&all.iter().collect::<Vec<_>>(), claim);
    assert_eq!((together.verdict, together.runs), (InPart, vec!["block-shapes".to_string()]));
}

#[test]
fn figures_of_another_gpu_after_a_change_of_unit_are_not_comparable() {
    let run = open(TABLE1);
    for id in ["hn-flops", "kk-flops", "staged-flops"] {
        let result = result(&[&run], (LUND, id));
        assert!(matches!(result.lack, Some(Lack::Incomparable(_))), "{id}");
        assert!(result.points.is_empty() && result.shown.is_none(), "{id}");
    }
    assert_eq!(verdict(&open(TIMERS), (POGORILYY, "os-timer-high")), NotComparable);
}

/// What was published and what was measured of a claim have one unit.
#[test]
fn a_comparison_is_of_figures_in_one_unit() {
    use repro::published::Unit as Published;
    let runs: Vec<StoredRun> = ALL.iter().map(|run| open(run)).collect();
    let mut compared = 0;
    for row in judged(&runs.iter().collect::<Vec<_>>()) {
        let (Some(published), result) = (row.published, &row.results[0]) else { continue };
        let by_number = row.tests.iter().any(|test| {
            test.at_least.or(test.at_most).or(test.exactly).is_none() && test.polynomial.is_none()
        });
        if by_number && result.verdict.is_decided() {
            let same = matches!(
                (published.unit, result.unit),
                (Published::Times, Unit::Times)
                    | (Published::Bytes, Unit::Bytes)
                    | (Published::Blocks, Unit::Blocks)
                    | (Published::Ways, Unit::Ways)
                    | (Published::Percent, Unit::Percent)
            );
            assert!(same, "{} {}: {:?} and {:?}", row.paper, row.id, published.unit, result.unit);
            compared += 1;
        }
    }
    assert!(compared > 10, "{compared}");
}

#[test]
fn a_run_that_was_stopped_decides_what_it_has_all_of_and_nothing_else() {
    let run = open(TABLE1);
    let all = cells(&run.manifest);
    let half: BTreeSet<_> = all[..all.len() / 2].iter().collect();
    let mut stopped = with_cells(run, |cell| half.contains(cell));
    stopped.manifest.finished = None;
    for row in judged(&[&stopped]) {
        let whole = row.tests.iter().all(|test| {
            let largest = test.all_sizes().into_iter().max().unwrap_or(0);
            test.contenders().all(|of| {
                half.iter().any(|cell| cell.implementation == of.implementation && cell.n >= largest)
            })
        });
        assert!(whole || !row.results[0].verdict.is_decided(), "{}: {:?}", row.id, row.results[0]);
    }
    let lack = result(&[&stopped], (LUND, "table1-staged-load")).lack;
    assert!(matches!(lack, Some(Lack::Needs { met: 1.., of: 15, .. })), "{lack:?}");
}

#[test]
fn more_than_up_to_exceeds_it_and_does_not_differ() {
    // Two phases over one core, n = 8192 "up to 149 times".
    let run = super::invented::invented("over-cpu", 3);
    let times = |factor: f64| {
        let scaled = edited(&run, |row| {
            let n = row.n as f64;
            let seconds = if row.implementation == "cpu-naive" { factor * n } else { n };
            row.seconds = Some(seconds);
            true
        });
        verdict(&scaled, (GAIOSO, "over-cpu"))
    };
    assert_eq!([times(149.0), times(1000.0), times(20.0)].map(|one| one == Differs), [false, false, true]);
    assert_eq!(times(1000.0), repro::judge::Verdict::Exceeds);
}

#[test]
fn a_headline_that_needs_bank_conflicts_has_no_verdict_where_there_are_none() {
    for run in [TABLE1, ABLATION] {
        assert_eq!(verdict(&open(run), (LUND, "bank-conflicts-cost")), NotMeasured);
    }
}

#[test]
fn what_says_how_many_lacks_says_what_would_measure_them() {
    let run = of_sizes(ABLATION, &[4096]);
    for row in judged(&[&run]).iter().filter(|row| lacks(&row.results[0]) && !row.tests.is_empty()) {
        let Some(Lack::Needs { met, of, run, .. }) = &row.results[0].lack else { continue };
        assert!(met < of && !run.is_empty(), "{}", row.id);
        assert_eq!(Some(run), row.run.as_ref());
    }
    assert_eq!(verdict(&open(STRUCTURE), (GAIOSO, "two-launches")), Reproduced);
}
