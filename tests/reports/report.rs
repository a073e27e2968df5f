//! `repro report` as a whole program: from stored runs to a folder with a page.

mod broken;
mod history;
mod refused;

use crate::common::stored::{
    ABLATION, OCCUPANCY, STRUCTURE, TABLE1, copy, edit_manifest, edit_rows, fail, reference,
};
use crate::common::{repro, repro_with_compiler, stderr, stdout};
use repro::judge::evaluate;
use repro::published::{ClaimKind, published_papers};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
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

/// Every file below `folder` with what is in it.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => _ = found.insert(path.clone(), std::fs::read(&path).unwrap()),
        }
    }
    found
}

/// Every file below `folder`, by its name there, with what is in it.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let relative = |path: &Path| path.strip_prefix(folder).unwrap().to_path_buf();
    files(folder).into_iter().map(|(path, bytes)| (relative(&path), bytes)).collect()
}

/// Makes the report of the committed runs, which takes a release build less than 5 s on two cores.
fn made_in_seconds(runs: &Path, out: &Path) -> (Written, String) {
    let mut command = repro();
    command.arg("report").arg(runs).arg("--out").arg(out);
    #[cfg(target_os = "linux")]
    let output = {
        let (output, took) = crate::common::with_cpu_time(command);
        assert!(took < std::time::Duration::from_secs(30), "{took:?}");
        output
    };
    #[cfg(not(target_os = "linux"))]
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
    (written(out), stdout(&output))
}

#[test]
fn a_report_over_itself_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
    let runs = [TABLE1, STRUCTURE].map(reference);
    let runs: Vec<&Path> = runs.iter().map(PathBuf::as_path).collect();
    for out in [&one, &two, &one] {
        made(&runs, out);
    }
    assert!(contents(&one) == contents(&two), "a report over itself differs");
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
    let verdicts = written.verdicts("emulated CUDA device");
    assert_eq!(
        verdicts.keys().copied().collect::<Vec<_>>(),
        ["NOT COMPARABLE", "NOT MEASURED", "REPRODUCED"]
    );
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
    assert_eq!(written.machines(), labels);
    for row in written.rows().iter().filter(|row| row["kind"] != "inconsistency") {
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
    let sections =
        |out: &Path| written(out).experiments.matches("<h2>Counted on the emulated device: ").count();
    assert_eq!(sections(&once), sections(&often));
    assert!(contents(&once) == contents(&often));
}

#[test]
fn text_from_records_is_escaped_wherever_it_ends_up() {
    const HOSTILE: &str = "<script>alert(1)</script>";
    // What no text of XML may hold.
    let unprintable = format!("{HOSTILE}\u{1}\u{1b}\u{ffff}");
    let folder = tempfile::tempdir().unwrap();
    let [run, out] = ["run", "out"].map(|name| folder.path().join(name));
    copy(OCCUPANCY, &run);
    // Names of a graph and of an implementation are in the manifest and in every file of rows, a message is in the samples.
    let manifest = run.join("manifest.json");
    let mut text = std::fs::read_to_string(&manifest).unwrap();
    for name in ["\"m=600n\"", "\"katz-kider\""] {
        assert!(text.contains(name));
        text = text.replace(name, &json!(HOSTILE).to_string());
    }
    std::fs::write(&manifest, text).unwrap();
    edit_manifest(&run, |manifest| {
        manifest["experiment"]["title"] = json!(HOSTILE);
        manifest["build"]["commit"] = json!(HOSTILE);
        manifest["command_line"] = json!(["repro", HOSTILE, "\"quoted\" & 'so'"]);
        let environment = &mut manifest["environment"];
        environment["host"]["cpu"] = json!(HOSTILE);
        environment["device"]["info"]["name"] = json!(HOSTILE);
        environment["device"]["telemetry_problem"] = json!(HOSTILE);
        environment["implementations"][0]["source"] = json!(unprintable);
    });
    for file in ["samples.csv", "kernels.csv"] {
        edit_rows(&run.join(file), |row| {
            for (column, name) in [("graph", "m=600n"), ("implementation", "katz-kider")] {
                if row.get(column) == name {
                    row.set(column, HOSTILE);
                }
            }
            let is_timed = file == "kernels.csv" || row.get("implementation") != "generalized-blocked";
            is_timed || fail(row, HOSTILE)
        });
    }
    let (written, _) = made(&[&run], &out);
    assert_eq!(written.machines(), [HOSTILE]);
    for page in [&written.page, &written.experiments] {
        assert!(!page.contains(HOSTILE));
        // The one script of every page: those of experiments are here after each other.
        assert_eq!(page.matches("<script").count(), page.matches("<!DOCTYPE html>").count());
        assert!(page.matches("script&#62;alert(1)").count() > 3);
    }
    let (mut pictures, mut named) = (0, 0);
    for (path, bytes) in files(&out) {
        let text = String::from_utf8_lossy(&bytes);
        match path.extension().unwrap().to_str().unwrap() {
            "svg" => {
                pictures += 1;
                named += usize::from(text.contains("alert(1)"));
                assert!(!text.contains("<script"), "{}", path.display());
            }
            "md" => assert!(!text.contains("<script"), "{}", path.display()),
            _ => (),
        }
    }
    assert_eq!(crate::reports::reference_report::broken_pictures(&out), [""; 0]);
    assert!(pictures > 1 && named > 0, "{pictures} pictures, {named} with a name from the records");
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn the_reference_runs_give_a_page_with_every_claim_and_the_same_bytes_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let one = folder.path().join("one");
        let (written, said) = made_in_seconds(&reference(""), &one);
        assert!(said.contains("NVIDIA H200\n") && said.contains(" REPRODUCED ("), "{said}");
        assert!(said.ends_with(&format!("{}\n", one.join("index.html").display())), "{said}");

        let rows = evaluate(&published_papers().unwrap(), &[]);
        let ids: Vec<(&str, &str)> = rows.iter().map(|row| (row.paper.as_str(), row.id.as_str())).collect();
        let text = |row: &'_ Value, key: &str| row[key].as_str().unwrap().to_string();
        let found: Vec<(String, String)> =
            written.rows().iter().map(|row| (text(row, "paper"), text(row, "id"))).collect();
        assert_eq!(found.iter().map(|(paper, id)| (paper.as_str(), id.as_str())).collect::<Vec<_>>(), ids);
        for (paper, id) in &ids {
            assert!(written.page.contains(&format!("id=\"claim-{paper}-{id}\"")), "{paper} {id}");
        }
        let verdicts = written.verdicts("NVIDIA H200");
        let compared: usize = verdicts.values().map(Vec::len).sum();
        let expected = rows.iter().filter(|row| row.kind != ClaimKind::Inconsistency).count();
        assert_eq!((compared, verdicts.len()), (expected, 7));

        let endings: BTreeSet<_> =
            files(&one).into_keys().map(|path| path.extension().unwrap().to_owned()).collect();
        assert_eq!(endings.len(), 6, "html, json, csv, md, svg and png: {endings:?}");
        let two = crate::reports::reference_report::made();
        assert!(contents(&one) == contents(two), "two reports of the same records differ");
    }
}

/// The titles of figures on all pages.
fn titles(written: &Written) -> Vec<String> {
    let heads = [&written.page, &written.experiments].into_iter().flat_map(|page| page.split("<h3>").skip(1));
    heads.map(|rest| rest.split('<').next().unwrap_or_default().to_string()).collect()
}

#[test]
fn a_headline_on_all_of_something_of_which_a_part_was_measured_says_which_part() {
    type Kept = fn(&str, usize) -> bool;
    // A run, what of it was measured, and what a title then says of that; nothing where it was all.
    let cases: [(&str, Kept, &[&str]); 5] = [
        (TABLE1, |_, _| true, &[]),
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
        let whole = titles.iter().filter(|title| title.starts_with("Every published"));
        let claimed = whole.filter(|title| !title.contains("measured here")).count();
        assert_eq!(claimed, usize::from(run == TABLE1 && parts.is_empty()), "{titles:#?}");
        assert!(
            !parts.is_empty() || titles.iter().all(|title| !title.contains("measured here")),
            "{titles:#?}"
        );
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
fn where_nothing_was_measured_each_claim_has_a_verdict_and_what_would_bring_another() {
    let folder = tempfile::tempdir().unwrap();
    let text = stdout(&repro().current_dir(folder.path()).arg("claims").output().unwrap());
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("  ")).collect();
    let (claims, verdicts): (Vec<&str>, Vec<&str>) =
        lines.chunks(2).map(|two| (two[0], two[1].trim_start())).unzip();
    assert!(claims.iter().all(|claim| !claim.starts_with("   ")) && claims.len() > 100, "{text}");
    let is_verdict = |line: &&str| line.starts_with("NOT MEASURED: ") || line.starts_with("NOT COMPARABLE: ");
    assert!(verdicts.iter().all(is_verdict), "{text}");
    assert!(verdicts.iter().filter(|line| line.contains("repro run ")).count() > 100, "{text}");
}
