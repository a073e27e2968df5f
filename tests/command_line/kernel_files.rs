//! `repro new-kernel`, and files with a kernel that are no files.

use crate::common::{assert_refused, repro, stderr, stdout};
use clap::Parser;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

fn repro_in(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = repro();
    command.current_dir(folder).args(arguments);
    command
}

/// What the command ends with. It must not wait for anything.
fn soon(mut command: Command) -> Output {
    let mut child = command.spawn().unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("{command:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

#[test]
fn a_new_kernel_has_its_name_everywhere_and_the_commands_that_follow_can_be_called() {
    let folder = tempfile::tempdir().unwrap();
    let output = repro_in(folder.path(), &["new-kernel", "my-own-2", "--out", "a folder"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for file in ["my-own-2.toml", "my-own-2.cu"] {
        let text = std::fs::read_to_string(folder.path().join("a folder").join(file)).unwrap();
        assert!(text.contains("my-own-2.toml") && !text.contains("my-kernel"), "{text}");
    }
    let text = stdout(&output);
    let commands: Vec<&str> = text.lines().map(str::trim).filter(|line| line.starts_with("repro ")).collect();
    let called: Vec<&str> = commands.iter().filter_map(|line| line.split(' ').nth(1)).collect();
    assert_eq!(called, ["verify", "inspect", "check", "run", "run"], "{text}");
    for command in commands {
        assert!(command.contains("'a folder/my-own-2."), "{command}");
        let words =
            command.replace("'a folder/", "a-folder/").replace(".toml'", ".toml").replace(".cu'", ".cu");
        let parsed = repro::cli::Arguments::try_parse_from(words.split(' '));
        assert!(parsed.is_ok(), "{command}: {:?}", parsed.err());
    }
    // A start is an implementation like any other.
    let listed = repro_in(folder.path(), &["list", "--with", "a folder/my-own-2.toml"]).output().unwrap();
    assert!(stdout(&listed).contains("from the file a folder/my-own-2.toml"), "{}", stderr(&listed));
    // Once more with the same file is the same kernel.
    let twice = ["list", "--with", "a folder/my-own-2.toml", "--with", "./a folder/my-own-2.toml"];
    assert_eq!(repro_in(folder.path(), &twice).output().unwrap().status.code(), Some(0));
}

#[cfg(unix)]
#[test]
fn a_pipe_and_a_device_are_not_read_as_a_kernel_nor_as_its_source_or_header() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    assert!(repro_in(folder.path(), &["new-kernel", "own"]).output().unwrap().status.success());
    let made = Command::new("mkfifo").args([path("pipe.toml"), path("pipe.cu")]).status().unwrap();
    assert!(made.success());
    std::os::unix::fs::symlink("/dev/zero", path("zero.cu")).unwrap();
    let start = std::fs::read_to_string(path("own.toml")).unwrap();
    for source in ["pipe.cu", "zero.cu"] {
        std::fs::write(path(&format!("{source}.toml")), start.replace("own.cu\"", &format!("{source}\"")))
            .unwrap();
        std::fs::write(path(&format!("{source}-header.cu")), format!("#include \"{source}\"\n")).unwrap();
        let of_header = start.replace("own.cu\"", &format!("{source}-header.cu\""));
        std::fs::write(path(&format!("{source}-header.toml")), of_header).unwrap();
    }
    for (file, part) in [
        ("pipe.toml", "cannot read pipe.toml: it is no regular file"),
        ("/dev/zero", "cannot read /dev/zero: it is no regular file"),
        ("pipe.cu.toml", "pipe.cu.toml:8: source: "),
        ("zero.cu.toml", "'zero.cu' is a link that leads out of the folder"),
        ("pipe.cu-header.toml", "pipe.cu: it is no regular file"),
        ("zero.cu-header.toml", "'zero.cu' is a link that leads out of the folder"),
    ] {
        assert_refused(&soon(repro_in(folder.path(), &["list", "--with", file])), &[part]);
    }
}
