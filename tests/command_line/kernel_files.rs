//! `repro new-kernel`, and files with a kernel that are no files.

use crate::common::{assert_refused, repro, repro_with_compiler, stderr, stdout};
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

/// A kernel file with one of its parts replaced by another.
fn file_with(start: &str, part: &str, by: &str) -> String {
    let script = start.find("script = \"\"\"").unwrap();
    match part {
        "script" => format!("{}script = '''\n{by}\n'''\n", &start[..script]),
        part => {
            assert!(start.contains(part), "{part}");
            start.replacen(part, by, 1)
        }
    }
}

#[test]
fn a_kernel_file_that_takes_memory_or_time_without_end_is_refused_in_a_few_words() {
    let folder = tempfile::tempdir().unwrap();
    assert!(repro_in(folder.path(), &["new-kernel", "own"]).output().unwrap().status.success());
    let start = std::fs::read_to_string(folder.path().join("own.toml")).unwrap();
    let long = "x".repeat(60_000);
    let text = "let s = \"x\"; while s.len < 500 { s += s; }";
    let list = "let a = []; a.pad(1000, 1);";
    let (of_time, of_values) = ("did not end within 5 s", "below 1024 entries and texts below 1024");
    // A build that is not optimized may take longer first.
    let of_launches = "more than 256 MiB: ask for fewer|did not end within 5 s";
    let cases = [
        // The list of launches: names, arguments, blocks.
        ("script", format!("{text} loop {{ launch(s, [1], []) }}"), of_launches),
        ("script", format!("{list} loop {{ launch(\"relax\", [1], a) }}"), of_launches),
        ("script", format!("{list} loop {{ launch(\"relax\", a, []) }}"), of_launches),
        ("script", "let s = \"x\"; while s.len < 60000 { s += s; }".to_string(), of_values),
        ("script", "let a = []; a.pad(65000, 1);".to_string(), of_values),
        ("script", "let a = []; loop { a = [a, a]; }".to_string(), of_values),
        ("script", format!("{text} s.replace(\"x\", s); s.replace(\"x\", s); loop {{}}"), of_values),
        // Steps that do much at once.
        ("script", format!("{list} loop {{ a.sort(); }}"), of_time),
        ("script", format!("{list} let b = a; loop {{ a == b; }}"), of_time),
        (
            "script",
            format!("{text} loop {{ s.contains(s); s.replace(\"xx\", \"xx\"); }}"),
            "did not end within 5",
        ),
        ("script", "loop {}".to_string(), "did not end within 5"),
        ("script", "fn f() { let a = []; a.pad(1000, 1); f() } f()".to_string(), "overflow"),
        // Messages.
        ("script", format!("{text} throw s + s"), "script: xxx"),
        ("script", format!("throw \"{long}\""), "script: "),
        ("script", format!("launch(\"{}\", [1], [])", &long[..1000]), "there is no [kernels.xxx"),
        ("script", format!("{long}{long}"), "a script of 120001 bytes: 65536 are the most"),
        ("script", long.clone(), "script: "),
        ("name = \"own\"", format!("name = \"{long}\""), "40 characters at most"),
        ("summary = ", format!("{long} = 1\nsummary = "), "unknown field `xxx"),
        ("[parameters.tile]", format!("[parameters.{long}_]"), "parameters.xxx"),
        (
            "{ padded = \"tile\" }",
            format!("{{ padded = \"{long}\" }}"),
            "an expression of 60000 bytes: 1024 are",
        ),
        ("{ padded = \"tile\" }", format!("{{ padded = \"{}\" }}", &long[..900]), "(known here: tile"),
        (
            "[\"f32\", \"i32\"",
            format!("[{}\"i32\"", "\"f32\", ".repeat(1001)),
            "1003 of them, name each once",
        ),
    ];
    let problem_of = |at: usize, (part, by, expected): &(&str, String, &str)| {
        let name = format!("case-{at}.toml");
        std::fs::write(folder.path().join(&name), file_with(&start, part, by)).unwrap();
        let mut limited = Command::new("sh");
        let words = "ulimit -v 4000000; exec timeout 60 \"$0\" list --with \"$1\"";
        limited.args(["-c", words]).arg(assert_cmd::cargo::cargo_bin!("repro")).arg(&name);
        let output = limited.current_dir(folder.path()).output().unwrap();
        let told = stderr(&output);
        let is_right = output.status.code() == Some(2)
            && told.len() < 700
            && expected.split('|').any(|one| told.contains(one));
        (!is_right).then(|| {
            let told: String = told.chars().take(700).collect();
            format!("{part} = {:.80}, wanted '{expected}': {:?} {told}", by, output.status)
        })
    };
    let problems: Vec<String> = std::thread::scope(|scope| {
        let problem_of = &problem_of;
        let all = cases.iter().enumerate().map(|(at, case)| scope.spawn(move || problem_of(at, case)));
        let all: Vec<_> = all.collect();
        all.into_iter().filter_map(|one| one.join().unwrap()).collect()
    });
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// The command is the one that `repro new-kernel` prints.
#[test]
fn the_start_of_a_kernel_is_right_and_without_a_barrier_its_check_finds_that() {
    let folder = tempfile::tempdir().unwrap();
    let start = repro_in(folder.path(), &["new-kernel", "own"]).output().unwrap();
    let told = stdout(&start);
    let command = told.lines().find_map(|line| line.trim().strip_prefix("repro check ")).unwrap();
    let file = folder.path().join("own.cu");
    let text = std::fs::read_to_string(&file).unwrap();
    for (kept, code) in [(true, 0), (false, 1)] {
        let barrier = if kept { "__syncthreads();" } else { "" };
        std::fs::write(&file, text.replace("__syncthreads();", barrier)).unwrap();
        let mut check = repro_with_compiler();
        let checked =
            check.current_dir(folder.path()).arg("check").args(command.split(' ')).output().unwrap();
        assert_eq!(checked.status.code(), Some(code), "{}{}", stdout(&checked), stderr(&checked));
        assert!(stdout(&checked).contains("on random data of seed 1"), "{}", stdout(&checked));
    }
}

/// Of a kernel that hands its distances on as structs, and of one that does not.
#[test]
fn a_kernel_that_passes_structs_by_value_is_ranked_by_the_bytes_that_it_loads() {
    let folder = tempfile::tempdir().unwrap();
    let start = repro_in(folder.path(), &["new-kernel", "own"]).output().unwrap();
    assert!(start.status.success());
    let by = |name: &str| {
        let mut run = repro_with_compiler();
        run.current_dir(folder.path());
        run.args([
            "run", "table1", "--with", "own.toml", "--only", "own", "--device", "emulated", "--sizes", "32",
        ]);
        let output = run.args(["--quiet", "--out", name]).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        let ranked = repro_in(folder.path(), &["rank", name, "--json"]).output().unwrap();
        let ranked: serde_json::Value = serde_json::from_slice(&ranked.stdout).unwrap();
        ranked["counted"][0]["entries"][0]["global_bytes_a_task"].as_f64().unwrap()
    };
    let plain = by("plain");
    let file = folder.path().join("own.cu");
    let text = std::fs::read_to_string(&file).unwrap();
    let held = "struct Held { distance value[1]; };\nstatic __device__ distance of(Held held) { return held.value[0]; }\nKERNEL";
    let by_value = |line: &str| match line.contains("= *element(") {
        true => line.replace("= *element(", "= of(*(Held *)element(").replace(");", "));") + "\n",
        false => line.to_string() + "\n",
    };
    let text: String =
        text.replacen("KERNEL void", &format!("{held} void"), 1).lines().map(by_value).collect();
    assert_eq!(text.matches("of(*(Held").count(), 3);
    std::fs::write(&file, text).unwrap();
    assert_eq!(by("by value"), plain);
}
