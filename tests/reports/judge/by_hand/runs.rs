//! Several runs that answer one claim: of one build and device together, of others beside each other.

use super::{FLOOR, again, assert_close, judged_as, of_two, seconds, timed};
use crate::common::stored::TABLE1;
use crate::reports::judge::edited;
use repro::judge::Verdict::{Ambiguous, Differs, Exceeds, InPart, Reproduced};
use repro::results::StoredRun;
use repro::timing::Scope;

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
    assert_eq!(
        of(&[&below, &again(&below, "f", Some("f")), &part]),
        (Ambiguous, named("f"), vec![Differs, InPart])
    );
    // Of one build and another device they are as apart.
    let mut elsewhere = again(&above, "g", Some("b"));
    elsewhere.manifest.environment.as_mut().unwrap().device.as_mut().unwrap().info.uuid = "GPU-2".to_string();
    assert_eq!(of(&[&above, &elsewhere]), (Exceeds, named("g"), vec![Exceeds]));
}
