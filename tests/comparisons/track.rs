//! `repro track` on the CPU: beside an old build, against a stored run, and alone. The old build is this one, asked to sleep
//! for another time. And how a program is asked which build it is.

#![cfg(all(unix, feature = "fault-injection"))]

use crate::common::place::{set_mode, small_experiment};
use crate::common::{assert_refused, repro, stderr, stdout};
use repro::device::Selection;
use repro::measure::{WorkerProcess, introduce, this_build};
use repro::plan::{Experiment, Overrides, load_experiment, resolve};
use repro::results::StoredRun;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::TempDir;

/// A folder with an experiment of one implementation that sleeps.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        let text = small_experiment(6, &[("fault-sleeping", &[16])]);
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
        set_mode(&path, 0o755);
    }

    /// `repro track sleep.toml ARGUMENTS`, whose own cells sleep for so long.
    fn track(&self, milliseconds: u32, arguments: &[&str]) -> Output {
        let mut command = repro();
        command.current_dir(self.path()).env("REPRO_FAULT_SLEEP_MS", milliseconds.to_string());
        command.args(["track", "sleep.toml", "--device", "cpu", "--quiet"]).args(arguments).output().unwrap()
    }

    fn comparison(&self, out: &str) -> Value {
        let text = std::fs::read_to_string(self.path().join(out).join("comparison.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    fn histories(&self) -> Vec<PathBuf> {
        let files = std::fs::read_dir(self.path().join("results/history")).unwrap().flatten();
        files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|is| is == "csv")).collect()
    }

    /// The rows of all histories.
    fn history(&self) -> Vec<String> {
        let texts = self.histories().into_iter().map(|path| std::fs::read_to_string(path).unwrap());
        texts.flat_map(|text| text.lines().skip(1).map(str::to_string).collect::<Vec<_>>()).collect()
    }
}

fn verdicts(comparison: &Value) -> Vec<&str> {
    comparison["cells"].as_array().unwrap().iter().map(|cell| cell["verdict"].as_str().unwrap()).collect()
}

#[test]
fn beside_a_build_as_fast_nothing_is_slower_and_both_runs_are_kept_as_baselines_across_pairing_alone() {
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
    assert_eq!(place.history().len(), 1);
    assert!(std::fs::read_to_string(place.path().join("out/comparison.md")).unwrap().starts_with("**"));
    let resumed = repro().current_dir(place.path()).args(["run", "--resume", "out/base"]).output().unwrap();
    assert_refused(&resumed, &["is the base run of pair", "start a new pair"]);
    let refused = place.track(20, &["--against", "out/new", "--out", "refused"]);
    assert_refused(&refused, &["in turn with another build", "--across pairing"]);
    let output = place.track(20, &["--against", "out/new", "--out", "across", "--across", "pairing"]);
    assert_ne!(output.status.code(), Some(2), "{}{}", stdout(&output), stderr(&output));
}

#[test]
fn beside_a_faster_build_it_is_slower_once_it_was_so_twice() {
    let place = Place::new();
    place.build("old", 20);
    let output = place.track(120, &["--against", "./old", "--out", "out", "--no-history"]);
    assert_eq!(output.status.code(), Some(1), "{}{}", stdout(&output), stderr(&output));
    let comparison = place.comparison("out");
    assert_eq!(verdicts(&comparison), ["SLOWER"]);
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
fn against_a_stored_run_and_against_nothing_and_a_damaged_history_takes_nothing_away() {
    let place = Place::new();
    let text = small_experiment(6, &[("fault-sleeping", &[16]), ("staged-load", &[16])]);
    std::fs::write(place.path().join("sleep.toml"), text).unwrap();
    let output = place.track(50, &["--out", "first"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let told = "1 cell measured in first/new; 1 more without a time: samples.csv says why\n";
    assert_eq!(stdout(&output), told);
    let output = place.track(50, &["--against", "first/new", "--out", "second", "--all"]);
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", stderr(&output));
    assert_eq!(stdout(&output).matches("│ fault-sleeping n = ").count(), 1, "{}", stdout(&output));
    assert_eq!(place.history().len(), 2);
    let file = place.histories().remove(0);
    let text = std::fs::read_to_string(&file).unwrap().replacen("fault-sleeping", "a,b", 1);
    std::fs::write(&file, &text).unwrap();
    let output = place.track(160, &["--against", "first/new", "--out", "third", "--format", "markdown"]);
    assert_eq!(output.status.code(), Some(1), "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).starts_with("**1 cell became slower or failed"), "{}", stdout(&output));
    assert!(stderr(&output).contains("line 2 is not a row of this file"), "{}", stderr(&output));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    assert!(place.path().join("third/again/new/manifest.json").exists());
    let refused = place.track(1, &["--against", "third", "--out", "fourth", "--no-history"]);
    assert_refused(&refused, &["third has 2 runs below it", "third/"]);
    assert!(!place.path().join("fourth").exists());
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

fn on_the_cpu() -> Experiment {
    let overrides = Overrides {
        only: Some(["cpu-naive", "cpu-parallel", "staged-load"].map(str::to_string).to_vec()),
        sizes: Some(vec![24, 40]),
        samples: Some(5),
        ..Overrides::default()
    };
    resolve(&load_experiment("table1").unwrap(), &overrides, Selection::Cpu).unwrap()
}

#[test]
fn what_is_no_repro_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let script = |name: &str, text: &str, mode| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        set_mode(&path, mode);
        path
    };
    let refused = "error: unknown variant `introduce`";
    let old = script("old", &format!("#!/bin/sh\nread request\necho '{refused}' >&2\nexit 2\n"), 0o755);
    let programs = [
        ("/bin/true".into(), "ended with exit status: 0"),
        ("/bin/cat".into(), "ended with exit status: 1"),
        (folder.path().to_path_buf(), "cannot be started"),
        (folder.path().join("missing"), "cannot be started"),
        // A path, which is not looked for elsewhere.
        ("true".into(), "cannot be started"),
        (script("plain", "#!/bin/sh\n", 0o644), "cannot be started"),
        (script("empty", "", 0o755), "cannot be started"),
        (script("garbage", "#!/bin/sh\necho hello\necho '{}'\n", 0o755), "ended with exit status: 0"),
        (script("binary", "#!/bin/sh\nprintf '\\377\\376\\n'\nexec sleep 60\n", 0o755), "ended with signal"),
        // As many programs do, it closes its outputs before it ends.
        (
            script("closed", "#!/bin/sh\nexec >&- 2>&-\nsleep 0.2\nexit 3\n", 0o755),
            "ended with exit status: 3",
        ),
        (old, refused),
    ];
    let experiment = on_the_cpu();
    for (program, expected) in programs {
        let mut worker = WorkerProcess::new(program.clone(), Arc::default());
        let message = introduce(&program, &mut worker, &experiment).unwrap_err().to_string();
        assert!(message.starts_with(&format!("{} cannot be paired: ", program.display())), "{message}");
        assert!(message.contains(expected) && message.lines().count() == 1, "{message}");
    }
}

#[test]
fn a_build_says_what_it_does_not_know_and_why() {
    let program = PathBuf::from(assert_cmd::cargo::cargo_bin!("repro"));
    let mut worker = WorkerProcess::new(program.clone(), Arc::default());
    let mut experiment = on_the_cpu();
    experiment.columns[0].implementation = "of-tomorrow".into();
    experiment.columns[2].parameters = experiment.columns[2].parameters.with("depth", 3);
    let introduced = introduce(&program, &mut worker, &experiment).unwrap();
    let reasons: Vec<&str> = introduced.unknown.iter().map(|unknown| unknown.reason.as_str()).collect();
    assert_eq!(
        reasons,
        [
            "unknown implementation 'of-tomorrow'",
            "staged-load has no parameter 'depth': it takes padding-kib"
        ]
    );
    assert_eq!(introduced.build, this_build());
}

mod long {
    use super::*;

    /// What this machine differs by from run to run takes the place of the default, for every build and in `compare`, too.
    #[test]
    #[ignore = "long"]
    fn calibration_keeps_what_runs_of_one_build_differ_by() {
        let place = Place::new();
        // So long that what a busy host adds is little of it: a floor above the usual one is not kept.
        let output = place.track(80, &["--calibrate", "--out", "pairs", "--floors", "kept/floors.csv"]);
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
        let told = "CPU cells, n below 2048: runs of one build lie up to ";
        assert!(stdout(&output).starts_with(told) && stdout(&output).ends_with("kept in kept/floors.csv\n"));
        let path = place.path().join("kept/floors.csv");
        let first = std::fs::read_to_string(&path).unwrap();
        assert_eq!(first.lines().count(), 2, "{first}");
        assert!(!place.path().join("results/history").exists(), "pairs of one build are no nights");
        // A floor as it could have been, of a quiet machine: it is told, and its origin.
        let columns: Vec<&str> = first.lines().nth(1).unwrap().split(',').collect();
        let at = first.lines().next().unwrap().split(',').position(|name| name == "floor").unwrap();
        let quiet = first.replacen(columns[at], "0.06", 1);
        std::fs::write(&path, &quiet).unwrap();
        place.build("old", 60);
        let track = |out: &str, floors: &str| {
            place.track(240, &["--against", "old", "--out", out, "--floors", floors, "--no-history"])
        };
        let output = track("out", "kept/floors.csv");
        let text = stdout(&output);
        assert_eq!(output.status.code(), Some(1), "{text}{}", stderr(&output));
        assert!(text.contains("6% for CPU cells") && text.contains("by 5 pairs of one build"), "{text}");
        // Calibrated anew the machine has one floor a kind, and the floors of other machines stay.
        std::fs::write(&path, quiet.replace(columns[1], "Abacus 3") + quiet.lines().nth(1).unwrap() + "\n")
            .unwrap();
        place.track(80, &["--calibrate", "--out", "more", "--floors", "kept/floors.csv"]);
        let second = std::fs::read_to_string(&path).unwrap();
        assert!(second.lines().count() == 3 && second.contains("Abacus 3"), "{second}");
        std::fs::write(&path, "no,floor\n1,2\n").unwrap();
        assert_refused(&track("never", "kept/floors.csv"), &["kept/floors.csv", "calibrate anew"]);
    }

    #[test]
    #[ignore = "long"]
    fn a_calibration_under_load_ends_with_its_first_pair_and_keeps_nothing() {
        let place = Place::new();
        std::fs::write(place.path().join("sleep.toml"), small_experiment(3, &[("cpu-naive", &[512])]))
            .unwrap();
        let is_over = AtomicBool::new(false);
        let busy = || {
            while !is_over.load(Ordering::Relaxed) {
                std::hint::spin_loop()
            }
        };
        let output = std::thread::scope(|scope| {
            let cores = std::thread::available_parallelism().unwrap().get();
            (0..cores).for_each(|_| drop(scope.spawn(busy)));
            // Where it is told to sleep, no load is seen.
            let words = "track sleep.toml --device cpu --quiet --calibrate --out pairs --floors floors.csv";
            let output = repro().current_dir(place.path()).args(words.split(' ')).output().unwrap();
            is_over.store(true, Ordering::Relaxed);
            output
        });
        let parts = ["after pair 1 of 5 no cell", "without load and throttling", "when the machine is idle"];
        assert_refused(&output, &parts);
        assert!(!place.path().join("pairs/2").exists() && !place.path().join("floors.csv").exists());
    }
}
