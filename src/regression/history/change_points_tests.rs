//! Checks on change points, on planted series. How often the rule is wrong where times are noisy, `tests/compare_rates/history.rs` simulates.

use super::super::row::tests::row;
use super::*;
use crate::timing::Estimate;
use proptest::prelude::*;
use repro_base::CellId;

/// Nights, and the place and percent of each change in them.
type Case<'a> = (&'a [f64], &'a [(usize, i32)]);

/// Nights that differ by a little.
const QUIET: [f64; 8] = [1.0, 1.001, 0.999, 1.0005, 0.9995, 1.001, 0.999, 1.0];

fn rows(medians: &[f64]) -> Vec<HistoryRow> {
    (1..).zip(medians).map(|(day, &seconds)| row(day, seconds)).collect()
}

/// Place of the first night and ratio in percent of each change of the first cell.
fn found(rows: &[HistoryRow]) -> Vec<(usize, i32)> {
    let of_first = detect_changes(rows).remove(0).change_points;
    let at = |change: &ChangePoint| rows.iter().position(|row| row == change.after).unwrap();
    of_first.iter().map(|change| (at(change), (change.ratio() * 100.0).round() as i32)).collect()
}

/// That, of these nights after quiet ones.
fn after_quiet(medians: &[f64]) -> Vec<(usize, i32)> {
    found(&rows(&[&QUIET[..], medians].concat()))
}

#[test]
fn a_change_is_told_by_the_second_night_and_none_that_goes_by_itself_is() {
    let cases: [Case; 10] = [
        (&[1.1], &[]),
        (&[1.1, 1.1], &[(8, 110)]),
        (&[0.9, 0.9], &[(8, 90)]),
        (&[1.1, 1.0, 1.0, 1.1, 1.0], &[]),
        (&[1.1, 1.0, 1.1], &[(8, 110)]),
        // A night that lies nearer to the level before is of that.
        (&[1.1, 1.04, 1.1, 1.1], &[(8, 110)]),
        (&[1.015, 1.1, 1.1, 1.1], &[(9, 110)]),
        (&[1.1, 1.1, 1.1, 1.1, 1.0, 1.0], &[(8, 110), (12, 91)]),
        (&[1.1, 1.1, 1.1, 1.2, 1.2, 1.2], &[(8, 110), (11, 109)]),
        (&[1.015, 1.015, 1.015, 1.015], &[]),
    ];
    for (nights, changes) in cases {
        assert_eq!(after_quiet(nights), changes, "{nights:?}");
    }
    // The first nights show how far nights lie apart, and no change.
    assert_eq!(found(&rows(&[1.0, 1.0, 1.0, 1.0, 1.0, 1.1, 1.1])), []);
    assert!(
        !after_quiet(&(1..12).map(|at| 1.0 + 0.005 * f64::from(at)).collect::<Vec<_>>()).is_empty(),
        "drift"
    );
}

#[test]
fn a_restless_cell_must_change_by_more_and_so_must_a_quiet_one_among_restless_ones() {
    let restless: Vec<f64> = [1.0, 1.04].repeat(7);
    let changed = |name: &str, nights: &[f64], n: usize| -> Vec<HistoryRow> {
        let cell = CellId::new(name, n, "", "");
        let rows = rows(&[nights, &[1.04; 2]].concat()).into_iter();
        rows.map(|row| HistoryRow { cell: cell.clone(), ..row }).collect()
    };
    assert_eq!(found(&changed("a", &restless, 8192)), []);
    let quiet = changed("a", &[1.0; 14], 8192);
    assert_eq!(found(&quiet), [(14, 104)]);
    let beside = |sizes: [usize; 2]| {
        let others = sizes.iter().flat_map(|n| changed("restless", &restless, *n));
        quiet.iter().cloned().chain(others).collect::<Vec<_>>()
    };
    assert_eq!(found(&beside([4096, 8192])), []);
    assert_eq!(found(&beside([1024, 2048])), [(14, 104)], "those are of another kind");
}

#[test]
fn what_was_throttled_or_on_loaded_cores_begins_and_hides_no_change() {
    let with = |nights: &[f64], disturbed: &[usize], change: fn(&mut HistoryRow)| {
        let mut rows = rows(&[&QUIET[..], nights].concat());
        disturbed.iter().for_each(|at| change(&mut rows[*at]));
        found(&rows)
    };
    let throttled = |row: &mut HistoryRow| row.throttled = Some(true);
    assert_eq!(with(&[1.1, 1.1], &[9], throttled), []);
    assert_eq!(with(&[1.1, 1.0, 1.1], &[9], throttled), [(8, 110)]);
    assert_eq!(with(&[9.0, 9.0, 1.1, 1.1], &[8, 9], throttled), [(10, 110)]);
    let loaded = |row: &mut HistoryRow| row.others_load = Some(0.2);
    assert_eq!(with(&[1.1, 1.1], &[9], loaded), [(8, 110)], "a GPU waits for no core");
}

#[test]
fn another_graph_scope_model_or_turn_is_another_cell_and_another_driver_is_not() {
    let rows = [
        // Later by its time, if not by its text.
        HistoryRow { time: "2026-03-02T01:00:00-05:00".into(), ..row(1, 2.0) },
        HistoryRow { driver: "590.2".into(), experiment: "timers".into(), ..row(1, 1.0) },
        HistoryRow { time: "2026-03-02T05:00:00Z".into(), ..row(1, 3.0) },
        HistoryRow { graph_digest: "ffffffff".into(), ..row(3, 1.0) },
        HistoryRow { scope: crate::timing::Scope::Total, ..row(3, 1.0) },
        HistoryRow { device: "NVIDIA A100".into(), ..row(3, 1.0) },
        HistoryRow { cell: CellId::new("staged-load", 1024, "kappa=4", ""), ..row(3, 1.0) },
        HistoryRow { beside: true, ..row(3, 1.0) },
    ];
    let cells = detect_changes(&rows);
    assert_eq!(cells.len(), 6);
    let of_three = cells.iter().find(|cell| cell.rows.len() == 3).unwrap();
    assert!(of_three.rows.iter().map(|row| row.seconds.value).eq([1.0, 3.0, 2.0]));
}

proptest! {
    #[test]
    fn what_was_found_stays_so_whatever_comes_later(
        medians in proptest::collection::vec(0.8_f64..1.25, 2..30), kept in 0.0_f64..1.0,
    ) {
        let kept = 2 + (kept * (medians.len() - 2) as f64) as usize;
        let places = |medians: &[f64]| found(&rows(medians)).into_iter().map(|(at, _)| at).collect::<Vec<_>>();
        prop_assert!(places(&medians).starts_with(&places(&medians[..kept])));
    }

    #[test]
    fn within_two_percent_nothing_changed_and_any_unit_of_time_tells_the_same(
        medians in proptest::collection::vec(0.9901_f64..1.0098, 1..30), unit in 1e-9_f64..1e9,
    ) {
        prop_assert_eq!(found(&rows(&medians)), []);
        let planted = [&QUIET[..], &[1.1; 3]].concat();
        let in_unit = rows(&planted).into_iter();
        let in_unit = in_unit.map(|row| HistoryRow { seconds: Estimate::exact(row.seconds.value * unit), ..row });
        prop_assert_eq!(found(&in_unit.collect::<Vec<_>>()), found(&rows(&planted)));
    }
}
