//! `repro export --ro-crate`: what it writes is a Process Run Crate, with the records as they are; what it refuses changes nothing.

use crate::common::stored::{TABLE1, copy, edit_manifest, reference};
use crate::common::{assert_refused, files, missing_tool, repro, stderr};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// `repro export RUN --ro-crate --out OUT ARGUMENTS`
fn export(run: &Path, out: &Path, arguments: &[&str]) -> Output {
    let mut command = repro();
    command.arg("export").arg(run).arg("--ro-crate").arg("--out").arg(out).args(arguments);
    command.output().unwrap()
}

/// The crate of a run in a folder that goes when it is dropped.
fn crate_of(run: &Path, arguments: &[&str]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("below/crate");
    let output = export(run, &out, arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    (folder, out)
}

fn metadata(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("ro-crate-metadata.json")).unwrap();
    let metadata: Value = serde_json::from_str(&text).unwrap();
    metadata["@graph"].as_array().unwrap().clone()
}

fn entity<'a>(graph: &'a [Value], id: &str) -> &'a Value {
    graph.iter().find(|entity| entity["@id"] == id).unwrap_or_else(|| panic!("no {id}"))
}

/// What the validator finds, by severity and check; and whether all that is required is there.
fn validate(folder: &Path) -> (Vec<(String, String)>, bool) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tools = root.join("target/tools");
    let (python, validator) = (tools.join("python/bin/python3"), tools.join("rocrate-validator"));
    if !(python.exists() && validator.exists()) {
        missing_tool("no validator of RO-Crates: scripts/fetch rocrate-validator gets it");
    }
    let cache = tempfile::tempdir().unwrap();
    let given = [root.join("tests/crate/validate.py"), folder.into(), root.join("tests/crate/context.json")];
    let mut command = Command::new(python);
    let output =
        command.env("PYTHONPATH", validator).args(given).arg(cache.path().join("cache")).output().unwrap();
    let found: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stderr(&output)));
    let issues = found["issues"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let issues: Vec<_> = issues
        .inspect(|issue| println!("{}", issue["message"]))
        .map(|issue| (text(&issue["severity"]), text(&issue["check"]["identifier"])))
        .collect();
    let lacks_nothing = issues.iter().all(|(severity, _)| severity == "RECOMMENDED");
    (issues, lacks_nothing)
}

/// What is recommended and cannot be given: an address of the program, of a driver and of a compiler; a publisher; what the author
/// belongs to.
const NOT_GIVEN: [&str; 5] = [
    "process-run-crate-0.5_3.2",
    "process-run-crate-0.5_5.1",
    "ro-crate-1.1_22.3",
    "ro-crate-1.1_30.2",
    "ro-crate-1.1_30.3",
];

#[test]
fn the_validator_finds_nothing_in_a_crate_of_a_gpu_run() {
    let author = "Ada Lovelace <https://orcid.org/0000-0001-2345-6789>";
    let (_folder, out) = crate_of(&reference(TABLE1), &["--author", author]);
    let (issues, lacks_nothing) = validate(&out);
    assert!(lacks_nothing, "{issues:?}");
    let unknown: Vec<_> = issues.iter().filter(|(_, check)| !NOT_GIVEN.contains(&check.as_str())).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    // And it does find what is wrong.
    let path = out.join("ro-crate-metadata.json");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("\"instrument\"", "\"participant\"")).unwrap();
    assert!(!validate(&out).1);
}

#[test]
fn a_crate_of_a_run_on_the_cpu_with_a_given_graph_is_valid_and_has_the_graph() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let graph = std::fs::File::create_new(folder.path().join("graph.gr")).unwrap();
    std::io::Write::write_all(&mut &graph, b"p sp 3 2\na 1 2 5\na 2 3 4\n").unwrap();
    let mut command = repro();
    command.args([
        "run",
        "table1",
        "--device",
        "cpu",
        "--only",
        "cpu-naive",
        "--samples",
        "1",
        "--graph",
        "-",
        "--out",
    ]);
    command.arg(&run).stdin(std::fs::File::open(folder.path().join("graph.gr")).unwrap());
    assert_eq!(command.output().unwrap().status.code(), Some(0));
    let (_folder, out) = crate_of(&run, &["--license", "https://creativecommons.org/licenses/by/4.0/"]);
    let (issues, lacks_nothing) = validate(&out);
    assert!(lacks_nothing, "{issues:?}");
    let graph = metadata(&out);
    let kept = files(&run).into_keys().find(|path| path.to_string_lossy().contains("graph")).unwrap();
    let kept = format!("records/{}", kept.file_name().unwrap().to_str().unwrap());
    assert_eq!(entity(&graph, &kept)["description"], "The graph that was solved");
    assert_eq!(entity(&graph, "./")["license"]["@id"], "https://creativecommons.org/licenses/by/4.0/");
    // Nobody is named who is not known.
    assert!(graph.iter().all(|entity| entity["@type"] != "Person"));
}

#[test]
fn a_crate_has_the_records_byte_by_byte_and_says_what_made_them() {
    let (_folder, out) = crate_of(&reference(TABLE1), &[]);
    let records = files(&out.join("records"));
    let original = files(&reference(TABLE1));
    assert_eq!(records.len(), original.len());
    for (path, content) in original {
        let name = path.file_name().unwrap().to_str().unwrap();
        assert_eq!(records[&out.join("records").join(name)], content, "{name}");
    }
    let graph = metadata(&out);
    for (path, content) in files(&out).iter().filter(|(path, _)| path.is_file()) {
        let name = path.strip_prefix(&out).unwrap().to_str().unwrap();
        if name == "ro-crate-metadata.json" {
            continue;
        }
        let known = entity(&graph, name);
        assert_eq!(known["contentSize"], content.len().to_string());
        let sum = Command::new("sha256sum").arg(path).output().unwrap();
        assert_eq!(known["sha256"].as_str(), crate::common::stdout(&sum).split(' ').next(), "{name}");
    }
    let manifest: Value =
        serde_json::from_slice(&std::fs::read(reference(TABLE1).join("manifest.json")).unwrap()).unwrap();
    let (run, software) = (entity(&graph, "#run"), manifest["build"]["commit"].as_str().unwrap());
    let software = format!("swh:1:rev:{software}");
    assert_eq!(run["instrument"]["@id"], software.as_str());
    assert!(entity(&graph, &software)["softwareVersion"].as_str().unwrap().starts_with("0.2.0, commit "));
    assert_eq!(run["startTime"], manifest["started"].as_str().unwrap().replace('Z', "+00:00"));
    assert_eq!(run["endTime"], manifest["finished"].as_str().unwrap().replace('Z', "+00:00"));
    let gpu = entity(&graph, "#gpu");
    assert_eq!((&gpu["model"], gpu["serialNumber"].is_string()), (&"NVIDIA H200".into(), true));
    assert_eq!(entity(&graph, "#driver")["softwareVersion"], manifest["environment"]["device"]["driver"]);
}

#[test]
fn what_is_changed_or_unfinished_is_exported_on_demand_alone_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (changed, unfinished) = (folder.path().join("changed"), folder.path().join("unfinished"));
    copy(TABLE1, &changed);
    let table = std::fs::read_to_string(changed.join("samples.csv")).unwrap();
    std::fs::write(changed.join("samples.csv"), table.replacen(",ok,", ",throttled,", 1)).unwrap();
    copy(TABLE1, &unfinished);
    edit_manifest(&unfinished, |manifest| manifest["finished"] = Value::Null);
    let before = files(folder.path());
    let out = folder.path().join("new/crate");
    assert_refused(&export(&changed, &out, &[]), &["changed is not as it was written", "--unsealed"]);
    assert_refused(&export(&unfinished, &out, &[]), &["has not finished", "--resume", "--unsealed"]);
    assert_eq!(files(folder.path()), before);
    let words = |run: &Path| {
        let (_folder, out) = crate_of(run, &["--unsealed"]);
        let graph = metadata(&out);
        (entity(&graph, "./")["description"].to_string(), entity(&graph, "#run")["endTime"].is_null())
    };
    let (changed, unfinished) = (words(&changed), words(&unfinished));
    assert!(changed.0.contains("UNSEALED: the run is not as it was written") && !changed.1, "{changed:?}");
    assert!(unfinished.0.contains("It has not finished.") && unfinished.1, "{unfinished:?}");
}

#[test]
fn a_place_that_is_taken_is_refused_and_nothing_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    copy(TABLE1, &path("run"));
    std::fs::create_dir(path("full")).unwrap();
    std::fs::write(path("full/mine"), "mine").unwrap();
    let before = files(folder.path());
    for (out, says) in [
        ("full", "full is no empty folder"),
        ("full/mine", "mine is no empty folder"),
        ("full/mine/below", "below is no empty folder"),
        ("run", "run is no empty folder"),
        ("run/below/crate", "is in the folder of the run"),
    ] {
        assert_refused(&export(&path("run"), &path(out), &[]), &[says, "--out"]);
        assert_eq!(files(folder.path()), before, "{out}");
    }
    assert_refused(&export(&path("none"), &path("new"), &[]), &["none holds no run"]);
    let run = path("run");
    let incomplete = |arguments: &[&str]| repro().arg("export").arg(&run).args(arguments).output().unwrap();
    assert_refused(&incomplete(&["--ro-crate"]), &["--out"]);
    assert_refused(&incomplete(&["--out", "new"]), &["--ro-crate"]);
    assert_eq!(files(folder.path()), before);
    // An empty folder is taken as it is.
    std::fs::create_dir(path("empty")).unwrap();
    assert_eq!(export(&path("run"), &path("empty"), &[]).status.code(), Some(0));
    assert!(path("empty/ro-crate-metadata.json").is_file());
}
