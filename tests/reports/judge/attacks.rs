//! Runs that were made to bring about a false verdict, under the names that they were found by. Those that only leave something out
//! (v5, v6, v8, v10, v11, and the stopped run) are laws; here is what no law takes away or adds.

use super::invented::invented;
use super::{
    ClaimId, GAIOSO, LIKHODED, LUND, all_bytes, edited, ended, judged, narrowed, open, result, verdict,
    wrong_result,
};
use crate::common::stored::{ABLATION, DEPTH, KAPPA, LIMITS, OCCUPANCY, SHAPES, STRUCTURE, TABLE1, TIMERS};
use repro::graph::ElementType;
use repro::judge::Verdict::{InPart, NotComparable, NotMeasured, Reproduced};
use repro::plan::{Column, GraphSource};
use repro::results::StoredRun;
use repro::store::{SampleRow, Status};

/// What counts κ and tiles on the emulated device.
const COUNTED: &str = "kappa-sweep --device emulated --sizes 256 --param kappa=1,2,4,8";
const NEGATIVE: &str = "h100/negative";
const SAME_RESULT: ClaimId = (LIKHODED, "same-result");
const THREADS: ClaimId = (LIKHODED, "threads-a-block");
const TWO_LAUNCHES: ClaimId = (GAIOSO, "two-launches");
const FASTEST: ClaimId = (LUND, "table1-staged-load");
const KK_OVER_HN: ClaimId = (LUND, "kk-over-hn");

/// Runs with a claim about right results.
fn of_right_results() -> [(StoredRun, ClaimId); 3] {
    [
        (open(KAPPA), SAME_RESULT),
        (invented("frontier", 0), ("takafuji-2020", "one-launch-right")),
        (open(NEGATIVE), (LUND, "negative-weights")),
    ]
}

/// A run with the counted cells of an implementation under other parameters or another n.
fn counted_as(run: &StoredRun, implementation: &str, params: Option<&str>, n: Option<usize>) -> StoredRun {
    let mut run = run.clone();
    for column in
        run.manifest.experiment.columns.iter_mut().filter(|one| one.implementation == implementation)
    {
        if let Some(params) = params {
            column.parameters = params.parse().unwrap();
        }
        column.count_sizes = n.map_or(column.count_sizes.clone(), |n| vec![n]);
    }
    for row in run.results.extra.counts.iter_mut().filter(|row| row.cell.implementation == implementation) {
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

/// A run in which one implementation ran so many iterations of k alone.
fn estimated(run: &StoredRun, implementation: &str, iterations: usize) -> StoredRun {
    edited(run, |row| {
        if row.implementation == implementation {
            row.iterations = Some(iterations);
        }
        true
    })
}

/// A run on graphs from another source.
fn on_graphs(run: &str, change: impl Fn(&mut GraphSource)) -> StoredRun {
    let mut run = open(run);
    run.manifest.experiment.graphs.iter_mut().for_each(|graph| change(&mut graph.source));
    run
}

/// κ = 512 does not fit n = 8192, and is skipped.
fn with_a_kappa_that_does_not_fit() -> StoredRun {
    let mut run = open(KAPPA);
    let mut too_large = run.manifest.experiment.columns[0].clone();
    (too_large.parameters, too_large.sizes) = ("kappa=512".parse().unwrap(), vec![8192]);
    run.manifest.experiment.columns.push(too_large);
    let mut skipped = run.samples.iter().find(|row| row.n == 8192).unwrap().clone();
    skipped.params = "kappa=512".to_string();
    ended(&mut skipped, Status::Skipped, "kappa = 512 is above the 256 tiles of n = 8192");
    let samples = run.samples.iter().cloned().chain([skipped]).collect();
    run.with_samples(samples)
}

/// Kernels of other tiles, of one tile, and not counted at all, which are not two launches.
fn counted_otherwise() -> [StoredRun; 3] {
    let run = open(STRUCTURE);
    [
        counted_as(&run, "two-phase", Some("tile=16"), None),
        counted_as(&run, "two-phase", None, Some(32)),
        narrowed(&run, |cell| cell.implementation != "two-phase"),
    ]
}

/// What was found, and a run that says nothing of a claim.
fn silent() -> Vec<(&'static str, StoredRun, ClaimId)> {
    let (kappa, structure, table1) = (open(KAPPA), open(STRUCTURE), open(TABLE1));
    let of_two = |row: &SampleRow| row.params == "kappa=2" && row.n == 8192;
    let last = kappa.samples.iter().filter(|row| of_two(row)).map(|row| row.sample).max();
    let timeout = edited(&kappa, |row| {
        !(of_two(row) && Some(row.sample) == last) || ended(row, Status::Timeout, "no answer")
    });
    let densities = on_graphs(OCCUPANCY, |source| {
        let GraphSource::Edges(edges) = source else { panic!("a graph without edges") };
        edges.edges_per_vertex = edges.edges_per_vertex.max(60);
    });
    let positive = table1.manifest.experiment.graphs[0].source.clone();
    let positive = on_graphs(NEGATIVE, |source| *source = positive.clone());
    let file = GraphSource::File { path: "roads.gr".into(), digest: String::new() };
    let from_file = on_graphs(NEGATIVE, |source| *source = file.clone());
    let tile = |tile| counted_as(&invented(COUNTED, 0), "generalized-blocked", Some(tile), None);
    let skipped = edited(&structure, |row| ended(row, Status::Skipped, ""));
    let estimate = estimated(&table1, "staged-load", 1);
    let one_tile = counted_as(&structure, "katz-kider", None, Some(32));
    let mut all = vec![
        ("v1: a cell that ended without a result", timeout, SAME_RESULT),
        ("v2: no solve ended", skipped, TWO_LAUNCHES),
        ("v3: tiles of 8 and 16", open(DEPTH), THREADS),
        ("v3: tiles of 8", tile("kappa=2;tile=8"), THREADS),
        ("v3: tiles of 16", tile("kappa=2;tile=16"), THREADS),
        ("v7: an estimate", estimate.clone(), FASTEST),
        ("v7: an estimate", estimate, (LUND, "staged-over-opt")),
        ("v9: graphs without negative weights", positive, (LUND, "negative-weights")),
        ("v9: graphs from a file", from_file, (LUND, "negative-weights")),
        ("v9: other densities", densities, (GAIOSO, "density-flat")),
        ("v11: one tile", one_tile, (LUND, "tiles-a-round")),
        ("no bank conflicts", table1, (LUND, "bank-conflicts-cost")),
        ("no bank conflicts", open(ABLATION), (LUND, "bank-conflicts-cost")),
    ];
    all.extend(counted_otherwise().map(|other| ("v2: counted of others", other, TWO_LAUNCHES)));
    all.extend([OCCUPANCY, LIMITS, TABLE1].map(|run| ("other blocks and sizes", open(run), KK_OVER_HN)));
    let statuses = [Status::Skipped, Status::Failed, Status::Timeout];
    for ((run, claim), status) in of_right_results().into_iter().zip(statuses) {
        let run = edited(&run, |row| ended(row, status, "the worker process ended with signal: 9"));
        all.push(("v1: what did not run", run, claim));
    }
    all
}

#[test]
fn no_run_says_more_than_it_carries() {
    for (name, run, claim) in silent() {
        assert_eq!(verdict(&run, claim), NotMeasured, "{name}: {claim:?}");
    }
    // What was attacked is otherwise decided.
    let killed = edited(&open(KAPPA), |row| row.sample != 0 || ended(row, Status::Failed, "signal: 9"));
    let partly = [(killed, SAME_RESULT), (with_a_kappa_that_does_not_fit(), SAME_RESULT)];
    for (run, claim) in of_right_results().into_iter().chain(partly).chain([(open(STRUCTURE), TWO_LAUNCHES)])
    {
        assert_eq!(verdict(&run, claim), Reproduced, "{claim:?}");
    }
    assert_eq!(verdict(&open(TIMERS), (LUND, "ten-operations")), NotComparable, "another GPU's figure");
    assert_ne!(verdict(&invented(COUNTED, 0), THREADS), NotMeasured);
    assert_ne!(verdict(&open(TABLE1), FASTEST), NotMeasured);
    // Where a claim asks for an estimate, it is what is asked for.
    let asked = estimated(&invented("over-cpu", 0), "cpu-naive", 128);
    assert_ne!(verdict(&asked, (GAIOSO, "over-cpu")), NotMeasured);
}

#[test]
fn what_lies_beside_the_run_that_carries_a_verdict_does_not_turn_it() {
    for other in counted_otherwise() {
        assert_eq!(result(&[&other, &open(STRUCTURE)], TWO_LAUNCHES).verdict, Reproduced);
    }
    let all = [OCCUPANCY, LIMITS, TABLE1, SHAPES].map(open);
    let together = result(&all.iter().collect::<Vec<_>>(), KK_OVER_HN);
    assert_eq!((together.verdict, together.runs), (InPart, vec!["block-shapes".to_string()]));
}

#[test]
fn v4_counts_of_distances_of_another_type_are_of_something_else() {
    for element in [ElementType::U16, ElementType::I32] {
        let mut run = open(STRUCTURE);
        run.manifest.experiment.graphs[0].element = element;
        for row in judged(&[&run]) {
            assert!(!row.results[0].verdict.is_decided(), "{} {}", row.paper, row.id);
        }
    }
}

#[test]
fn v9_a_user_kernel_that_is_wrong_skipped_or_slow_changes_no_verdict() {
    type Edit = fn(&mut SampleRow) -> bool;
    let skipped: Edit = |row| ended(row, Status::Skipped, "does not fit");
    let slow: Edit = |row| {
        row.seconds = row.seconds.map(|seconds| seconds * (1.0 + row.graph.len() as f64));
        true
    };
    for run in [NEGATIVE, OCCUPANCY].map(open) {
        let (alone, of) = (all_bytes(&[&run]), &run.samples[0]);
        for edit in [wrong_result as Edit, skipped, slow] {
            let mut with = run.clone();
            let column =
                Column { implementation: "mine".to_string(), sizes: vec![of.n], ..Column::default() };
            with.manifest.experiment.columns.push(column);
            let own =
                run.samples.iter().filter(|row| (row.n, &row.implementation) == (of.n, &of.implementation));
            let own = own.cloned().filter_map(|mut row| {
                (row.implementation, row.params) = ("mine".to_string(), String::new());
                edit(&mut row).then_some(row)
            });
            let samples = run.samples.iter().cloned().chain(own).collect();
            assert_eq!(all_bytes(&[&with.with_samples(samples)]), alone);
        }
    }
}
