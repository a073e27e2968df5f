//! A command that refuses changes nothing: neither names nor bytes nor links, in the whole folder where it was called. Each
//! refusal is a line of a table; one that is new needs nothing else.

#![cfg(unix)]

mod cases;
mod kernels;
mod place;

use crate::common::{assert_refused, stderr};
use cases::{COMPARE, COUNTS, HISTORY, REPORT, RESUME, RUN, RUN_IN_FOLDERS, TORN, TRACK};
use kernels::{NEW_KERNEL, WITH};
use place::{Place, digest};

/// What is called, in words parted by blanks; what is made before; and what the message says.
type Case = (&'static str, fn(&Place), &'static [&'static str]);

/// Makes each call in a folder of its own.
fn assert_refusals_change_nothing(cases: &[Case]) {
    for (call, given, says) in cases {
        let place = Place::new();
        given(&place);
        assert_refusal_changes_nothing(&place, call, says);
    }
}

fn assert_refusal_changes_nothing(place: &Place, call: &str, says: &[&str]) {
    println!("repro {call}");
    let before = digest(&place.path(""));
    let output = place.command(call).output().unwrap();
    assert_refused(&output, says);
    let text = stderr(&output);
    assert!(!text.trim_end_matches('\n').replace('\n', " ").contains(char::is_control), "{text:?}");
    let after = digest(&place.path(""));
    let names = before.keys().chain(after.keys());
    let changed: Vec<&String> = names.filter(|name| before.get(*name) != after.get(*name)).collect();
    assert!(changed.is_empty(), "repro {call} changed {changed:?}");
}

#[test]
fn a_run_that_is_refused_leaves_everything_as_it_was() {
    assert_refusals_change_nothing(RUN);
}

#[test]
fn a_run_that_cannot_begin_leaves_the_folders_that_were_there() {
    assert_refusals_change_nothing(RUN_IN_FOLDERS);
}

#[test]
fn a_run_that_cannot_be_resumed_stays_as_it_was() {
    assert_refusals_change_nothing(RESUME);
}

#[test]
fn a_torn_or_committed_run_that_cannot_be_resumed_stays_as_it_was() {
    assert_refusals_change_nothing(TORN);
}

#[test]
fn a_report_that_is_refused_leaves_everything_as_it_was() {
    assert_refusals_change_nothing(REPORT);
}

#[test]
fn a_comparison_that_is_refused_leaves_everything_as_it_was() {
    assert_refusals_change_nothing(COMPARE);
}

#[test]
fn a_history_that_cannot_be_continued_stays_as_it_was() {
    assert_refusals_change_nothing(HISTORY);
}

#[test]
fn counts_that_are_refused_leave_the_baseline_as_it_was() {
    assert_refusals_change_nothing(COUNTS);
}

#[test]
fn a_new_kernel_that_is_refused_writes_nothing() {
    assert_refusals_change_nothing(NEW_KERNEL);
}

#[test]
fn a_mistake_in_a_kernel_file_is_named_with_its_line_and_nothing_is_written() {
    assert_refusals_change_nothing(WITH);
}

#[test]
fn tracking_that_is_refused_measures_nothing() {
    assert_refusals_change_nothing(TRACK);
}

#[test]
fn a_folder_that_another_process_writes_to_is_left_to_it() {
    let place = Place::new();
    let lock = std::fs::File::create(place.path("run/.lock")).unwrap();
    lock.lock().unwrap();
    for call in ["run mine.toml --device cpu --out run", "run mine.toml --resume run"] {
        assert_refusal_changes_nothing(&place, call, &["another repro is writing to run"]);
    }
}
