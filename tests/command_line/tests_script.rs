//! `scripts/test`: what it refuses before it compiles anything, and how it counts.

use crate::common::{stderr, stdout};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/test")
}

/// The absolute path of Python, so that it is found where PATH names nothing.
fn python() -> PathBuf {
    let output = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().unwrap();
    stdout(&output).trim().into()
}

fn assert_one_line(output: &Output, parts: &[&str]) {
    let text = stderr(output);
    assert_eq!((output.status.code(), text.lines().count()), (Some(2), 1), "{text}");
    assert!(parts.iter().all(|part| text.contains(part)), "{text}");
}

#[test]
fn what_is_no_part_is_refused_in_one_line() {
    for arguments in [&["--long", "3/2"][..], &["--long", "0/2"], &["--long"], &["--al"], &["--all", "x"]] {
        let output = Command::new(python()).arg(script()).args(arguments).output().unwrap();
        assert_one_line(&output, &[&arguments.join(" "), "--long K/N with K from 1 to N"]);
    }
}

#[test]
fn a_missing_compiler_is_named_before_anything_is_compiled() {
    let empty = tempfile::tempdir().unwrap();
    let output = Command::new(python()).arg(script()).env("PATH", empty.path()).output().unwrap();
    assert_one_line(&output, &["there is no g++"]);
}

#[test]
fn an_old_python_can_read_the_line_that_says_so() {
    let code = "import ast, sys; ast.parse(open(sys.argv[1]).read(), feature_version=(3, 8))";
    let output = Command::new(python()).args(["-c", code]).arg(script()).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn a_test_without_its_tool_is_skipped_and_hides_no_failure() {
    let code = r#"
import importlib.machinery, importlib.util, pathlib, sys
loader = importlib.machinery.SourceFileLoader("tests_script", sys.argv[1])
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("tests_script", loader))
loader.exec_module(script)
script.LOGS = script.ROOT = pathlib.Path(sys.argv[2])
RESULT = "test result: FAILED. 3 passed; %d failed; 1 ignored"
for text, code, expected in [
    (RESULT % 1 + "\nmissing tool: x", 101, (3, 0, 1)),
    (RESULT % 2 + "\nmissing tool: x", 101, (3, 1, 1)),
    ("missing tool: x\nmissing tool: y", 1, (0, 0, 2)),
    ("missing tool: x", 139, (0, 1, 1)),
    ("test result: ok. 2 passed; 0 failed; 0 ignored", 0, (2, 0, 0)),
    ("test result: ok. 2 passed; 0 failed; 0 ignored", 134, (2, 1, 0)),
    ("", 1, (0, 1, 0)),
]:
    tests = script.Tests("x", ["sh", "-c", f"printf '%s' '{text}'; exit {code}"])
    tests.folder = script.LOGS
    tests.run()
    found = (tests.passed, tests.failed, len(tests.skipped))
    assert found == expected, (text, code, found)
"#;
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(python())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .args(["-c", code])
        .arg(script())
        .arg(folder.path())
        .output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
}
