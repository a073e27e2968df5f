//! What a person and a pipe see.

use crate::common::place::Place;
use crate::common::stored::{STRUCTURE, TABLE1, copy, reference};
use crate::common::{repro, repro_with_compiler, run, stderr, stdout};
use serde_json::Value;

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    for arguments in [&["list"][..], &["doctor"], &["completions", "bash"]] {
        let mut child = repro().args(arguments).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let code = output.status.code();
        assert!(code == Some(0) || arguments == ["doctor"], "{arguments:?}: {code:?} {}", stderr(&output));
        assert_eq!(stderr(&output), "");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn list_and_doctor_have_little_to_do() {
    for name in ["list", "doctor"] {
        let mut command = repro();
        command.arg(name);
        let (output, took) = crate::common::with_cpu_time(command);
        assert!(output.status.success() || name == "doctor", "{}", stderr(&output));
        // 50 ms is the aim for a release build.
        assert!(took < std::time::Duration::from_millis(200), "{name} took {took:?}");
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
    calls.extend(["--help", "list", "doctor", "verify --device cpu --sizes 3"].map(String::from));
    // What a finished run ends with: its tables, and the claims that it decides.
    let stored = |run: &str| reference(run).display().to_string();
    calls.push(format!("compare {} {} --all", stored(TABLE1), stored("h200/table1-again")));
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
    let rows = json(&format!("{SMALL} quiet --no-report"))["summary"].as_array().unwrap().clone();
    assert_eq!(rows.len(), 2);
    assert!(
        rows.iter().all(|row| row["implementation"] == "cpu-naive" && row["median_s"].as_f64() > Some(0.0))
    );
    let stored = json(&format!("run table1 --resume {}", reference(TABLE1).display()));
    let claims = stored["claims"].as_array().unwrap();
    let claim = claims.iter().find(|claim| claim["id"] == "staged-over-kk").unwrap();
    assert_eq!(claim["results"][0]["verdict"], "DIFFERS");
    assert_eq!(stored["next"][0]["purpose"], "report");
}

#[test]
fn a_run_ends_with_at_most_forty_lines_that_say_where_the_rest_is() {
    for run in [
        TABLE1,
        "h200/kappa-sweep",
        STRUCTURE,
        "h200/limits",
        "h200-x2/scaling",
        "h200/cpu-cache",
        "h200/over-cpu",
    ] {
        // No other test has it open.
        let place = Place::new();
        copy(run, &place.path("run"));
        // Committed runs are without what follows from their samples.
        place.write("run/table.md", "");
        let in_columns = |more: &str, columns: &str| {
            let mut command = place.command(&format!("run --no-report --resume run{more}"));
            stdout(&command.env("COLUMNS", columns).output().unwrap())
        };
        let shown = |more: &str| in_columns(more, "100");
        let (text, all) = (shown(""), shown(" --all"));
        let tables = "tables: run/table.md\n";
        for text in [&text, &in_columns("", "80")] {
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
        let is_counted = counts.contains("Counted on the emulated device");
        assert_eq!(is_counted, ["h200/kappa-sweep", STRUCTURE].contains(&run), "{run}: {counts}");
        let kernels =
            ["harish narayanan", "independent", "singly dependent", "doubly dependent", "counts.csv"];
        assert!(run != STRUCTURE || kernels.iter().all(|kernel| counts.contains(kernel)), "{counts}");
        let says_how =
            counts.contains("no counts: ") && counts.contains("a run with `--device emulated` counts");
        assert_eq!(says_how, !is_counted, "{run}: {counts}");
        if ![TABLE1, "h200/kappa-sweep", STRUCTURE].contains(&run) {
            continue;
        }
        let least = shown(" -q");
        assert!(least.lines().count() <= 3 && least.contains(tables), "{run}: {least}");
        // Whatever is cut is counted.
        let cells = |text: &str| text.matches('┆').count();
        let is_cut = run != "h200/kappa-sweep";
        assert!(cells(&text) > 0 && cells(&all) > cells(&text), "{text}");
        assert_eq!(
            text.lines().any(|line| line.ends_with("more columns") && !line.starts_with(' ')),
            is_cut,
            "{text}"
        );
        let decided = text.lines().next().unwrap();
        assert!(decided.starts_with("This run decides "), "{text}");
        assert!(least.starts_with(decided) && all.contains(decided), "{least}{all}");
    }
}

#[test]
fn a_run_that_wanted_a_gpu_ends_with_at_most_fifteen_lines_and_what_can_be_done_without_one() {
    let place = Place::new();
    for (sizes, is_cut) in [("--sizes 64,128,1024 --samples 2 --budget 0", true), ("--sizes 64", false)] {
        let mut command = repro_with_compiler();
        command.args(["run", "table1", "--quiet", "--out", "run"]).args(sizes.split(' '));
        assert!(command.current_dir(place.path("")).output().unwrap().status.success());
        for columns in ["80", "100"] {
            let mut again = repro_with_compiler();
            again.args(["run", "--resume", "run"]).env("COLUMNS", columns);
            let text = stdout(&again.current_dir(place.path("")).output().unwrap());
            assert!(text.lines().count() <= 15, "{text}");
            let decides = text.starts_with("This run decides 11 of 116 claims");
            assert_eq!(decides, is_cut, "{text}");
            assert_eq!(text.contains("cells not run: no CUDA driver"), is_cut, "{text}");
            assert!(text.contains("cpu-naive"), "{text}");
            assert!(text.contains("report: run/report/index.html\n"), "{text}");
            let last = text.lines().last().unwrap();
            assert!(last.starts_with("without a GPU: "), "{text}");
        }
        std::fs::remove_dir_all(place.path("run")).unwrap();
    }
}

#[test]
fn a_run_ends_with_the_report_of_its_own_records_which_changes_none_of_them() {
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
}

#[test]
fn without_a_report_its_command_comes_next_and_a_report_in_the_way_is_told_and_no_failure() {
    let place = Place::new();
    // A cell that ran is enough: the others are rows with their reason.
    let some = "run table1 --only staged-load,cpu-naive --sizes 64 --samples 2 --out plain --no-report";
    let output = place.succeed(some);
    assert!(stdout(&output).contains("not run: no CUDA driver"), "{}", stdout(&output));
    assert!(stdout(&output).contains("next: repro report plain\n") && !stdout(&output).contains("report: "));
    place.succeed("run --resume plain --quiet");
    assert!(!place.path("plain/report").exists(), "a finished run is only printed");
    place.write("taken/report", "mine");
    let output = place.succeed(&format!("{SMALL} taken --quiet"));
    assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
    assert!(stderr(&output).contains("taken/report was there before the run"), "{}", stderr(&output));
    assert_eq!(place.read("taken/report"), "mine");
    assert!(stdout(&output).contains("next: repro report taken\n"), "{}", stdout(&output));
}

#[test]
fn doctor_has_an_exit_code_for_what_can_run() {
    // Without a GPU, and without and with a C++ compiler, where this machine has one.
    assert_eq!(run(&["doctor"]).status.code(), Some(3));
    let with_compiler = repro_with_compiler().arg("doctor").output().unwrap();
    let text = stdout(&with_compiler);
    assert!(matches!(with_compiler.status.code(), Some(0 | 1)), "{text}");
    assert_eq!(text.matches("libcuda").count().max(1), 1, "a problem is told once: {text}");
}
