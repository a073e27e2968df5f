//! What the tests share.

use std::process::{Command, Output, Stdio};

/// The program without a GPU and without a C++ compiler, wherever the tests run.
pub fn program() -> Command {
    let mut command = program_with_compiler();
    command.env("REPRO_CXX", "no-compiler-for-this-test");
    command
}

/// The program without a GPU, which emulates kernels if this machine has a C++ compiler.
pub fn program_with_compiler() -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("shortest-paths"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env("CUDA_VISIBLE_DEVICES", "");
    // Sentences are one line each.
    command.env("COLUMNS", "1000");
    command
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Asserts that the command was refused with one line that has all of `parts`, and with nothing on standard output.
pub fn assert_refused(output: &Output, parts: &[&str]) {
    let message = stderr(output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(message.starts_with("error: "), "{message}");
    for part in parts {
        assert!(message.contains(part), "no '{part}' in: {message}");
    }
    assert_eq!(stdout(output), "");
}
