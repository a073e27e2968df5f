//! `repro report` as a whole program: from stored runs to a folder with a page.

mod broken;
mod history;

use super::reference_report::contents;
use crate::common::stored::{ABLATION, STRUCTURE, TABLE1, copy, edit_manifest, edit_rows};
use crate::common::{repro, repro_with_compiler, stderr, stdout};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;

/// `repro report RUNS --out OUT`
fn report(runs: &[&Path], out: &Path) -> Output {
    repro().arg("report").args(runs).arg("--out").arg(out).output().unwrap()
}

/// What a report says, from its files.
struct Written {
    /// The front page.
    page: String,
    /// The pages of experiments, after each other.
    experiments: String,
    claims: Value,
}

/// Reads the report in `out`, of which every promised file must be there.
fn written(out: &Path) -> Written {
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    assert!(read("claims.csv").starts_with("paper,id,kind,") && read("claims.md").starts_with("# Claims\n"));
    let page = read("index.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"), "{page:.100}");
    let folder = std::fs::read_dir(out.join("experiments")).unwrap();
    let mut paths: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let experiments = paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    Written { page, experiments, claims: serde_json::from_str(&read("claims.json")).unwrap() }
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

    /// Verdicts with the claims that have them, of the machine with this label.
    fn verdicts(&self, machine: &str) -> BTreeMap<&str, Vec<&str>> {
        let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for row in self.rows() {
            let results = row["results"].as_array().unwrap().iter();
            for result in results.filter(|result| result["machine"] == machine) {
                let id = row["id"].as_str().unwrap();
                all.entry(result["verdict"].as_str().unwrap()).or_default().push(id);
            }
        }
        all
    }

    fn machines(&self) -> Vec<&str> {
        let machines = self.claims["machines"].as_array().unwrap();
        machines.iter().map(|machine| machine["label"].as_str().unwrap()).collect()
    }
}

#[test]
fn without_a_gpu_a_run_on_the_emulated_device_gives_a_page_that_says_what_it_lacks() {
    let folder = tempfile::tempdir().unwrap();
    let (run, out) = (folder.path().join("run"), folder.path().join("out"));
    let arguments = ["run", "table1", "--device", "emulated", "--sizes", "128", "--out"];
    let output = repro_with_compiler().args(arguments).arg(&run).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let (written, said) = made(&[&run], &out);
    let lacks = "No run here was made on a GPU";
    assert!(said.contains(lacks) && written.page.contains(lacks));
    assert_eq!(
        written.verdicts("emulated CUDA device").keys().copied().collect::<Vec<_>>(),
        ["NOT COMPARABLE", "NOT MEASURED"]
    );
    let verdicts = written.verdicts("any machine");
    for id in ["hn-bytes", "blocked-traffic", "smem-kk", "smem-staged", "bank-cyclic", "smem-cut"] {
        assert!(verdicts["REPRODUCED"].contains(&id), "{id}: {verdicts:?}");
    }
    for row in written.rows().iter().filter(|row| row["kind"] != "inconsistency") {
        let result = &row["results"][0];
        assert!(!row["words"][0]["reason"].as_str().unwrap().is_empty(), "{row}");
        let by_construction = row["evidence"] == "construction";
        assert!(by_construction || result["verdict"] != "REPRODUCED", "{row}");
    }
}

#[test]
fn two_machines_stand_side_by_side_and_no_number_of_one_is_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let [ours, theirs, third, out] = ["ours", "theirs", "third", "out"].map(|name| folder.path().join(name));
    for run in [&ours, &theirs, &third] {
        copy(TABLE1, run);
    }
    let gpu = "/environment/device/info/name";
    edit_manifest(&theirs, |manifest| *manifest.pointer_mut(gpu).unwrap() = json!("NVIDIA A100"));
    edit_rows(&theirs.join("samples.csv"), |row| {
        if row.get("implementation") == "optimized-blocked" {
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
        let of: Vec<&str> = results.iter().map(|result| result["machine"].as_str().unwrap()).collect();
        assert_eq!(of, labels);
        for (result, own) in results.iter().zip(["ours", "theirs", "third"]) {
            assert!(result["runs"].as_array().unwrap().iter().all(|run| run == own), "{row}");
        }
        if row["id"] == "staged-over-opt" {
            assert_eq!([&results[0]["verdict"], &results[1]["verdict"]], ["DIFFERS", "REPRODUCED"]);
        }
    }
    for label in labels {
        assert!(written.page.contains(label) && said.contains(&format!("{label}\n")), "{label}");
    }
    // No cell of one machine is repeated by another: there is no noise between runs, and nothing over time.
    assert!(!written.experiments.contains("run by run"));
}

#[test]
fn a_run_that_is_named_twice_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let runs = folder.path().join("runs");
    for run in ["a", "b"] {
        copy(STRUCTURE, &runs.join(run));
    }
    let [once, often] = ["once", "often"].map(|name| folder.path().join(name));
    made(&[&runs], &once);
    made(&[&runs, &runs.join("a"), &runs.join("b/../a"), &runs.join("b")], &often);
    assert!(contents(&once) == contents(&often));
}

/// The titles of figures on all pages.
fn titles(written: &Written) -> Vec<String> {
    let heads = [&written.page, &written.experiments].into_iter().flat_map(|page| page.split("<h3>").skip(1));
    heads.map(|rest| rest.split('<').next().unwrap_or_default().to_string()).collect()
}

#[test]
fn a_headline_on_all_of_something_of_which_a_part_was_measured_says_which_part() {
    type Kept = fn(&str, usize) -> bool;
    // A run, what of it was measured, and what a title then says of that.
    let cases: [(&str, Kept, &[&str]); 4] = [
        // As where there is no GPU.
        (TABLE1, |name, _| name.starts_with("cpu-"), &["4 of 55 published times"]),
        (TABLE1, |name, n| name == "staged-load" && n < 4096, &["3 of 55 published times"]),
        (
            TABLE1,
            |name, _| matches!(name, "katz-kider" | "staged-load"),
            &["29 of 55 published times", "1 of 5 pairs"],
        ),
        (ABLATION, |name, _| matches!(name, "katz-kider" | "staged-load"), &["2 of 9 steps"]),
    ];
    for (run, kept, parts) in cases {
        let folder = tempfile::tempdir().unwrap();
        let stored = folder.path().join("run");
        copy(run, &stored);
        edit_rows(&stored.join("samples.csv"), |row| kept(row.get("implementation"), row.n()));
        let titles = titles(&made(&[&stored], &folder.path().join("report")).0);
        for part in parts {
            let told = format!("({part} were measured here)");
            assert!(titles.iter().any(|title| title.ends_with(&told)), "{run}: no {told} in {titles:#?}");
        }
        let is_whole =
            |title: &String| title.starts_with("Every published") && !title.contains("measured here");
        assert!(!titles.iter().any(is_whole), "{titles:#?}");
    }
}

#[test]
fn a_share_of_a_ceiling_that_others_took_a_part_of_or_that_was_passed_is_marked() {
    let run = |ceiling: f64, busy: bool| {
        let folder = tempfile::tempdir().unwrap();
        let stored = folder.path().join("run");
        copy("h200/peers", &stored);
        edit_rows(&stored.join("samples.csv"), |row| {
            row.set("others_load", "0.01");
            row.get("implementation") == "cpu-parallel"
        });
        edit_manifest(&stored, |manifest| {
            let ceilings = &mut manifest["environment"]["ceilings"];
            (ceilings["cpu_core_tasks_per_s"], ceilings["cpu_tasks_per_s"]) = (json!(1e9), json!(ceiling));
            let before = json!({
                "finding": "busy-before", "implementation": "cpu-parallel", "n": 2048, "params": "", "graph": "", "others_load": 1.9
            });
            manifest["host_findings"] = if busy { json!([before]) } else { json!([]) };
        });
        let (written, _) = made(&[&stored], &folder.path().join("report"));
        let ranked = repro().arg("rank").arg(&stored).output().unwrap();
        (written.page, stdout(&ranked))
    };
    // The fastest does 509.8 × 10⁹ tasks/s.
    for (ceiling, busy, share, is_marked) in [
        (800e9, false, "64%", false),
        (800e9, true, "64%", true),
        (450e9, false, "113%", true),
        (450e9, true, "113%", true),
    ] {
        let (page, ranked) = run(ceiling, busy);
        assert!(page.contains(&format!("{share} of the add + min rate")), "{share}");
        assert_eq!(page.contains("which may be too low"), is_marked, "{ceiling} {busy}");
        let marked = ranked.contains("113.3% †") && ranked.contains("or the ceiling that it passes was");
        assert_eq!(marked, ceiling < 509e9, "{ranked}");
    }
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
    let figure = contents(&path("late")).into_keys().find(|name| name.starts_with("figures")).unwrap();
    std::fs::write(path("late").join(format!("{figure}.new")), "half").unwrap();
    std::fs::write(path("late/index.html.new"), "half").unwrap();
    for out in ["early", "late"] {
        made(&[&path("run")], &path(out));
        assert!(contents(&path(out)) == contents(&path("clean")), "{out}");
    }
}

#[test]
fn without_arguments_the_runs_in_results_are_taken_and_the_report_is_beside_them() {
    let folder = tempfile::tempdir().unwrap();
    copy(STRUCTURE, &folder.path().join("results/runs/one"));
    for _ in 0..2 {
        let output = repro().arg("report").current_dir(folder.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert!(stdout(&output).ends_with("results/report/index.html\n"));
        assert!(!written(&folder.path().join("results/report")).rows().is_empty());
    }
}

/// Commands that leave much out, on a machine without a GPU. Each of them printed DIFFERS of results that nothing was wrong with.
const COMMANDS: [&str; 4] = [
    "table1 --sizes 64,300 --samples 1 --only katz-kider,staged-load",
    "timers --sizes 64,300 --samples 1",
    "kappa-sweep --device emulated --sizes 96 --param kappa=1,4",
    "occupancy --device cpu --sizes 64 --samples 3",
];

/// Experiments whose columns are left out as those of some of the others are.
const ALIKE: [&str; 3] = [
    "kappa-sweep --sizes 96,300 --samples 1 --param kappa=1",
    "ablation --sizes 64,300 --samples 1 --only katz-kider,staged-load",
    "stage-depth --device emulated --sizes 64 --only generalized-blocked --param kappa=1,4 --param stage=4",
];

/// What it prints, without line ends.
fn printed(folder: &Path, command: &str) -> String {
    let mut run = repro_with_compiler();
    run.current_dir(folder).arg("run").args(command.split(' ')).args(["--out", "run"]);
    let output = run.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{command}: {}", stderr(&output));
    stdout(&output).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What these commands leave out.
fn is_no_wrong_result(commands: &[&str]) {
    for command in commands {
        let folder = tempfile::tempdir().unwrap();
        let text = printed(folder.path(), command);
        let samples = std::fs::read_to_string(folder.path().join("run/samples.csv")).unwrap();
        assert!(samples.contains(",skipped,"), "{command} leaves nothing out");
        assert!(!text.contains("DIFFERS") && !text.contains("IN PART"), "{command}: {text}");
        let wrong = text.match_indices(" wrong sample").find(|(at, _)| !text[..*at].ends_with("here 0"));
        assert_eq!(wrong, None, "{command}: {text}");
    }
}

#[test]
fn what_a_run_left_out_is_no_wrong_result_in_what_it_prints() {
    is_no_wrong_result(&COMMANDS);
}

mod long {
    #[test]
    #[ignore = "long"]
    fn what_runs_like_those_left_out_is_no_wrong_result_either() {
        super::is_no_wrong_result(&super::ALIKE);
    }
}
