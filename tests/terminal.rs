//! What a person and a pipe see.

mod common;

use common::{repro, run, run_table1, stderr, stdout};

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    for arguments in [&["list"][..], &["doctor"], &["completions", "bash"]] {
        let mut child = repro().args(arguments).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
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
        let (output, took) = common::with_cpu_time(command);
        assert!(output.status.success(), "{}", stderr(&output));
        // 50 ms is the aim for a release build.
        assert!(took < std::time::Duration::from_millis(200), "{name} took {took:?}");
    }
}

#[test]
fn help_names_every_exit_code() {
    let help = stdout(&run(&["--help"]));
    for code in ["  0 ", "  1 ", "  2 ", "  130 "] {
        assert!(help.contains(code), "{help}");
    }
}
