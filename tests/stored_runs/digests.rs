//! What was changed of a finished run is named by every command that reads it.

use crate::common::stored::{LIMITS, copy, edit_manifest, redigest, tear, unfinish};
use crate::common::{assert_refused, files, repro, stderr, stdout};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

/// Every file that a run is read from.
const FILES: [&str; 7] = [
    "manifest.json",
    "samples.csv",
    "counts.csv",
    "kernels.csv",
    "repeats.csv",
    "devices.csv",
    "counters.csv",
];

/// Every command that reads runs.
const COMMANDS: [&str; 7] = [
    "report run --out out",
    "compare run run",
    "claims --runs run",
    "rank run",
    "history run --out out",
    "track table1 --device cpu --sizes 8 --against run",
    "run limits --resume run",
];

fn repro_in(folder: &Path, words: &str) -> Output {
    repro().current_dir(folder).args(words.split(' ')).output().unwrap()
}

/// A run that has all files, those that its experiment asks for and others, in the folder `run` of a new one.
fn run_of_all_files() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    copy(LIMITS, &run);
    for (of, name) in [
        ("emulated/structure", "counts.csv"),
        ("h100-x4/negative-repeats-4096", "repeats.csv"),
        ("h200-x2/scaling", "devices.csv"),
    ] {
        let from = crate::common::stored::reference(of).join(name);
        std::fs::copy(&from, run.join(name)).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
    }
    redigest(&run);
    folder
}

#[track_caller]
fn refused_by_all(folder: &Path, part: &str) {
    let before = files(folder);
    for command in COMMANDS {
        let output = repro_in(folder, command);
        assert_refused(&output, &[part, "bring the run back from version control, or measure again"]);
    }
    assert!(files(folder) == before, "{part}: something was written");
}

#[test]
fn a_file_that_was_edited_removed_or_added_is_named_by_every_command_that_reads_it() {
    let folder = run_of_all_files();
    let run = folder.path().join("run");
    for name in FILES {
        let path = run.join(name);
        let content = std::fs::read(&path).unwrap();
        // The last digit, which is one of a number or of a word that nobody checks.
        let mut edited = content.clone();
        let digit = content.iter().rposition(u8::is_ascii_digit).unwrap();
        edited[digit] = if content[digit] == b'7' { b'8' } else { b'7' };
        std::fs::write(&path, &edited).unwrap();
        refused_by_all(folder.path(), &format!("run/{name} was edited"));
        if name != "manifest.json" {
            std::fs::remove_file(&path).unwrap();
            refused_by_all(folder.path(), &format!("run/{name} was removed"));
            redigest(&run);
            std::fs::write(&path, &content).unwrap();
            refused_by_all(folder.path(), &format!("run/{name} was added"));
        }
        std::fs::write(&path, &content).unwrap();
        redigest(&run);
    }
    // What no reader knows is nobody's.
    std::fs::write(run.join("notes.csv"), "mine").unwrap();
    let output = repro_in(folder.path(), "claims --runs run");
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn a_manifest_without_digests_or_that_finished_before_it_was_started_is_refused() {
    let folder = run_of_all_files();
    let (path, run) = (folder.path().join("run/manifest.json"), folder.path().join("run"));
    let whole = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &whole[..whole.rfind(",\n  \"digests\"").unwrap()]).unwrap();
    let text = std::fs::read_to_string(&path).unwrap() + "\n}\n";
    std::fs::write(&path, text).unwrap();
    refused_by_all(folder.path(), "run/manifest.json was edited");
    std::fs::write(&path, &whole).unwrap();
    edit_manifest(&run, |manifest| manifest["finished"] = "2001-01-01T00:00:00Z".into());
    for command in COMMANDS {
        let parts = ["finished = 2001-01-01T00:00:00Z is before started = ", "measure again"];
        assert_refused(&repro_in(folder.path(), command), &parts);
    }
    std::fs::write(&path, &whole).unwrap();
    edit_manifest(&run, |manifest| manifest["experiment"]["title"] = "a\u{1b}[2Jb".into());
    let refused = repro_in(folder.path(), "report run --out out");
    assert_refused(&refused, &["manifest.json: \"a\\u{1b}[2Jb\" has control characters", "measure again"]);
}

#[test]
fn one_that_has_not_finished_is_still_added_to_and_has_no_digests() {
    let folder = run_of_all_files();
    let run = folder.path().join("run");
    unfinish(&run);
    tear(&run.join("samples.csv"));
    let output = repro_in(folder.path(), "claims --runs run");
    assert!(output.status.success(), "{}", stderr(&output));
}

/// By a profiler of ours: every counter of every kernel is 1,024.
#[test]
fn counters_that_are_added_later_have_their_digest_too() {
    const NCU: &str = r#"#!/usr/bin/env python3
import sys
after = lambda option: sys.argv[sys.argv.index(option) + 1]
names = ["Kernel Name", *after("--metrics").split(",")]
print(",".join(f'"{name}"' for name in names))
print(",".join('""' for _ in names))
for kernel in after("--kernel-name").removeprefix("regex:^(").removesuffix(")$").split("|"):
    print(",".join([f'"{kernel}"', *['"1,024"'] * (len(names) - 1)]))
"#;
    let folder = run_of_all_files();
    let ncu = folder.path().join("bin/ncu");
    std::fs::create_dir(ncu.parent().unwrap()).unwrap();
    std::fs::write(&ncu, NCU).unwrap();
    std::fs::set_permissions(&ncu, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", ncu.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/nsight-limits");
    let mut command = std::process::Command::new(script);
    let output =
        command.env("PATH", path).args(["repro", "run"]).current_dir(folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let run = repro::store::read(&folder.path().join("run")).unwrap_or_else(|error| panic!("{error}"));
    let of_gpu = run.rows.counters.iter().filter(|row| row.dram_percent == 1024.0);
    assert_eq!((of_gpu.count(), run.rows.counters.len()), (59, 59));
}

#[test]
fn of_several_runs_one_that_was_changed_is_left_out_and_told() {
    let folder = run_of_all_files();
    copy("h200/over-cpu", &folder.path().join("whole"));
    std::fs::remove_file(folder.path().join("run/counters.csv")).unwrap();
    for command in ["report . --out out", "history . --out out", "rank ."] {
        let output = repro_in(folder.path(), command);
        assert_eq!(output.status.code(), Some(1), "{command}: {}", stderr(&output));
        let told = stderr(&output);
        assert!(told.contains("left out: ./run/counters.csv was removed"), "{command}: {told}");
    }
    assert!(!stdout(&repro_in(folder.path(), "rank .")).contains("limits"));
}
