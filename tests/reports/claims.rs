//! Verdicts from stored files: a number that is changed there changes what becomes of the claims that it bears on.

mod edits;

use crate::common::stored;
use crate::common::stored::STRUCTURE;
use cases::cases;
use edits::{Edit, apply, of};
use repro::claims::Verdict::{Ambiguous, Differs, InPart, NotComparable, NotMeasured, Reproduced};
use repro::claims::{ClaimResult, ClaimRow, Evidence, RowKind, Verdict, evaluate};
use repro::published::{PublishedPaper, published_papers};
use repro::results::StoredRun;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

mod cases;
mod no_evidence;
mod sound;

const LUND: &str = "lund-smith-2010";
const GAIOSO: &str = "gaioso-2013";
const LIKHODED: &str = "likhoded-sipeyko-2019";
const POGORILYY: &str = "pogorilyy-cuda";

/// A claim, the run that it is compared with, and the verdicts with these changes to what is stored.
struct Case {
    paper: &'static str,
    id: &'static str,
    run: &'static str,
    states: Vec<(Verdict, Vec<Edit>)>,
}

fn claim(paper: &'static str, id: &'static str, run: &'static str) -> Case {
    Case { paper, id, run, states: Vec::new() }
}

impl Case {
    fn is(mut self, verdict: Verdict, edits: impl IntoIterator<Item = Edit>) -> Self {
        self.states.push((verdict, edits.into_iter().collect()));
        self
    }
}

fn paper(id: &str) -> PublishedPaper {
    published_papers().unwrap().into_iter().find(|paper| paper.id == id).unwrap()
}

/// The row of a claim, compared with the run in `folder` and with the committed counts.
fn row_of(case: &Case, paper: &PublishedPaper, folder: &Path, counted: &StoredRun) -> ClaimRow {
    let run = StoredRun::open(folder).unwrap();
    let counts = if case.run == STRUCTURE { vec![&run] } else { vec![counted, &run] };
    let evidence = Evidence::new("GPU", &[&run], &counts);
    let rows = evaluate(std::slice::from_ref(paper), &[evidence]);
    rows.into_iter().find(|row| row.id == case.id).unwrap_or_else(|| panic!("no claim {}", case.id))
}

fn figures(row: &ClaimRow) -> Vec<f64> {
    let mut values: Vec<f64> = row.results[0].points.iter().map(|point| point.measured.value).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// What is left out cannot be: counts are exact, and what nobody tried refutes nothing.
#[test]
fn the_cases_reach_every_verdict_of_every_kind_of_claim() {
    let papers = published_papers().unwrap();
    let rows = evaluate(&papers, &[]);
    let mut reached: BTreeMap<RowKind, BTreeSet<String>> = BTreeMap::new();
    for case in cases() {
        let row = rows.iter().find(|row| row.paper == case.paper && row.id == case.id);
        let row = row.unwrap_or_else(|| panic!("no claim {} of {}", case.id, case.paper));
        let verdicts: BTreeSet<String> = case.states.iter().map(|(verdict, _)| verdict.to_string()).collect();
        assert!(verdicts.len() > 1, "{} never changes", case.id);
        reached.entry(row.kind).or_default().extend(verdicts);
    }
    let all = [Reproduced, InPart, Differs, Ambiguous, NotMeasured, NotComparable];
    for (kind, impossible) in [
        (RowKind::Table, vec![NotComparable]),
        (RowKind::Absolute, vec![InPart]),
        (RowKind::Ratio, vec![NotComparable]),
        (RowKind::Bandwidth, vec![InPart]),
        (RowKind::Derived, vec![NotComparable]),
        (RowKind::Structural, vec![Ambiguous, NotComparable]),
        (RowKind::Trend, vec![NotComparable]),
        (RowKind::Judgement, vec![Reproduced, InPart]),
    ] {
        let expected: BTreeSet<String> =
            all.iter().filter(|one| !impossible.contains(one)).map(Verdict::to_string).collect();
        assert_eq!(reached.remove(&kind), Some(expected), "{kind:?}");
    }
    assert!(reached.is_empty(), "{reached:?}");
    assert!(rows.iter().any(|row| row.kind == RowKind::Inconsistency));
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn a_stored_number_that_changes_changes_the_verdict() {
        let counted = StoredRun::open(&stored::reference(STRUCTURE)).unwrap();
        let mut wrong = Vec::new();
        for case in cases() {
            let paper = paper(case.paper);
            for (at, (expected, edits)) in case.states.iter().enumerate() {
                let folder = tempfile::tempdir().unwrap();
                stored::copy(case.run, folder.path());
                for edit in edits {
                    apply(edit, folder.path(), &|| figures(&row_of(&case, &paper, folder.path(), &counted)));
                }
                let row = row_of(&case, &paper, folder.path(), &counted);
                let ClaimResult { verdict, points, lack, .. } = &row.results[0];
                if verdict != expected {
                    let id = case.id;
                    wrong.push(format!("{id}, state {at}: {verdict}, not {expected}: {lack:?} {points:?}"));
                }
            }
        }
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    }
}
