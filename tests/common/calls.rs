//! How tests call a program of this workspace, and how it refuses.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A program without a GPU and without a C++ compiler, wherever the tests run.
pub fn alone(program: &Path) -> Command {
    let mut command = with_compiler(program);
    command.env("REPRO_CXX", "no-compiler-for-this-test");
    command
}

/// A program without a GPU, which emulates kernels if this machine has a C++ compiler.
pub fn with_compiler(program: &Path) -> Command {
    let mut command = Command::new(program);
    // As a shell starts what it finds by name: what is printed of commands begins with it.
    std::os::unix::process::CommandExt::arg0(&mut command, program.file_name().unwrap_or_default());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env("CUDA_VISIBLE_DEVICES", "");
    // Who accepts a step has a name, also where Git knows none.
    command.env("USER", "tester");
    // Sentences are one line each; what is broken where is tested in terminal.rs.
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
    // That of other processes depends on what else the host does.
    let is_told_first =
        |line: &&str| line.starts_with("records: ") || line.contains(": other processes use ");
    let errors: Vec<&str> = message.lines().filter(|line| !is_told_first(line)).collect();
    assert_eq!(errors.len(), 1, "{message}");
    assert!(errors[0].starts_with("error: "), "{message}");
    for part in parts {
        assert!(errors[0].contains(part), "no '{part}' in: {message}");
    }
    assert_eq!(stdout(output), "");
}
