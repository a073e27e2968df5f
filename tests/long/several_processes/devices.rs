//! Devices that give a wrong answer, are lost or never end, one of four.

use super::place::{Ended, Launcher, Place, TIME_TO_END};
use crate::common::column;
use std::time::Duration;

/// Four processes of which one's device has this fault. How each ended, and how long it took.
fn with_fault(place: &Place, fault: &str) -> (Vec<Ended>, Duration) {
    let variables = |rank, port| {
        let mut variables = Launcher::Torchrun.variables(rank, 4, port);
        variables.insert("REPRO_FAULT_DEVICE", fault.to_string());
        variables
    };
    // Beside the usual work of a start.
    place.start(&Place::NEW, &variables, 4).ends_within(TIME_TO_END + Duration::from_secs(30))
}

#[test]
#[ignore = "long"]
fn a_wrong_answer_of_any_device_is_found_and_named() {
    for device in 0..4 {
        let place = Place::new("257", "4");
        let (ended, _) = with_fault(&place, &format!("wrong:{device}"));
        assert_eq!(ended[0].code, Some(1), "{}", ended[0].stderr);
        assert!(ended[1..].iter().all(|one| one.code == Some(0)), "{ended:?}");
        let samples = place.samples();
        assert_eq!(column(&samples, "status"), ["failed"]);
        assert_eq!(column(&samples, "digest"), [""]);
        let [message] = &column(&samples, "message")[..] else { panic!("one row") };
        assert!(message.starts_with(&format!("rank {device} on ")), "{message}");
        assert!(message.contains("wrong result: the distance from vertex "), "{message}");
    }
}

#[test]
#[ignore = "long"]
fn a_device_that_is_lost_ends_all_processes_with_its_name() {
    for device in [0, 2] {
        let place = Place::new("100", "4");
        let (ended, took) = with_fault(&place, &format!("lost:{device}"));
        assert!(took < TIME_TO_END, "{took:?}");
        for one in &ended {
            assert_eq!(one.code, Some(1), "{}", one.stderr);
            let [line] = one.naming(device)[..] else { panic!("{}", one.stderr) };
            assert!(line.contains("the device has vanished on purpose"), "{line}");
        }
    }
}

/// Takes a quarter of a minute for each device, since a round may take twenty seconds.
#[test]
#[ignore = "long"]
fn a_device_that_never_ends_ends_all_processes_with_its_name() {
    for device in [0, 2] {
        let place = Place::new("100", "4");
        let (ended, took) = with_fault(&place, &format!("stuck:{device}"));
        println!("device {device}: {took:?}");
        for one in &ended {
            assert_eq!(one.code, Some(1), "{}", one.stderr);
            let [line] = one.naming(device)[..] else { panic!("{}", one.stderr) };
            assert!(line.contains("it made no progress for "), "{line}");
        }
    }
}

#[test]
#[ignore = "long"]
fn a_device_of_a_process_alone_that_ends_no_round_ends_the_sample_and_is_named() {
    let place = Place::new("100", "3");
    let mut command = place.command(&Place::NEW);
    let output = command.env("REPRO_FAULT_DEVICE", "silent:1").output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let samples = place.samples();
    assert_eq!(column(&samples, "status"), ["failed"]);
    let [message] = &column(&samples, "message")[..] else { panic!("one row") };
    assert!(
        message.contains("device 1 of this solve, counted from 0, did not end round 0 within 0.2 s"),
        "{message}"
    );
}
