//! What holds for every claim whatever was measured.

use super::{Edit, LUND, apply, of, paper};
use crate::common::stored::{
    self, ABLATION, KAPPA, OCCUPANCY, SHAPES, STRUCTURE, TABLE1, TIMERS, edit_manifest, edit_rows, fail,
};
use repro::claims::Verdict::{Ambiguous, NotComparable, NotMeasured, Reproduced};
use repro::claims::{ClaimResult, ClaimRow, Evidence, RowKind, decide, evaluate, judge, share};
use repro::published::published_papers;
use repro::results::StoredRun;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;

const TIMED: [&str; 6] = [TABLE1, ABLATION, KAPPA, OCCUPANCY, SHAPES, TIMERS];

fn open(run: &str) -> StoredRun {
    StoredRun::open(&stored::reference(run)).unwrap()
}

/// All claims of all papers, compared with these runs as those of one machine.
fn rows(timed: &[&StoredRun], counted: &[&StoredRun]) -> Vec<ClaimRow> {
    evaluate(&published_papers().unwrap(), &[Evidence::new("GPU", timed, counted)])
}

fn verdict_of(timed: &[&StoredRun], id: &str) -> ClaimResult {
    let rows = evaluate(&[paper(LUND)], &[Evidence::new("GPU", timed, &[])]);
    rows.into_iter().find(|row| row.id == id).unwrap().results.remove(0)
}

#[test]
fn every_published_statement_has_one_row_and_every_comparison_one_result_a_machine() {
    let papers = published_papers().unwrap();
    let (table1, structure) = (open(TABLE1), open(STRUCTURE));
    let machines = [
        Evidence::new("one", &[&table1], &[&structure]),
        Evidence::new("another", &[], &[&structure]),
        Evidence::new("a third", &[&table1], &[]),
    ];
    let rows = evaluate(&papers, &machines);
    let mut expected: Vec<(&str, String)> = Vec::new();
    for paper in &papers {
        let id = paper.id.as_str();
        for table in &paper.tables {
            expected.extend(table.columns.keys().map(|name| (id, format!("{}-{name}", table.id))));
        }
        expected.extend(paper.speedups.iter().map(|one| (id, one.id.clone())));
        expected.extend(paper.structural.iter().map(|one| (id, one.id.clone())));
        expected.extend(paper.claims.iter().map(|one| (id, one.id.clone())));
        expected.extend(paper.inconsistencies.iter().map(|one| (id, one.id.clone())));
    }
    let found: Vec<(&str, String)> = rows.iter().map(|row| (row.paper.as_str(), row.id.clone())).collect();
    assert_eq!(found, expected);
    assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len(), "an id is there twice");
    for row in &rows {
        let of: Vec<&str> = row.results.iter().map(|result| result.machine.as_str()).collect();
        match row.kind {
            RowKind::Inconsistency => assert!(of.is_empty(), "{}", row.id),
            _ => assert_eq!(of, ["one", "another", "a third"], "{}", row.id),
        }
        assert!(!row.place.is_empty() && !row.published_on.is_empty());
    }
}

/// A verdict follows from its comparisons by the rule, and what could not be compared says why.
#[track_caller]
fn assert_sound(rows: &[ClaimRow]) {
    for row in rows {
        for result in &row.results {
            let id = format!("{} {}: {result:?}", row.paper, row.id);
            let decided = decide(result.points.iter().map(|point| point.verdict));
            assert_eq!(Some(result.verdict).filter(|one| one.is_decided()), decided, "{id}");
            assert_eq!(result.share, share(result.points.iter().map(|point| point.verdict)), "{id}");
            assert_eq!(result.lack.is_some(), !result.verdict.is_decided(), "{id}");
            for point in &result.points {
                assert_eq!(point.verdict, judge(point.measured, point.published), "{id}");
                let measured = point.measured;
                assert!(measured.low <= measured.value && measured.value <= measured.high, "{id}");
                assert!([measured.low, measured.high].iter().all(|end| end.is_finite()), "{id}");
                assert!(point.published.low.is_some() || point.published.high.is_some(), "{id}");
            }
            if result.verdict.is_decided() {
                assert!(result.comparison.is_some(), "{id}");
            }
            for turn in &result.turns {
                assert_ne!(turn.verdict, result.verdict, "{id}");
            }
        }
    }
}

#[test]
fn every_verdict_follows_from_its_comparisons_and_has_a_reason() {
    let timed: Vec<StoredRun> = TIMED.iter().map(|run| open(run)).collect();
    let timed: Vec<&StoredRun> = timed.iter().collect();
    let structure = open(STRUCTURE);
    let all = rows(&timed, &[&structure, timed[1], timed[2]]);
    assert_sound(&all);
    let verdicts: BTreeSet<String> =
        all.iter().flat_map(|row| &row.results).map(|result| result.verdict.to_string()).collect();
    assert_eq!(verdicts.len(), 6, "{verdicts:?}");
    for run in timed {
        assert_sound(&rows(&[run], &[]));
    }
    assert_sound(&rows(&[&structure], &[&structure]));
    let nothing = rows(&[], &[]);
    assert_sound(&nothing);
    let by_layout = |row: &&ClaimRow| row.id != "rows-of-16";
    for row in nothing.iter().filter(by_layout).filter(|row| row.kind != RowKind::Inconsistency) {
        assert_eq!(row.results[0].verdict, NotMeasured, "{} {}: {:?}", row.paper, row.id, row.results[0]);
    }
}

#[test]
fn times_of_next_to_nothing_give_no_figure_that_is_not_a_number() {
    for (run, names) in [
        (TABLE1, vec!["cpu-naive", "staged-load", "katz-kider"]),
        (KAPPA, vec!["generalized-blocked"]),
        (OCCUPANCY, vec!["two-phase"]),
        (TIMERS, vec!["global-memory", "cpu-naive"]),
    ] {
        for only_one in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            stored::copy(run, folder.path());
            edit_rows(&folder.path().join("samples.csv"), |row| {
                let is_of = names.contains(&row.get("implementation"));
                if is_of && (!only_one || row.get("sample") == "1") && !row.get("seconds").is_empty() {
                    row.set("seconds", 1e-9);
                }
                true
            });
            let edited = StoredRun::open(folder.path()).unwrap();
            let rows = rows(&[&edited], &[]);
            assert_sound(&rows);
            assert!(!serde_json::to_string(&rows).unwrap().contains("\"measured\":{\"value\":null"));
        }
    }
}

/// A copy of a run of Table 1, in which Optimized & Blocked is as much slower than Staged Load as the paper says.
fn as_published(folder: &Path) -> StoredRun {
    stored::copy(TABLE1, folder);
    let figures = || {
        let run = StoredRun::open(folder).unwrap();
        let points = verdict_of(&[&run], "staged-over-opt").points;
        let mut values: Vec<f64> = points.iter().map(|point| point.measured.value).collect();
        values.sort_by(f64::total_cmp);
        values
    };
    apply(&Edit::RaiseHighest(of("optimized-blocked"), 2.5), folder, &figures);
    StoredRun::open(folder).unwrap()
}

#[test]
fn a_cell_that_another_run_measured_otherwise_puts_its_claim_in_doubt() {
    let folder = tempfile::tempdir().unwrap();
    let [earlier, later] = ["earlier", "later"].map(|name| folder.path().join(name));
    let run = as_published(&later);
    let same = as_published(&earlier);
    assert_eq!(verdict_of(&[&run], "staged-over-opt").verdict, Reproduced);
    assert_eq!(verdict_of(&[&same, &run], "staged-over-opt").verdict, Reproduced);
    let at_8192 = of("staged-load").n(8192..=8192);
    apply(&Edit::Seconds(at_8192, 1.4), &earlier, &|| Vec::new());
    let noisy = StoredRun::open(&earlier).unwrap();
    let result = verdict_of(&[&noisy, &run], "staged-over-opt");
    assert_eq!((result.verdict, &result.runs[..]), (Ambiguous, &["later".to_string()][..]));
    let doubtful: Vec<_> = result.points.iter().filter(|point| point.verdict == Ambiguous).collect();
    assert!(doubtful.iter().any(|point| point.at.n == Some(8192)), "{doubtful:?}");
    // The same difference far from any limit decides as before.
    assert_eq!(verdict_of(&[&noisy, &run], "staged-over-cpu").verdict, Reproduced);
}

#[test]
fn runs_of_other_graphs_are_no_repetition() {
    let folder = tempfile::tempdir().unwrap();
    let [earlier, later] = ["earlier", "later"].map(|name| folder.path().join(name));
    let run = as_published(&later);
    as_published(&earlier);
    apply(&Edit::Seconds(of("staged-load"), 1.4), &earlier, &|| Vec::new());
    edit_manifest(&earlier, |manifest| manifest["experiment"]["graph"]["seed"] = json!(1));
    let other = StoredRun::open(&earlier).unwrap();
    assert_eq!(verdict_of(&[&other, &run], "staged-over-opt").verdict, Reproduced);
}

#[test]
fn a_run_whose_gpu_cells_failed_compares_nothing_of_them() {
    let folder = tempfile::tempdir().unwrap();
    stored::copy(TABLE1, folder.path());
    edit_rows(&folder.path().join("samples.csv"), |row| {
        row.get("implementation").starts_with("cpu") || fail(row, "no more")
    });
    let run = StoredRun::open(folder.path()).unwrap();
    let rows = rows(&[&run], &[]);
    assert_sound(&rows);
    for row in &rows {
        // The CPU's own column, and what follows from a layout alone.
        let needs_gpu = !["table1-cpu-naive", "rows-of-16"].contains(&row.id.as_str());
        assert!(!needs_gpu || row.results.iter().all(|result| result.points.is_empty()), "{}", row.id);
    }
    assert_eq!(verdict_of(&[&run], "hn-flops").verdict, NotMeasured);
    assert_eq!(verdict_of(&[&open(TABLE1)], "hn-flops").verdict, Reproduced);
}

/// The last sample decides whether a cell has a time: a kernel that was right and then was not is not right.
#[test]
fn a_cell_whose_last_sample_failed_is_not_compared() {
    let folder = tempfile::tempdir().unwrap();
    stored::copy(TABLE1, folder.path());
    let cell = of("staged-load").n(16384..=16384);
    let samples = folder.path().join("samples.csv");
    let mut last = 0;
    edit_rows(&samples, |row| {
        if cell.hold(row) {
            last = last.max(row.get("sample").parse().unwrap());
        }
        true
    });
    edit_rows(&samples, |row| {
        let is_last = cell.hold(row) && row.get("sample") == last.to_string();
        !is_last || fail(row, "no more")
    });
    let run = StoredRun::open(folder.path()).unwrap();
    assert_eq!(verdict_of(&[&run], "staged-16384").verdict, NotMeasured);
    assert_eq!(verdict_of(&[&open(TABLE1)], "staged-16384").verdict, NotComparable);
}

/// What a cause is shown by was run, and what a figure of another GPU is tested by is a claim.
#[test]
fn every_cause_names_a_committed_run_and_every_figure_of_another_gpu_the_claims_that_test_it() {
    for paper in published_papers().unwrap() {
        let causes =
            paper.claims.iter().map(|one| &one.cause).chain(paper.speedups.iter().map(|one| &one.cause));
        for experiment in causes.flatten().flat_map(|cause| &cause.shown_by) {
            let folder = stored::reference(&format!("h200/{experiment}"));
            assert!(folder.join("manifest.json").is_file(), "{}: no run {experiment}", paper.id);
        }
        for claim in &paper.claims {
            for id in &claim.tested_by {
                assert!(paper.ids().any(|known| known == id), "{} {}: no claim {id}", paper.id, claim.id);
            }
        }
    }
}
