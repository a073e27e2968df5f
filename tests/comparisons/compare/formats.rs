//! Every output, whole.

use super::Two;
use crate::common::stored::edit_rows;
use crate::common::{repro, stdout};
use serde_json::{Value, json};

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

/// That `value` is as `schema`, a part of `whole`, says, and has nothing that it does not name. Of JSON Schema as much as ours uses.
fn check(value: &Value, schema: &Value, whole: &Value, at: &str) -> Result<(), String> {
    let known = ["description", "title", "format", "minimum", "maximum", "$schema", "$defs"];
    for (keyword, of) in schema.as_object().ok_or_else(|| format!("{at}: no schema"))? {
        let holds = match (keyword.as_str(), of) {
            ("$ref", Value::String(name)) => {
                let name = name.trim_start_matches("#/$defs/");
                check(value, &whole["$defs"][name], whole, at)?;
                true
            }
            ("anyOf" | "oneOf", Value::Array(all)) => {
                all.iter().any(|one| check(value, one, whole, at).is_ok())
            }
            ("enum", Value::Array(all)) => all.contains(value),
            ("const", one) => value == one,
            ("type", Value::String(name)) => is(value, name),
            ("type", Value::Array(names)) => {
                names.iter().filter_map(Value::as_str).any(|name| is(value, name))
            }
            ("items", one) => {
                let items = value.as_array().map_or(&[][..], Vec::as_slice);
                items.iter().try_for_each(|item| check(item, one, whole, &format!("{at}[]")))?;
                true
            }
            ("properties", Value::Object(of)) => {
                for (name, value) in value.as_object().ok_or_else(|| format!("{at}: no object"))? {
                    let at = format!("{at}.{name}");
                    check(
                        value,
                        of.get(name).ok_or_else(|| format!("{at} is not in the schema"))?,
                        whole,
                        &at,
                    )?;
                }
                true
            }
            ("required", Value::Array(names)) => {
                names.iter().filter_map(Value::as_str).all(|name| value.get(name).is_some())
            }
            ("additionalProperties", Value::Bool(false)) => true,
            (keyword, _) if known.contains(&keyword) => true,
            _ => return Err(format!("{at}: the test does not know {keyword}")),
        };
        if !holds {
            return Err(format!("{at}: {value} is not {keyword} {of}"));
        }
    }
    Ok(())
}

fn is(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        _ => false,
    }
}

#[test]
fn what_json_has_is_as_the_schema_in_docs_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/comparison.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let slow_clock = Two::copied();
    edit_rows(&slow_clock.new_run().join("samples.csv"), |row| {
        row.set("sm_mhz", 1500);
        row.get("implementation") != "katz-kider"
    });
    for two in [changed(), Two::copied(), slow_clock] {
        let text = stdout(&two.compare(&["--format", "json"]));
        let mut comparison: Value = serde_json::from_str(&text).unwrap();
        check(&comparison, &schema, &schema, "").unwrap();
        comparison["cells"][0]["verdict"] = json!("UNCERTAIN");
        assert!(check(&comparison, &schema, &schema, "").unwrap_err().starts_with(".cells[].verdict"));
        comparison["cells"][0] = json!({ "verdict": "SAME" });
        assert!(check(&comparison, &schema, &schema, "").unwrap_err().contains("is not required"));
    }
}
