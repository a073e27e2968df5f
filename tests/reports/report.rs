//! `repro report` as a whole program: from stored runs to a folder with a page.

mod broken;
mod history;

use super::reference_report::contents;
use crate::common::stored::{ABLATION, STRUCTURE, copy, edit_manifest, edit_rows};
use crate::common::{repro, repro_with_compiler, stderr, stdout};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Output;

/// `repro report RUNS --out OUT`
fn report(runs: &[&Path], out: &Path) -> Output {
    repro().arg("report").args(runs).arg("--out").arg(out).output().unwrap()
}

/// What a report says, from its files.
struct Written {
    /// The front page.
    page: String,
    claims: Value,
}

/// Reads the report in `out`, of which every promised file must be there.
fn written(out: &Path) -> Written {
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    assert!(read("claims.csv").starts_with("paper,id,kind,") && read("claims.md").starts_with("# Claims\n"));
    let page = read("index.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"), "{page:.100}");
    Written { page, claims: serde_json::from_str(&read("claims.json")).unwrap() }
}

/// Makes a report that must succeed.
#[track_caller]
fn made(runs: &[&Path], out: &Path) -> (Written, String) {
    let output = report(runs, out);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
    (written(out), stdout(&output))
}

impl Written {
    fn rows(&self) -> &[Value] {
        self.claims["claims"].as_array().unwrap()
    }

    fn machines(&self) -> Vec<&str> {
        let machines = self.claims["machines"].as_array().unwrap();
        machines.iter().map(|machine| machine["label"].as_str().unwrap()).collect()
    }
}

#[test]
fn two_machines_stand_side_by_side_and_no_number_of_one_is_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let [ours, theirs, third, out] = ["ours", "theirs", "third", "out"].map(|name| folder.path().join(name));
    for run in [&ours, &theirs, &third] {
        copy(ABLATION, run);
    }
    let gpu = "/environment/device/info/name";
    edit_manifest(&theirs, |manifest| *manifest.pointer_mut(gpu).unwrap() = json!("NVIDIA A100"));
    edit_rows(&theirs.join("samples.csv"), |row| {
        if row.get("implementation") == "staged-plain-order" {
            row.scale(1.9);
        }
        true
    });
    edit_manifest(&third, |manifest| manifest["environment"]["device"]["driver"] = json!("999.1"));
    let (written, said) = made(&[&ours, &theirs, &third], &out);
    let labels = ["NVIDIA H200", "NVIDIA A100", "NVIDIA H200, driver 999.1"];
    assert_eq!(written.machines()[..3], labels);
    let is_of_machine = |row: &&Value| row["kind"] != "inconsistency" && row["evidence"] != "construction";
    for row in written.rows().iter().filter(is_of_machine) {
        let results = row["results"].as_array().unwrap();
        assert_eq!(results.len(), labels.len());
        for (result, (label, own)) in results.iter().zip(labels.iter().zip(["ours", "theirs", "third"])) {
            assert_eq!(result["machine"], *label);
            assert!(result["runs"].as_array().unwrap().iter().all(|run| run == own), "{row}");
        }
        if row["id"] == "cyclic-order-faster" {
            assert_eq!([&results[0]["verdict"], &results[1]["verdict"]], ["DIFFERS", "REPRODUCED"]);
        }
    }
    for label in labels {
        let short = repro::report::short_label(label);
        assert!(written.page.contains(&short) && said.contains(&format!("{label}\n")), "{label}");
    }
    // No history was given.
    assert!(!out.join("history.html").exists());
}

#[test]
fn a_report_that_was_stopped_anywhere_gives_way_to_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    copy(STRUCTURE, &path("run"));
    made(&[&path("run")], &path("clean"));
    // Stopped while its first list was being written, and while a file was.
    std::fs::create_dir(path("early")).unwrap();
    std::fs::write(path("early/files.json.new"), "{").unwrap();
    made(&[&path("run")], &path("late"));
    let table = contents(&path("late")).into_keys().find(|name| name.starts_with("tables")).unwrap();
    std::fs::write(path("late").join(format!("{table}.new")), "half").unwrap();
    std::fs::write(path("late/index.html.new"), "half").unwrap();
    for out in ["early", "late"] {
        made(&[&path("run")], &path(out));
        assert!(contents(&path(out)) == contents(&path("clean")), "{out}");
    }
}

/// Commands that leave much out, on a machine without a GPU. Each of them printed DIFFERS of results that nothing was wrong with.
fn leaves_out_and_says_of_nothing_that_it_is_wrong(command: &str) {
    let folder = tempfile::tempdir().unwrap();
    let mut run = repro_with_compiler();
    run.current_dir(folder.path()).arg("run").args(command.split(' ')).args(["--out", "run"]);
    let output = run.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{command}: {}", stderr(&output));
    let text = stdout(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    let samples = std::fs::read_to_string(folder.path().join("run/samples.csv")).unwrap();
    assert!(samples.contains(",skipped,"), "{command} leaves nothing out");
    assert!(!text.contains("DIFFERS") && !text.contains("IN PART"), "{command}: {text}");
    let wrong = text.match_indices(" wrong sample").find(|(at, _)| !text[..*at].ends_with("here 0"));
    assert_eq!(wrong, None, "{command}: {text}");
}

#[test]
fn what_a_run_left_out_is_no_wrong_result_in_what_it_prints() {
    leaves_out_and_says_of_nothing_that_it_is_wrong("occupancy --device cpu --sizes 64 --samples 3");
}

mod long {
    #[test]
    #[ignore = "long"]
    fn what_a_run_left_out_is_no_wrong_result_whatever_else_it_measured() {
        for command in [
            "table1 --sizes 64,300 --samples 1 --only katz-kider,staged-load",
            "timers --sizes 64,300 --samples 1",
            "kappa-sweep --device emulated --sizes 96 --param kappa=1,4",
        ] {
            super::leaves_out_and_says_of_nothing_that_it_is_wrong(command);
        }
    }
}
