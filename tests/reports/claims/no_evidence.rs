//! What was not run, did not reach its end or was cut short says nothing of the results.

use super::{GAIOSO, LIKHODED, LUND, paper};
use crate::common::stored::{self, KAPPA, Row, STRUCTURE, edit_manifest, edit_rows, fail};
use repro::claims::Verdict::{Differs, InPart, NotMeasured, Reproduced};
use repro::claims::{Evidence, Verdict, evaluate};
use repro::results::StoredRun;
use std::collections::BTreeMap;
use std::path::Path;

const NEGATIVE: &str = "h200/negative";
const OVER_CPU: &str = "h200/over-cpu";

/// The verdict of a claim by these runs as those of one machine, timed and counted.
fn verdict(of: &str, id: &str, runs: &[&StoredRun]) -> Verdict {
    let rows = evaluate(&[paper(of)], &[Evidence::new("GPU", runs, runs)]);
    rows.iter().find(|row| row.id == id).unwrap_or_else(|| panic!("no claim {id}")).results[0].verdict
}

/// The verdict of a claim by a run whose files `edit` has changed.
fn with(run: &str, (of, id): (&str, &str), edit: impl FnOnce(&Path)) -> Verdict {
    let folder = tempfile::tempdir().unwrap();
    stored::copy(run, folder.path());
    edit(folder.path());
    verdict(of, id, &[&StoredRun::open(folder.path()).unwrap()])
}

/// The same with these samples changed.
fn with_samples(run: &str, claim: (&str, &str), edit: impl FnMut(&mut Row) -> bool) -> Verdict {
    with(run, claim, |folder| {
        edit_rows(&folder.join("samples.csv"), edit);
    })
}

/// Makes a sample one without a result, of this status.
fn without_result(row: &mut Row, status: &str) -> bool {
    let keep = fail(row, "the worker process ended with signal: 9 (SIGKILL)");
    row.set("status", status);
    keep
}

/// Runs with an implementation, or all, and a claim about right results.
const RIGHT: [(&str, &str, (&str, &str)); 4] = [
    (KAPPA, "generalized-blocked", (LIKHODED, "same-result")),
    (KAPPA, "generalized-blocked", (LIKHODED, "tiles-independent")),
    (STRUCTURE, "two-phase", (GAIOSO, "tiles-independent")),
    (NEGATIVE, "", (LUND, "negative-weights")),
];

#[test]
fn samples_without_a_result_are_no_wrong_ones_and_without_any_other_nothing_was_measured() {
    for (run, implementation, claim) in RIGHT {
        let is_of = |row: &Row| implementation.is_empty() || row.get("implementation") == implementation;
        assert_eq!(with_samples(run, claim, |_| true), Reproduced, "{claim:?}");
        for status in ["skipped", "failed", "timeout"] {
            let none = |row: &mut Row| !is_of(row) || without_result(row, status);
            assert_eq!(with_samples(run, claim, none), NotMeasured, "{claim:?} {status}");
        }
        let mut seen = 0;
        let wrong = |row: &mut Row| {
            seen += usize::from(is_of(row) && row.get("scope") == "kernel");
            if is_of(row) && seen == 1 { fail(row, "wrong result: 3 for 4") } else { true }
        };
        let found = with_samples(run, claim, wrong);
        assert!(matches!(found, Differs | InPart), "{claim:?}: {found}");
    }
}

#[test]
fn a_worker_that_was_killed_before_its_cell_was_measured_right_changes_nothing() {
    let killed = |row: &mut Row| row.get("sample") != "0" || without_result(row, "failed");
    for (_, _, claim) in RIGHT.iter().filter(|(run, ..)| *run == KAPPA) {
        assert_eq!(with_samples(KAPPA, *claim, killed), Reproduced, "{claim:?}");
    }
}

#[test]
fn a_cell_that_ended_without_a_result_is_no_evidence_of_a_right_one() {
    let folder = tempfile::tempdir().unwrap();
    stored::copy(KAPPA, folder.path());
    let samples = folder.path().join("samples.csv");
    let cell = |row: &Row| ["n", "params"].map(|column| row.get(column).to_string());
    let mut last: BTreeMap<_, usize> = BTreeMap::new();
    let number = |row: &Row| row.get("sample").parse::<usize>().unwrap();
    edit_rows(&samples, |row| {
        let last = last.entry(cell(row)).or_default();
        *last = number(row).max(*last);
        true
    });
    edit_rows(&samples, |row| number(row) != last[&cell(row)] || without_result(row, "timeout"));
    let run = StoredRun::open(folder.path()).unwrap();
    assert_eq!(verdict(LIKHODED, "same-result", &[&run]), NotMeasured);
}

#[test]
fn one_kappa_says_nothing_of_all() {
    let one = |row: &mut Row| row.get("params") == "kappa=1";
    assert_eq!(with_samples(KAPPA, (LIKHODED, "same-result"), one), NotMeasured);
}

#[test]
fn a_time_that_is_an_estimate_has_no_place_in_a_table() {
    let claim = (LUND, "table1-cpu-naive");
    let in_the_table = |row: &mut Row, estimated: bool| {
        let n = if row.n() == 8192 { 2048 } else { 4096 };
        row.set("n", n);
        if !estimated {
            row.set("iterations", "");
        }
        true
    };
    for (estimated, expected) in [(true, vec![NotMeasured]), (false, vec![Reproduced, Differs])] {
        let found = with(OVER_CPU, claim, |folder| {
            edit_rows(&folder.join("samples.csv"), |row| in_the_table(row, estimated));
            edit_manifest(folder, |manifest| {
                let text = manifest.to_string().replace("8192", "2048").replace("16384", "4096");
                *manifest = serde_json::from_str(&text).unwrap();
            });
        });
        assert!(expected.contains(&found), "{estimated}: {found}");
    }
}

/// Counts of other parameters, of one tile or of another type are of something else.
#[test]
fn counts_of_something_else_say_nothing_and_do_not_hide_those_that_do() {
    let structure = StoredRun::open(&stored::reference(STRUCTURE)).unwrap();
    let counts = |claim: (&str, &str), run: &str, edit: &dyn Fn(&mut Row)| {
        let folder = tempfile::tempdir().unwrap();
        stored::copy(run, folder.path());
        let edited = |row: &mut Row| {
            edit(row);
            true
        };
        edit_rows(&folder.path().join("counts.csv"), edited);
        let run = StoredRun::open(folder.path()).unwrap();
        let (alone, joined) =
            (verdict(claim.0, claim.1, &[&run]), verdict(claim.0, claim.1, &[&structure, &run]));
        (alone, joined)
    };
    let two_launches = (GAIOSO, "two-launches");
    let unrolled = |row: &mut Row| row.set("params", "unrolled=0");
    assert_eq!(counts(two_launches, STRUCTURE, &unrolled), (NotMeasured, Reproduced));
    let one_tile = |row: &mut Row| row.set("n", 32);
    assert_eq!(counts(two_launches, STRUCTURE, &one_tile), (NotMeasured, Reproduced));
    let small_tiles = |row: &mut Row| {
        let params = format!("{};tile=16", row.get("params"));
        row.set("params", params);
        row.set("threads", 1);
    };
    assert_eq!(counts((LIKHODED, "threads-a-block"), KAPPA, &small_tiles).0, NotMeasured);
    let of_u16 = with(STRUCTURE, (LUND, "smem-kk"), |folder| {
        edit_manifest(folder, |manifest| {
            manifest["experiment"]["graphs"][0]["element"] = "u16".into();
        });
    });
    assert_eq!(of_u16, NotMeasured);
}
