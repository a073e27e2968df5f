//! What holds for every claim whatever was measured. What a paper claims holds on what the paper itself publishes, or its folder says where
//! it contradicts itself. And the noise that verdicts assume is that of the committed runs.

use super::{ALL, CLAIMS, ClaimId, GAIOSO, LUND, claims_of, edited, judged, open, verdict};
use crate::common::stored::{KAPPA, OCCUPANCY, STRUCTURE, TABLE1, TIMERS, cards, reference};
use repro::device::emulated::Counts;
use repro::judge::Verdict::{Differs, InPart, Reproduced};
use repro::judge::{
    ANY_MACHINE, ClaimRow, Evidence, HoldCount, Verdict, decide, evaluate, judge, noise_floors,
};
use repro::plan::load_experiment;
use repro::published::{ClaimKind, EvidenceKind, Figure, PublishedPaper, published_papers};
use repro::results::StoredRun;
use repro::timing::{ON_CPU, ON_GPU, Scope};
use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn every_statement_has_one_row_and_every_claim_one_result_a_machine() {
    let papers = published_papers().unwrap();
    let (table1, structure) = (open(TABLE1), open(STRUCTURE));
    let machines: [Evidence; 3] = [("one", &[&table1]), ("another", &[]), ("a third", &[&table1])];
    let rows = evaluate(papers, &machines, &[&structure]);
    let mut expected: Vec<(&str, String)> = Vec::new();
    for paper in papers {
        let id = paper.id.as_str();
        expected.extend(claims_of(paper).into_iter().map(|claim| (id, claim.id)));
        expected.extend(paper.inconsistencies.iter().map(|one| (id, one.id.clone())));
    }
    let found: Vec<(&str, String)> = rows.iter().map(|row| (row.paper.as_str(), row.id.clone())).collect();
    assert_eq!(found, expected);
    assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len(), "an id is there twice");
    for row in &rows {
        let of: Vec<&str> = row.results.iter().map(|result| result.machine.as_str()).collect();
        match row.kind {
            ClaimKind::Inconsistency => assert!(of.is_empty(), "{}", row.id),
            _ if row.evidence == Some(EvidenceKind::Construction) => {
                assert_eq!(of, [ANY_MACHINE], "{}", row.id)
            }
            _ => assert_eq!(of, ["one", "another", "a third"], "{}", row.id),
        }
        assert!(!row.place.is_empty() && !row.published_on.is_empty());
    }
}

/// A verdict follows from its comparisons by the rule, and what could not be compared says why.
#[track_caller]
pub fn assert_sound(rows: &[ClaimRow]) {
    for row in rows {
        for result in row.all_results() {
            let id = format!("{} {}: {result:?}", row.paper, row.id);
            let verdicts = || result.points.iter().map(|point| point.verdict);
            let is_wrong = result.points.iter().any(|point| {
                row.tests[point.at.test].figure == Figure::WrongResults && point.verdict == Verdict::Differs
            });
            let decided = if is_wrong { Verdict::Differs } else { decide(verdicts()) };
            if result.points.is_empty() {
                assert!(!result.verdict.is_decided(), "{id}");
            } else if result.others.iter().all(|other| other.verdict == decided) {
                assert_eq!(result.verdict, decided, "{id}");
            } else if decided.fails() && result.others.iter().all(|other| other.verdict.fails()) {
                assert_eq!(result.verdict, Verdict::FailsWhereDecided, "{id}");
            } else {
                assert_eq!(result.verdict, Verdict::Ambiguous, "runs contradict each other: {id}");
            }
            assert_eq!(result.share, HoldCount::of(verdicts()), "{id}");
            assert_eq!(result.lack.is_some(), !result.verdict.is_decided(), "{id}");
            let is_own = row.own.as_ref() == Some(result);
            assert!(
                is_own || result.runs.is_empty() == (result.points.is_empty() && result.shown.is_none()),
                "{id}"
            );
            for point in &result.points {
                assert_eq!(point.verdict, judge(point.measured, point.published), "{id}");
                let measured = point.measured;
                assert!(measured.low <= measured.value && measured.value <= measured.high, "{id}");
                assert!([measured.low, measured.high].iter().all(|end| end.is_finite()), "{id}");
                assert!(point.published.low.is_some() || point.published.high.is_some(), "{id}");
            }
            let otherwise =
                result.verdict.fails() || matches!(result.verdict, Verdict::InPart | Verdict::Exceeds);
            assert!(result.cause.is_none() || otherwise, "a cause of nothing: {id}");
            for flip in &result.sensitivity {
                assert_ne!(flip.verdict, result.verdict, "{id}");
            }
        }
    }
}

#[test]
fn every_verdict_follows_from_its_comparisons_and_has_a_reason() {
    let runs: Vec<StoredRun> = ALL.iter().map(|run| open(run)).collect();
    assert_sound(&judged(&runs.iter().collect::<Vec<_>>()));
}

#[test]
fn times_of_next_to_nothing_give_no_figure_that_is_not_a_number() {
    for (run, of) in [
        (TABLE1, &["cpu-naive", "staged-load", "katz-kider"][..]),
        (KAPPA, &["generalized-blocked"]),
        (OCCUPANCY, &["two-phase"]),
        (TIMERS, &["global-memory", "cpu-naive"]),
    ] {
        for (only_one, seconds) in [(true, 0.0), (true, f64::MIN_POSITIVE), (false, 0.0)] {
            let edited = edited(&open(run), |row| {
                if of.contains(&&*row.implementation) && (!only_one || row.sample == 1) {
                    row.seconds = row.seconds.map(|_| seconds);
                }
                true
            });
            let rows = judged(&[&edited]);
            assert_sound(&rows);
            assert!(!serde_json::to_string(&rows).unwrap().contains("\"measured\":{\"value\":null"));
        }
    }
}

/// What a cause is shown by can be run, and what a figure of another GPU is tested by is a claim.
#[test]
fn every_cause_names_an_experiment_and_every_figure_of_another_gpu_the_claims_that_test_it() {
    for paper in published_papers().unwrap() {
        for claim in &paper.claims {
            let mut shown_by = claim.cause.iter().flat_map(|cause| &cause.shown_by);
            let unknown = shown_by.find(|experiment| load_experiment(experiment).is_err());
            assert_eq!(unknown, None, "{}", claim.id);
            let is_claim = |id: &&String| paper.claims.iter().any(|known| known.id == **id);
            assert_eq!(claim.tested_by.iter().find(|id| !is_claim(id)), None, "{}", claim.id);
        }
    }
}

/// No code that judges knows a paper or a claim: they are data.
#[test]
fn no_code_that_judges_names_a_paper_or_a_claim() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/judge");
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let text = std::fs::read_to_string(&path).unwrap();
        let words: BTreeSet<&str> = text.split(|c: char| !(c.is_alphanumeric() || c == '-')).collect();
        for id in CLAIMS.iter().flat_map(|(paper, claim)| [paper, &claim.id]) {
            // Ids such as `scales` are words of the language, too.
            let is_named = text.contains(&format!("\"{id}\"")) || id.contains('-') && words.contains(&**id);
            assert!(!is_named, "{}: {id}", path.display());
        }
    }
}

#[test]
fn the_noise_that_verdicts_assume_is_about_what_the_committed_runs_show_and_what_the_page_says() {
    let machines = ["h200".to_string(), "h200-x4".to_string()].into_iter().chain(cards("h200"));
    let runs = machines.flat_map(|machine| {
        let folders = std::fs::read_dir(reference(&machine)).unwrap().map(|entry| entry.unwrap().file_name());
        folders.map(|name| open(&format!("{machine}/{}", name.to_string_lossy()))).collect::<Vec<_>>()
    });
    let runs: Vec<StoredRun> = runs.collect();
    let floors = noise_floors(&runs.iter().collect::<Vec<_>>(), Scope::Kernel);
    // Those on CPUs are from hosts with other loads. Runs of several commits lie a little further apart than those of one.
    let on_gpu: Vec<_> = floors.iter().filter(|floor| floor.on_gpu).collect();
    assert_eq!(on_gpu.len(), ON_GPU.len());
    for floor in on_gpu {
        assert!((0.8..=3.0).contains(&(floor.assumed / floor.between_runs)), "{floor:?}");
    }
    let page = include_str!("../../../docs/verdicts.md").split_whitespace().collect::<Vec<_>>().join(" ");
    let list = |all: &[(usize, f64)]| {
        let percent = |share: f64| (share * 1000.0).round() / 10.0;
        let each = all.iter().skip(1).map(|(from, share)| format!("{from} {}%", percent(*share)));
        (percent(all[0].1), each.collect::<Vec<_>>().join(", "))
    };
    let ((small, gpu), (small_cpu, cpu)) = (list(&ON_GPU), list(&ON_CPU));
    let said = format!("{small}% on GPUs (from n = {gpu}), {small_cpu}% on CPUs (from n = {cpu})");
    assert!(page.contains(&said), "docs/verdicts.md should say: {said}");
}

/// The kernel of most tiles.
const REST: &str = "doubly_dependent";

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

/// The claims that their papers' own numbers do not bear out, and those that name an inconsistency by which they do not.
fn failing(papers: &[PublishedPaper]) -> [BTreeSet<String>; 2] {
    let rows = evaluate(papers, &[("GPU", &[])], &[]);
    let ids = |is: &dyn Fn(&ClaimRow) -> bool| {
        rows.iter().filter(|row| is(row)).map(|row| row.id.clone()).collect()
    };
    let fails = |row: &ClaimRow| row.own.as_ref().is_some_and(|own| !own.verdict.holds());
    [ids(&fails), ids(&|row| !row.contradicted_by.is_empty())]
}

#[test]
fn every_claim_holds_on_the_numbers_of_its_paper_or_names_the_contradiction() {
    let papers = published_papers().unwrap();
    let [failing, contradicted] = failing(papers);
    assert_eq!(failing, contradicted);
    let rows = evaluate(papers, &[("GPU", &[])], &[]);
    let own = rows.iter().filter_map(|row| Some((row, row.own.as_ref()?)));
    assert!(own.clone().count() >= 30, "{} claims by their papers' own numbers", own.count());
    // Of a number that the paper gives for any n nothing is said at one.
    for (row, point) in own.flat_map(|(row, own)| own.points.iter().map(move |point| (row, point))) {
        let paper = papers.iter().find(|paper| paper.id == row.paper).unwrap();
        let (at, figure) = (&point.at, row.tests[point.at.test].figure);
        let mut of = at.of.iter().chain(&at.over);
        let is_of_any_n = of.all(|of| paper.number(figure, &of.implementation, None).is_some());
        assert_eq!(at.n.is_none(), is_of_any_n, "{}: {at:?}", row.id);
    }
}

/// The paper calls 42 of the 77 GB/s of a copy limited: 60% would be a bound that its own GPU fails.
#[test]
fn a_bound_that_the_paper_itself_fails_is_found() {
    let change = |edit: fn(&mut PublishedPaper)| {
        let mut papers = published_papers().unwrap().to_vec();
        papers.iter_mut().filter(|paper| paper.id == LUND).for_each(edit);
        let [failing, contradicted] = failing(&papers);
        failing.difference(&contradicted).cloned().collect::<Vec<_>>()
    };
    let bound = |paper: &mut PublishedPaper| {
        let claim = paper.claims.iter_mut().find(|claim| claim.id == "hn-limited-by-memory").unwrap();
        claim.tests[0].at_least = Some(60.0);
    };
    assert_eq!(change(bound), ["hn-limited-by-memory"]);
    let printed = |paper: &mut PublishedPaper| {
        let column = paper.tables[0].columns.get_mut("staged-load").unwrap();
        column[4].1 *= 2.0;
    };
    assert_eq!(change(printed), ["constant", "staged-over-kk", "staged-over-opt"]);
    assert!(change(|_| ()).is_empty());
}
