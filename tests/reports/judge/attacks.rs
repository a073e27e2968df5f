//! Runs that were made to bring about a false verdict, under the names that they were found by. Those that only leave something out
//! (v5, v6, v8, v10, v11, and the stopped run) are laws; here is what no law takes away or adds.

use super::invented::invented;
use super::{
    ALL, GAIOSO, LIKHODED, LUND, bytes, edited, ended, judged, narrowed, open, result, verdict, wrong_result,
};
use crate::common::stored::{ABLATION, DEPTH, KAPPA, LIMITS, OCCUPANCY, SHAPES, STRUCTURE, TABLE1, TIMERS};
use repro::graph::ElementType;
use repro::judge::Verdict::{self, InPart, NotComparable, NotMeasured, Reproduced};
use repro::judge::{NoVerdictReason, Unit};
use repro::plan::{Column, GraphSource};
use repro::results::StoredRun;
use repro::store::{SampleRow, Status};

type ClaimId = (&'static str, &'static str);

/// What counts κ and tiles on the emulated device.
const COUNTED: &str = "kappa-sweep --device emulated --sizes 256 --param kappa=1,2,4,8";
const NEGATIVE: &str = "h200/negative";

/// Runs with a claim about right results.
fn of_right_results() -> [(StoredRun, ClaimId); 3] {
    [
        (open(KAPPA), (LIKHODED, "same-result")),
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

/// As `--sizes 8192` plans κ: 512 does not fit that n, and is skipped.
fn with_a_kappa_that_does_not_fit() -> StoredRun {
    let mut run = narrowed(&open(KAPPA), |cell| [8192, 16384].contains(&cell.n));
    for column in &mut run.manifest.experiment.columns {
        column.sizes.retain(|n| *n == 8192);
    }
    let mut too_large = run.manifest.experiment.columns[0].clone();
    too_large.parameters = "kappa=512".parse().unwrap();
    run.manifest.experiment.columns.push(too_large);
    let run = edited(&run, |row| {
        if row.n == 16384 && row.params == "kappa=1" {
            (row.n, row.params) = (8192, "kappa=512".to_string());
            return ended(row, Status::Skipped, "kappa = 512 is above the 256 tiles of n = 8192")
                && row.sample == 0;
        }
        row.n == 8192
    });
    assert!(run.samples.iter().any(|row| row.status == Status::Skipped));
    run
}

/// What was found, the run, and what it says of a claim.
fn attacks() -> Vec<(&'static str, StoredRun, ClaimId, Verdict)> {
    let (kappa, structure, table1) = (open(KAPPA), open(STRUCTURE), open(TABLE1));
    let same_result = (LIKHODED, "same-result");
    let two_launches = (GAIOSO, "two-launches");
    let killed = |row: &mut SampleRow| row.sample != 0 || ended(row, Status::Failed, "signal: 9 (SIGKILL)");
    let of_two = |row: &SampleRow| row.params == "kappa=2" && row.n == 8192;
    let last = kappa.samples.iter().filter(|row| of_two(row)).map(|row| row.sample).max();
    let timeout = |row: &mut SampleRow| {
        !(of_two(row) && Some(row.sample) == last) || ended(row, Status::Timeout, "no answer")
    };
    let other_densities = on_graphs(OCCUPANCY, |source| {
        let GraphSource::Edges(edges) = source else { panic!("a graph without edges") };
        edges.edges_per_vertex = edges.edges_per_vertex.max(60);
    });
    let positive = table1.manifest.experiment.graphs[0].source.clone();
    let file = GraphSource::File { path: "roads.gr".into(), digest: String::new() };
    let tile = |tile| counted_as(&invented(COUNTED, 0), "generalized-blocked", Some(tile), None);
    let mut all = vec![
        ("v1: killed before its cell was measured right", edited(&kappa, killed), same_result, Reproduced),
        ("v1: a cell that ended without a result", edited(&kappa, timeout), same_result, NotMeasured),
        ("v1: a κ that does not fit", with_a_kappa_that_does_not_fit(), same_result, Reproduced),
        ("as it is", structure.clone(), two_launches, Reproduced),
        (
            "v2: no solve ended",
            edited(&structure, |row| ended(row, Status::Skipped, "")),
            two_launches,
            NotMeasured,
        ),
        ("v3: tiles of 8 and 16", open(DEPTH), (LIKHODED, "threads-a-block"), NotMeasured),
        ("v3: tiles of 8", tile("kappa=2;tile=8"), (LIKHODED, "threads-a-block"), NotMeasured),
        ("v3: tiles of 16", tile("kappa=2;tile=16"), (LIKHODED, "threads-a-block"), NotMeasured),
        ("as it is", table1.clone(), (LUND, "table1-staged-load"), Reproduced),
        ("v7: an estimate", estimated(&table1, "staged-load", 1), (LUND, "table1-staged-load"), NotMeasured),
        ("v7: an estimate", estimated(&table1, "staged-load", 1), (LUND, "staged-over-opt"), NotMeasured),
        (
            "v9: graphs without negative weights",
            on_graphs(NEGATIVE, |source| *source = positive.clone()),
            (LUND, "negative-weights"),
            NotMeasured,
        ),
        (
            "v9: graphs from a file",
            on_graphs(NEGATIVE, |source| *source = file.clone()),
            (LUND, "negative-weights"),
            NotMeasured,
        ),
        ("v9: other densities", other_densities, (GAIOSO, "density-flat"), NotMeasured),
        (
            "v11: one tile",
            counted_as(&structure, "katz-kider", None, Some(32)),
            (LUND, "tiles-a-round"),
            NotMeasured,
        ),
        ("no bank conflicts", table1.clone(), (LUND, "bank-conflicts-cost"), NotMeasured),
        ("no bank conflicts", open(ABLATION), (LUND, "bank-conflicts-cost"), NotMeasured),
        ("another GPU's figure", open(TIMERS), (LUND, "ten-operations"), NotComparable),
    ];
    for other in counted_otherwise() {
        all.push(("v2: counted of others", other, two_launches, NotMeasured));
    }
    for run in [OCCUPANCY, LIMITS, TABLE1] {
        all.push(("other blocks and sizes", open(run), (LUND, "kk-over-hn"), NotMeasured));
    }
    for (run, claim) in of_right_results() {
        for status in [Status::Skipped, Status::Failed, Status::Timeout] {
            let message = "the worker process ended with signal: 9 (SIGKILL)";
            let run = edited(&run, |row| ended(row, status, message));
            all.push(("v1: what did not run", run, claim, NotMeasured));
        }
        all.push(("as it is", run, claim, Reproduced));
    }
    all
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

#[test]
fn no_run_says_more_than_it_carries() {
    for (name, run, claim, expected) in attacks() {
        assert_eq!(verdict(&run, claim), expected, "{name}: {claim:?}");
    }
    // What was attacked is otherwise decided.
    assert_ne!(verdict(&invented(COUNTED, 0), (LIKHODED, "threads-a-block")), NotMeasured);
    // Where a claim asks for an estimate, it is what is asked for.
    let asked = estimated(&invented("over-cpu", 0), "cpu-naive", 128);
    assert_ne!(verdict(&asked, (GAIOSO, "over-cpu")), NotMeasured);
}

#[test]
fn what_lies_beside_the_run_that_carries_a_verdict_does_not_turn_it() {
    for other in counted_otherwise() {
        assert_eq!(result(&[&other, &open(STRUCTURE)], (GAIOSO, "two-launches")).verdict, Reproduced);
    }
    let all = [OCCUPANCY, LIMITS, TABLE1, SHAPES].map(open);
    let together = result(&all.iter().collect::<Vec<_>>(), (LUND, "kk-over-hn"));
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
        // Nor do they turn those that count.
        let counted = open(STRUCTURE);
        let alone: Vec<String> = judged(&[&counted]).iter().map(bytes).collect();
        run.folder.push("other");
        assert_eq!(judged(&[&counted, &run]).iter().map(bytes).collect::<Vec<_>>(), alone);
    }
}

#[test]
fn v9_a_user_kernel_that_is_wrong_skipped_or_slow_changes_no_verdict() {
    for run in [NEGATIVE, "h200/densities", OCCUPANCY, KAPPA] {
        let run = open(run);
        let alone: Vec<String> = judged(&[&run]).iter().map(bytes).collect();
        for what in 0..3 {
            let mut with = run.clone();
            let n = run.samples[0].n;
            with.manifest.experiment.columns.push(Column {
                implementation: "mine".to_string(),
                sizes: vec![n],
                ..Column::default()
            });
            let mut samples = run.samples.clone();
            let own = run
                .samples
                .iter()
                .filter(|row| row.n == n && row.implementation == run.samples[0].implementation);
            samples.extend(own.cloned().filter_map(|mut row| {
                (row.implementation, row.params) = ("mine".to_string(), String::new());
                let keep = match what {
                    0 => wrong_result(&mut row),
                    1 => ended(&mut row, Status::Skipped, "does not fit"),
                    _ => {
                        row.seconds = row.seconds.map(|seconds| seconds * (1.0 + row.graph.len() as f64));
                        true
                    }
                };
                keep.then_some(row)
            }));
            let with = with.with_samples(samples);
            assert_eq!(judged(&[&with]).iter().map(bytes).collect::<Vec<_>>(), alone, "{what}");
        }
    }
}

#[test]
fn v12_what_follows_from_arithmetic_or_is_possible_at_best_is_decided_by_no_run() {
    for run in ALL.map(open) {
        assert_eq!(verdict(&run, (LUND, "rows-of-16")), NotMeasured, "{}", run.name());
        assert_eq!(verdict(&run, (LUND, "ten-operations")), NotComparable, "{}", run.name());
    }
}

/// What was published and what was measured of a claim have one unit, and a figure of another GPU has none that is shown here.
#[test]
fn a_comparison_is_of_figures_in_one_unit() {
    use repro::published::Unit as Published;
    for id in ["hn-flops", "kk-flops", "staged-flops"] {
        let result = result(&[&open(TABLE1)], (LUND, id));
        assert!(matches!(result.lack, Some(NoVerdictReason::Incomparable(_))), "{id}");
        assert!(result.points.is_empty() && result.shown.is_none(), "{id}");
    }
    let runs: Vec<StoredRun> = ALL.iter().map(|run| open(run)).collect();
    let mut compared = 0;
    for row in judged(&runs.iter().collect::<Vec<_>>()) {
        let (Some(published), result) = (row.unit, &row.results[0]) else { continue };
        let by_number = row.tests.iter().any(|test| {
            test.at_least.or(test.at_most).or(test.exactly).is_none() && test.polynomial.is_none()
        });
        if by_number && result.verdict.is_decided() {
            let same = matches!(
                (published, result.unit),
                (Published::Times, Unit::Times)
                    | (Published::Bytes, Unit::Bytes)
                    | (Published::Blocks, Unit::Blocks)
                    | (Published::Ways, Unit::Ways)
                    | (Published::Percent, Unit::Percent)
            );
            assert!(same, "{} {}: {:?} and {:?}", row.paper, row.id, published, result.unit);
            compared += 1;
        }
    }
    assert!(compared > 10, "{compared}");
}
