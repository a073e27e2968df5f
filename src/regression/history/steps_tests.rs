//! Checks on step changes, on planted series.

use super::super::row::tests::row;
use super::*;
use proptest::prelude::*;

fn rows(medians: &[f64]) -> Vec<HistoryRow> {
    (1..).zip(medians).map(|(day, &seconds)| row(day, seconds)).collect()
}

/// Place of the entry, ratio in percent, and whether it is confirmed.
fn found(rows: &[HistoryRow]) -> Vec<(usize, i32, bool)> {
    let all: Vec<&HistoryRow> = rows.iter().collect();
    let at = |step: &Step| rows.iter().position(|row| row == step.after).unwrap();
    steps(&all).iter().map(|step| (at(step), (step.ratio() * 100.0).round() as i32, step.confirmed)).collect()
}

fn of(medians: &[f64]) -> Vec<(usize, i32, bool)> {
    found(&rows(medians))
}

/// Whose interval is wider, or missing.
fn with(mut rows: Vec<HistoryRow>, at: usize, change: fn(&mut HistoryRow)) -> Vec<HistoryRow> {
    change(&mut rows[at]);
    rows
}

fn one_sample(row: &mut HistoryRow) {
    (row.samples, row.ci_confidence) = (1, 0.0);
    row.seconds = Estimate::exact(row.seconds.value);
}

#[test]
fn a_step_is_confirmed_by_the_next_entry_and_is_none_when_that_returns() {
    assert_eq!(of(&[1.0, 1.001, 0.999, 1.1, 1.102, 1.099]), [(3, 110, true)]);
    assert_eq!(of(&[1.0, 1.001, 0.999, 0.9, 0.901]), [(3, 90, true)]);
    assert_eq!(of(&[1.0, 1.001, 0.999, 1.1]), [(3, 110, false)]);
    assert_eq!(of(&[1.0, 1.001, 1.1, 1.0, 0.999]), []);
    // Even the first entry may have been slow.
    assert_eq!(of(&[1.1, 1.0, 1.0]), [(1, 91, true)]);
}

#[test]
fn every_step_starts_a_level_of_its_own() {
    assert_eq!(
        of(&[1.0, 1.0, 1.1, 1.1, 1.1, 1.0, 1.0, 0.5, 0.5]),
        [(2, 110, true), (5, 91, true), (7, 50, true)]
    );
    // Between the two levels lies neither: the step is where it stays.
    assert_eq!(of(&[1.0, 1.0, 1.1, 1.05, 1.05]), [(3, 105, true)]);
    // Beyond the new level is still on its side.
    assert_eq!(of(&[1.0, 1.0, 1.1, 1.2, 1.2]), [(2, 110, true), (3, 109, true)]);
}

#[test]
fn a_slow_drift_is_a_step_once_it_has_come_far_enough() {
    let drift: Vec<f64> = (0..12).map(|at| 1.0 + 0.005 * f64::from(at)).collect();
    assert!(!of(&drift).is_empty());
}

#[test]
fn an_interval_that_touches_the_level_is_no_step() {
    let wide = |row: &mut HistoryRow| row.seconds.low = 1.0;
    assert_eq!(found(&with(rows(&[1.0, 1.0, 1.1]), 2, wide)), []);
}

#[test]
fn entries_of_one_sample_confirm_nothing_by_themselves() {
    let medians = rows(&[1.0, 1.0, 1.1, 1.1, 1.1]);
    let first = with(medians.clone(), 2, one_sample);
    assert_eq!(found(&first), [(2, 110, true)], "the next has an interval");
    let both = with(first, 3, one_sample);
    assert_eq!(found(&both), [(2, 110, false)]);
    assert_eq!(found(&with(rows(&[1.0, 1.0, 1.1]), 2, one_sample)), [(2, 110, false)]);
}

#[test]
fn a_restless_cell_must_move_further_and_its_steps_do_not_make_it_restless() {
    // Up and down by 4%: from the ninth entry on a change of 8% is nothing new.
    let restless = [1.0, 1.04, 1.0, 1.04, 1.0, 1.04, 1.0, 1.04];
    assert!((tolerance(&restless, true) - 2.44 * 0.0392).abs() < 0.002, "{}", tolerance(&restless, true));
    assert_eq!(tolerance(&restless[..7], true), LEAST_TOLERANCE, "too few to know");
    assert_eq!(of(&[&restless[..], &[1.0, 1.08, 1.08]].concat()), []);
    let stepped = [1.0, 1.0, 1.5, 1.5, 1.5, 0.8, 0.8, 0.8, 1.2, 1.2];
    assert_eq!(tolerance(&stepped, true), LEAST_TOLERANCE);
}

#[test]
fn a_cpu_of_which_little_is_known_must_take_twice_as_long() {
    let on_cpu = |medians: &[f64]| -> Vec<HistoryRow> {
        let plain = rows(medians).into_iter();
        plain.map(|row| HistoryRow { device: String::new(), sm_mhz: None, ..row }).collect()
    };
    assert_eq!(found(&on_cpu(&[1.0, 1.5, 1.5, 0.8])), []);
    assert_eq!(found(&on_cpu(&[1.0, 2.5, 2.5])), [(1, 250, true)]);
    let steady = [&[1.0; 8][..], &[1.1, 1.1]].concat();
    assert_eq!(found(&on_cpu(&steady)), [(8, 110, true)], "by now it is known");
}

#[test]
fn what_else_changed_is_told() {
    let mut rows = rows(&[1.0, 1.1]);
    rows[1].sm_mhz = Some(1965);
    let changed = |rows: &[HistoryRow]| steps(&[&rows[0], &rows[1]])[0].also_changed();
    assert_eq!(changed(&rows), [""; 0], "one step of the clock says nothing");
    rows[1].driver = "590.2".into();
    rows[1].device_uuid = "GPU-2".into();
    rows[1].sm_mhz = Some(1755);
    rows[1].dirty = true;
    (rows[1].power_w, rows[1].temperature_c) = (Some(350.0), Some(61));
    (rows[0].others_load, rows[1].others_load) = (Some(0.01), Some(0.08));
    assert_eq!(
        changed(&rows),
        [
            "driver 580.1 → 590.2",
            "GPU GPU-1 → GPU-2",
            "SM clock 1980 → 1755 MHz",
            "power 400 → 350 W",
            "temperature 50 → 61 °C",
            "load by others 1 → 8%",
            "uncommitted changes after"
        ]
    );
}

#[test]
fn what_was_throttled_or_loaded_is_no_part_of_a_level_and_begins_and_confirms_no_step() {
    let throttled = |row: &mut HistoryRow| row.throttled = Some(true);
    let loaded = |row: &mut HistoryRow| row.others_load = Some(0.2);
    assert_eq!(found(&with(with(rows(&[1.0, 1.0, 1.1, 1.1]), 2, throttled), 3, loaded)), []);
    assert_eq!(found(&with(rows(&[1.0, 1.0, 1.1, 1.1]), 3, throttled)), [(2, 110, false)]);
    assert_eq!(found(&with(rows(&[1.0, 9.0, 1.0, 1.1, 1.1]), 1, loaded)), [(3, 110, true)]);
    // It hides no step either.
    assert_eq!(found(&with(rows(&[1.0, 1.0, 1.1, 1.0, 1.1]), 3, loaded)), [(2, 110, true)]);
    let quiet = |row: &mut HistoryRow| (row.throttled, row.others_load) = (Some(false), Some(0.1));
    assert_eq!(found(&with(rows(&[1.0, 1.0, 1.1, 1.1]), 2, quiet)), [(2, 110, true)]);
}

proptest! {
    #[test]
    fn what_is_confirmed_stays_so_whatever_comes_later(
        medians in proptest::collection::vec(0.8_f64..1.25, 2..24), kept in 0.0_f64..1.0,
    ) {
        let kept = 2 + (kept * (medians.len() - 2) as f64) as usize;
        let places = |steps: Vec<(usize, i32, bool)>| -> Vec<usize> {
            steps.into_iter().filter(|(at, _, confirmed)| *confirmed && at + 1 < kept).map(|(at, ..)| at).collect()
        };
        prop_assert_eq!(places(of(&medians[..kept])), places(of(&medians)));
    }

    #[test]
    fn within_the_tolerance_there_is_no_step(medians in proptest::collection::vec(0.9901_f64..1.0098, 0..24)) {
        prop_assert_eq!(of(&medians), []);
    }
}
