//! What a person and a pipe see.

use crate::common::place::Place;
use crate::common::stored::{STRUCTURE, TABLE1, copy, reference};
use crate::common::{repro, stderr, stdout};
use serde_json::Value;

#[test]
fn a_reader_that_leaves_early_is_no_failure_and_changes_no_exit_code() {
    for (arguments, code) in [
        (&["list"][..], Some(0)),
        (&["completions", "bash"], Some(0)),
        (&["run", "table9"], Some(2)),
        (&["run", "--nonsense"], Some(2)),
    ] {
        let mut child = repro().args(arguments).spawn().unwrap();
        match code {
            Some(2) => drop(child.stderr.take()),
            _ => drop(child.stdout.take()),
        }
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), stderr(&output).as_str()), (code, ""), "{arguments:?}");
    }
}

/// Columns of the widest line.
fn widest(text: &str) -> usize {
    text.lines().map(unicode_width::UnicodeWidthStr::width).max().unwrap_or_default()
}

#[test]
fn nothing_is_wider_than_the_terminal_from_80_columns_on() {
    let commands = repro::cli::command();
    let helps = commands.get_subcommands().filter(|command| !command.is_hide_set());
    let mut calls: Vec<String> = helps.map(|command| format!("{} --help", command.get_name())).collect();
    let plain = ["--help", "list", "doctor", "verify --device cpu --sizes 3", "claims smem-cut"];
    calls.extend(plain.map(String::from));
    // What a finished run ends with: its tables, and the claims that it decides.
    let stored = |run: &str| reference(run).display().to_string();
    calls.push(format!("compare {} {} --all", stored(TABLE1), stored("h200/table1-guard-again")));
    calls.extend(
        ["table1", "kappa-sweep"].map(|run| format!("run {run} --resume {}", stored(&format!("h200/{run}")))),
    );
    for (at, call) in calls.iter().enumerate() {
        let columns = [80, 100][at % 2];
        let output = Place::new().command(call).env("COLUMNS", columns.to_string()).output().unwrap();
        let text = stdout(&output);
        assert!(!text.is_empty(), "{call}: {}", stderr(&output));
        let path_of_a_run = |line: &str| line.contains("results/reference");
        let wide = text.lines().filter(|line| !path_of_a_run(line)).find(|line| widest(line) > columns);
        assert_eq!(wide, None, "{call}");
    }
    // Without a terminal and without a word about it text is 100 columns wide.
    let output = repro().env_remove("COLUMNS").arg("list").output().unwrap();
    assert!((81..=100).contains(&widest(&stdout(&output))), "{}", stdout(&output));
}

const SMALL: &str = "run table1 --device cpu --only cpu-naive --sizes 32,64 --samples 3 --out";

#[test]
fn a_run_begins_with_where_its_records_are_and_ends_with_what_it_decides_and_what_comes_next() {
    let place = Place::new();
    let output = place.succeed(&format!("{SMALL} run --no-report"));
    assert_eq!(stderr(&output).lines().next(), Some("records: run"));
    let text = stdout(&output);
    assert!(text.contains("next: repro report run\n"), "{text}");
    assert!(!text.contains("emulated"), "only the CPU ran: {text}");
    // A pipe gets plain lines.
    for text in [text, stderr(&output)] {
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    }
    let json = |call: &str| -> Value {
        let output = place.succeed(&format!("{call} --json --quiet"));
        assert_eq!(stderr(&output), "");
        serde_json::from_slice(&output.stdout).unwrap()
    };
    for row in json("run table1 --resume run")["summary"].as_array().unwrap() {
        assert!(row["implementation"] == "cpu-naive" && row["median_s"].as_f64() > Some(0.0), "{row}");
    }
    let stored = json(&format!("run table1 --resume {}", reference(TABLE1).display()));
    let claims = stored["claims"].as_array().unwrap();
    let claim = claims.iter().find(|claim| claim["id"] == "staged-over-kk").unwrap();
    assert_eq!(claim["results"][0]["verdict"], "DIFFERS");
    assert_eq!(stored["next"][0]["purpose"], "report");
}

#[test]
fn a_run_ends_with_at_most_forty_lines_that_say_where_the_rest_is() {
    // Whether it has counts, and whether its tables are cut.
    for (run, is_counted, is_cut) in [
        (TABLE1, true, true),
        ("h200/kappa-sweep", true, false),
        (STRUCTURE, true, true),
        ("h200/cpu-cache", false, false),
    ] {
        // No other test has it open.
        let place = Place::new();
        copy(run, &place.path("run"));
        // Committed runs are without what follows from their samples.
        place.write("run/table.md", "");
        let shown = |more: &str, columns: &str| {
            let mut command = place.command(&format!("run --no-report --resume run{more}"));
            stdout(&command.env("COLUMNS", columns).output().unwrap())
        };
        let (text, tables) = (shown("", "100"), "tables: run/table.md\n");
        for text in [&text, &shown("", "80")] {
            assert!(text.lines().count() <= 40 && text.contains(tables), "{run}: {text}");
            // A mark is explained wherever it stands, and load is told in one line.
            for mark in ["†", "≈"] {
                let cells = text.lines().filter(|line| line.starts_with('│') && line.contains(mark)).count();
                let told = text.lines().filter(|line| line.starts_with(mark)).count();
                assert_eq!(told, usize::from(told > 0 || cells > 0), "{run}: {text}");
            }
        }
        // Counts are shown whole where there are some, and else it is said what counts.
        let counts = stdout(&place.succeed("run --no-report --resume run --counts"));
        assert_eq!(counts.contains("Counted on the emulated device"), is_counted, "{run}: {counts}");
        let how = ["no counts: ", "a run with `--device emulated` counts"];
        assert!(how.iter().all(|part| counts.contains(part) != is_counted), "{run}: {counts}");
        if run == "h200/cpu-cache" {
            continue;
        }
        let (all, least) = (shown(" --all", "100"), shown(" -q", "100"));
        assert!(least.lines().count() <= 4 && least.contains(tables), "{run}: {least}");
        // Whatever is cut is counted.
        let cells = |text: &str| text.matches('┆').count();
        assert!(cells(&text) > 0 && cells(&all) > cells(&text), "{text}");
        let is_cut_line = |line: &str| line.ends_with("more columns") && !line.starts_with(' ');
        assert_eq!(text.lines().any(is_cut_line), is_cut, "{text}");
        let decided = text.lines().next().unwrap();
        assert!(decided.starts_with("This run decides "), "{text}");
        assert!(least.starts_with(decided) && all.contains(decided), "{least}{all}");
    }
}

#[test]
fn a_run_ends_with_the_report_of_its_own_records_which_changes_nothing_that_is_there() {
    let place = Place::new();
    let output = place.succeed(&format!("{SMALL} run --quiet"));
    let named = "report: run/report/index.html";
    assert_eq!(stdout(&output).lines().last(), Some(named));
    assert!(!stdout(&output).contains("repro report"), "it is there: {}", stdout(&output));
    // It is what `repro report` makes of this run, whose records are as they were written.
    place.succeed("report run --out page");
    for name in ["index.html", "claims.json", "figures/table1-seconds.svg"] {
        assert!(place.read(&format!("run/report/{name}")) == place.read(&format!("page/{name}")), "{name}");
    }
    // Of a run that has finished nothing is written, and what is there is named.
    let before = place.files("run");
    let again = place.succeed("run --resume run --quiet");
    assert_eq!(stdout(&again).lines().last(), Some(named), "{}", stderr(&again));
    let json: Value =
        serde_json::from_slice(&place.succeed("run --resume run --quiet --json").stdout).unwrap();
    assert_eq!(json["report"], "run/report/index.html");
    assert!(place.files("run") == before);
    // Folders of runs and their histories have no more in them than before.
    place.succeed("history run --out histories");
    place.succeed("report . --out all");
    // What is in its way is told, no failure, and left; the command comes next.
    place.write("taken/report", "mine");
    let output = place.succeed(&format!("{SMALL} taken --quiet"));
    assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
    assert!(stderr(&output).contains("taken/report was there before the run"), "{}", stderr(&output));
    assert_eq!(place.read("taken/report"), "mine");
    assert!(stdout(&output).contains("next: repro report taken\n"), "{}", stdout(&output));
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn a_run_that_wanted_a_gpu_ends_with_at_most_fifteen_lines_and_what_can_be_done_without_one() {
        let place = Place::new();
        place.emulate("run table1 --quiet --out run --sizes 64,128,1024 --samples 2 --budget 0");
        let listed = stdout(&place.succeed("claims"));
        let claims = listed.lines().last().unwrap().split_once(" of ").unwrap().0;
        for columns in ["80", "100"] {
            let mut again = place.emulating("run --resume run");
            let text = stdout(&again.env("COLUMNS", columns).output().unwrap());
            assert!(text.lines().count() <= 15, "{text}");
            assert!(text.starts_with(&format!("This run decides 11 of {claims}")), "{text}");
            for part in ["cells not run: no CUDA driver", "cpu-naive", "report: run/report/index.html\n"] {
                assert!(text.contains(part), "{text}");
            }
            assert!(text.lines().last().unwrap().starts_with("without a GPU: "), "{text}");
        }
    }
}
