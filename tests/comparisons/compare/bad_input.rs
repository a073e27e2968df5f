//! Damaged, partial and hand-edited runs: one clear line each, and no panic.

use super::{Two, keep, of};
use crate::common::stored::{edit_manifest, edit_rows, tear};
use crate::common::{assert_refused, stderr, stdout};
use serde_json::json;

#[test]
fn a_folder_without_a_run_is_named() {
    let two = Two::copied();
    std::fs::create_dir(two.folder.path().join("empty")).unwrap();
    let compare = |base: &str| two.command(&[base, "new"]).output().unwrap();
    assert_refused(&compare("empty"), &["neither empty nor a folder below it holds a run", "repro run"]);
    assert_refused(&compare("base/samples.csv"), &["base/samples.csv", "name the folder of a run"]);
    std::fs::remove_file(two.base().join("samples.csv")).unwrap();
    assert_refused(&compare("base"), &["base/samples.csv"]);
}

#[test]
fn a_run_of_a_newer_schema_is_refused() {
    let two = Two::copied();
    edit_manifest(&two.new_run(), |manifest| manifest["schema_version"] = json!(99));
    assert_refused(&two.compare(&[]), &["new/manifest.json", "schema version 99"]);
}

#[test]
fn edited_samples_are_refused_with_their_line() {
    for (value, told) in
        [("-1", "-1 seconds"), ("0", "no clock"), ("1e300", "no clock"), ("NaN", "NaN"), ("x", "line")]
    {
        let two = Two::copied();
        let mut first = true;
        edit_rows(&two.new_run().join("samples.csv"), |row| {
            if std::mem::take(&mut first) {
                row.set("seconds", value);
            }
            true
        });
        assert_refused(&two.compare(&[]), &["new/samples.csv", "line 2", told]);
    }
}

#[test]
fn fewer_than_five_samples_decide_nothing() {
    let two = Two::copied();
    let fewer = |count: &str| {
        edit_rows(&two.new_run().join("samples.csv"), |row| {
            row.get("implementation") != "staged-load" || row.get("sample") < count
        });
    };
    fewer("5");
    two.scale("staged-load", 1.2);
    assert_eq!(of(&two.verdicts(&[]), "staged-load 1024").0, "SLOWER");
    fewer("4");
    assert_eq!(of(&two.verdicts(&[]), "staged-load 1024"), ("NOISY", "4 samples, 5 needed"));
    fewer("1");
    assert_eq!(of(&two.verdicts(&[]), "staged-load 1024"), ("NOISY", "1 sample, 5 needed"));
    assert_eq!(two.compare(&[]).status.code(), Some(3));
}

#[test]
fn a_torn_and_unfinished_run_is_compared_as_far_as_it_goes() {
    let two = Two::copied();
    edit_manifest(&two.new_run(), |manifest| manifest["finished"] = json!(null));
    keep(&two.new_run(), |implementation, n| implementation == "staged-load" && n == 1024);
    let samples = two.new_run().join("samples.csv");
    tear(&samples);
    let output = two.compare(&[]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stdout(&output).contains("new is not finished: what it has is compared."));
    assert!(stdout(&output).contains("bytes of samples.csv are no whole sample"));
}

#[test]
fn what_an_unfinished_run_has_not_measured_yet_ends_with_3_and_how_to_go_on() {
    let two = Two::copied();
    keep(&two.base(), |implementation, _| implementation != "cpu-naive");
    keep(&two.new_run(), |implementation, n| implementation == "staged-load" && n == 1024);
    edit_manifest(&two.new_run(), |manifest| manifest["finished"] = json!(null));
    let asked = ["--threshold", "12"];
    let verdicts = two.verdicts(&asked);
    assert_eq!(of(&verdicts, "katz-kider 1024"), ("NOISY", "NEW is not finished"));
    assert_eq!(of(&verdicts, "staged-load 1024").0, "SAME");
    let output = two.compare(&asked);
    assert_eq!(output.status.code(), Some(3));
    let told = "NOISY: 2 cells: NEW is not finished: repro run --resume new goes on with it.\n";
    assert!(stdout(&output).contains(told), "{}", stdout(&output));
    // What it was never to measure is gone.
    edit_manifest(&two.new_run(), |manifest| {
        let columns = manifest["experiment"]["columns"].as_array_mut().unwrap();
        columns.retain(|column| column["implementation"] != "katz-kider");
    });
    assert_eq!(of(&two.verdicts(&asked), "katz-kider 1024"), ("GONE", ""));
}

#[test]
fn wrong_options_are_named() {
    let two = Two::copied();
    assert_refused(&two.compare(&["--threshold=-1"]), &["--threshold -1", "0 or more percent"]);
    for (wrong, told) in
        [(["--scope", "walltime"], "walltime"), (["--format", "xml"], "xml"), (["--across", "time"], "time")]
    {
        let output = two.compare(&wrong);
        assert_eq!(output.status.code(), Some(2));
        assert!(
            stderr(&output).contains(told) && stderr(&output).lines().count() == 1,
            "{}",
            stderr(&output)
        );
    }
}
