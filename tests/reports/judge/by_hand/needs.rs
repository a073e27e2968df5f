//! What of a run is no evidence of a claim, and several runs that answer one: of one build together, of others beside each other.

use super::{
    FLOOR, PAIR, again, assert_close, assert_within, judged_as, judged_by, of_two, on_card, seconds, timed,
    unmet, value,
};
use crate::common::stored::{OCCUPANCY, STRUCTURE, STRUCTURE_ORDER, TABLE1, TIMERS, WAITS};
use crate::reports::judge::{edited, open, wrong_result};
use repro::judge::Verdict::{
    self, Ambiguous, Differs, Exceeds, FailsWhereDecided, HoldsWhereDecided, InPart, NotComparable,
    NotMeasured, Reproduced,
};
use repro::judge::{MissingReason, NoVerdictReason, evaluate};
use repro::published::{EvidenceKind, published_papers};
use repro::results::StoredRun;
use repro::timing::{Estimate, Scope, assumed_noise};

#[test]
fn what_is_missing_is_told_of_the_run_that_has_most() {
    let of = |sizes: &[usize], name: &str| {
        again(&edited(&timed(TABLE1, seconds), |row| sizes.contains(&row.n)), name, None)
    };
    let (one, two, none) = (of(&[1024], "b"), of(&[1024, 2048], "a"), of(&[], "c"));
    let sizes = "[{ from = 1024, to = 7168, step = 1024 }]";
    let test = |sizes: &str| format!("{{ {PAIR}, sizes = {sizes}, at_least = 1 }}");
    for runs in [[&one, &two, &none], [&again(&two, "d", None), &one, &none]] {
        let found = judged_as(&runs, "", &test(sizes));
        let Some(NoVerdictReason::Needs { met, of, gaps, .. }) = found.lack else { panic!("{found:?}") };
        assert_eq!((met, of, gaps.len(), gaps[0].n), (2, 7, 3, Some(3072)));
    }
    // A wrong result takes all times of its cell away.
    let wrong = edited(&two, |row| {
        row.implementation != "katz-kider" || row.n != 1024 || row.sample != 1 || wrong_result(row)
    });
    let (met, _, why) = unmet(&judged_as(&[&wrong], "", &test(sizes)));
    assert_eq!((met, why[0]), (1, MissingReason::WrongResult));
    // Of runs without a comparison it is the one that was to measure some, and what it was not to measure comes last.
    let few = edited(&two, |row| row.sample < 2);
    let found = judged_as(&[&few, &again(&open(OCCUPANCY), "e", None)], "", &test("[500, 1024]"));
    let why = vec![MissingReason::FewSamples { has: 2, needs: 3 }, MissingReason::NotPlanned];
    assert_eq!(unmet(&found), (0, 2, why));
}

#[test]
fn a_wrong_result_on_any_of_the_graphs_is_one() {
    let test = format!("{{ {}, exactly = 0 }}", value("wrong-results", "two-phase", "1024"));
    let run = open(OCCUPANCY);
    assert_eq!(judged_as(&[&run], "", &test).verdict, Reproduced);
    for graph in ["m=6n", "m=60n", "m=600n"] {
        let wrong = edited(&run, |row| {
            let is_it = row.implementation == "two-phase" && row.n == 1024 && row.graph == graph;
            !(is_it && row.params.is_empty() && row.sample < 2) || wrong_result(row)
        });
        let found = judged_as(&[&wrong], "", &test);
        assert_eq!((found.verdict, found.points[0].measured), (Differs, Estimate::exact(2.0)), "{graph}");
        // Of two runs of a build the most count.
        let found = judged_as(&[&again(&run, "a", None), &again(&wrong, "b", None)], "", &test);
        assert_eq!(found.points[0].measured, Estimate::exact(2.0), "{graph}");
    }
}

#[test]
fn results_in_several_orders_are_asked_of_a_run_that_was_solved_in_as_many() {
    let of = |run: &StoredRun, orders: usize| {
        let test = value("wrong-results", "katz-kider", "64");
        judged_by(run, &format!("{test}, orders = {orders}, exactly = 0"))
    };
    let [one, four] = [STRUCTURE, STRUCTURE_ORDER].map(open);
    // A run that was stopped has fewer than were planned, and one that was made in the usual order alone has no others however often.
    let stopped = edited(&four, |row| row.sample < 3);
    let mut usual = four.clone();
    usual.manifest.experiment.orders = 1;
    let wrong =
        edited(&four, |row| row.implementation != "katz-kider" || row.sample != 3 || wrong_result(row));
    for (run, orders, verdict) in [
        (&one, 1, Reproduced),
        (&one, 4, NotMeasured),
        (&four, 4, Reproduced),
        (&four, 5, NotMeasured),
        (&stopped, 4, NotMeasured),
        (&usual, 4, NotMeasured),
        (&wrong, 4, Differs),
    ] {
        assert_eq!(of(run, orders).verdict, verdict, "{} {orders}", run.name());
    }
    assert_eq!(unmet(&of(&one, 4)), (0, 1, vec![MissingReason::FewOrders { has: 1, needs: 4 }]));
}

#[test]
fn launches_between_are_those_of_one_kernel_and_unknown_where_nobody_looked() {
    let [unseen, seen] = [STRUCTURE, STRUCTURE_ORDER].map(open);
    for (run, kernel, bound, verdict) in [
        (&seen, "katz-kider:independent", "exactly = 2", Reproduced),
        (&seen, "katz-kider:doubly_dependent", "at_least = 1", Differs),
        (&seen, "harish-narayanan:harish_narayanan", "exactly = 0", Reproduced),
        (&unseen, "katz-kider:independent", "at_least = 1", NotMeasured),
    ] {
        let found = judged_by(run, &format!("{}, {bound}", value("unlike-plain", kernel, "64")));
        assert_eq!(found.verdict, verdict, "{kernel}");
    }
}

#[test]
fn what_nobody_knows_of_a_cell_is_not_as_a_claim_asks() {
    let run = timed(TABLE1, seconds);
    let of = |run: &StoredRun, asked: &str, more: &str| {
        let pairs = format!("pairs = [[\"staged-load{asked}\", \"katz-kider\"]]");
        judged_by(run, &format!("{pairs}, sizes = [1024], at_least = 1{more}"))
    };
    let records = &run.environment().unwrap().implementations;
    let record = records.iter().find(|one| one.implementation == "staged-load").unwrap();
    let kernel = record.kernels.iter().find(|one| one.resources.kernel == "doubly_dependent").unwrap();
    let resident = kernel.resources.resident_blocks;
    let asked = |blocks: u32| format!(" resident={blocks}");
    assert_eq!(of(&run, &asked(resident), "").verdict, Reproduced);
    let others = vec![MissingReason::Resident { has: Some(resident), needs: resident - 1 }];
    assert_eq!(unmet(&of(&run, &asked(resident - 1), "")), (0, 1, others));
    let mut unknown = run.clone();
    let records = &mut unknown.manifest.environment.as_mut().unwrap().implementations;
    records.iter_mut().for_each(|record| record.kernels.clear());
    assert_eq!(of(&unknown, &asked(resident), "").verdict, NotMeasured);
    // Edges of a random graph, and a time of nothing.
    assert_eq!(of(&run, "", ", edges_per_vertex = [60]").verdict, NotMeasured);
    let nothing = timed(TABLE1, |row| if row.implementation == "katz-kider" { 0.0 } else { 1.0 });
    assert_eq!(of(&nothing, "", "").verdict, NotMeasured);
}

#[test]
fn runs_with_counts_answer_claims_of_construction_alone() {
    let (papers, run) = (published_papers().unwrap(), open(STRUCTURE));
    let counted = evaluate(papers, &[("GPU", &[&run]), ("GPU", &[])], &[&run]);
    let timed = evaluate(papers, &[("GPU", &[])], &[&open(TABLE1)]);
    for row in counted.iter().chain(&timed) {
        let is_decided = row.results.iter().any(|result| result.verdict.is_decided());
        assert!(!is_decided || row.evidence == Some(EvidenceKind::Construction), "{}", row.id);
    }
    // Nor is an emulated GPU the one that it is named after.
    let name = &run.device().unwrap().info.name;
    let test = value("launches", "two-phase:phase_one", "128");
    let test = format!("{{ {test}, own_gpu = true, at_least = 1 }}");
    assert_eq!(judged_as(&[&run], &format!("gpu = \"{name}\""), &test).verdict, NotComparable);
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
        assert_eq!((found.cards, found.points[0].apart), (1, None));
        assert_close(found.points[0].measured, 2.2, 2.0 / of_two(1024), 2.6 * of_two(1024));
    }
}

/// Each card counts once, however often it was measured. Three show how far cards lie apart, so that nothing is assumed of it.
#[test]
fn cards_of_one_model_are_one_body_of_evidence() {
    let on = |factor: f64, name: &str, card: &str| on_card(again(&scaled(factor), name, None), card);
    let all = [on(1.0, "a", "1"), on(1.3, "b", "1"), on(1.5, "c", "2"), on(1.0, "d", "3")];
    for (runs, cards, value, low, high, apart) in [
        (&all[..], 3, (2.3 + 3.0 + 2.0) / 3.0, 2.0, 3.0, Some(3.0 / 7.3)),
        (&all[..3], 2, 2.65, 2.0 / of_two(1024), 3.0 * of_two(1024), Some(0.7 / 2.65)),
        (&all[..2], 1, 2.3, 2.0 / of_two(1024), 2.6 * of_two(1024), None),
    ] {
        for backwards in [false, true] {
            let mut runs: Vec<&StoredRun> = runs.iter().collect();
            if backwards {
                runs.reverse();
            }
            let found = judged_as(&runs, FLOOR.0, FLOOR.1);
            assert_eq!((found.cards, found.runs.len(), found.others.len()), (cards, runs.len(), 0));
            let point = &found.points[0];
            assert_close(point.measured, value, low, high);
            let is_as_said = |by: f64| apart.is_some_and(|expected| (by - expected).abs() < 1e-9);
            assert_eq!(point.apart.map(is_as_said), apart.map(|_| true), "{point:?}");
        }
    }
    // Of their host's CPU cards show nothing.
    let beside = "{ pairs = [[\"staged-load\", \"cpu-naive\"]], sizes = [1024], at_least = 0 }";
    let found = judged_as(&all.iter().collect::<Vec<_>>(), "", beside);
    let cpu = 1.0 + assumed_noise(false, 1024).1 / 2.0;
    assert_within(found.points[0].measured, 2.07 * of_two(4096), cpu);
    // Nor of its launches, which take the time at the least n.
    let waits = ["1", "2", "3"].map(|card| on_card(again(&timed(WAITS, |_| 2.0), card, None), card));
    let launches = "{ pairs = [[\"global-memory synchronize=1\", \"global-memory\"]], sizes = [512, 1024], at_least = 0 }";
    let found = judged_as(&waits.iter().collect::<Vec<_>>(), "", launches);
    assert_within(found.points[0].measured, 1.0, of_two(512));
    assert_within(found.points[1].measured, 1.0, 1.0);
    // A clock that does not wait reads these alone while the queue holds all.
    let clocks = "{ relation = \"clocks\", clock = \"host-unsynced\", over_clock = \"host-synced\", series = [\"global-memory\"], sizes = [1024, 2048], at_least = 0 }";
    let found = judged_as(&waits.iter().collect::<Vec<_>>(), "", clocks);
    assert_within(found.points[0].measured, 1.0, 1.0 + assumed_noise(true, 0).1 / 2.0);
    assert_within(found.points[1].measured, 1.0, 1.0);
}

#[test]
fn builds_agree_where_all_of_them_do_and_the_latest_comes_first() {
    let run = |factor: f64, name: &str| again(&scaled(factor), name, Some(name));
    // The floor is 4, and at the two sizes twice and four times these were measured.
    let (by_far, above, part, below) = (run(9.0, "a"), run(3.0, "b"), run(1.5, "c"), run(0.5, "d"));
    let just = edited(&run(1.0, "e"), |row| {
        if row.implementation == "katz-kider" {
            row.seconds = row.seconds.map(|_| if row.scope == Scope::Total { 12.6 } else { 4.2 });
        }
        true
    });
    // Where one holds or fails at all sizes and another at the one that its noise leaves decided, neither contradicts the other.
    let blurred = |of: &StoredRun, factor: f64| {
        edited(&again(of, "i", Some("i")), |row| {
            let is_open = row.implementation == "katz-kider" && row.n == 2048 && row.sample % 2 == 1;
            row.seconds = row.seconds.map(|seconds| if is_open { factor * seconds } else { seconds });
            true
        })
    };
    let [blurred_above, blurred] = [blurred(&above, 0.01), blurred(&below, 20.0)];
    let (just_before, below_again) = (again(&just, "0", Some("0")), again(&below, "f", Some("f")));
    // With uncommitted changes nobody knows whether they are one build.
    let [mut first, mut second] = [above.clone(), again(&above, "h", Some("b"))];
    (first.manifest.build.dirty, second.manifest.build.dirty) = (true, true);
    for (runs, verdict, latest, others) in [
        (vec![&by_far, &above], Exceeds, "b", vec![Exceeds]),
        (vec![&above, &by_far], Exceeds, "b", vec![Exceeds]),
        (vec![&just, &above], Reproduced, "e", vec![Exceeds]),
        (vec![&above, &just_before], Exceeds, "b", vec![Reproduced]),
        (vec![&above, &below], Ambiguous, "d", vec![Exceeds]),
        (vec![&part, &below], Ambiguous, "d", vec![InPart]),
        (vec![&above, &part, &below], Ambiguous, "d", vec![InPart, Exceeds]),
        (vec![&below, &blurred], FailsWhereDecided, "i", vec![Differs]),
        (vec![&above, &blurred_above], HoldsWhereDecided, "i", vec![Exceeds]),
        (vec![&just_before, &blurred_above, &above], HoldsWhereDecided, "i", vec![Exceeds, Reproduced]),
        // What the latest decides at all sizes stays so beside one that does at some.
        (vec![&again(&above, "j", Some("j")), &blurred_above], Exceeds, "j", vec![HoldsWhereDecided]),
        (vec![&below, &blurred_above], Ambiguous, "i", vec![Differs]),
        (vec![&below, &below_again, &part], Ambiguous, "f", vec![Differs, InPart]),
        (vec![&first, &second], Exceeds, "h", vec![Exceeds]),
    ] {
        let found = judged_as(&runs, FLOOR.0, FLOOR.1);
        let of_others: Vec<Verdict> = found.others.iter().map(|other| other.verdict).collect();
        assert_eq!((found.verdict, &*found.runs, of_others), (verdict, &[latest.to_string()][..], others));
    }
}

/// A claim of two experiments needs both, of one build, and each answers its own tests alone.
#[test]
fn what_two_experiments_measure_of_one_claim_comes_from_one_build() {
    let test = |run: &str, n: usize, least: f64| {
        format!("{{ run = \"{run}\", {PAIR}, sizes = [{n}], at_least = {least} }}")
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
    let of = |run: &StoredRun, over: &str| {
        let clocks = format!("relation = \"clocks\", clock = \"os-synced\", over_clock = \"{over}\"");
        judged_by(run, &format!("{clocks}, series = [\"global-memory\"], sizes = [16], at_least = 1.02"))
    };
    // Each solve takes longer than the one before, and the system's clock reads 5% more.
    let run = timed(TIMERS, |row| {
        let solve = 1.0 + f64::from(row.sample as u32);
        if row.scope == Scope::OsSynced { 1.05 * solve } else { solve }
    });
    let found = of(&run, "host-synced");
    assert_eq!(found.verdict, Reproduced);
    assert_close(found.points[0].measured, 1.05, 1.05, 1.05);
    // Of other clocks nothing says that they enclose one solve.
    assert_eq!(of(&run, "kernel").verdict, Ambiguous);
}
