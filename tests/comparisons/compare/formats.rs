//! Every output, whole.

use super::Two;
use crate::common::stdout;
use serde_json::Value;

/// One cell of each kind of verdict that needs no damage.
fn changed() -> Two {
    let two = Two::copied();
    two.scale("staged-load", 1.2);
    two.scale("katz-kider", 0.85);
    two
}

#[test]
fn the_terminal_and_markdown_say_it_whole() {
    let two = changed();
    insta::assert_snapshot!("terminal", stdout(&two.compare(&[])));
    insta::assert_snapshot!("markdown", stdout(&two.compare(&["--format", "markdown"])));
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
fn github_action_benchmark_reads_names_units_and_values() {
    let text = stdout(&changed().compare(&["--format", "github-action-benchmark"]));
    insta::assert_snapshot!("github-action-benchmark", text);
    for entry in serde_json::from_str::<Vec<Value>>(&text).unwrap() {
        assert!(entry["name"].is_string() && entry["unit"] == "ms" && entry["value"].is_number());
    }
}

#[test]
fn junit_has_a_test_a_cell_and_annotations_an_error_for_each_that_is_slower() {
    let two = changed();
    insta::assert_snapshot!("junit", stdout(&two.compare(&["--format", "junit"])));
    insta::assert_snapshot!("annotations", stdout(&two.compare(&["--format", "annotations"])));
}
