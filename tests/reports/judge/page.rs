//! Verdicts where they are read: every number that decides stands in the table of its claim, and what a run left out is not called wrong.

use crate::common::{repro_with_compiler, stderr, stdout};
use crate::reports::reference_report::made;
use repro::show::digits;
use serde_json::Value;
use std::path::Path;

/// As the page writes a number that is neither tiny nor huge.
fn number(value: &Value) -> Option<String> {
    let value = value.as_f64()?;
    let shown = if value.fract() == 0.0 { value.to_string() } else { digits(value) };
    (value == 0.0 || (1e-4..1e6).contains(&value.abs())).then_some(shown)
}

#[test]
fn every_number_that_decides_stands_in_the_table_of_its_claim() {
    // Places where papers contradict themselves stand with the papers.
    let page = ["claims.html", "index.html"]
        .map(|name| std::fs::read_to_string(made().join(name)).unwrap())
        .concat();
    let claims = std::fs::read(made().join("claims.json")).unwrap();
    let claims: Value = serde_json::from_slice(&claims).unwrap();
    let (mut shown, mut decided) = (0, 0);
    for claim in claims["claims"].as_array().unwrap() {
        let (paper, id) = (claim["paper"].as_str().unwrap(), claim["id"].as_str().unwrap());
        let body = page.split_once(&format!("id=\"claim-{paper}-{id}\"")).unwrap().1;
        let body = body.split("id=\"claim-").next().unwrap();
        // What the page leaves out of a number is its space.
        for result in claim["results"].as_array().unwrap() {
            let points = result["points"].as_array().unwrap();
            let is_decided =
                !["NOT MEASURED", "NOT COMPARABLE"].contains(&result["verdict"].as_str().unwrap());
            assert_eq!(points.is_empty(), !is_decided, "{paper} {id}");
            decided += usize::from(is_decided);
            for point in points {
                let measured = &point["measured"];
                if let Some(value) = number(&measured["value"]) {
                    assert!(body.contains(&format!("<td>{value}</td>")), "{paper} {id}: {value}");
                    shown += 1;
                }
            }
        }
    }
    assert!(shown > 200 && decided > 40, "{shown} numbers of {decided} verdicts");
}

/// Commands that leave much out, on a machine without a GPU. Each of them printed DIFFERS of results that nothing was wrong with.
const COMMANDS: [&str; 8] = [
    "table1 --sizes 64,300 --samples 1 --only katz-kider,staged-load",
    "kappa-sweep --sizes 96,300 --samples 1 --param kappa=1",
    "ablation --sizes 64,300 --samples 1 --only katz-kider,staged-load",
    "timers --sizes 64,300 --samples 1",
    "lead-block --device emulated --sizes 64",
    "kappa-sweep --device emulated --sizes 96 --param kappa=1,4",
    "stage-depth --device emulated --sizes 64 --only generalized-blocked --param kappa=1,4 --param stage=4",
    "occupancy --device cpu --sizes 64 --samples 3",
];

/// What it prints, without line ends.
fn printed(folder: &Path, command: &str) -> String {
    let mut run = repro_with_compiler();
    run.current_dir(folder).arg("run").args(command.split(' ')).args(["--out", "run"]);
    let output = run.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{command}: {}", stderr(&output));
    stdout(&output).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_a_run_left_out_is_no_wrong_result_in_what_it_prints() {
    for command in COMMANDS {
        let folder = tempfile::tempdir().unwrap();
        let text = printed(folder.path(), command);
        let samples = std::fs::read_to_string(folder.path().join("run/samples.csv")).unwrap();
        assert!(samples.contains(",skipped,"), "{command} leaves nothing out");
        assert!(!text.contains("DIFFERS") && !text.contains("IN PART"), "{command}: {text}");
        let wrong = text.match_indices(" wrong sample").find(|(at, _)| !text[..*at].ends_with("here 0"));
        assert_eq!(wrong, None, "{command}: {text}");
    }
}
