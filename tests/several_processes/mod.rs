//! `repro run` in several processes, started as torchrun, srun and mpirun start them, on emulated devices and a stand-in for NCCL: the bits
//! of one process, processes that are lost, and starts that are wrong.

pub mod place;

use crate::common::{assert_refused, column, files, signal, stderr};
use place::{Launcher, Parts, Started, TIME_TO_END, assert_all_right};
use rustix::process::Signal;
use std::time::{Duration, Instant};

/// The results of a run in one process that has as many devices.
fn of_one_process(sizes: &str, devices: &str) -> Vec<(String, String)> {
    let place = Parts::new(sizes, devices);
    let output = place.command(Parts::NEW).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let results = place.results();
    assert!(results.iter().all(|(status, digest)| status == "counted" && digest.len() == 16), "{results:?}");
    results
}

/// Solves with so many processes of a launcher. Every row is compared, and the digests are those of one process. Nothing is left.
fn solve_with(launcher: Launcher, count: usize, sizes: &str, alone: &[(String, String)]) {
    let place = Parts::new(sizes, &count.to_string());
    let started = place.start_with(Parts::NEW, &|rank| launcher.variables(rank, count), count);
    assert_all_right(&started.ends());
    assert_eq!(place.results(), alone, "{launcher:?}");
    let samples = place.samples();
    let all_rows: Vec<String> =
        column(&samples, "n").into_iter().map(|n| format!("exact-rows:{n}")).collect();
    assert_eq!(column(&samples, "verification"), all_rows, "{launcher:?}");
    let manifest = std::fs::read_to_string(place.path("run/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["environment"]["further_devices"].as_array().unwrap().len(), count - 1);
    assert_eq!(manifest["environment"]["together"]["transports"][0], "NCCL 2.28.9");
    let is_of_start = |path: &std::path::Path| path.to_string_lossy().contains(".nccl-");
    assert!(!files(&place.path("run")).iter().any(|(path, _)| is_of_start(path)));
    assert_eq!(place.left(), 0);
}

/// Waits until the first cell of a run is done.
fn await_first_cell(place: &Parts) {
    let begun = Instant::now();
    while std::fs::read_to_string(place.samples()).map_or(0, |text| text.lines().count()) < 2 {
        assert!(begun.elapsed() < Duration::from_secs(120), "nothing is solved");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Ends a process after the first cell, and asserts that all end, and that the run is then continued to the right results.
fn end_one(sizes: &str, alone: &[(String, String)], end: impl FnOnce(&Started), expected: [Option<i32>; 2]) {
    let place = Parts::new(sizes, "2");
    let started = place.start(2, Parts::NEW);
    await_first_cell(&place);
    end(&started);
    let (ended, took) = started.ends_within(TIME_TO_END);
    println!("all ended after {took:?}");
    assert_eq!([ended[0].code, ended[1].code], expected, "{ended:?}");
    for one in ended.iter().filter(|one| one.code == Some(1)) {
        assert_eq!(one.errors().len(), 1, "{}", one.stderr);
    }
    if expected[0] == Some(1) {
        assert!(ended[0].errors()[0].contains("; continue with: repro run"), "{}", ended[0].stderr);
    }
    let done = place.results();
    assert!(done.len() < alone.len() && done.iter().zip(alone).all(|(one, right)| one == right), "{done:?}");
    assert_all_right(&place.start(2, Parts::RESUME).ends());
    assert_eq!(place.results(), alone);
}

const SIZES: &str = "70, 80, 100";

#[test]
fn two_processes_solve_what_one_does_and_the_loss_of_one_ends_both_until_the_run_is_resumed() {
    let alone = of_one_process(SIZES, "2");
    solve_with(Launcher::Torchrun, 2, SIZES, &alone);
    let kill = |started: &Started| assert!(signal(started.id(1), Signal::KILL));
    end_one(SIZES, &alone, kill, [Some(1), None]);
}

#[test]
fn a_start_without_a_folder_or_with_half_of_its_variables_is_refused() {
    let place = Parts::new("70", "2");
    let mut command = place.command("run parts.toml --device emulated --quiet");
    let output = command.envs(Launcher::Torchrun.variables(0, 2)).output().unwrap();
    assert_refused(
        &output,
        &["several processes meet in the folder of their run", "--out DIR", "--resume DIR"],
    );
    for (name, other) in [("RANK", "WORLD_SIZE"), ("WORLD_SIZE", "RANK")] {
        let output = place.command(Parts::NEW).env(name, "1").output().unwrap();
        assert_refused(&output, &[&format!("{name} is set and {other} is not"), "or neither"]);
    }
    assert!(!place.path("run").exists() && !place.path("results").exists());
    // Where nothing is solved together, it means nothing.
    let alone = "run table1 --device cpu --sizes 8 --only cpu-naive --quiet --no-report --out run";
    let output = place.command(alone).env("RANK", "1").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn four_processes_of_every_launcher_solve_bit_for_bit_what_one_does() {
        let sizes = "100, 257";
        let alone = of_one_process(sizes, "4");
        for launcher in [Launcher::Torchrun, Launcher::OpenMpi, Launcher::Slurm] {
            solve_with(launcher, 4, sizes, &alone);
        }
    }

    #[test]
    #[ignore = "long"]
    fn a_cell_that_needs_more_devices_than_the_processes_have_is_skipped() {
        let place = Parts::new("100", "1, 2, 3");
        assert_all_right(&place.start(2, Parts::NEW).ends());
        let samples = place.samples();
        assert_eq!(column(&samples, "status"), ["skipped", "counted", "counted"]);
        let digests = column(&samples, "digest");
        assert!(digests[1].len() == 16 && digests[1] == digests[2], "{digests:?}");
        assert!(column(&samples, "message")[0].contains("needs 3 devices, and this run has 2"));
    }

    #[test]
    #[ignore = "long"]
    fn an_interrupt_of_the_first_process_ends_all_and_the_run_goes_on() {
        let alone = of_one_process(SIZES, "2");
        let interrupt = |started: &Started| assert!(signal(started.id(0), Signal::INT));
        end_one(SIZES, &alone, interrupt, [Some(130), Some(1)]);
    }

    /// They wait a minute for each other.
    #[test]
    #[ignore = "long"]
    fn processes_that_do_not_meet_say_what_to_look_at_and_leave_nothing() {
        let place = Parts::new("70", "2");
        let mut started = Started::none();
        for (rank, folder) in [(0, "run"), (1, "other")] {
            let mut command =
                place.command(&format!("run parts.toml --device emulated --quiet --out {folder}"));
            command.envs(Launcher::Torchrun.variables(rank, 2));
            started.add(command, &place.path(&format!("rank-{rank}")));
        }
        for (one, told) in
            started.ends().iter().zip(["not all 2 processes joined", "rank 0 has put no other/"])
        {
            assert_eq!(one.code, Some(1), "{}", one.stderr);
            let [line] = one.errors()[..] else { panic!("{}", one.stderr) };
            assert!(line.contains(told) && line.contains("the same --out or --resume"), "{line}");
        }
        assert!(!place.path("run").exists() && !place.path("other").exists());
        assert_eq!(place.left(), 0);
    }

    #[cfg(feature = "fault-injection")]
    mod faults {
        use super::*;
        use crate::kills::make_kills;
        use place::Ended;
        use repro::distributed::team::TIME_TO_MEET;
        use repro::results::StoredRun;
        use repro::store::Status;

        /// Four processes of which one's device has this fault.
        fn with_fault(place: &Parts, fault: &str) -> Vec<Ended> {
            let variables = |rank| {
                let mut variables = Launcher::Torchrun.variables(rank, 4);
                variables.insert("REPRO_FAULT_DEVICE", fault.to_string());
                variables
            };
            place.start_with(Parts::NEW, &variables, 4).ends()
        }

        #[test]
        #[ignore = "long"]
        fn a_wrong_answer_of_any_device_is_found_and_named() {
            for device in 0..4 {
                let place = Parts::new("257", "4");
                let ended = with_fault(&place, &format!("wrong:{device}"));
                assert_eq!(ended[0].code, Some(1), "{}", ended[0].stderr);
                assert!(ended[1..].iter().all(|one| one.code == Some(0)), "{ended:?}");
                let samples = place.samples();
                assert_eq!(
                    (column(&samples, "status"), column(&samples, "digest")),
                    (vec!["failed".into()], vec!["".into()])
                );
                let [message] = &column(&samples, "message")[..] else { panic!("one row") };
                assert!(message.starts_with(&format!("rank {device} on ")), "{message}");
                assert!(message.contains("wrong result: the distance from vertex "), "{message}");
            }
        }

        #[test]
        #[ignore = "long"]
        fn a_device_that_is_lost_ends_all_processes() {
            let place = Parts::new("100", "4");
            for (rank, one) in with_fault(&place, "lost:2").iter().enumerate() {
                let [line] = one.errors()[..] else { panic!("{}", one.stderr) };
                assert_eq!(one.code, Some(1), "{line}");
                assert_eq!(
                    line.contains("cannot go on: the device has vanished on purpose"),
                    rank == 2,
                    "{line}"
                );
            }
        }

        #[test]
        #[ignore = "long"]
        fn a_device_of_a_process_alone_that_ends_no_round_ends_the_sample_and_is_named() {
            let place = Parts::new("100", "3");
            let mut command = place.command(Parts::NEW);
            let output = command.env("REPRO_FAULT_DEVICE", "silent:1").output().unwrap();
            assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
            let [message] = &column(&place.samples(), "message")[..] else { panic!("one row") };
            assert!(
                message.contains("device 1 of this solve, counted from 0, did not end round 0 within 0.2 s"),
                "{message}"
            );
        }

        /// The rank of which the process is killed that the launcher started, and none where it is the worker of rank 0.
        type Victim = Option<usize>;
        const VICTIMS: [Victim; 5] = [Some(0), None, Some(1), Some(2), Some(3)];

        /// Kills at a moment after the start of four processes. Every other one ends with one line, what is there of the run can be read,
        /// and it goes on to the right results. How many cells were done; none when nobody was hit.
        fn kill(victim: Victim, moment: Duration, right: &[(String, String)]) -> Option<usize> {
            let place = Parts::new(SIZES, "4, 3");
            let started = place.start(4, Parts::NEW);
            std::thread::sleep(moment);
            let id = victim.map_or_else(|| started.worker(), |rank| Some(started.id(rank)));
            if !id.is_some_and(|id| signal(id, Signal::KILL)) {
                started.ends();
                return None;
            }
            let (ended, _) = started.ends_within(TIME_TO_END + TIME_TO_MEET);
            // All was done: a process that ends is lost to nobody.
            let mut others = ended.iter().enumerate().filter(|(at, _)| *at != victim.unwrap_or(0));
            if others.all(|(_, one)| one.code == Some(0)) {
                return None;
            }
            for (at, one) in ended.iter().enumerate() {
                let expected = if victim == Some(at) { (None, 0) } else { (Some(1), 1) };
                assert_eq!((one.code, one.errors().len()), expected, "{victim:?}, rank {at}: {}", one.stderr);
            }
            let has_begun = place.path("run/manifest.json").exists();
            let done = if has_begun { assert_nothing_wrong(&place, right) } else { 0 };
            let go_on = if has_begun { Parts::RESUME } else { Parts::NEW };
            assert_all_right(&place.start(4, go_on).ends());
            assert_eq!(place.results(), right, "{victim:?} after {moment:?}");
            Some(done)
        }

        /// No result of the unfinished run is another than the right one. How many there are.
        fn assert_nothing_wrong(place: &Parts, right: &[(String, String)]) -> usize {
            let run = StoredRun::open(&place.path("run")).unwrap();
            assert!(run.manifest.finished.is_none());
            for row in &run.samples {
                let is_right = right.iter().any(|(_, digest)| *digest == row.digest);
                assert!(row.status == Status::Counted && row.verified && is_right, "{row:?}");
            }
            run.samples.len()
        }

        #[test]
        #[ignore = "long"]
        fn kills_of_one_process_end_all_others_and_every_run_goes_on() {
            let place = Parts::new(SIZES, "4, 3");
            let begun = Instant::now();
            assert_all_right(&place.start(4, Parts::NEW).ends());
            let (lasts, right) = (begun.elapsed(), place.results());
            // They reach every process twice at least.
            make_kills(20, 1, |seed, share, _| {
                let victim = VICTIMS[seed as usize % VICTIMS.len()];
                Some((victim, kill(victim, lasts.mul_f64(share), &right)?))
            });
        }
    }
}
