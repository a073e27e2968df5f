//! A run's records: what was changed of a finished one is named by every command that reads it. Which commands those are is a table in
//! `refusals`.

use crate::common::place::Place;
use crate::common::stderr;
use crate::common::stored::{LIMITS, STRUCTURE_ORDER, cards, copy, redigest, reference, tear, unfinish};
use repro::implementation::{Parameters, Target, find};
use repro::results::StoredRun;
use repro::store::{find_runs, write_rows};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
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
        std::fs::copy(reference(of).join(name), place.path("run").join(name)).unwrap();
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
    let manifest = place.read("run/manifest.json");
    let write = |name: &str, content: &str| std::fs::write(place.path("run").join(name), content).unwrap();
    for name in FILES {
        let content = place.read(&format!("run/{name}"));
        // The last digit, which is one of a number or of a word that nobody checks.
        let digit = content.rfind(|one: char| one.is_ascii_digit()).unwrap();
        let other = if content[digit..].starts_with('7') { "8" } else { "7" };
        write(name, &format!("{}{other}{}", &content[..digit], &content[digit + 1..]));
        refused(&format!("run/{name} was edited"));
        if name != "manifest.json" {
            place.remove(&format!("run/{name}"));
            refused(&format!("run/{name} was removed"));
            redigest(&place.path("run"));
            write(name, &content);
            refused(&format!("run/{name} was added"));
        }
        write(name, &content);
        write("manifest.json", &manifest);
    }
    // What no reader knows is nobody's.
    write("notes.csv", "mine");
    place.succeed("rank run");
    // A manifest without digests is one that was edited.
    let without = manifest[..manifest.rfind(",\n  \"digests\"").unwrap()].to_string() + "\n}\n";
    write("manifest.json", &without);
    refused("run/manifest.json was edited");
    // One that has not finished is still added to, and has none.
    write("manifest.json", &manifest);
    unfinish(&place.path("run"));
    tear(&place.path("run/samples.csv"));
    place.succeed("rank run");
}

/// A manifest but for what older builds wrote of how an experiment is shown, which its own digest is of, too.
fn without_display(manifest: &[u8]) -> serde_json::Value {
    let mut manifest: serde_json::Value = serde_json::from_slice(manifest).unwrap();
    let experiment = manifest["experiment"].as_object_mut().unwrap();
    experiment.retain(|key, _| !["report", "steps"].contains(&key.as_str()));
    manifest["digests"].as_object_mut().unwrap().remove("manifest.json");
    manifest
}

/// Of these runs, how many files of each kind were written again.
fn written_again(folders: &[PathBuf]) -> BTreeMap<&'static str, usize> {
    let mut written_again = BTreeMap::new();
    for folder in folders {
        let mut records = repro::store::read(folder).unwrap_or_else(|error| panic!("{error}"));
        assert!(
            !records.samples.rows.is_empty() && records.samples.torn().is_empty(),
            "{}",
            folder.display()
        );
        let text = repro::store::manifest_text(folder, &mut records.manifest).unwrap();
        let stored = std::fs::read(folder.join("manifest.json")).unwrap();
        assert_eq!(without_display(&text), without_display(&stored), "{}", folder.display());
        for (name, text) in [
            ("counts.csv", write_rows(&records.rows.counts, true)),
            ("kernels.csv", write_rows(&records.rows.kernel_times, true)),
            ("repeats.csv", write_rows(&records.rows.repeats, true)),
            ("devices.csv", write_rows(&records.rows.devices, true)),
        ] {
            let stored = std::fs::read(folder.join(name)).unwrap_or_default();
            let header = text.split_inclusive(|byte| *byte == b'\n').next();
            // Of a file that has the columns of today.
            if header.is_some_and(|header| stored.starts_with(header)) {
                assert!(stored == text, "{}", folder.join(name).display());
                *written_again.entry(name).or_insert(0) += 1;
            }
        }
    }
    written_again
}

#[test]
fn a_committed_run_is_read_and_written_again_as_it_is() {
    let runs = [STRUCTURE_ORDER, "h200-x2/scaling", LIMITS, "h100-x4/negative-repeats-4096"];
    let each = [("counts.csv", 1), ("devices.csv", 1), ("kernels.csv", 1), ("repeats.csv", 1)];
    assert_eq!(written_again(&runs.map(reference)), each.into());
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn every_committed_run_is_read_and_written_again_as_it_is() {
        let runs = find_runs(&reference("")).unwrap();
        let stored = |file: &str| runs.iter().filter(|run| run.join(file).exists()).count();
        // One has the columns of an older version.
        let mut expected = BTreeMap::from([("counts.csv", stored("counts.csv") - 1)]);
        expected.extend(["devices.csv", "kernels.csv", "repeats.csv"].map(|file| (file, stored(file))));
        assert!(expected.values().all(|count| *count > 1), "{expected:?}");
        assert_eq!(written_again(&runs), expected);
    }

    /// By a profiler of ours: every counter of every kernel is 1,024.
    #[test]
    #[ignore = "long"]
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
}

/// What verdicts rest on is of today's kernels. Whoever changes one measures again, or says in docs/findings.md that it has changed since.
#[test]
fn kernels_of_the_runs_on_cards_are_those_of_today_or_marked() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/findings.md")).unwrap();
    let runs = cards("h200").into_iter().flat_map(|card| find_runs(&reference(&card)).unwrap());
    let mut compared = 0;
    for run in runs.map(|folder| StoredRun::open(&folder).unwrap()) {
        for record in &run.environment().unwrap().implementations {
            let Some(then) = &record.source_hash else { continue };
            let known = find(&record.implementation);
            let parameters = record.params.parse::<Parameters>().unwrap();
            let now = known.and_then(|known| known.launched_kernels(Target::default(), &parameters));
            let is_same = now.is_some_and(|set| set.source.hash() == *then);
            let is_marked = page.contains(&format!("`{}` has changed since", record.implementation));
            assert_ne!(is_same, is_marked, "{}: {} {}", run.name(), record.implementation, record.params);
            compared += 1;
        }
    }
    assert!(compared > 200, "{compared}");
}
