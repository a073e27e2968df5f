//! `repro track` on the CPU: beside an old build, against a stored run, and alone. The old build is this one, asked to sleep
//! for another time.

#![cfg(all(unix, feature = "fault-injection"))]

use crate::common::place::small_experiment;
use crate::common::{assert_refused, missing_tool, repro, stderr, stdout};
use repro::results::StoredRun;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// A folder with an experiment of one implementation that sleeps.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        let text = small_experiment(6, &[("fault-sleeping", &[16, 24])]);
        std::fs::write(place.path().join("sleep.toml"), text).unwrap();
        place
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A build that sleeps for so long. Where verdicts count, so long that what a busy host adds hides no doubling.
    fn build(&self, name: &str, milliseconds: u32) {
        let program = assert_cmd::cargo::cargo_bin!("repro").display().to_string();
        let text = format!("#!/bin/sh\nREPRO_FAULT_SLEEP_MS={milliseconds} exec '{program}' \"$@\"\n");
        let path = self.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// `repro track sleep.toml ARGUMENTS`, whose own cells sleep for so long.
    fn track(&self, milliseconds: u32, arguments: &[&str]) -> Output {
        self.command(milliseconds, arguments).output().unwrap()
    }

    fn command(&self, milliseconds: u32, arguments: &[&str]) -> Command {
        let mut command = repro();
        command.current_dir(self.path()).env("REPRO_FAULT_SLEEP_MS", milliseconds.to_string());
        command.args(["track", "sleep.toml", "--device", "cpu", "--quiet"]).args(arguments);
        command
    }

    fn comparison(&self, out: &str) -> Value {
        let text = std::fs::read_to_string(self.path().join(out).join("comparison.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    /// The rows of all histories.
    fn history(&self) -> Vec<String> {
        let files = std::fs::read_dir(self.path().join("results/history")).unwrap().flatten();
        let csv = files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|is| is == "csv"));
        csv.flat_map(|path| {
            std::fs::read_to_string(path).unwrap().lines().skip(1).map(str::to_string).collect::<Vec<_>>()
        })
        .collect()
    }
}

fn verdicts(comparison: &Value) -> Vec<&str> {
    comparison["cells"].as_array().unwrap().iter().map(|cell| cell["verdict"].as_str().unwrap()).collect()
}

#[test]
fn beside_a_build_as_fast_nothing_is_slower_and_both_runs_are_kept() {
    let place = Place::new();
    place.build("old", 20);
    let output = place.track(20, &["--against", "old", "--out", "out"]);
    // A busy host may leave a cell NOISY.
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("sample by sample in turns"), "{}", stdout(&output));
    let run = |side: &str| StoredRun::open(&place.path().join("out").join(side)).unwrap().manifest;
    assert_eq!(run("base").pair.unwrap().id, run("new").pair.unwrap().id);
    assert!(!verdicts(&place.comparison("out")).contains(&"SLOWER"));
    assert!(!place.path().join("out/again").exists());
    assert_eq!(place.history().len(), 2);
    assert!(std::fs::read_to_string(place.path().join("out/comparison.md")).unwrap().starts_with("**"));
}

#[test]
fn beside_a_faster_build_it_is_slower_once_it_was_so_twice() {
    let place = Place::new();
    place.build("old", 50);
    let output = place.track(200, &["--against", "./old", "--out", "out", "--no-history"]);
    assert_eq!(output.status.code(), Some(1), "{}{}", stdout(&output), stderr(&output));
    let comparison = place.comparison("out");
    assert_eq!(verdicts(&comparison), ["SLOWER", "SLOWER"]);
    let again = comparison["cells"][0]["why"]["confirmed_by"].as_f64().unwrap();
    assert!(again > 2.0, "{again}");
    assert!(place.path().join("out/again/base/manifest.json").exists());
    assert!(!place.path().join("results/history").exists());
    // The same comparison from the records.
    let compare = |base: &str, new: &str| {
        let mut command = repro();
        command.current_dir(place.path()).args(["compare", base, new]).output().unwrap()
    };
    assert_eq!(compare("out/base", "out/new").status.code(), Some(1));
    assert_eq!(compare("out/new", "out/base").status.code(), Some(0), "faster is no regression");
}

#[test]
fn against_a_stored_run_and_against_nothing() {
    let place = Place::new();
    let output = place.track(50, &["--out", "first"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stdout(&output), "2 cells measured in first/new\n");
    let output = place.track(50, &["--against", "first/new", "--out", "second", "--all"]);
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", stderr(&output));
    assert_eq!(stdout(&output).matches("│ fault-sleeping n = ").count(), 2, "{}", stdout(&output));
    assert_eq!(place.history().len(), 4);
    let output = place.track(200, &["--against", "first/new", "--out", "third", "--format", "markdown"]);
    assert_eq!(output.status.code(), Some(1), "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).starts_with("**2 cells became slower or failed"), "{}", stdout(&output));
    assert!(place.path().join("third/again/new/manifest.json").exists());
    let refused = place.track(1, &["--against", "third", "--out", "fourth", "--no-history"]);
    assert_refused(&refused, &["third has 2 runs below it", "third/"]);
    assert!(!place.path().join("fourth").exists());
}

/// What this machine differs by from run to run takes the place of the default, for every build and in `compare`, too.
#[test]
fn calibration_keeps_what_runs_of_one_build_differ_by() {
    let place = Place::new();
    let output = place.track(20, &["--calibrate", "--out", "pairs", "--floors", "kept/floors.csv"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let told = "CPU cells, n below 2048: runs of one build lie up to ";
    assert!(stdout(&output).starts_with(told) && stdout(&output).ends_with("kept in kept/floors.csv\n"));
    let path = place.path().join("kept/floors.csv");
    let first = std::fs::read_to_string(&path).unwrap();
    assert_eq!(first.lines().count(), 2, "{first}");
    assert!(!place.path().join("results/history").exists(), "pairs of one build are no nights");
    // A floor as it could have been, of a quiet machine: a third more is told of, and its origin.
    let columns: Vec<&str> = first.lines().nth(1).unwrap().split(',').collect();
    let at = first.lines().next().unwrap().split(',').position(|name| name == "floor").unwrap();
    let quiet = first.replacen(columns[at], "0.06", 1);
    std::fs::write(&path, &quiet).unwrap();
    place.build("old", 60);
    let track = |out: &str, floors: &str| {
        place.track(80, &["--against", "old", "--out", out, "--floors", floors, "--no-history"])
    };
    let output = track("out", "kept/floors.csv");
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}{}", stderr(&output));
    assert!(text.contains("6% for CPU cells") && text.contains("by 5 pairs of one build"), "{text}");
    // Calibrated anew the machine has one floor a kind, and the floors of other machines stay.
    std::fs::write(&path, quiet.replace(columns[1], "Abacus 3") + quiet.lines().nth(1).unwrap() + "\n")
        .unwrap();
    place.track(20, &["--calibrate", "--out", "more", "--floors", "kept/floors.csv"]);
    let second = std::fs::read_to_string(&path).unwrap();
    assert!(second.lines().count() == 3 && second.contains("Abacus 3"), "{second}");
    std::fs::write(&path, "no,floor\n1,2\n").unwrap();
    assert_refused(&track("never", "kept/floors.csv"), &["kept/floors.csv", "calibrate anew"]);
}

/// As docs/regression-guard.md shows it: what cannot be built or measured is skipped, and what is NOISY is not slower.
#[test]
fn git_bisect_finds_the_commit_that_made_it_slower() {
    const COMMITS: usize = 6;
    const PLANTED: usize = 4;
    let place = Place::new();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
        let output = command.current_dir(place.path()).args(identity).args(arguments).output();
        let output = output.unwrap_or_else(|error| missing_tool(format!("git: {error}")));
        assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        stdout(&output)
    };
    git(&["init", "--quiet"]);
    let mut commits = Vec::new();
    for commit in 0..COMMITS {
        place.build("build", if commit < PLANTED { 50 } else { 200 });
        std::fs::write(place.path().join("number"), commit.to_string()).unwrap();
        git(&["add", "build", "number", "sleep.toml"]);
        git(&["commit", "--quiet", "-m", &format!("commit {commit}")]);
        commits.push(git(&["rev-parse", "HEAD"]).trim().to_string());
    }
    place.build("good", 50);
    let step = "./build track sleep.toml --device cpu --quiet --no-history --against ./good --out steps/$(cat number)
        code=$?; [ $code -le 1 ] || code=125; exit $code";
    git(&["bisect", "start", &commits[COMMITS - 1], &commits[0]]);
    let told = git(&["bisect", "run", "sh", "-c", step]);
    assert!(told.contains(&format!("{} is the first bad commit", commits[PLANTED])), "{told}");
}

/// A program that is there, and one whose package no Python has.
#[test]
fn programs_are_tracked_by_their_own_clock_and_what_was_not_timed_is_counted() {
    let place = Place::new();
    let program = r#"
import array, struct, sys
data = open(sys.argv[1], "rb").read()
begin = 10 + struct.unpack("<H", data[8:10])[0]
d, n = array.array("f", data[begin:]), int(sys.argv[3])
for k in range(n):
    for i in range(n):
        for j in range(n):
            d[i * n + j] = min(d[i * n + j], d[i * n + k] + d[k * n + j])
open(sys.argv[2], "wb").write(data[:begin] + d.tobytes())
"#;
    std::fs::write(place.path().join("peer.py"), program).unwrap();
    for (name, needs) in [("peer", ""), ("absent", "needs = { python = [\"no-package-of-this-name==1\"] }")] {
        let command = r#"command = ["python3", "{adapters}/peer.py", "{graph}", "{out}", "{n}"]"#;
        let text =
            format!("name = \"{name}\"\nsummary = \"s\"\nfrom = \"f\"\n[program]\n{command}\n{needs}\n");
        std::fs::write(place.path().join(format!("{name}.toml")), text).unwrap();
    }
    let track = |arguments: &[&str]| {
        let programs = ["--with", "peer.toml", "--with", "absent.toml", "--sizes", "16"];
        place.track(1, &[&programs, arguments].concat())
    };
    let output = track(&["--out", "first"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let told = "2 cells measured in first/new; 1 more without a time: samples.csv says why\n";
    assert_eq!(stdout(&output), told);
    let of_peer = |row: &String| row.contains(",peer,16,,,program,6,");
    assert_eq!((place.history().len(), place.history().iter().filter(|row| of_peer(row)).count()), (2, 1));
    let output = track(&["--against", "first/new", "--out", "second", "--no-history"]);
    assert_ne!(output.status.code(), Some(2), "{}", stderr(&output));
    let comparison = place.comparison("second");
    let cells = comparison["cells"].as_array().unwrap().iter();
    let mut scopes: Vec<&str> = cells.map(|cell| cell["scope"].as_str().unwrap()).collect();
    scopes.sort_unstable();
    assert_eq!(scopes, ["kernel", "program"]);
}

#[test]
fn a_run_that_measured_nothing_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = repro();
    command
        .current_dir(folder.path())
        .args(["track", "table1", "--device", "cpu", "--sizes", "64", "--quiet"]);
    let output = command.args(["--only", "staged-load", "--out", "out"]).output().unwrap();
    assert_refused(&output, &["nothing was measured: out/new/samples.csv"]);
}

#[test]
fn a_run_in_turns_is_a_baseline_only_across_pairing() {
    let place = Place::new();
    place.build("old", 10);
    place.track(10, &["--against", "old", "--out", "turns"]);
    let track = |arguments: &[&str]| place.track(40, &[&["--against", "turns/new"], arguments].concat());
    assert_refused(&track(&["--out", "refused"]), &["in turn with another build", "--across pairing"]);
    let output = track(&["--out", "across", "--across", "pairing"]);
    assert_eq!(output.status.code(), Some(1), "{}{}", stdout(&output), stderr(&output));
}

#[test]
fn a_damaged_history_is_told_and_takes_nothing_else_away() {
    let place = Place::new();
    place.track(1, &["--out", "first"]);
    let folder = place.path().join("results/history");
    let file = std::fs::read_dir(&folder)
        .unwrap()
        .flatten()
        .map(|file| file.path())
        .find(|path| path.extension().is_some_and(|is| is == "csv"))
        .unwrap();
    let text = std::fs::read_to_string(&file).unwrap().replacen("fault-sleeping", "a,b", 1);
    std::fs::write(&file, &text).unwrap();
    let output = place.track(1, &["--out", "second", "--against", "first/new"]);
    assert!(stderr(&output).contains("line 2 is not a row of this file"), "{}", stderr(&output));
    assert!(stdout(&output).contains("Thresholds: "), "{}", stdout(&output));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
}
