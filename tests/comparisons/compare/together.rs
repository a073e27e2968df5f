//! What many cells tell together, what a history of runs is good for, and how a comparison that cannot tell ends.

use crate::common::stored::{TABLE1, copy, edit_manifest, edit_rows};
use crate::common::{repro, stderr, stdout};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

/// Copies of the committed run of Table 1 without its CPU cells: `base`, `new`, and in `results` more runs of the build of `base`,
/// of which each is a little slower or faster as a whole.
struct History {
    folder: TempDir,
}

impl History {
    fn of(runs: usize) -> Self {
        let history = Self { folder: tempfile::tempdir().unwrap() };
        for run in ["base".to_string(), "new".to_string()].into_iter().chain((1..runs).map(name)) {
            let folder = history.folder.path().join(&run);
            copy(TABLE1, &folder);
            edit_rows(&folder.join("samples.csv"), |row| !row.get("implementation").starts_with("cpu-"));
            edit_manifest(&folder, |manifest| {
                let columns = manifest["experiment"]["columns"].as_array_mut().unwrap();
                columns.retain(|column| !column["implementation"].as_str().unwrap().starts_with("cpu-"));
                manifest["started"] = json!(format!("2026-11-21T05:00:00Z {run}"));
                if run == "new" {
                    manifest["build"]["commit"] = json!("b".repeat(40));
                }
            });
        }
        for run in 1..runs {
            history.scale(&name(run), 1.0 + 0.0005 * (run % 3) as f64, |_, _| true);
        }
        history
    }

    /// Multiplies the seconds of some cells of a run.
    fn scale(&self, run: &str, factor: f64, is_scaled: impl Fn(&str, usize) -> bool) {
        edit_rows(&self.folder.path().join(run).join("samples.csv"), |row| {
            if is_scaled(row.get("implementation"), row.n()) {
                row.scale(factor);
            }
            true
        });
    }

    fn compare(&self, format: &str) -> Output {
        let mut command = repro();
        command.current_dir(self.folder.path()).args(["compare", "base", "new", "--format", format]);
        command.output().unwrap()
    }

    fn json(&self) -> Value {
        let output = self.compare("json");
        serde_json::from_str(&stdout(&output)).unwrap_or_else(|_| panic!("{}", stderr(&output)))
    }
}

fn name(run: usize) -> String {
    Path::new("results").join(format!("run-{run}")).display().to_string()
}

#[test]
fn three_percent_in_all_cells_are_slower_where_five_runs_are_known_and_could_not_be_told_without() {
    for (runs, code, ending) in [(1, 3, "untold"), (5, 1, "slower")] {
        let history = History::of(runs);
        history.scale("new", 1.03, |_, _| true);
        let output = history.compare("terminal");
        assert_eq!(output.status.code(), Some(code), "{}{}", stdout(&output), stderr(&output));
        assert_eq!(history.json()["ending"], ending);
    }
}

#[test]
fn the_same_work_with_a_history_ends_with_0() {
    let history = History::of(5);
    let output = history.compare("terminal");
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    assert!(
        stdout(&output).contains(" together: SAME 1.0000 [1.0000, 1.0000], threshold 1%."),
        "{}",
        stdout(&output)
    );
    let first = stdout(&output).lines().next().unwrap().to_string();
    assert!(first.starts_with("Nothing became slower"), "{first}");
}

#[test]
fn where_few_runs_are_known_it_is_said_that_nothing_moved_and_how_many_runs_are_needed() {
    let history = History::of(2);
    // So far apart that two runs of the build do not tell a slow day.
    history.scale(&name(1), 1.002, |_, _| true);
    let output = history.compare("terminal");
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(3), "{text}{}", stderr(&output));
    assert!(text.starts_with("Whether something became slower is undecided"), "{text}");
    let reason = "nothing moved (1.0000), but with 2 runs of one build known a slow-down shared by all cells cannot be excluded; 4 are needed in --results, or measure both builds in turn with repro track.";
    assert!(text.contains(reason), "{text}");
    assert!(
        text.contains("together: UNCERTAIN 1.0000 [1.0000, 1.0000], within the threshold of 10%."),
        "{text}"
    );
    assert!(!text.contains("moved together"), "{text}");
    edit_manifest(&history.folder.path().join("new"), |manifest| {
        manifest["environment"]["device"]["driver"] = json!("600.1");
    });
    let mut across = repro();
    across.current_dir(history.folder.path()).args(["compare", "base", "new", "--across", "driver"]);
    let text = stdout(&across.output().unwrap());
    // No runs of one build are known under both drivers, and an old driver is not there to take turns with.
    assert!(text.contains("five times into --results.") && !text.contains("repro track"), "{text}");
}

#[test]
fn what_all_cells_did_together_is_in_every_format() {
    let history = History::of(5);
    history.scale("new", 1.03, |_, _| true);
    for (format, told) in [
        ("terminal", "together: SLOWER 1.0300"),
        ("markdown", "- All "),
        ("json", "\"shift\": {"),
        ("bencher", "\"table1/all/gpu/large\": {\n    \"ratio\""),
        ("github-action-benchmark", "\"name\": \"table1/all/gpu/large\""),
    ] {
        let text = stdout(&history.compare(format));
        assert!(text.contains(told), "{format}: {text}");
    }
}

#[test]
fn one_slow_old_run_is_named_and_does_not_keep_the_guard_from_seeing() {
    let history = History::of(6);
    let odd = |implementation: &str, n: usize| implementation == "staged-load" && n <= 8192;
    history.scale(&name(3), 1.5, odd);
    history.scale("new", 1.3, |implementation, n| implementation == "katz-kider" && n == 2048);
    let output = history.compare("terminal");
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}{}", stderr(&output));
    assert!(
        text.starts_with("1 cell became slower or failed: 1 SLOWER, 76 SAME.\n") || text.contains("1 SLOWER"),
        "{text}"
    );
    assert!(text.contains("run-3 differs from the other runs that the noise"), "{text}");
    let found = &history.json()["groups"][0]["noise"]["between"]["stand_out"][0];
    assert_eq!(found["run"], "run-3");
    assert!(found["cells"].as_f64().unwrap() > 0.3, "{found}");
}

#[test]
fn a_cell_that_looks_slower_and_is_not_sure_does_not_read_as_fine() {
    let history = History::of(5);
    // One sample of the cell is as before: the interval reaches down to it.
    edit_rows(&history.folder.path().join("new/samples.csv"), |row| {
        if row.get("implementation") == "katz-kider" && row.n() == 2048 && row.get("sample") > "1" {
            row.scale(1.2);
        }
        true
    });
    let output = history.compare("terminal");
    assert_eq!(output.status.code(), Some(3), "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("some cells look slower, but not for sure"), "{}", stdout(&output));
}

#[test]
fn a_cell_of_one_sample_is_undecided_openly() {
    let history = History::of(5);
    edit_rows(&history.folder.path().join("new/samples.csv"), |row| {
        !(row.get("implementation") == "katz-kider" && row.n() == 2048) || row.get("sample") == "0"
    });
    let output = history.compare("terminal");
    let first = stdout(&output).lines().next().unwrap().to_string();
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert!(first.starts_with("Nothing became slower, and ") && first.contains("undecided"), "{first}");
    assert!(stdout(&output).contains("1 sample, 3 needed"), "{}", stdout(&output));
}
