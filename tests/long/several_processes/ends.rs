//! Processes that are stopped or interrupted, and what the others do.

use super::place::{Launcher, Place, Started, TIME_TO_END, assert_all_right};
use crate::common::signal;
use rustix::process::Signal;
use std::time::{Duration, Instant};

/// A cell that ends, and one in which the fourth process waits for its device for ever while the others wait for it.
const DEVICES: &str = "3, 4";
/// Longer than a busy machine takes for the first cell.
const TIME_TO_BEGIN: Duration = Duration::from_secs(120);

/// Four processes in the middle of the second cell.
fn in_a_solve(place: &Place) -> Started {
    let variables = |rank, port| {
        let mut variables = Launcher::Torchrun.variables(rank, 4, port);
        variables.insert("REPRO_FAULT_DEVICE", "stuck:3".to_string());
        variables
    };
    let started = place.start(&Place::NEW, &variables, 4);
    let begun = Instant::now();
    while std::fs::read_to_string(place.samples()).map_or(0, |text| text.lines().count()) < 2 {
        assert!(begun.elapsed() < TIME_TO_BEGIN, "nothing is solved");
        std::thread::sleep(Duration::from_millis(5));
    }
    // The second graph is made in no time.
    std::thread::sleep(Duration::from_millis(300));
    started
}

/// Continues the run without the fault, and asserts that both cells are there and equal.
fn continue_run(place: &Place) {
    assert_all_right(&place.start_four(&Place::RESUME).ends());
    let results = place.results();
    assert!(results.len() == 2 && results[0] == results[1], "{results:?}");
    assert_eq!(results[0].0, "counted");
}

/// Stops one process of rank 0 or another, and asserts that the others end and name it, and that it ends when it goes on.
fn stop(rank: usize, choose: impl Fn(&Started) -> u32) {
    let place = Place::new("70", DEVICES);
    let mut started = in_a_solve(&place);
    let stopped = choose(&started);
    assert!(signal(stopped, Signal::STOP));
    let begun = Instant::now();
    while !(0..4).all(|at| started.id(at) == stopped || started.has_ended(at)) {
        assert!(begun.elapsed() < TIME_TO_END, "the others wait for {rank}");
        std::thread::sleep(Duration::from_millis(10));
    }
    println!("rank {rank} was stopped, and the others ended after {:?}", begun.elapsed());
    signal(stopped, Signal::CONT);
    let (ended, _) = started.ends_within(TIME_TO_END);
    for one in &ended {
        assert_eq!(
            (one.code, one.naming(rank).len()),
            (Some(1), 1),
            "rank {rank} was stopped: {}",
            one.stderr
        );
    }
    continue_run(&place);
}

/// Silence of ten seconds is what they look for.
#[test]
#[ignore = "long"]
fn a_process_that_is_stopped_ends_all_others_which_name_it() {
    let stops: [fn(); 3] = [
        || stop(2, |started| started.id(2)),
        || stop(0, |started| started.id(0)),
        || stop(0, |started| started.worker().unwrap()),
    ];
    stops.iter().for_each(|stop| stop());
}

#[test]
#[ignore = "long"]
fn ctrl_c_on_the_first_process_ends_all_and_the_run_can_be_continued() {
    let place = Place::new("70", DEVICES);
    let started = in_a_solve(&place);
    assert!(signal(started.id(0), Signal::INT));
    let (ended, _) = started.ends_within(TIME_TO_END);
    assert_eq!(ended[0].code, Some(130), "{}", ended[0].stderr);
    assert!(ended[0].stderr.contains("interrupted; continue with: repro run"), "{}", ended[0].stderr);
    for one in &ended[1..] {
        assert_eq!((one.code, one.naming(0).len()), (Some(1), 1), "{}", one.stderr);
    }
    continue_run(&place);
}

#[test]
#[ignore = "long"]
fn ctrl_c_on_another_process_ends_all_and_the_run_can_be_continued() {
    let place = Place::new("70", DEVICES);
    let started = in_a_solve(&place);
    assert!(signal(started.id(1), Signal::INT));
    let (ended, _) = started.ends_within(TIME_TO_END);
    assert_eq!(ended[1].code, Some(130), "{}", ended[1].stderr);
    for at in [0, 2, 3] {
        assert_eq!((ended[at].code, ended[at].naming(1).len()), (Some(1), 1), "{at}: {}", ended[at].stderr);
    }
    assert!(ended[0].stderr.contains("; continue with: repro run"), "{}", ended[0].stderr);
    continue_run(&place);
}

/// As a terminal or a launcher sends it: to all of them, here to the first one last.
#[test]
#[ignore = "long"]
fn ctrl_c_on_all_processes_is_an_interrupt_and_no_loss() {
    let place = Place::new("70", DEVICES);
    let started = in_a_solve(&place);
    for at in [3, 2, 1, 0] {
        assert!(signal(started.id(at), Signal::INT));
    }
    let (ended, _) = started.ends_within(TIME_TO_END);
    assert_eq!(ended[0].code, Some(130), "{}", ended[0].stderr);
    assert!(!ended[0].stderr.contains(" is lost: "), "{}", ended[0].stderr);
    continue_run(&place);
}
