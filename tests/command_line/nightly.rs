//! What the nightly job keeps, on GitHub and with Slurm alike: builds here are scripts that end as they are asked to.

#![cfg(unix)]

use crate::common::{stderr, stdout};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

const WORKFLOW: &str = include_str!("../../.github/workflows/nightly.yml");
const BATCH: &str = include_str!("../../scripts/slurm/nightly.sbatch");
/// Where the workflow has its build.
const BUILD: &str = "head/target/release/repro";

/// A folder with a build and an `srun` that starts what it is given.
fn place() -> TempDir {
    let place = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(place.path().join(BUILD).parent().unwrap()).unwrap();
    program(&place.path().join("srun"), "shift; exec \"$@\"");
    program(&place.path().join(BUILD), "");
    place
}

fn program(path: &Path, text: &str) {
    std::fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn bash(place: &TempDir, script: &str, arguments: &[&str]) -> Command {
    let path = format!("{}:{}", place.path().display(), std::env::var("PATH").unwrap());
    let mut bash = Command::new("bash");
    bash.current_dir(place)
        .env("PATH", path)
        .env("REPRO", BUILD)
        .args(["-ec", script, "bash"])
        .args(arguments);
    bash
}

fn batch(place: &TempDir, arguments: &[&str]) -> Output {
    bash(place, BATCH, arguments).output().unwrap()
}

/// What the workflow runs in the step of this name.
fn step(name: &str) -> String {
    let (_, step) = WORKFLOW.split_once(&format!("- name: {name}\n")).unwrap();
    let (_, lines) = step.split_once("run: |\n").unwrap();
    lines.lines().take_while(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_build_is_kept_unless_its_night_was_not_compared_and_the_one_before_was() {
    let keep = step("Keep this build for the next night");
    for (script, arguments, last) in [(keep.as_str(), &[][..], "last"), (BATCH, &["nights"], "nights/last")] {
        let place = place();
        let nights = [(0, 1), (2, 1), (3, 3), (2, 3), (2, 5), (2, 6), (1, 7), (130, 7), (2, 7)];
        for (night, (code, kept)) in (1..).zip(nights) {
            program(&place.path().join(BUILD), &format!("[ $1 = doctor ] || exit {code} # {night}"));
            let output = bash(&place, script, arguments).env("CODE", code.to_string()).output().unwrap();
            assert!(arguments.is_empty() || output.status.code() == Some(code), "{}", stderr(&output));
            let text = std::fs::read_to_string(place.path().join(last).join("repro")).unwrap();
            assert!(text.ends_with(&format!("# {kept}\n")), "night {night}: {text}{}", stderr(&output));
        }
    }
}

#[test]
fn a_batch_job_that_cannot_begin_says_what_it_needs() {
    let place = place();
    let output = batch(&place, &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).starts_with("usage: sbatch scripts/slurm/nightly.sbatch FOLDER"),
        "{}",
        stderr(&output)
    );
    let output = bash(&place, BATCH, &["nights"]).env("REPRO", "/nope").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).starts_with("there is no /nope: "), "{}", stderr(&output));
    assert!(!place.path().join("nights").exists());
}

#[test]
fn options_behind_the_folder_take_the_place_of_the_usual_ones() {
    let place = place();
    program(&place.path().join(BUILD), "echo \"$@\"");
    let told = |arguments: &[&str]| stdout(&batch(&place, arguments));
    assert!(told(&["nights"]).contains("--only harish-narayanan,katz-kider,"), "{}", told(&["nights"]));
    for only in [&["nights", "--only", "a"][..], &["nights", "--only=a"]] {
        assert_eq!(told(only).matches("--only").count(), 1, "{}", told(only));
    }
}
