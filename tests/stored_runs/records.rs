//! A run's records: what was changed of a finished one is named by every command that reads it. Which commands those are is a table in
//! `refusals`.

use crate::common::place::Place;
use crate::common::stored::{LIMITS, copy, edit_manifest, redigest, reference, tear, unfinish};
use crate::common::{stderr, stdout};
use repro::store::{find_runs, write_rows};
use std::path::Path;
use std::process::Command;

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

/// A run that has all files, those that its experiment asks for and others, in the folder `run` of a new one.
fn run_of_all_files() -> Place {
    let place = Place::new();
    copy(LIMITS, &place.path("run"));
    for (of, name) in [
        ("emulated/structure", "counts.csv"),
        ("h100-x4/negative-repeats-4096", "repeats.csv"),
        ("h200-x2/scaling", "devices.csv"),
    ] {
        let from = reference(of).join(name);
        std::fs::copy(&from, place.path("run").join(name))
            .unwrap_or_else(|error| panic!("{}: {error}", from.display()));
    }
    redigest(&place.path("run"));
    place
}

#[test]
fn a_file_that_was_edited_removed_or_added_is_named_until_the_run_is_as_it_was() {
    let place = run_of_all_files();
    let refused = |what: &str| {
        place.refuse("rank run", &[what, "bring the run back from version control, or measure again"]);
    };
    let manifest = std::fs::read(place.path("run/manifest.json")).unwrap();
    for name in FILES {
        let path = place.path("run").join(name);
        let content = std::fs::read(&path).unwrap();
        // The last digit, which is one of a number or of a word that nobody checks.
        let mut edited = content.clone();
        let digit = content.iter().rposition(u8::is_ascii_digit).unwrap();
        edited[digit] = if content[digit] == b'7' { b'8' } else { b'7' };
        std::fs::write(&path, &edited).unwrap();
        refused(&format!("run/{name} was edited"));
        if name != "manifest.json" {
            std::fs::remove_file(&path).unwrap();
            refused(&format!("run/{name} was removed"));
            redigest(&place.path("run"));
            std::fs::write(&path, &content).unwrap();
            refused(&format!("run/{name} was added"));
        }
        std::fs::write(&path, &content).unwrap();
        std::fs::write(place.path("run/manifest.json"), &manifest).unwrap();
        place.succeed("rank run");
    }
    // What no reader knows is nobody's.
    std::fs::write(place.path("run/notes.csv"), "mine").unwrap();
    place.succeed("rank run");
    // A manifest without digests is one that was edited.
    let whole = String::from_utf8(manifest).unwrap();
    let without = whole[..whole.rfind(",\n  \"digests\"").unwrap()].to_string() + "\n}\n";
    std::fs::write(place.path("run/manifest.json"), without).unwrap();
    refused("run/manifest.json was edited");
    // One that has not finished is still added to, and has none.
    std::fs::write(place.path("run/manifest.json"), &whole).unwrap();
    unfinish(&place.path("run"));
    tear(&place.path("run/samples.csv"));
    place.succeed("rank run");
}

#[test]
fn a_manifest_that_says_what_cannot_be_is_refused_although_its_digests_are_right() {
    let place = run_of_all_files();
    let whole = place.read("run/manifest.json");
    for (key, value, told) in [
        ("/finished", "2001-01-01T00:00:00Z", "finished = 2001-01-01T00:00:00Z is before started = "),
        ("/experiment/title", "a\u{1b}[2Jb", "manifest.json: \"a\\u{1b}[2Jb\" has control characters"),
    ] {
        edit_manifest(&place.path("run"), |manifest| *manifest.pointer_mut(key).unwrap() = value.into());
        place.refuse("report run --out out", &[told, "measure again"]);
        place.write("run/manifest.json", &whole);
    }
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
    let place = run_of_all_files();
    place.write("bin/ncu", NCU);
    place.set_mode("bin/ncu", 0o755);
    let path = format!("{}:{}", place.path("bin").display(), std::env::var("PATH").unwrap());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/nsight-limits");
    let output = place.with(Command::new(script), "repro run").env("PATH", path).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let run = repro::store::read(&place.path("run")).unwrap_or_else(|error| panic!("{error}"));
    let of_gpu = run.rows.counters.iter().filter(|row| row.dram_percent == 1024.0);
    assert_eq!((of_gpu.count(), run.rows.counters.len()), (59, 59));
}

#[test]
fn of_several_runs_one_that_was_changed_is_left_out_and_told() {
    let place = run_of_all_files();
    copy("h200/over-cpu", &place.path("whole"));
    place.remove("run/counters.csv");
    for call in ["report . --out out", "history . --out out", "rank ."] {
        let output = place.call(call);
        assert_eq!(output.status.code(), Some(1), "{call}: {}", stderr(&output));
        let told = stderr(&output);
        assert!(told.contains("left out: ./run/counters.csv was removed"), "{call}: {told}");
    }
    assert!(!stdout(&place.call("rank .")).contains("limits"));
}

/// A manifest but for what older builds wrote of how an experiment is shown, which its own digest is of, too.
fn without_display(manifest: &[u8]) -> serde_json::Value {
    let mut manifest: serde_json::Value = serde_json::from_slice(manifest).unwrap();
    let experiment = manifest["experiment"].as_object_mut().unwrap();
    experiment.retain(|key, _| !["report", "steps"].contains(&key.as_str()));
    manifest["digests"].as_object_mut().unwrap().remove("manifest.json");
    manifest
}

#[test]
fn every_committed_run_is_read_and_written_again_as_it_is() {
    let folders = find_runs(&reference("")).unwrap();
    assert!(folders.len() > 10);
    let mut written_again = std::collections::BTreeMap::new();
    for folder in folders {
        let mut records = repro::store::read(&folder).unwrap_or_else(|error| panic!("{error}"));
        assert!(!records.samples.rows.is_empty());
        let samples = &records.samples;
        assert!(samples.torn().is_empty(), "{}", folder.display());
        let text = repro::store::manifest_text(&folder, &mut records.manifest).unwrap();
        let stored = std::fs::read(folder.join("manifest.json")).unwrap();
        assert_eq!(without_display(&text), without_display(&stored), "{}", folder.display());
        for (name, text) in [
            ("counts.csv", write_rows(&records.rows.counts, true)),
            ("kernels.csv", write_rows(&records.rows.kernel_times, true)),
            ("repeats.csv", write_rows(&records.rows.repeats, true)),
            ("devices.csv", write_rows(&records.rows.devices, true)),
        ] {
            let stored = std::fs::read(folder.join(name)).unwrap_or_default();
            // Of a file that has the columns of today.
            if !text.is_empty()
                && stored.split(|byte| *byte == b'\n').next() == text.split(|byte| *byte == b'\n').next()
            {
                assert!(stored == text, "{}", folder.join(name).display());
                *written_again.entry(name).or_insert(0) += 1;
            }
        }
    }
    let expected = [("counts.csv", 6), ("devices.csv", 3), ("kernels.csv", 8), ("repeats.csv", 13)];
    assert_eq!(written_again, expected.into());
}
