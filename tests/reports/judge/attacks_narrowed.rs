//! Runs that were narrowed, or were run beside user kernels, and brought about a false verdict, under the names that they were found by.

use super::attacks::{NEGATIVE, counted_as};
use super::invented::invented;
use super::known::is_met;
use super::{
    ALL, GAIOSO, LIKHODED, LUND, POGORILYY, bytes, edited, ended, judged, narrowed, open, verdict,
    wrong_result,
};
use crate::common::stored::{KAPPA, OCCUPANCY, PHASES, RESIDENCY, SHAPES, STRUCTURE, TABLE1, WAITS};
use repro::judge::Verdict::{NotComparable, NotMeasured, Reproduced};
use repro::plan::Column;
use repro::published::Combine;
use repro::store::Status;

#[test]
fn v5_a_search_of_few_says_nothing_of_the_best() {
    let few =
        narrowed(&open(KAPPA), |cell| ["kappa=1", "kappa=192", "kappa=256"].contains(&cell.params.as_str()));
    assert_eq!(verdict(&few, (LIKHODED, "kappa-beats-classic")), NotMeasured);
    let shapes = narrowed(&open(SHAPES), |cell| {
        ["block-x=16;block-y=16", "block-x=8;block-y=8"].contains(&cell.params.as_str())
    });
    assert_eq!(verdict(&shapes, (GAIOSO, "hn-best-block")), NotMeasured);
    for run in ALL {
        assert_eq!(verdict(&open(run), (LUND, "ten-operations")), NotComparable, "{run}");
    }
}

#[test]
fn v6_one_sample_is_known_by_nobody() {
    let run = open(TABLE1);
    for sample in 0..3 {
        let one = edited(&run, |row| row.sample == sample);
        for row in judged(&[&one]) {
            assert!(!row.results[0].verdict.is_decided(), "{}: {:?}", row.id, row.results[0]);
        }
        let column = edited(&run, |row| row.implementation != "staged-load" || row.sample == sample);
        assert_eq!(verdict(&column, (LUND, "table1-staged-load")), NotMeasured);
    }
}

#[test]
fn v7_an_estimate_counts_as_no_solve() {
    let run = open(TABLE1);
    let claim = (LUND, "table1-staged-load");
    assert_eq!(verdict(&run, claim), Reproduced);
    let estimated = edited(&run, |row| {
        if row.implementation == "staged-load" {
            row.iterations = Some(1);
        }
        true
    });
    assert_eq!(verdict(&estimated, claim), NotMeasured);
    assert_eq!(verdict(&estimated, (LUND, "staged-over-opt")), NotMeasured);
    // Where a claim asks for one, it is what is asked for.
    let asked = invented("over-cpu", 0);
    let asked = edited(&asked, |row| {
        if row.implementation == "cpu-naive" {
            row.iterations = Some(128);
        }
        true
    });
    assert_ne!(verdict(&asked, (GAIOSO, "over-cpu")), NotMeasured);
}

#[test]
fn v8_other_parameters_do_not_stand_for_the_papers() {
    let waits = narrowed(&open(WAITS), |cell| cell.params.contains("synchronize=1"));
    let padded = narrowed(&open(RESIDENCY), |cell| cell.params.contains("padding-kib=215"));
    let small =
        narrowed(&open(SHAPES), |cell| cell.params.is_empty() || cell.params == "block-x=8;block-y=8");
    let rolled = narrowed(&open(PHASES), |cell| !cell.params.contains("unrolled=1"));
    for (run, claim) in [
        (&waits, (POGORILYY, "unsynced-configuration")),
        (&waits, (POGORILYY, "synchronization-costs")),
        (&padded, (LUND, "blocks-hide-latency")),
        (&padded, (LUND, "staged-over-opt-as-resident")),
        (&small, (LUND, "kk-over-hn")),
        (&small, (GAIOSO, "hn-best-block")),
        (&rolled, (GAIOSO, "scales")),
        (&rolled, (GAIOSO, "over-hn-16384")),
    ] {
        assert_eq!(verdict(run, claim), NotMeasured, "{claim:?}");
    }
}

#[test]
fn v8_a_later_narrowed_run_turns_nothing_of_those_that_are_whole() {
    let whole = open(TABLE1);
    let alone = judged(&[&whole]);
    for kept in [4096, 16384] {
        let mut later = narrowed(&whole, |cell| cell.n == kept);
        later.folder.push("later");
        later.manifest.started = "2031-01-01T00:00:00Z".to_string();
        let part = judged(&[&later]);
        for ((before, after), part) in alone.iter().zip(judged(&[&whole, &later])).zip(&part) {
            if is_met(before) && !is_met(part) {
                assert_eq!(bytes(before), bytes(&after));
            }
        }
    }
}

#[test]
fn v9_others_do_not_answer_for_the_paper() {
    let claim = (LUND, "negative-weights");
    let on_cpu = narrowed(&open(NEGATIVE), |cell| cell.implementation == "cpu-naive");
    assert_eq!(verdict(&on_cpu, claim), NotMeasured);
    // Nor do graphs without negative weights.
    let mut positive = open(NEGATIVE);
    let other = open(TABLE1).manifest.experiment.graphs[0].source.clone();
    positive.manifest.experiment.graphs.iter_mut().for_each(|graph| graph.source = other.clone());
    assert_eq!(verdict(&positive, claim), NotMeasured);
    // A user kernel that is wrong, skipped, or takes longer on some graphs.
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
fn v10_one_size_is_no_mean_and_no_share() {
    // What is combined over other things than sizes may need one alone.
    let combined = |row: &repro::judge::ClaimRow| {
        row.tests.iter().any(|test| test.combine != Combine::Each && test.all_sizes().len() > 1)
    };
    let mut tried = 0;
    for command in super::invented::commands() {
        let run = invented(&command, 0);
        let papers = super::invented::papers_of(&command);
        let whole = super::judged_of(&papers, &[&run]);
        for (at, before) in whole.iter().enumerate().filter(|(_, row)| combined(row) && is_met(row)) {
            for n in before.tests[0].all_sizes() {
                let one = narrowed(&run, |cell| cell.n == n);
                let after = &super::judged_of(&papers, &[&one])[at].results[0];
                assert_eq!(after.verdict, NotMeasured, "{} at n = {n}", before.id);
                tried += 1;
            }
        }
    }
    assert!(tried > 10, "{tried}");
}

/// Every claim that is of several sizes needs all of them.
#[test]
fn v10_one_size_of_several_decides_nothing() {
    for run in [TABLE1, KAPPA, PHASES, SHAPES, OCCUPANCY] {
        let run = open(run);
        for n in [4096, 8192] {
            for row in judged(&[&narrowed(&run, |cell| cell.n == n)]) {
                let several = row.tests.iter().any(|test| test.all_sizes().len() > 1);
                assert!(!several || !row.results[0].verdict.is_decided(), "{} at {n}", row.id);
            }
        }
    }
}

#[test]
fn v11_sizes_below_those_of_the_paper_decide_nothing() {
    let small = edited(&open(TABLE1), |row| {
        row.n = 500;
        true
    });
    let mut small = narrowed(&small, |_| true);
    small.manifest.experiment.columns.iter_mut().for_each(|column| column.sizes = vec![500]);
    for row in judged(&[&small]) {
        assert!(!row.results[0].verdict.is_decided(), "{}: {:?}", row.id, row.results[0]);
    }
    // One tile has one launch a round.
    let one_tile = counted_as(&open(STRUCTURE), "katz-kider", None, Some(32));
    assert_eq!(verdict(&one_tile, (LUND, "tiles-a-round")), NotMeasured);
}

#[test]
fn v12_what_follows_from_arithmetic_alone_is_decided_by_no_run() {
    for run in ALL {
        assert_eq!(verdict(&open(run), (LUND, "rows-of-16")), NotMeasured, "{run}");
    }
}
