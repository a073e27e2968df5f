//! Each verdict can come about, and a number that changes changes it; runs of other builds agree with it or contradict it.

use super::invented::invented;
use super::{GAIOSO, LIKHODED, LUND, POGORILYY, edited, ended, narrowed, open, result, verdict};
use crate::common::stored::{KAPPA, OCCUPANCY, RESIDENCY, SHAPES, STRUCTURE, TABLE1};
use repro::judge::Verdict::{
    self, Ambiguous, Differs, Exceeds, InPart, NotComparable, NotMeasured, Reproduced,
};
use repro::judge::{Lack, Missing};
use repro::plan::GraphSource;
use repro::results::StoredRun;
use repro::store::{CountRow, SampleRow, Status};
use std::collections::BTreeSet;

type ClaimId = (&'static str, &'static str);

/// The seconds of an implementation, at these n, with these words in its parameters, so many times as long.
fn slower(
    run: &StoredRun,
    of: &str,
    n: std::ops::RangeInclusive<usize>,
    with: &str,
    times: f64,
) -> StoredRun {
    let mut found = false;
    let edited = edited(run, |row| {
        let params = row.params.split(';').any(|one| one == with) || with.is_empty();
        if row.implementation == of && n.contains(&row.n) && params {
            found = true;
            row.seconds = row.seconds.map(|seconds| seconds * times);
        }
        true
    });
    assert!(found, "no sample of {of} {with}");
    edited
}

const ANY: std::ops::RangeInclusive<usize> = 0..=usize::MAX;

/// What the comparisons of a claim are, lowest first.
fn figures(run: &StoredRun, claim: ClaimId) -> Vec<f64> {
    let mut all: Vec<f64> = result(&[run], claim).points.iter().map(|point| point.measured.value).collect();
    all.sort_by(f64::total_cmp);
    all
}

/// The run in which Staged Load gains as much with four blocks resident as with eight.
fn alike(run: &StoredRun, claim: ClaimId) -> StoredRun {
    let [four, eight] = figures(run, claim)[..] else { panic!("two comparisons") };
    slower(run, "staged-load", ANY, "padding-kib=55", four / eight)
}

#[test]
fn every_verdict_is_reached_by_a_change_of_times() {
    let (table1, residency) = (open(TABLE1), open(RESIDENCY));
    let (phases, timers) = (invented("phases-unrolling", 0), invented("launch-load", 0));
    let ratio = (LUND, "staged-over-opt-as-resident");
    let residency = alike(&residency, ratio);
    let measured = figures(&residency, ratio)[0];
    let to = |ratio: f64| slower(&residency, "optimized-blocked", ANY, "padding-kib=215", ratio / measured);
    let order = (LUND, "table1-staged-load");
    let one = |n| slower(&table1, "staged-load", n, "", 20.0);
    let over_cpu = (POGORILYY, "gpu-over-cpu-everything");
    let cases = [
        (to(2.4), ratio, Reproduced),
        (to(2.55), ratio, Ambiguous),
        (to(9.0), ratio, Differs),
        (one(ANY), order, Differs),
        (one(8192..=8192), order, InPart),
        // What slows both down changes no order.
        (slower(&one(ANY), "optimized-blocked", ANY, "", 20.0), order, Reproduced),
        (slower(&timers, "cpu-naive", ANY, "", 1e6), over_cpu, Exceeds),
        (slower(&timers, "cpu-naive", ANY, "", 1e-6), over_cpu, Differs),
        (slower(&phases, "staged-load", ANY, "", 1e4), (GAIOSO, "rivals-the-best"), Reproduced),
        (edited(&table1, |row| row.implementation != "staged-load"), order, NotMeasured),
        (table1.clone(), (LUND, "staged-16384"), NotComparable),
    ];
    let mut reached = BTreeSet::new();
    for (run, claim, expected) in cases {
        let found = result(&[&run], claim);
        assert_eq!(found.verdict, expected, "{claim:?}: {found:?}");
        reached.insert(expected);
    }
    assert_eq!(reached, BTreeSet::from(Verdict::ALL));
}

#[test]
fn a_figure_of_the_papers_gpu_is_judged_on_that_gpu_alone() {
    let mut run = open(TABLE1);
    let claim = (LUND, "hn-rate");
    let shown = result(&[&run], claim);
    assert!(shown.shown.is_some() && shown.points.is_empty());
    let device = run.manifest.environment.as_mut().unwrap().device.as_mut().unwrap();
    device.info.name = "NVIDIA Tesla C1060".to_string();
    assert_eq!(verdict(&run, claim), Differs);
    let measured = figures(&run, claim)[0];
    let as_published = slower(&run, "harish-narayanan", 4096..=4096, "", measured / 2.6e9);
    assert_eq!(verdict(&as_published, claim), Reproduced);
}

fn counted(edit: impl Fn(&mut CountRow)) -> StoredRun {
    let mut run = open(STRUCTURE);
    run.results.counts.iter_mut().for_each(edit);
    run
}

#[test]
fn a_count_that_changes_changes_the_verdict() {
    let of = |row: &CountRow, implementation: &str, kernel: &str| {
        row.cell.implementation == implementation && row.kernel == kernel
    };
    type Edit = fn(&mut CountRow);
    let cases: [(ClaimId, &str, &str, Edit, Verdict); 7] = [
        ((LUND, "smem-kk"), "katz-kider", "doubly_dependent", |row| row.counts.shared_bytes += 4, Differs),
        (
            (LUND, "blocks-kk"),
            "katz-kider",
            "doubly_dependent",
            |row| row.counts.shared_bytes = 4096,
            Differs,
        ),
        ((LUND, "smem-cut"), "katz-kider", "doubly_dependent", |row| row.counts.shared_bytes *= 2, InPart),
        (
            (LUND, "bank-tiled"),
            "staged-plain-order",
            "doubly_dependent",
            |row| row.counts.shared_load.banks_16.worst = 3,
            Differs,
        ),
        (
            (LUND, "tiled-coalesced"),
            "staged-load",
            "doubly_dependent",
            |row| row.counts.global_load.sectors *= 2,
            Differs,
        ),
        ((GAIOSO, "two-launches"), "two-phase", "phase_one", |row| row.counts.launches += 1, InPart),
        ((GAIOSO, "occupancy"), "two-phase", "phase_one", |row| row.counts.threads /= 2, InPart),
    ];
    for (claim, implementation, kernel, edit, expected) in cases {
        assert_eq!(verdict(&open(STRUCTURE), claim), Reproduced, "{claim:?}");
        let run = counted(|row| {
            if of(row, implementation, kernel) {
                edit(row);
            }
        });
        assert_eq!(verdict(&run, claim), expected, "{claim:?}");
    }
}

#[test]
fn a_time_or_a_launch_by_kernel_that_changes_changes_the_verdict() {
    let run = open(OCCUPANCY);
    let claim = (LUND, "doubly-decides");
    assert_eq!(verdict(&run, claim), Reproduced);
    let mut other = run.clone();
    for row in other.results.kernel_times.iter_mut().filter(|row| row.kernel == "doubly_dependent") {
        row.seconds *= 1e-3;
    }
    assert_eq!(verdict(&other, claim), Differs);
    // Times by kernel of solves whose ends nobody saw are of nothing.
    let unended = edited(&run, |row| {
        row.implementation != "katz-kider" || ended(row, Status::Skipped, "stopped before it")
    });
    assert!(!unended.results.kernel_times.is_empty());
    assert_eq!(verdict(&unended, claim), NotMeasured);
    let mut run = open(KAPPA);
    let claim = (LIKHODED, "kappa-traffic");
    assert_eq!(verdict(&run, claim), Reproduced);
    for row in run.results.kernel_times.iter_mut().filter(|row| row.params == "kappa=256") {
        row.loaded_bytes = Some(u64::MAX / 8);
    }
    assert_eq!(verdict(&run, claim), InPart);
}

#[test]
fn graphs_that_take_longer_are_seen() {
    let run = open(OCCUPANCY);
    let claim = (GAIOSO, "density-flat");
    let one = edited(&run, |row| {
        if row.implementation == "two-phase" && row.graph == "m=600n" {
            row.seconds = row.seconds.map(|seconds| seconds * 1.2);
        }
        true
    });
    assert_eq!([verdict(&run, claim), verdict(&one, claim)], [Reproduced, InPart]);
    let two_graphs = edited(&run, |row| row.graph != "m=6n");
    assert_eq!(verdict(&two_graphs, claim), NotMeasured);
    // Nor where no third one was planned.
    let planned = narrowed(&run, |cell| cell.graph != "m=6n");
    assert_eq!(verdict(&planned, claim), NotMeasured);
}

#[test]
fn as_many_graphs_of_other_densities_are_no_evidence_of_those_that_are_asked_for() {
    let mut run = open(OCCUPANCY);
    for graph in &mut run.manifest.experiment.graphs {
        let GraphSource::Edges(edges) = &mut graph.source else { panic!("{} has no edges", graph.name) };
        edges.edges_per_vertex = edges.edges_per_vertex.max(60);
    }
    assert_eq!(verdict(&run, (GAIOSO, "density-flat")), NotMeasured);
}

#[test]
fn a_graph_from_a_file_is_not_taken_for_one_with_negative_weights() {
    let mut run = open("h200/negative");
    let claim = (LUND, "negative-weights");
    assert_eq!(verdict(&run, claim), Reproduced);
    for graph in &mut run.manifest.experiment.graphs {
        graph.source = GraphSource::File { path: "roads.gr".into(), digest: String::new() };
    }
    assert_eq!(verdict(&run, claim), NotMeasured);
}

/// A run as if made by another build, or later by its own.
fn again(run: &StoredRun, name: &str, commit: Option<&str>) -> StoredRun {
    let mut run = run.clone();
    run.folder = run.folder.with_file_name(name);
    if let Some(commit) = commit {
        run.manifest.build.commit = commit.to_string();
    }
    run
}

#[test]
fn runs_of_another_build_agree_or_make_ambiguous_with_both_numbers() {
    let run = open(SHAPES);
    let claim = (GAIOSO, "hn-best-block");
    let first = slower(&run, "harish-narayanan", ANY, "block-x=16", 0.2);
    assert_eq!(verdict(&first, claim), Reproduced);
    let agrees = again(&first, "agrees", Some("another"));
    let both = result(&[&first, &agrees], claim);
    assert_eq!((both.verdict, both.others.len()), (Reproduced, 1));
    assert_eq!(both.others[0].verdict, Reproduced);
    let contradicts =
        again(&slower(&run, "harish-narayanan", ANY, "block-x=16", 50.0), "contradicts", Some("another"));
    let both = result(&[&first, &contradicts], claim);
    assert_eq!((both.verdict, both.others.len()), (Ambiguous, 1));
    let verdicts = BTreeSet::from([both.others[0].verdict, verdict(&first, claim)]);
    assert!(both.others[0].least < both.others[0].most && verdicts.contains(&Reproduced));
}

#[test]
fn runs_of_one_build_are_one_with_an_interval_that_holds_both() {
    let run = open(RESIDENCY);
    let claim = (LUND, "staged-over-opt-as-resident");
    let run = alike(&run, claim);
    let measured = figures(&run, claim)[0];
    let to = |ratio: f64| slower(&run, "optimized-blocked", ANY, "padding-kib=215", ratio / measured);
    // Whichever of them came first.
    for (first, second) in [(2.4, 2.8), (2.8, 2.4)] {
        let (first, mut second) = (to(first), again(&to(second), "later", None));
        second.manifest.started = "2031-01-01T00:00:00Z".to_string();
        let both = result(&[&first, &second], claim);
        assert_eq!((both.verdict, both.runs.len(), both.others.len()), (Ambiguous, 2, 0));
        let measured = both.points[0].measured;
        assert!(measured.low < 2.4 && measured.high > 2.8 && (measured.value - 2.6).abs() < 0.01);
    }
    // With uncommitted changes nobody knows whether they are one.
    let [mut first, mut second] = [to(2.4), again(&to(2.4), "later", None)];
    (first.manifest.build.dirty, second.manifest.build.dirty) = (true, true);
    let both = result(&[&first, &second], claim);
    assert_eq!((both.verdict, both.runs.len(), both.others.len()), (Reproduced, 1, 1));
}

#[test]
fn where_another_number_of_blocks_was_resident_it_is_another_contender() {
    let claim = (LUND, "blocks-hide-latency");
    let mut run = open(RESIDENCY);
    assert_eq!(verdict(&run, claim), Reproduced);
    let environment = run.manifest.environment.as_mut().unwrap();
    let padded = environment.implementations.iter_mut().filter(|one| one.params == "padding-kib=215");
    for kernel in padded.flat_map(|one| &mut one.kernels) {
        kernel.resources.resident_blocks = 2;
    }
    let result = result(&[&run], claim);
    assert_eq!(result.verdict, NotMeasured);
    let Some(Lack::Needs { gaps, .. }) = result.lack else { panic!("it needs one block") };
    assert!(gaps.iter().any(|gap| gap.why == Missing::Resident { has: Some(2), needs: 1 }), "{gaps:?}");
}

#[test]
fn one_kappa_that_is_faster_is_not_several() {
    let run = open(KAPPA);
    let claim = (LIKHODED, "kappa-beats-classic");
    let fast = |kappas: &[&str]| {
        let slow = |row: &SampleRow| row.params != "kappa=1" && !kappas.contains(&row.params.as_str());
        let edited = edited(&run, |row| {
            let factor = if slow(row) { 10.0 } else { 1.0 };
            row.seconds = row.seconds.map(|seconds| seconds * factor);
            true
        });
        verdict(&edited, claim)
    };
    assert_eq!([fast(&["kappa=4"]), fast(&["kappa=4", "kappa=8"])], [Differs, Reproduced]);
}
