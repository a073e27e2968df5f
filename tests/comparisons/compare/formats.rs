//! Every output, whole.

use super::Two;
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

#[track_caller]
fn contains(text: &str, parts: [&str; 3]) {
    parts.iter().for_each(|part| assert!(text.contains(part), "no {part} in: {text}"));
}

#[test]
fn the_terminal_and_markdown_say_it_whole() {
    let two = changed();
    insta::assert_snapshot!("terminal", stdout(&two.compare(&[])));
    let markdown = stdout(&two.compare(&["--format", "markdown"]));
    contains(
        &markdown,
        [
            "**2 cells became slower or failed: 2 SLOWER, 1 FASTER, 1 NOISY.**\n\n- NOISY: 1 of 1 CPU cells",
            "\n|  katz-kider n = 1024 | FASTER |  0.001718 |  0.001460 | 0.8500 [0.8484, 0.8516] |   6 / 6 |\n\n<details>",
            "0.1451 |    0.1451 | 1.0000 [0.9060, 1.1044] | 14 / 14 | less than 100% is noise here |",
        ],
    );
}

#[test]
fn the_same_cells_are_counted_and_listed_where_all_are_asked_for() {
    // Nothing was changed in either.
    let (two, asked) = (Two::copied(), ["--threshold", "12"]);
    let (folded, all) = (stdout(&two.compare(&asked)), stdout(&two.compare(&["--threshold", "12", "--all"])));
    assert!(folded.contains("--all lists them.") && !folded.contains("│ staged-load n = 1024"), "{folded}");
    assert!(all.contains("staged-load n = 1024 ┆") && !all.contains("--all lists them."), "{all}");
    let last = |text: &str| text.lines().last().map(str::to_string);
    assert_eq!(last(&folded), last(&all), "the outcome counts them in any case");
}

#[test]
fn json_has_everything() {
    let two = changed();
    insta::assert_snapshot!("json", stdout(&two.compare(&["--format", "json"])));
}

#[test]
fn bencher_reads_nanoseconds_and_rates_with_their_ends() {
    let text = stdout(&changed().compare(&["--format", "bencher"]));
    insta::assert_snapshot!("bencher", text);
    let metrics: Value = serde_json::from_str(&text).unwrap();
    for (name, measures) in metrics.as_object().unwrap() {
        assert!(name.len() < 1024);
        for metric in measures.as_object().unwrap().values() {
            let of = |end: &str| metric[end].as_f64().unwrap();
            assert!(of("lower_value") <= of("value") && of("value") <= of("upper_value"), "{name}");
        }
    }
}

#[test]
fn bencher_has_the_rate_of_the_tasks_that_were_done_of_an_undirected_graph() {
    let run = "results/reference/h200/undirected";
    let text = stdout(&repro().args(["compare", run, run, "--format", "bencher"]).output().unwrap());
    let metrics: Value = serde_json::from_str(&text).unwrap();
    let n = 16384.0_f64;
    for (half, tasks) in [(0, n.powi(3)), (1, n * n * (n + 1.0) / 2.0)] {
        let named =
            |(name, _): &(&String, &Value)| name.contains("16384") && name.contains(&format!("half={half}"));
        let (_, found) = metrics.as_object().unwrap().iter().find(named).unwrap();
        let of = |what: &str| found[what]["value"].as_f64().unwrap();
        assert!((of("throughput") * of("latency") * 1e-9 / tasks - 1.0).abs() < 1e-9, "half={half}");
    }
}

#[test]
fn github_action_benchmark_reads_names_units_and_values() {
    let text = stdout(&changed().compare(&["--format", "github-action-benchmark"]));
    contains(
        &text,
        [
            "\"extra\": \"SLOWER (1.2000 times the baseline, 6 samples)\",\n    \"name\": \"table1/staged-load/n=1024\"",
            "\"range\": \"± 0.0011327862739563053\",\n    \"unit\": \"ms\",\n    \"value\": 0.723743999004364",
            "\"name\": \"table1/cpu-naive/n=1024\",\n    \"range\": \"± 9.803597999999997\"",
        ],
    );
    for entry in serde_json::from_str::<Vec<Value>>(&text).unwrap() {
        assert!(entry["name"].is_string() && entry["unit"] == "ms" && entry["value"].is_number());
    }
}

#[test]
fn junit_has_a_test_a_cell_and_annotations_an_error_for_each_that_is_slower() {
    let two = changed();
    insta::assert_snapshot!("junit", stdout(&two.compare(&["--format", "junit"])));
    contains(
        &stdout(&two.compare(&["--format", "annotations"])),
        [
            "::error title=repro::table1/staged-load/n=2048: SLOWER, 1.2000 times the baseline [1.1967, 1.2033]\n",
            "::warning title=repro::1 of 1 CPU cells, n up to 1024: two runs of one build are taken to lie up to 100%25 apart",
            "\n::notice title=repro::2 cells became slower or failed: 2 SLOWER, 1 FASTER, 1 NOISY.\n",
        ],
    );
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
