//! Runs that were made to bring about a false verdict, under the names that they were found by.

use super::invented::invented;
use super::{
    GAIOSO, LIKHODED, LUND, bytes, edited, ended, judged, narrowed, open, result, verdict, wrong_result,
};
use crate::common::stored::{DEPTH, KAPPA, STRUCTURE};
use repro::graph::ElementType;
use repro::judge::Verdict::{Differs, NotMeasured, Reproduced};
use repro::results::StoredRun;
use repro::store::{SampleRow, Status};

/// What counts κ and tiles on the emulated device.
const COUNTED: &str = "kappa-sweep --device emulated --sizes 256 --param kappa=1,2,4,8";
pub const NEGATIVE: &str = "h200/negative";

/// Runs with a claim about right results.
fn of_right_results() -> [(StoredRun, (&'static str, &'static str)); 3] {
    [
        (open(KAPPA), (LIKHODED, "same-result")),
        (invented("frontier", 0), ("takafuji-2020", "one-launch-right")),
        (open(NEGATIVE), (LUND, "negative-weights")),
    ]
}

#[test]
fn v1_what_did_not_run_is_neither_right_nor_wrong() {
    for (run, claim) in of_right_results() {
        assert_eq!(verdict(&run, claim), Reproduced, "{claim:?}");
        for status in [Status::Skipped, Status::Failed, Status::Timeout] {
            let run =
                edited(&run, |row| ended(row, status, "the worker process ended with signal: 9 (SIGKILL)"));
            assert_eq!(verdict(&run, claim), NotMeasured, "{claim:?} {status:?}");
        }
    }
}

#[test]
fn v1_a_worker_that_was_killed_before_its_cell_was_measured_right_changes_nothing() {
    let run = open(KAPPA);
    let killed = |row: &mut SampleRow| row.sample != 0 || ended(row, Status::Failed, "signal: 9 (SIGKILL)");
    assert_eq!(verdict(&edited(&run, killed), (LIKHODED, "same-result")), Reproduced);
}

#[test]
fn v1_a_cell_that_ended_without_a_result_is_no_evidence_of_a_right_one() {
    let run = open(KAPPA);
    let last =
        run.samples.iter().filter(|row| row.params == "kappa=2" && row.n == 8192).map(|row| row.sample).max();
    let timeout = |row: &mut SampleRow| {
        let is_last = row.params == "kappa=2" && row.n == 8192 && Some(row.sample) == last;
        !is_last || ended(row, Status::Timeout, "no answer")
    };
    assert_eq!(verdict(&edited(&run, timeout), (LIKHODED, "same-result")), NotMeasured);
}

/// A run with the counted cells of an implementation under other parameters or another n.
pub fn counted_as(
    run: &StoredRun,
    implementation: &str,
    params: Option<&str>,
    n: Option<usize>,
) -> StoredRun {
    let mut run = run.clone();
    for column in
        run.manifest.experiment.columns.iter_mut().filter(|one| one.implementation == implementation)
    {
        if let Some(params) = params {
            column.parameters = params.parse().unwrap();
        }
        column.count_sizes = n.map_or(column.count_sizes.clone(), |n| vec![n]);
    }
    for row in run.results.counts.iter_mut().filter(|row| row.cell.implementation == implementation) {
        row.cell.params = params.map_or(row.cell.params.clone(), String::from);
        row.cell.n = n.unwrap_or(row.cell.n);
    }
    edited(&run, |row| {
        if row.implementation == implementation {
            row.params = params.map_or(row.params.clone(), String::from);
            row.n = n.unwrap_or(row.n);
        }
        true
    })
}

#[test]
fn v2_kernels_of_other_tiles_of_one_tile_or_not_counted_at_all_are_not_two_launches() {
    let (run, claim) = (open(STRUCTURE), (GAIOSO, "two-launches"));
    assert_eq!(verdict(&run, claim), Reproduced);
    for other in [
        counted_as(&run, "two-phase", Some("tile=16"), None),
        counted_as(&run, "two-phase", None, Some(32)),
        narrowed(&run, |cell| cell.implementation != "two-phase"),
    ] {
        assert_eq!(verdict(&other, claim), NotMeasured);
        // And where it lies beside the one that says it, it does not turn it.
        assert_eq!(result(&[&other, &run], claim).verdict, Reproduced);
    }
    // Counts alone, of a solve that did not end, count nothing.
    let uncounted = edited(&run, |row| ended(row, Status::Skipped, "no compiler"));
    assert_eq!(verdict(&uncounted, claim), NotMeasured);
}

#[test]
fn v3_tiles_of_8_and_16_say_nothing_of_threads_a_block_with_tiles_of_32() {
    let claim = (LIKHODED, "threads-a-block");
    assert_eq!(verdict(&open(DEPTH), claim), NotMeasured);
    let run = invented(COUNTED, 0);
    assert_ne!(verdict(&run, claim), NotMeasured);
    for tile in ["kappa=2;tile=8", "kappa=2;tile=16"] {
        assert_eq!(verdict(&counted_as(&run, "generalized-blocked", Some(tile), None), claim), NotMeasured);
    }
}

#[test]
fn v4_counts_of_distances_of_another_type_are_of_something_else() {
    for element in [ElementType::U16, ElementType::I32] {
        let mut run = open(STRUCTURE);
        run.manifest.experiment.graphs[0].element = element;
        for row in judged(&[&run]) {
            assert!(!row.results[0].verdict.is_decided(), "{} {}", row.paper, row.id);
        }
        // Nor do they turn those that count.
        let counted = open(STRUCTURE);
        let alone: Vec<String> = judged(&[&counted]).iter().map(bytes).collect();
        run.folder.push("other");
        assert_eq!(judged(&[&counted, &run]).iter().map(bytes).collect::<Vec<_>>(), alone);
    }
}

#[test]
fn one_wrong_result_among_many_right_ones_is_a_wrong_result() {
    for (run, claim) in of_right_results() {
        // Whichever of the cells that the claim names.
        let cell = run.samples.iter().find(|row| match claim.0 {
            LIKHODED => row.params == "kappa=2" && row.n == 8192,
            LUND => row.implementation == "staged-load" && row.n == 500,
            _ => row.implementation == "register-blocked" && row.params.is_empty() && row.n == 1025,
        });
        let cell = cell.unwrap().cell();
        let wrong = edited(&run, |row| !(row.is_of(&cell) && row.sample == 0) || wrong_result(row));
        assert_eq!(verdict(&wrong, claim), Differs, "{claim:?}");
        // In one of two runs of a build it is as wrong.
        let mut again = run.clone();
        again.folder.push("again");
        assert_eq!(result(&[&again, &wrong], claim).verdict, Differs, "{claim:?}");
    }
}
