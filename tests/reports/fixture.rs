//! Reports to render, which are changed before: of committed runs, and with text that means harm.

use crate::common::stored::{OCCUPANCY, copy, edit_manifest, edit_rows, fail, reference};
use repro::published::{Contender, Test, published_papers};
use repro::report::{Report, assemble};
use repro::results::StoredRun;
use serde_json::json;
use std::path::Path;

/// Text that would be markup, script or trouble if it were not taken as text.
pub const HOSTILE: &str = "<script>alert(1)</script> \"quoted\" 'it' & | κ Уоршелл </style> ]]>";

/// Small runs on one machine and on two.
pub const ONE: &[&str] = &["h200/ablation"];
pub const TWO: &[&str] = &["h100/ablation", "h200/ablation"];

/// Nothing was measured and nothing is claimed.
pub fn empty() -> Report {
    assemble(&[], &[], Vec::new(), &[])
}

/// Of committed runs.
pub fn of(runs: &[&str]) -> Report {
    let runs: Vec<StoredRun> = runs.iter().map(|run| StoredRun::open(&reference(run)).unwrap()).collect();
    assemble(&runs, &[], published_papers().unwrap().to_vec(), &[])
}

/// A copy of a committed run with names and messages that mean harm, as one of an experiment that the program does not have. Those of a
/// graph and of an implementation are in the manifest and in every file of rows, a message is in the samples.
fn hostile_run(folder: &Path) -> StoredRun {
    copy(OCCUPANCY, folder);
    let manifest = folder.join("manifest.json");
    let mut text = std::fs::read_to_string(&manifest).unwrap();
    for name in ["\"m=600n\"", "\"katz-kider\""] {
        assert!(text.contains(name));
        text = text.replace(name, &json!(HOSTILE).to_string());
    }
    std::fs::write(&manifest, text).unwrap();
    edit_manifest(folder, |manifest| {
        let experiment = &mut manifest["experiment"];
        (experiment["name"], experiment["title"]) = (json!(HOSTILE), json!(HOSTILE));
        let words =
            json!({ "title": HOSTILE, "caption": HOSTILE, "y": "seconds", "series": "implementation" });
        experiment["figures"] = [("bars", "graph"), ("lines", "n"), ("table", "graph")]
            .map(|(kind, x)| {
                let mut figure = words.clone();
                (figure["id"], figure["kind"], figure["x"]) = (json!(kind), json!(kind), json!(x));
                figure
            })
            .to_vec()
            .into();
        manifest["build"]["commit"] = json!(HOSTILE);
        manifest["command_line"] = json!(["repro", HOSTILE]);
        let environment = &mut manifest["environment"];
        environment["host"]["cpu"] = json!(HOSTILE);
        environment["device"]["info"]["name"] = json!(HOSTILE);
        environment["device"]["telemetry_problem"] = json!(HOSTILE);
        // What no text of XML may hold.
        environment["implementations"][0]["source"] = json!(format!("{HOSTILE}\u{1}\u{1b}\u{ffff}"));
    });
    for file in ["samples.csv", "kernels.csv"] {
        edit_rows(&folder.join(file), |row| {
            for (column, name) in [("graph", "m=600n"), ("implementation", "katz-kider")] {
                if row.get(column) == name {
                    row.set(column, HOSTILE);
                }
            }
            file == "kernels.csv" || row.get("implementation") != "generalized-blocked" || fail(row, HOSTILE)
        });
    }
    StoredRun::open(folder).unwrap()
}

/// [`HOSTILE`] wherever a record or the file of a paper can bring in text.
pub fn hostile() -> Report {
    let text = || HOSTILE.to_string();
    let folder = tempfile::tempdir().unwrap();
    let mut report = assemble(&[hostile_run(folder.path())], &[], published_papers().unwrap().to_vec(), &[]);
    assert_eq!(report.machines[0].label, HOSTILE);
    report.notices = vec![text()];
    report.machines[0].facts.push(("host", "very-long-name-of-a-graph-".repeat(12)));
    let compared = report.claims.iter().position(|row| row.results.iter().any(|one| !one.points.is_empty()));
    report.claims.swap(0, compared.unwrap());
    let row = &mut report.claims[0];
    (row.of, row.published_on) = (Some(text()), text());
    let claim = &mut row.claim;
    (claim.statement, claim.place, claim.id) = (text(), text(), text());
    (claim.short, claim.run, claim.note, claim.reading) =
        (Some(text()), Some(text()), Some(text()), Some(text()));
    let contender = || Contender { kernel: Some(text()), ..Contender::plain(HOSTILE) };
    claim.tests = vec![Test { pairs: vec![(contender(), contender())], ..Test::default() }];
    let result = &mut row.results[0];
    result.machine = text();
    result.runs = vec![text()];
    let at = &mut result.points[0].at;
    (at.test, at.of, at.over, at.n) = (0, Some(contender()), Some(contender()), Some(1024));
    report.papers[0].title = text();
    let page = &mut report.experiments[0];
    (page.notices, page.runs[0].date) = (vec![text()], text());
    let grid = &mut page.exhibits[2].grid;
    (grid.title, grid.header[1], grid.rows[0][1]) = (text(), text(), text());
    let grid = &mut report.method[0].grid;
    (grid.title, grid.header[1], grid.rows[0][1]) = (text(), text(), text());
    report.commands = vec![text(), "x".repeat(300)];
    report
}
