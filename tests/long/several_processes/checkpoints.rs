//! SIGKILL of one of four processes in a solve that keeps its state, and solves that continue from there.

use super::place::{Launcher, Place, Started, TIME_TO_END, assert_all_right};
use crate::common::{column, files, signal};
use rustix::process::Signal;
use std::path::Path;
use std::time::{Duration, Instant};

/// Five rounds of 64 vertices.
const N: &str = "257";
const ROUND: usize = 64;
const KEPT: [&str; 4] = ["--checkpoint", "kept", "--every", "0"];
/// Longer than a busy machine takes for the first rounds.
const TIME_TO_KEEP: Duration = Duration::from_secs(120);

/// How many complete checkpoints are in and below this folder.
fn complete(folder: &Path) -> usize {
    let below = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    below.map(|path| if path.ends_with("checkpoint.json") { 1 } else { complete(&path) }).sum()
}

/// Waits for the first checkpoint of a solve, and kills one of its processes. The others end and name it.
fn kill_in_a_solve(place: &Place, started: Started, rank: usize) {
    let begun = Instant::now();
    while complete(&place.path("kept")) == 0 {
        assert!(begun.elapsed() < TIME_TO_KEEP, "nothing is kept");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(signal(started.id(rank), Signal::KILL));
    let (ended, took) = started.ends_within(TIME_TO_END);
    println!("rank {rank} was killed, and the others ended after {took:?}");
    for (at, one) in ended.iter().enumerate() {
        if at == rank {
            assert_eq!(one.code, None, "{}", one.stderr);
        } else {
            assert_eq!((one.code, one.naming(rank).len()), (Some(1), 1), "rank {at}: {}", one.stderr);
        }
    }
    assert_eq!(place.results(), [], "the solve was done before the kill");
}

/// Asserts that the only cell is right, and continued from a checkpoint: after how many vertices.
#[track_caller]
fn continued(place: &Place, digest: &str) -> usize {
    assert_eq!(place.results(), [("counted".to_string(), digest.to_string())]);
    let samples = place.samples();
    assert_eq!(column(&samples, "verification"), [format!("exact-rows:{N}")]);
    let message = &column(&samples, "message")[0];
    let told = message.strip_prefix("without counts: the solve continued from a checkpoint after ");
    let vertices = told.and_then(|told| told.strip_suffix(" vertices")?.parse().ok());
    vertices.unwrap_or_else(|| panic!("{message}"))
}

fn with<'a>(arguments: &[&'a str], options: &[&'a str]) -> Vec<&'a str> {
    [arguments, options].concat()
}

#[test]
#[ignore = "long"]
fn solves_continue_from_the_checkpoint_of_a_killed_process_to_the_same_bits() {
    let undisturbed = Place::new(N, "4");
    assert_all_right(&undisturbed.start_four(&Place::NEW).ends());
    let (_, digest) = undisturbed.results().remove(0);
    assert_eq!(digest.len(), 16);
    for rank in 0..4 {
        let place = Place::new(N, "4");
        kill_in_a_solve(&place, place.start_four(&with(&Place::NEW, &KEPT)), rank);
        // Another run, of two processes with a device each, continues a copy of the same state.
        let fewer = Place::new(N, "2");
        copy(&place.path("kept"), &fewer.path("kept"));
        let of_two = |rank, port| Launcher::Torchrun.variables(rank, 2, port);
        let both = [
            place.start_four(&with(&Place::RESUME, &KEPT)),
            fewer.start(&with(&Place::NEW, &KEPT), &of_two, 2),
        ];
        both.into_iter().for_each(|started| assert_all_right(&started.ends()));
        for place in [&place, &fewer] {
            let vertices = continued(place, &digest);
            assert!(vertices > 0 && vertices.is_multiple_of(ROUND), "{vertices}");
            assert!(files(&place.path("kept")).is_empty());
        }
    }
}

/// What is in and below a folder, in another that is not yet there.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for (path, bytes) in files(from) {
        let copied = to.join(path.strip_prefix(from).unwrap());
        if path.is_dir() {
            std::fs::create_dir_all(copied).unwrap();
        } else {
            std::fs::create_dir_all(copied.parent().unwrap()).unwrap();
            std::fs::write(copied, bytes).unwrap();
        }
    }
}
