//! Every output, whole.

use super::Two;
use crate::common::stored::copy;
use crate::common::{repro, stdout};
use serde_json::Value;
use std::collections::BTreeSet;

/// One cell of each kind of verdict that needs no damage.
fn changed() -> Two {
    let two = Two::copied();
    two.scale("staged-load", 1.2);
    two.scale("katz-kider", 0.85);
    two
}

#[test]
fn the_terminal_markdown_and_json_say_it_whole() {
    let two = changed();
    insta::assert_snapshot!("terminal", stdout(&two.compare(&[])));
    insta::assert_snapshot!("markdown", stdout(&two.compare(&["--format", "markdown"])));
    insta::assert_snapshot!("json", stdout(&two.compare(&["--format", "json"])));
}

#[test]
fn annotations_have_an_error_for_each_change_that_is_slower() {
    let text = stdout(&changed().compare(&["--format", "annotations"]));
    let error =
        "::error title=repro::staged-load n = 1024, 2048: SLOWER, 1.2000 to 1.2000 times the baseline\n";
    let notice = "::notice title=repro::2 cells became slower or failed: 2 SLOWER, 1 FASTER, 1 SAME.\n";
    assert_eq!(text, format!("{error}{notice}"));
}

#[test]
fn google_benchmark_has_nanoseconds_by_names_that_stay() {
    let (folder, run) = (tempfile::tempdir().unwrap(), "results/reference/h200/undirected");
    copy("h200/undirected", &folder.path().join("new"));
    let mut command = repro();
    command.args(["compare", run]).arg(folder.path().join("new")).args(["--format", "google-benchmark"]);
    let text = stdout(&command.output().unwrap());
    let value: Value = serde_json::from_str(&text).unwrap();
    let all = value["benchmarks"].as_array().unwrap();
    let names: BTreeSet<&str> = all.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), all.len());
    assert!(names.contains("undirected/register-blocked/n=16384/half=1"), "{names:?}");
    for one in all {
        assert!(one["real_time"].as_f64().unwrap() > 1e5 && one["time_unit"] == "ns", "{one}");
    }
}

/// The schema is that of the types that are written, which a test beside them holds.
#[test]
fn what_json_has_is_named_by_the_schema_in_docs() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/comparison.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let text = stdout(&changed().compare(&["--format", "json"]));
    let comparison: Value = serde_json::from_str(&text).unwrap();
    let names = |of: &Value| of.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    assert!(names(&comparison).is_subset(&names(&schema["properties"])));
    for cell in comparison["cells"].as_array().unwrap() {
        assert!(names(cell).is_subset(&names(&schema["$defs"]["CellComparison"]["properties"])), "{cell}");
    }
}
