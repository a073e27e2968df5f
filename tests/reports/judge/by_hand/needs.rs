//! What of a run is no evidence of a claim, and several runs that answer one: of one build and device together, of others beside each other.

use super::{FLOOR, again, assert_close, judged_as, of_two, seconds, timed, unmet};
use crate::common::stored::{OCCUPANCY, STRUCTURE, STRUCTURE_ORDER, TABLE1, TIMERS};
use crate::reports::judge::{edited, open, wrong_result};
use repro::judge::Verdict::{
    Ambiguous, Differs, Exceeds, FailsWhereDecided, InPart, NotComparable, NotMeasured, Reproduced,
};
use repro::judge::{ANY_MACHINE, MissingReason, NoVerdictReason, evaluate};
use repro::published::{EvidenceKind, published_papers};
use repro::results::StoredRun;
use repro::timing::{Estimate, Scope};

#[test]
fn what_is_missing_is_told_of_the_run_that_has_most() {
    let of = |sizes: &[usize], name: &str| {
        again(&edited(&timed(TABLE1, seconds), |row| sizes.contains(&row.n)), name, None)
    };
    let (one, two, none) = (of(&[1024], "b"), of(&[1024, 2048], "a"), of(&[], "c"));
    let sizes = "[{ from = 1024, to = 7168, step = 1024 }]";
    let test = format!("{{ pairs = [[\"staged-load\", \"katz-kider\"]], sizes = {sizes}, at_least = 1 }}");
    for runs in [[&one, &two, &none], [&again(&two, "d", None), &one, &none]] {
        let found = judged_as(&runs, "", &test);
        let Some(NoVerdictReason::Needs { met, of, gaps, .. }) = found.lack else { panic!("{found:?}") };
        assert_eq!((met, of, gaps.len(), gaps[0].n), (2, 7, 3, Some(3072)));
    }
    // A wrong result takes all times of its cell away.
    let wrong = edited(&two, |row| {
        row.implementation != "katz-kider" || row.n != 1024 || row.sample != 1 || wrong_result(row)
    });
    let (met, _, why) = unmet(&judged_as(&[&wrong], "", &test));
    assert_eq!((met, why[0]), (1, MissingReason::WrongResult));
    // Of runs without a comparison it is the one that was to measure some, and what it was not to measure comes last.
    let (few, sizes) = (edited(&two, |row| row.sample < 2), "[500, 1024]");
    let test = format!("{{ pairs = [[\"staged-load\", \"katz-kider\"]], sizes = {sizes}, at_least = 1 }}");
    let found = judged_as(&[&few, &again(&open(OCCUPANCY), "e", None)], "", &test);
    let why = vec![MissingReason::FewSamples { has: 2, needs: 3 }, MissingReason::NotPlanned];
    assert_eq!(unmet(&found), (0, 2, why));
}

#[test]
fn a_wrong_result_on_any_of_the_graphs_is_one() {
    let test = "{ figure = \"wrong-results\", relation = \"value\", series = [\"two-phase\"], sizes = [1024], exactly = 0 }";
    let run = open(OCCUPANCY);
    assert_eq!(judged_as(&[&run], "", test).verdict, Reproduced);
    for graph in ["m=6n", "m=60n", "m=600n"] {
        let wrong = edited(&run, |row| {
            let is_it = row.implementation == "two-phase" && row.n == 1024 && row.graph == graph;
            !(is_it && row.params.is_empty() && row.sample < 2) || wrong_result(row)
        });
        let found = judged_as(&[&wrong], "", test);
        assert_eq!((found.verdict, found.points[0].measured), (Differs, Estimate::exact(2.0)), "{graph}");
        // Of two runs of a build the most count.
        let found = judged_as(&[&again(&run, "a", None), &again(&wrong, "b", None)], "", test);
        assert_eq!(found.points[0].measured, Estimate::exact(2.0), "{graph}");
    }
}

#[test]
fn results_in_several_orders_are_asked_of_a_run_that_was_solved_in_as_many() {
    let test = |orders: usize| {
        format!(
            "{{ figure = \"wrong-results\", relation = \"value\", series = [\"katz-kider\"], sizes = [64], orders = {orders}, exactly = 0 }}"
        )
    };
    let [one, four] = [STRUCTURE, STRUCTURE_ORDER].map(open);
    let of = |run: &StoredRun, orders| judged_as(&[run], "", &test(orders)).verdict;
    assert_eq!(
        [of(&one, 1), of(&one, 4), of(&four, 4), of(&four, 5)],
        [Reproduced, NotMeasured, Reproduced, NotMeasured]
    );
    // A run that was stopped has fewer than were planned, and one that was made in the usual order alone has no others however often.
    assert_eq!(of(&edited(&four, |row| row.sample < 3), 4), NotMeasured);
    let mut usual = four.clone();
    usual.manifest.experiment.orders = 1;
    assert_eq!(of(&usual, 4), NotMeasured);
    let few = vec![MissingReason::FewOrders { has: 1, needs: 4 }];
    assert_eq!(unmet(&judged_as(&[&one], "", &test(4))), (0, 1, few));
    let wrong =
        edited(&four, |row| row.implementation != "katz-kider" || row.sample != 3 || wrong_result(row));
    assert_eq!(of(&wrong, 4), Differs);
}

#[test]
fn launches_between_are_those_of_one_kernel_and_unknown_where_nobody_looked() {
    let test = |kernel: &str, bound: &str| {
        format!(
            "{{ figure = \"unlike-plain\", relation = \"value\", series = [\"{kernel}\"], sizes = [64], {bound} }}"
        )
    };
    let [unseen, seen] = [STRUCTURE, STRUCTURE_ORDER].map(open);
    let of = |run: &StoredRun, kernel, bound| judged_as(&[run], "", &test(kernel, bound)).verdict;
    assert_eq!(of(&seen, "katz-kider:independent", "exactly = 2"), Reproduced);
    assert_eq!(of(&seen, "katz-kider:doubly_dependent", "at_least = 1"), Differs);
    assert_eq!(of(&seen, "harish-narayanan:harish_narayanan", "exactly = 0"), Reproduced);
    assert_eq!(of(&unseen, "katz-kider:independent", "at_least = 1"), NotMeasured);
}

#[test]
fn what_nobody_knows_of_a_cell_is_not_as_a_claim_asks() {
    let run = timed(TABLE1, seconds);
    let of = |run: &StoredRun, asked: &str| {
        let pair = format!("[\"staged-load{asked}\", \"katz-kider\"]");
        judged_as(&[run], "", &format!("{{ pairs = [{pair}], sizes = [1024], at_least = 1 }}")).verdict
    };
    let resident =
        run.environment().unwrap().implementations.iter().find(|one| one.implementation == "staged-load");
    let kernels = &resident.unwrap().kernels;
    let resident = kernels.iter().find(|one| one.resources.kernel == "doubly_dependent").unwrap();
    let resident = resident.resources.resident_blocks;
    let asked = |blocks: u32| format!(" resident={blocks}");
    assert_eq!([of(&run, &asked(resident)), of(&run, &asked(resident - 1))], [Reproduced, NotMeasured]);
    let test = format!(
        "{{ pairs = [[\"staged-load{}\", \"katz-kider\"]], sizes = [1024], at_least = 1 }}",
        asked(resident - 1)
    );
    let others = vec![MissingReason::Resident { has: Some(resident), needs: resident - 1 }];
    assert_eq!(unmet(&judged_as(&[&run], "", &test)), (0, 1, others));
    let mut unknown = run.clone();
    let records = &mut unknown.manifest.environment.as_mut().unwrap().implementations;
    records.iter_mut().for_each(|record| record.kernels.clear());
    assert_eq!(of(&unknown, &asked(resident)), NotMeasured);
    // Edges of a random graph, and a time of nothing.
    let edges = "{ pairs = [[\"staged-load\", \"katz-kider\"]], sizes = [1024], edges_per_vertex = [60], at_least = 1 }";
    assert_eq!(judged_as(&[&run], "", edges).verdict, NotMeasured);
    let nothing = timed(TABLE1, |row| if row.implementation == "katz-kider" { 0.0 } else { 1.0 });
    assert_eq!(of(&nothing, ""), NotMeasured);
}

#[test]
fn runs_with_counts_answer_claims_of_construction_alone_and_once_each() {
    let (papers, run) = (published_papers().unwrap(), open(STRUCTURE));
    let rows = evaluate(&papers, &[("GPU", &[&run]), ("GPU", &[])], &[&run]);
    let of_counts = rows.iter().filter(|row| row.results.iter().any(|result| result.verdict.is_decided()));
    let mut decided = 0;
    for row in of_counts {
        assert_eq!(row.evidence, Some(EvidenceKind::Construction), "{}", row.id);
        let [result] = &row.results[..] else { panic!("{}: {:?}", row.id, row.results) };
        assert_eq!((&*result.machine, result.runs.len()), (ANY_MACHINE, 1), "{}", row.id);
        decided += 1;
    }
    assert!(decided > 10, "{decided}");
    let table1 = open(TABLE1);
    let rows = evaluate(&papers, &[("GPU", &[])], &[&table1]);
    for row in rows.iter().filter(|row| !row.results.is_empty()) {
        let is_decided = row.results[0].verdict.is_decided();
        assert!(!is_decided || row.evidence == Some(EvidenceKind::Construction), "{}", row.id);
    }
    // Nor is an emulated GPU the one that it is named after.
    let name = &run.device().unwrap().info.name;
    let test = "{ figure = \"launches\", relation = \"value\", series = [\"two-phase:phase_one\"], sizes = [128], own_gpu = true, at_least = 1 }";
    assert_eq!(judged_as(&[&run], &format!("gpu = \"{name}\""), test).verdict, NotComparable);
}

/// With Katz & Kider so many times as slow.
fn scaled(factor: f64) -> StoredRun {
    timed(TABLE1, |row| seconds(row) * if row.implementation == "katz-kider" { factor } else { 1.0 })
}

#[test]
fn runs_of_a_build_have_the_mean_of_all_and_an_interval_that_holds_all() {
    let runs =
        [again(&scaled(1.0), "a", None), again(&scaled(1.3), "b", None), again(&scaled(1.0), "c", None)];
    let [a, b, c] = &runs;
    for order in [[a, b, c], [b, c, a], [c, a, b]] {
        let found = judged_as(&order, FLOOR.0, FLOOR.1);
        assert_eq!(found.runs.len(), 3);
        assert_close(found.points[0].measured, 2.2, 2.0 / of_two(), 2.6 * of_two());
    }
    // The latest in another order of times, too.
    let found = judged_as(&[&again(b, "d", None), a, c], FLOOR.0, FLOOR.1);
    assert_close(found.points[0].measured, 2.2, 2.0 / of_two(), 2.6 * of_two());
}

#[test]
fn builds_agree_where_all_of_them_do_and_the_latest_comes_first() {
    let run = |factor: f64, name: &str| again(&scaled(factor), name, Some(name));
    let of = |runs: &[&StoredRun]| {
        let found = judged_as(runs, FLOOR.0, FLOOR.1);
        (found.verdict, found.runs, found.others.into_iter().map(|other| other.verdict).collect::<Vec<_>>())
    };
    // The floor is 4, and at the two sizes twice and four times these were measured.
    let (by_far, above, part, below) = (run(9.0, "a"), run(3.0, "b"), run(1.5, "c"), run(0.5, "d"));
    let just = edited(&run(1.0, "e"), |row| {
        if row.implementation == "katz-kider" {
            row.seconds = row.seconds.map(|_| if row.scope == Scope::Total { 12.6 } else { 4.2 });
        }
        true
    });
    let named = |name: &str| vec![name.to_string()];
    assert_eq!(of(&[&by_far, &above]), (Exceeds, named("b"), vec![Exceeds]));
    assert_eq!(of(&[&above, &by_far]), (Exceeds, named("b"), vec![Exceeds]));
    assert_eq!(of(&[&just, &above]), (Reproduced, named("e"), vec![Exceeds]));
    assert_eq!(of(&[&above, &again(&just, "0", Some("0"))]), (Reproduced, named("b"), vec![Reproduced]));
    assert_eq!(of(&[&above, &below]), (Ambiguous, named("d"), vec![Exceeds]));
    assert_eq!(of(&[&part, &below]), (Ambiguous, named("d"), vec![InPart]));
    assert_eq!(of(&[&above, &part, &below]), (Ambiguous, named("d"), vec![InPart, Exceeds]));
    // Where one fails at all sizes and another at the one that its noise leaves decided, neither contradicts the other.
    let blurred = edited(&again(&below, "i", Some("i")), |row| {
        let is_open = row.implementation == "katz-kider" && row.n == 2048 && row.sample % 2 == 1;
        row.seconds = row.seconds.map(|seconds| if is_open { 20.0 * seconds } else { seconds });
        true
    });
    assert_eq!(of(&[&below, &blurred]), (FailsWhereDecided, named("i"), vec![Differs]));
    assert_eq!(
        of(&[&below, &again(&below, "f", Some("f")), &part]),
        (Ambiguous, named("f"), vec![Differs, InPart])
    );
    // With uncommitted changes nobody knows whether they are one build.
    let [mut first, mut second] = [above.clone(), again(&above, "h", Some("b"))];
    (first.manifest.build.dirty, second.manifest.build.dirty) = (true, true);
    assert_eq!(of(&[&first, &second]), (Exceeds, named("h"), vec![Exceeds]));
    // Of one build and another device they are as apart.
    let mut elsewhere = again(&above, "g", Some("b"));
    elsewhere.manifest.environment.as_mut().unwrap().device.as_mut().unwrap().info.uuid = "GPU-2".to_string();
    assert_eq!(of(&[&above, &elsewhere]), (Exceeds, named("g"), vec![Exceeds]));
}

/// A claim of two experiments needs both, of one build on one device, and each answers its own tests alone.
#[test]
fn what_two_experiments_measure_of_one_claim_comes_from_one_build() {
    let test = |run: &str, n: usize, least: f64| {
        let pairs = "pairs = [[\"staged-load\", \"katz-kider\"]]";
        format!("{{ run = \"{run}\", {pairs}, sizes = [{n}], at_least = {least} }}")
    };
    // Twice as fast at n = 1024, and four times at 2048.
    let tests = format!("{}, {}", test("table1", 1024, 1.0), test("ablation", 2048, 9.0));
    let of = |runs: &[&StoredRun]| judged_as(runs, "", &tests);
    let only = |name: &str, n: usize, build: &str| {
        let run = again(&timed(TABLE1, seconds), name, Some(build));
        edited(&run, |row| row.n == n)
    };
    let (small, large) = (only("a", 1024, "one"), only("b", 2048, "one"));
    for runs in [[&small, &large], [&large, &small]] {
        let found = of(&runs);
        assert_eq!((found.verdict, found.share.held, found.share.failed), (InPart, 1, 1));
        assert_eq!(
            found.points.iter().map(|point| (point.at.test, point.at.n)).collect::<Vec<_>>(),
            [(0, Some(1024)), (1, Some(2048))]
        );
        assert_eq!(found.runs.len(), 2);
    }
    for (run, lacking) in [(&small, "ablation"), (&large, "table1")] {
        let Some(NoVerdictReason::Needs { met: 1, of: 2, run, .. }) = of(&[run]).lack else {
            panic!("one of two")
        };
        assert_eq!(run, lacking);
    }
    let apart = of(&[&small, &only("c", 2048, "another")]);
    assert_eq!(unmet(&apart), (2, 2, vec![MissingReason::OneBuild]));
}

/// Two clocks around one solve are compared sample by sample: by how much solves differ does not count.
#[test]
fn clocks_of_one_solve_are_compared_solve_by_solve() {
    let test = |clock: &str, over: &str| {
        format!(
            "{{ relation = \"clocks\", clock = \"{clock}\", over_clock = \"{over}\", series = [\"global-memory\"], sizes = [16], at_least = 1.02 }}"
        )
    };
    // Each solve takes longer than the one before, and the system's clock reads 5% more.
    let run = timed(TIMERS, |row| {
        let solve = 1.0 + f64::from(row.sample as u32);
        if row.scope == Scope::OsSynced { 1.05 * solve } else { solve }
    });
    let found = judged_as(&[&run], "", &test("os-synced", "host-synced"));
    assert_eq!(found.verdict, Reproduced);
    assert_close(found.points[0].measured, 1.05, 1.05, 1.05);
    // Of other clocks nothing says that they enclose one solve.
    assert_eq!(judged_as(&[&run], "", &test("os-synced", "kernel")).verdict, Ambiguous);
}
