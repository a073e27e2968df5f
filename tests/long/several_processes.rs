//! `repro run` in several processes, started as torchrun, srun and mpirun start them, on emulated devices: right results, processes that
//! are lost in every way, and starts that are wrong.

#![cfg(target_os = "linux")]

#[cfg(feature = "fault-injection")]
mod devices;
#[cfg(feature = "fault-injection")]
mod ends;
pub mod kills;
mod launches;
mod place;

use crate::common::column;
pub use place::Launcher;
use place::{Place, assert_all_right};

/// The samples of a run in one process that has as many devices.
fn of_one_process(sizes: &str) -> Vec<(String, String)> {
    let place = Place::new(sizes, "4");
    let output = place.command(&Place::NEW).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", crate::common::stderr(&output));
    place.results()
}

/// Solves with four processes of these launchers. Every row is compared, and the digests are those of one process.
pub fn solve_with(launchers: &[Launcher], sizes: &str) {
    let alone = of_one_process(sizes);
    for &launcher in launchers {
        let place = Place::new(sizes, "4");
        let started = place.start(&Place::NEW, &|rank, port| launcher.variables(rank, 4, port), 4);
        assert_all_right(&started.ends());
        assert_eq!(place.results(), alone, "{launcher:?}");
        assert!(alone.iter().all(|(status, digest)| status == "counted" && digest.len() == 16), "{alone:?}");
        let samples = place.samples();
        let all_rows: Vec<String> =
            column(&samples, "n").into_iter().map(|n| format!("exact-rows:{n}")).collect();
        assert_eq!(column(&samples, "verification"), all_rows, "{launcher:?}");
        let manifest = std::fs::read_to_string(place.path("run/manifest.json")).unwrap();
        let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
        assert_eq!(manifest["environment"]["further_devices"].as_array().unwrap().len(), 3);
    }
}

#[test]
#[ignore = "long"]
fn four_processes_of_every_launcher_solve_bit_for_bit_what_one_does() {
    solve_with(&[Launcher::Torchrun, Launcher::OpenMpi, Launcher::Slurm], "100, 257");
}

#[test]
#[ignore = "long"]
fn a_cell_that_needs_more_devices_than_the_processes_have_is_skipped() {
    let place = Place::new("100", "1, 2, 3");
    let started = place.start(&Place::NEW, &|rank, port| Launcher::Torchrun.variables(rank, 2, port), 2);
    assert_all_right(&started.ends());
    let samples = place.samples();
    assert_eq!(column(&samples, "status"), ["skipped", "counted", "counted"]);
    let digests = column(&samples, "digest");
    assert!(digests[1].len() == 16 && digests[1] == digests[2], "{digests:?}");
    assert!(column(&samples, "message")[0].contains("needs 3 devices, and the 2 processes have 2 in all"));
}

#[test]
#[ignore = "long"]
fn kills_of_one_process_end_all_others_and_every_run_goes_on() {
    // They reach every process twice at least.
    kills::kill(20, 1);
}
