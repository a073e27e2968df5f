//! `repro run` in several processes, started as torchrun, srun and mpirun start them, on emulated devices and a stand-in for NCCL: the bits
//! of one process, processes that are lost, and starts that are wrong. And sharded matrices from files
//! and into files.

pub mod place;

use crate::common::place::wait_until;
use crate::common::{assert_refused, signal, stderr};
use place::{Launcher, Parts, Started, TIME_TO_END, assert_all_right};
use repro::graph::read::{ReadOptions, read};
use repro::graph::write::NpyWriter;
use repro::graph::{Block, DistanceMatrix, ElementType, shortest_from};
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

/// Asserts that a run of so many processes compared every row, that its digests are those of one process, and that nothing is left.
#[track_caller]
fn assert_as_alone(place: &Parts, count: usize, alone: &[(String, String)]) {
    assert_eq!(place.results(), alone);
    let all_rows: Vec<String> = place.samples("n").iter().map(|n| format!("exact-rows:{n}")).collect();
    assert_eq!(place.samples("verification"), all_rows);
    let environment = &place.0.json("run/manifest.json")["environment"];
    assert_eq!(environment["further_devices"].as_array().unwrap().len(), count - 1);
    assert_eq!(environment["together"]["transports"][0], "NCCL 2.28.9");
    assert!(!place.0.files("run").keys().any(|path| path.to_string_lossy().contains(".nccl-")));
}

/// Ends a process after the first cell, and asserts that all end, and that the run is then continued to the right results.
fn end_one(sizes: &str, alone: &[(String, String)], end: impl FnOnce(&Started), expected: [Option<i32>; 2]) {
    let place = Parts::new(sizes, "2");
    let started = place.start(2, Parts::NEW);
    wait_until("the first cell is done", || {
        let samples = std::fs::read_to_string(place.path("run/samples.csv")).unwrap_or_default();
        samples.lines().count() > 1
    });
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
    assert_as_alone(&place, 2, alone);
}

const SIZES: &str = "70, 80, 100";

#[test]
fn the_loss_of_one_of_two_processes_ends_both_and_resumed_they_solve_what_one_does() {
    let sizes = "65, 66, 67";
    let alone = of_one_process(sizes, "2");
    let kill = |started: &Started| assert!(signal(started.id(1), Signal::KILL));
    end_one(sizes, &alone, kill, [Some(1), None]);
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
    let output = place.command(Parts::NEW).env("RANK", "1").output().unwrap();
    assert_refused(&output, &["RANK is set and WORLD_SIZE is not", "or neither"]);
    assert!(!place.path("run").exists() && !place.path("results").exists());
    // Where nothing is solved together, it means nothing.
    let alone = "run table1 --device cpu --sizes 8 --only cpu-naive --quiet --no-report --out run";
    let output = place.command(alone).env("RANK", "1").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

const N: usize = 70;
const STORED: &str = "distributed-blocked-n=70-devices=2.npy";

/// A graph of which a few vertices reach nothing, in all formats.
fn write_graph(place: &Parts) -> DistanceMatrix<f32> {
    let of = |u: usize| [1, 7, 31].map(|step| (u, (u * 3 + step) % N, 1 + (u * 37 + step * 11) % 90));
    let edges: Vec<_> = (0..N - 4).flat_map(of).filter(|(u, v, _)| u != v).collect();
    let lines = |start: &str| -> String {
        edges.iter().map(|(u, v, weight)| format!("{start}{} {} {weight}\n", u + 1, v + 1)).collect()
    };
    let count = edges.len();
    place.0.write("x.gr", &format!("p sp {N} {count}\n{}", lines("a ")));
    let head = "%%MatrixMarket matrix coordinate integer general";
    place.0.write("x.mtx", &format!("{head}\n{N} {N} {count}\n{}", lines("")));
    let loaded = read(&place.path("x.gr"), &ReadOptions::default()).unwrap();
    let matrix = loaded.graph.into_matrix().unwrap();
    write_npy(place, "x.npy", matrix.as_slice());
    matrix
}

fn write_npy(place: &Parts, name: &str, numbers: &[f32]) -> Vec<u8> {
    let writer = NpyWriter::begin(&place.path(name), N, N, ElementType::F32).unwrap();
    writer.write_block(&Block { rows: 0..N, columns: 0..N }, bytemuck::cast_slice(numbers)).unwrap();
    writer.finish().unwrap();
    std::fs::read(place.path(name)).unwrap()
}

fn call(graph: &str, name: &str) -> String {
    let files = format!("--graph {graph} --out {name}-run --distances {name}-distances");
    format!("run parts.toml --device emulated --quiet --no-report {files}")
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn a_graph_of_any_format_is_sharded_and_its_distances_are_one_file_however_many_processes_wrote_it() {
        let place = Parts::new("70", "2");
        let matrix = write_graph(&place);
        let distances: Vec<f32> = (0..N).flat_map(|source| shortest_from(&matrix, source).unwrap()).collect();
        let right = write_npy(&place, "right.npy", &distances);
        let is_right =
            |name: &str| std::fs::read(place.path(&format!("{name}-distances/{STORED}"))).unwrap() == right;
        for graph in ["x.gr", "x.mtx"] {
            let output = place.command(&call(graph, graph)).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
            assert_eq!(place.0.column(&format!("{graph}-run/summary.csv"), "status"), ["counted"]);
            assert!(is_right(graph), "{graph}");
        }
        assert_all_right(&place.start(2, &call("x.npy", "two")).ends());
        assert_eq!(place.left(), 0);
        assert!(is_right("two"));
        assert_eq!(std::fs::read_dir(place.path("two-distances")).unwrap().count(), 1);
        let manifest = place.0.json("two-run/manifest.json");
        let hash = blake3::hash(&std::fs::read(place.path("x.npy")).unwrap()).to_hex();
        assert_eq!(manifest["experiment"]["graphs"][0]["source"]["digest"], hash.as_str());
        let together = &manifest["environment"]["together"];
        assert_eq!((&together["processes"], &together["launcher"]), (&2.into(), &"torchrun".into()));
        // What is there is not written over, and nothing is measured before that is found.
        std::fs::remove_dir_all(place.path("two-run")).unwrap();
        let again = place.command(&call("x.npy", "two")).output().unwrap();
        assert_refused(
            &again,
            &["--distances", "two-distances", STORED, "remove it, or choose another folder"],
        );
        assert!(!place.path("two-run").exists() && is_right("two"));
    }

    #[test]
    #[ignore = "long"]
    fn four_processes_of_every_launcher_solve_bit_for_bit_what_one_does() {
        let sizes = "100, 257";
        let alone = of_one_process(sizes, "4");
        for launcher in [Launcher::Torchrun, Launcher::OpenMpi, Launcher::Slurm] {
            let place = Parts::new(sizes, "4");
            let started = place.start_with(Parts::NEW, &|rank| launcher.variables(rank, 4), 4);
            assert_all_right(&started.ends());
            assert_as_alone(&place, 4, &alone);
            assert_eq!(place.left(), 0);
        }
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
                assert_eq!(
                    (place.samples("status"), place.samples("digest")),
                    (vec!["failed".into()], vec!["".into()])
                );
                let [message] = &place.samples("message")[..] else { panic!("one row") };
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
            let [message] = &place.samples("message")[..] else { panic!("one row") };
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
