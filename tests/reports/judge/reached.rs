//! Each verdict can come about, and a number that changes changes it.

use super::invented::invented;
use super::{GAIOSO, LUND, POGORILYY, edited, open, result, verdict};
use crate::common::stored::{RESIDENCY, STRUCTURE, TABLE1};
use repro::device::emulated::Counts;
use repro::judge::Verdict::{
    self, Ambiguous, Differs, Exceeds, FailsWhereDecided, InPart, NotComparable, NotMeasured, Reproduced,
};
use repro::results::StoredRun;
use std::collections::BTreeSet;

type ClaimId = (&'static str, &'static str);

/// The kernel of most tiles.
const REST: &str = "doubly_dependent";

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

/// What the comparisons of a claim are.
fn figures(run: &StoredRun, claim: ClaimId) -> Vec<f64> {
    result(&[run], claim).points.iter().map(|point| point.measured.value).collect()
}

/// The run in which Staged Load gains as much with four blocks resident, and with as many warps, as with eight blocks.
fn alike(run: &StoredRun, claim: ClaimId) -> StoredRun {
    let [eight, four, warps] = figures(run, claim)[..] else { panic!("three comparisons") };
    let run = slower(run, "staged-load", ANY, "padding-kib=55", four / eight);
    slower(&run, "optimized-blocked", ANY, "padding-kib=44", eight / warps)
}

#[test]
fn every_verdict_is_reached_by_a_change_of_times() {
    let (table1, residency) = (open(TABLE1), open(RESIDENCY));
    let (phases, timers) = (invented("phases-unrolling", 0), invented("launch-load", 0));
    let ratio = (LUND, "staged-over-opt-as-resident");
    let residency = alike(&residency, ratio);
    let measured = figures(&residency, ratio)[0];
    let apart = |one: f64, other: f64| {
        let run = slower(&residency, "optimized-blocked", ANY, "padding-kib=215", one / measured);
        slower(&run, "optimized-blocked", ANY, "padding-kib=44", other / measured)
    };
    let to = |ratio: f64| apart(ratio, ratio);
    let order = (LUND, "table1-staged-load");
    let one = |n| slower(&table1, "staged-load", n, "", 20.0);
    let over_cpu = (POGORILYY, "gpu-over-cpu-everything");
    let cases = [
        (to(2.4), ratio, Reproduced),
        (to(2.55), ratio, Ambiguous),
        (to(9.0), ratio, Differs),
        (apart(2.55, 9.0), ratio, FailsWhereDecided),
        (apart(2.55, 2.4), ratio, Ambiguous),
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
    assert_eq!(reached, Verdict::all().collect());
}

#[test]
fn a_count_that_changes_changes_the_verdict() {
    type Edit = fn(&mut Counts);
    let cases: [(ClaimId, &str, &str, Edit, Verdict); 7] = [
        ((LUND, "smem-kk"), "katz-kider", REST, |of| of.shared_bytes += 4, Differs),
        ((LUND, "blocks-kk"), "katz-kider", REST, |of| of.shared_bytes = 4096, Differs),
        ((LUND, "smem-cut"), "katz-kider", REST, |of| of.shared_bytes *= 2, InPart),
        ((LUND, "bank-tiled"), "staged-plain-order", REST, |of| of.shared_load.banks_16.worst = 3, Differs),
        ((LUND, "tiled-coalesced"), "staged-load", REST, |of| of.global_load.sectors *= 2, Differs),
        ((GAIOSO, "two-launches"), "two-phase", "phase_one", |of| of.launches += 1, InPart),
        ((GAIOSO, "occupancy"), "two-phase", "phase_one", |of| of.threads /= 2, InPart),
    ];
    for (claim, implementation, kernel, edit, expected) in cases {
        let mut run = open(STRUCTURE);
        assert_eq!(verdict(&run, claim), Reproduced, "{claim:?}");
        let rows = run.results.extra.counts.iter_mut();
        let rows = rows.filter(|row| row.cell.implementation == implementation && row.kernel == kernel);
        rows.for_each(|row| edit(&mut row.counts));
        assert_eq!(verdict(&run, claim), expected, "{claim:?}");
    }
}
