//! Signals: whatever comes how often, a command ends with the line that says what is left and how to go on, once.

#![cfg(all(target_os = "linux", feature = "fault-injection"))]

use crate::common::place::{Place, wait_until};
use crate::common::{signal, stderr};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::process::Signal;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A run whose solve never ends.
const HANGS: &str = "run table1 --device cpu --sizes 8 --only fault-hang --out out";
/// Longer than signals that are one request.
const LATER: Duration = Duration::from_millis(1100);

/// What writes into `out` until it is interrupted, and the line that it ends with.
const COMMANDS: [(&str, &str); 5] = [
    (HANGS, "interrupted; continue with: repro run table1 --resume out"),
    (
        "run --smoke --device cpu --quiet --out out",
        "interrupted; what was run is in out; a smoke run is not continued: run it again",
    ),
    (
        "track table1 --device cpu --sizes 2500 --only cpu-naive --no-history --out out",
        "interrupted; out has what was measured: begin again with another --out",
    ),
    ("verify --device cpu --sizes 40 --only fault-hang", "interrupted: 8 of 8 checks were not made"),
    (
        "solve path.gr --device cpu --algorithm floyd-warshall --out distances.npy",
        "interrupted: nothing is stored",
    ),
];

/// Whether a process has a handler for SIGTERM, which is the 15th.
fn catches_sigterm(id: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:\t"));
    caught.is_some_and(|mask| u64::from_str_radix(mask, 16).unwrap() & (1 << 14) != 0)
}

/// Starts `command`, waits until there is a folder with a manifest or a moment, sends it each signal after a pause, and waits for its end.
fn interrupted(mut command: Command, place: &Place, signals: &[(Duration, Signal)]) -> Output {
    let child = command.spawn().unwrap();
    wait_until("signals are caught", || catches_sigterm(child.id()));
    let begun = Instant::now();
    let manifests = ["out", "out/new", "out/batches"].map(|folder| place.path(folder).join("manifest.json"));
    while !manifests.iter().any(|file| file.exists()) && begun.elapsed() < Duration::from_secs(1) {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(400));
    for (pause, one) in signals {
        std::thread::sleep(*pause);
        signal(child.id(), *one);
    }
    child.wait_with_output().unwrap()
}

fn told_once(output: &Output, line: &str, what: &str) {
    let said = stderr(output);
    assert_eq!(output.status.code(), Some(130), "{what}: {said}");
    assert_eq!(said.matches("interrupted").count(), 1, "{what}: {said}");
    assert_eq!(said.lines().last(), Some(line), "{what}: {said}");
}

#[test]
fn two_signals_in_a_moment_as_gnu_timeout_sends_them_are_one_request_of_every_command() {
    std::thread::scope(|scope| {
        for (words, line) in COMMANDS {
            scope.spawn(move || {
                let place = Place::new();
                let arcs: String = (1..6000).map(|v| format!("a {v} {} 1\n", v + 1)).collect();
                place.write("path.gr", &format!("p sp 6000 5999\n{arcs}"));
                let twice = [(Duration::ZERO, Signal::TERM), (Duration::from_millis(1), Signal::TERM)];
                told_once(&interrupted(place.command(words), &place, &twice), line, words);
            });
        }
    });
}

#[test]
fn whatever_signals_come_how_to_resume_is_told_once_and_works() {
    let ms = Duration::from_millis;
    let cases: [&[(Duration, Signal)]; 3] = [
        &[(ms(0), Signal::TERM), (ms(20), Signal::INT), (ms(20), Signal::HUP)],
        &[(ms(0), Signal::INT), (ms(200), Signal::INT)],
        &[(ms(0), Signal::TERM), (ms(1), Signal::TERM), (LATER, Signal::TERM), (ms(1), Signal::TERM)],
    ];
    let works = |signals: &[(Duration, Signal)]| {
        let place = Place::new();
        let output = interrupted(place.command(HANGS), &place, signals);
        told_once(&output, COMMANDS[0].1, &format!("{signals:?}"));
        // On a terminal both streams are seen.
        assert!(!String::from_utf8_lossy(&output.stdout).contains("--resume"), "{output:?}");
        let resume = COMMANDS[0].1.rsplit("repro ").next().unwrap();
        told_once(&interrupted(place.command(resume), &place, &signals[..1]), COMMANDS[0].1, "resumed");
    };
    // They wait more than they work.
    std::thread::scope(|scope| cases.iter().for_each(|signals| drop(scope.spawn(|| works(signals)))));
}

/// Its standard output is a pipe that is full and that nobody reads, so that it cannot end by itself.
#[test]
fn who_asks_again_after_a_second_ends_even_what_is_stuck_and_it_still_says_how_to_resume() {
    let place = Place::new();
    let (_reader, mut full) = std::io::pipe().unwrap();
    fcntl_setfl(&full, OFlags::NONBLOCK).unwrap();
    while full.write(&[b'.'; 4096]).is_ok() {}
    fcntl_setfl(&full, OFlags::empty()).unwrap();
    let mut command = place.command(HANGS);
    command.stdout(Stdio::from(full));
    let begun = Instant::now();
    let soon = Duration::from_millis(100);
    let signals = [(soon, Signal::INT), (soon, Signal::INT), (LATER, Signal::INT)];
    let output = interrupted(command, &place, &signals);
    assert!(begun.elapsed() > LATER, "the second ends nothing");
    told_once(&output, COMMANDS[0].1, "stuck");
}
