//! What a person and a pipe see.

use crate::common::stored::{copy, reference};
use crate::common::{assert_refused, files, repro, run, run_table1, stderr, stdout};
use rayon::prelude::*;
use repro::store::find_runs;
use std::path::{Path, PathBuf};
use std::process::Output;

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

#[test]
fn json_is_all_that_standard_output_holds_and_quiet_leaves_standard_error_empty() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--device", "cpu", "--sizes", "32", "--json", "--quiet"];
    let output = run_table1(&folder.path().join("run"), &arguments);
    assert!(output.status.success());
    assert_eq!(stderr(&output), "");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = json["summary"].as_array().unwrap();
    assert_eq!(rows.len(), 6);
    assert!(
        rows.iter()
            .any(|row| row["implementation"] == "cpu-naive" && row["median_s"].as_f64().unwrap() > 0.0)
    );
}

#[test]
fn a_pipe_gets_plain_lines_without_control_characters() {
    let folder = tempfile::tempdir().unwrap();
    let output = run_table1(&folder.path().join("run"), &["--device", "cpu", "--sizes", "32"]);
    for text in [stdout(&output), stderr(&output)] {
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    }
}

#[test]
fn completions_exist_for_every_common_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = stdout(&run(&["completions", shell]));
        assert!(text.contains("repro") && text.contains("verify"), "{shell}");
        assert!(!text.contains("worker"), "the worker is not for people");
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

fn in_columns(columns: &str, arguments: &[&str]) -> std::process::Output {
    repro().env("COLUMNS", columns).args(arguments).output().unwrap()
}

#[test]
fn nothing_is_wider_than_the_terminal_from_80_columns_on() {
    let reference = concat!(env!("CARGO_MANIFEST_DIR"), "/results/reference/");
    let run = |name: &str| format!("{reference}{name}");
    let (base, new, sweep) = (run("h200/table1"), run("h200/table1-again"), run("h200/kappa-sweep"));
    let commands =
        "run verify inspect check counts report rank compare history track list doctor completions";
    let mut calls: Vec<Vec<&str>> = commands.split(' ').map(|command| vec![command, "--help"]).collect();
    calls.extend([vec!["--help"], vec!["list"], vec!["doctor"], vec!["compare", &base, &new, "--all"]]);
    // What a finished run ends with: its tables, and the claims that it decides.
    calls.extend([
        vec!["run", "table1", "--resume", &base],
        vec!["run", "kappa-sweep", "--resume", &sweep],
        vec!["verify", "--device", "cpu", "--sizes", "3"],
    ]);
    for call in calls {
        for columns in ["80", "100"] {
            let output = in_columns(columns, &call);
            let text = stdout(&output);
            assert!(!text.is_empty(), "{call:?}: {}", stderr(&output));
            let path_of_a_run = |line: &str| line.contains("results/reference");
            let lines: Vec<&str> = text.lines().filter(|line| !path_of_a_run(line)).collect();
            let wide = lines.iter().find(|line| widest(line) > columns.parse().unwrap());
            assert_eq!(wide, None, "{call:?}");
        }
    }
}

#[test]
fn without_a_terminal_and_without_a_word_about_it_text_is_100_columns_wide() {
    let output = repro().env_remove("COLUMNS").arg("list").output().unwrap();
    assert!((81..=100).contains(&widest(&stdout(&output))), "{}", stdout(&output));
}

#[test]
fn a_run_begins_with_where_its_records_are_and_ends_with_what_it_decides_and_what_comes_next() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let arguments = ["--device", "cpu", "--only", "cpu-naive", "--sizes", "32,64", "--samples", "3"];
    let output = run_table1(&out, &arguments);
    let first = stderr(&output).lines().next().unwrap().to_string();
    assert_eq!(first, format!("records: {}", out.display()));
    let text = stdout(&output);
    let next = format!("next: repro report {}\n", out.display());
    assert!(text.contains(&next), "{text}");
    assert!(!text.contains("emulated"), "only the CPU ran: {text}");
    let stored = repro()
        .args([
            "run",
            "table1",
            "--resume",
            concat!(env!("CARGO_MANIFEST_DIR"), "/results/reference/h200/table1"),
        ])
        .args(["--json", "--quiet"])
        .output()
        .unwrap();
    let json: serde_json::Value = serde_json::from_slice(&stored.stdout).unwrap();
    let claims = json["claims"].as_array().unwrap();
    let claim = claims.iter().find(|claim| claim["id"] == "opt-over-kk").unwrap();
    assert_eq!(claim["results"][0]["verdict"], "DIFFERS");
    assert_eq!(json["next"][0]["purpose"], "report");
}

#[test]
fn a_run_ends_with_at_most_forty_lines_that_say_where_the_rest_is() {
    let runs = ["h200", "emulated"].map(|folder| find_runs(&reference(folder)).unwrap());
    let runs: Vec<PathBuf> = runs.concat();
    assert!(runs.len() > 40);
    runs.par_iter().for_each(|stored| {
        // No other test has it open.
        let folder = tempfile::tempdir().unwrap();
        let run = &folder.path().join("run");
        copy(&stored.to_string_lossy(), run);
        let shown = |more: &[&str]| {
            let mut command = repro();
            command.env("COLUMNS", "100").args(["run", "--no-report", "--resume"]).arg(run).args(more);
            command.output().unwrap()
        };
        let output = shown(&[]);
        // Half of a pair is measured by `track` alone.
        if output.status.code() == Some(2) {
            assert!(stderr(&output).contains("pair"), "{}: {}", stored.display(), stderr(&output));
            return;
        }
        let text = stdout(&output);
        let tables = format!("tables: {}\n", run.join("table.md").display());
        assert!(text.lines().count() <= 40 && text.contains(&tables), "{}: {text}", stored.display());
        if !["table1", "kappa-sweep", "structure"].iter().any(|name| stored.ends_with(name)) {
            return;
        }
        let (all, least) = (stdout(&shown(&["--all"])), stdout(&shown(&["-q"])));
        assert!(least.lines().count() <= 3 && least.contains(&tables), "{}: {least}", stored.display());
        // Whatever is cut is counted.
        let cells = |text: &str| text.matches('┆').count();
        let is_counted = text.contains(" more ") || text.contains(" remarks\n");
        assert!(is_counted && cells(&text) > 0 && cells(&all) > cells(&text), "{text}");
        let decided = text.lines().next().unwrap();
        assert!(decided.starts_with("Claims that this run decides: "), "{text}");
        assert!(least.starts_with(decided) && all.contains("This run decides "), "{least}{all}");
    });
}

/// `repro ARGUMENTS` in `folder`.
fn repro_in(folder: &Path, arguments: &str) -> Output {
    repro().current_dir(folder).args(arguments.split(' ')).output().unwrap()
}

const SMALL: &str = "run table1 --quiet --device cpu --only cpu-naive --sizes 32,64 --samples 3";

#[test]
fn a_run_ends_with_the_report_of_its_own_records_which_changes_none_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let output = repro_in(here, &format!("{SMALL} --out run"));
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let named = "report: run/report/index.html";
    assert_eq!(stdout(&output).lines().last(), Some(named));
    assert!(!stdout(&output).contains("repro report"), "it is there: {}", stdout(&output));
    // It is what `repro report` makes of this run, whose records are as they were written.
    assert!(repro_in(here, "report run --out page").status.success());
    for name in ["index.html", "claims.json", "figures/table1-seconds.svg"] {
        let [own, asked] = ["run/report", "page"].map(|of| std::fs::read(here.join(of).join(name)).unwrap());
        assert!(own == asked, "{name}");
    }
    // Of a run that has finished nothing is written, and what is there is named.
    let before = files(&here.join("run"));
    let again = repro_in(here, "run --resume run --quiet");
    assert_eq!(stdout(&again).lines().last(), Some(named), "{}", stderr(&again));
    let json = repro_in(here, "run --resume run --quiet --json");
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["report"], "run/report/index.html");
    assert!(files(&here.join("run")) == before);
    // Folders of runs and their histories have no more in them than before.
    assert!(repro_in(here, "history run --out histories").status.success());
    let all = repro_in(here, "report . --out all");
    assert!(all.status.success(), "{}{}", stdout(&all), stderr(&all));
}

#[test]
fn without_a_report_its_command_comes_next_and_a_report_in_the_way_is_told_and_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let output = repro_in(here, &format!("{SMALL} --out plain --no-report"));
    assert!(output.status.success() && !here.join("plain/report").exists());
    assert!(stdout(&output).contains("next: repro report plain\n") && !stdout(&output).contains("report: "));
    let again = repro_in(here, "run --resume plain --quiet");
    assert!(again.status.success() && !here.join("plain/report").exists(), "a finished run is only printed");
    std::fs::create_dir(here.join("taken")).unwrap();
    std::fs::write(here.join("taken/report"), "mine").unwrap();
    let output = repro_in(here, &format!("{SMALL} --out taken"));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
    assert!(stderr(&output).contains("taken/report was there before the run"), "{}", stderr(&output));
    assert_eq!(std::fs::read_to_string(here.join("taken/report")).unwrap(), "mine");
    assert!(stdout(&output).contains("next: repro report taken\n"), "{}", stdout(&output));
}

#[test]
fn a_run_none_of_whose_cells_could_run_is_refused_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for call in [
        "run table1 --only staged-load --sizes 1024",
        "run table1 --only staged-load --sizes 1024 --out run --json",
    ] {
        let output = repro_in(here, call);
        assert_refused(
            &output,
            &["nothing was measured: ", "no CUDA driver", "--sizes, --only or --device", "`repro doctor`"],
        );
        assert!(files(here).is_empty(), "{call}: {:?}", files(here).keys());
    }
    // A cell that ran is enough: the others are rows with their reason.
    let output = repro_in(
        here,
        "run table1 --only staged-load,cpu-naive --sizes 64 --samples 2 --out run --no-report",
    );
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("not run: no CUDA driver"), "{}", stdout(&output));
}

#[test]
fn outside_of_a_clone_the_list_says_what_needs_one_and_complains_of_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let listed = stdout(&repro_in(folder.path(), "list"));
    let of =
        |name: &str| listed.lines().find(|line| line.starts_with(&format!("  {name} "))).unwrap().to_string();
    assert!(
        of("peers").ends_with("1,024 to 16,384 vertices (in a clone of the repository)"),
        "{}",
        of("peers")
    );
    assert!(!listed.contains("cannot be used"), "{listed}");
    let refused = repro_in(folder.path(), "run peers");
    assert_refused(&refused, &["peers runs implementations from files next to it", "run it in a clone"]);
    assert!(!stdout(&repro().arg("list").output().unwrap()).contains("in a clone"));
}

#[test]
fn a_device_that_is_not_there_is_refused_before_a_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["run", "track"] {
        let output = repro()
            .current_dir(folder.path())
            .args([command, "table1", "--device", "cuda"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
        assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none(), "{command} left something");
    }
}

#[test]
fn doctor_has_an_exit_code_for_what_can_run() {
    // Without a GPU, and without and with a C++ compiler, where this machine has one.
    assert_eq!(run(&["doctor"]).status.code(), Some(3));
    let with_compiler = crate::common::repro_with_compiler().arg("doctor").output().unwrap();
    let text = stdout(&with_compiler);
    assert!(matches!(with_compiler.status.code(), Some(0 | 1)), "{text}");
    assert_eq!(text.matches("libcuda").count().max(1), 1, "a problem is told once: {text}");
}

#[test]
fn help_names_every_exit_code() {
    let help = stdout(&run(&["--help"]));
    for code in ["  0 ", "  1 ", "  2 ", "  130 "] {
        assert!(help.contains(code), "{help}");
    }
    let help = stdout(&run(&["run", "--help"]));
    for part in ["Exit codes:", "  0 ", "  1 ", "  2 ", "  130 ", "Examples:", "start a smoke run again"] {
        assert!(help.contains(part), "{help}");
    }
    let help = stdout(&run(&["compare", "--help"]));
    assert!(help.contains("(GONE)") && help.contains("do not change the exit"), "{help}");
}

#[test]
fn counts_are_shown_whole_where_there_are_some_and_else_it_is_said_what_counts() {
    let shown = |run: &str| {
        // No other test has it open.
        let folder = tempfile::tempdir().unwrap();
        copy(&reference(run).to_string_lossy(), &folder.path().join("run"));
        let output = repro()
            .args(["run", "--counts", "--no-report", "--resume"])
            .arg(folder.path().join("run"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    let counted = shown("emulated/structure");
    assert!(counted.contains("Counted on the emulated device"), "{counted}");
    assert!(counted.contains("smem-kk") && counted.contains("counts.csv"), "{counted}");
    let kernels = ["harish_narayanan", "independent", "singly_dependent", "doubly_dependent"];
    assert!(kernels.iter().all(|kernel| counted.contains(kernel)), "{counted}");
    let timed = shown("h200/table1");
    assert!(
        timed.contains("no counts: ") && timed.contains("a run with `--device emulated` counts"),
        "{timed}"
    );
    assert!(!shown("h200/cpu-cache").contains("--device emulated"));
}

#[test]
fn what_only_counts_cannot_go_without_counts() {
    let refused = run(&["run", "table1", "--device", "emulated", "--no-counts"]);
    assert_refused(&refused, &["--no-counts: the emulated device counts, and times nothing", "--device"]);
}
