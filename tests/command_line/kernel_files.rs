//! `repro new-kernel`, and files with a kernel that are no files.

use crate::common::place::{Place, within};
use crate::common::{assert_refused, calls, repro_with_compiler, stderr, stdout};
use repro::results::StoredRun;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// With `own.toml` and `own.cu` as `repro new-kernel` writes them.
fn with_own() -> Place {
    let place = Place::new();
    place.succeed("new-kernel own");
    place
}

/// What `/proc` has of a process that ends is root's: nobody else is told of its open files, and it has not hidden them.
#[cfg(target_os = "linux")]
#[test]
fn a_right_kernel_is_right_every_time_for_a_user_who_is_not_root() {
    let place = with_own();
    let program = place.path("repro");
    std::fs::copy(assert_cmd::cargo::cargo_bin!("repro"), &program).unwrap();
    let mut command = if rustix::process::geteuid().is_root() {
        place.set_mode("", 0o777);
        let mut command = calls::with_compiler(Path::new("setpriv"));
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program);
        command
    } else {
        calls::with_compiler(&program)
    };
    command.env("HOME", place.path("")).env("REPRO_CACHE", place.path("cache"));
    let verify = "verify --device emulated --with own.toml --only own --sizes 1,2,3,4,5,6,7,8";
    let output = place.with(command, verify).output().unwrap();
    assert!(stdout(&output).contains("all 112 checks passed"), "{}{}", stdout(&output), stderr(&output));
}

#[test]
fn a_new_kernel_has_its_name_everywhere_and_the_commands_that_follow_can_be_called() {
    let place = Place::new();
    let output = place.command("new-kernel my-own-2 --out").arg("a folder").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for file in ["my-own-2.toml", "my-own-2.cu"] {
        let text = place.read(&format!("a folder/{file}"));
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
        let parsed = repro::cli::command().try_get_matches_from(words.split(' '));
        assert!(parsed.is_ok(), "{command}: {:?}", parsed.err());
    }
    // A start is an implementation like any other, and once more with the same file is the same kernel.
    let (file, again) = ("a folder/my-own-2.toml", "./a folder/my-own-2.toml");
    let listed = place.command("list").args(["--with", file, "--with", again]).output().unwrap();
    assert!(stdout(&listed).contains("from the file a folder/my-own-2.toml"), "{}", stderr(&listed));
    assert_eq!(listed.status.code(), Some(0));
}

#[cfg(unix)]
#[test]
fn a_pipe_and_a_device_are_not_read_as_a_kernel_nor_as_its_source_or_header() {
    let place = with_own();
    assert!(place.with(Command::new("mkfifo"), "pipe.toml pipe.cu").status().unwrap().success());
    place.link("/dev/zero", "zero.cu");
    let start = place.read("own.toml");
    for source in ["pipe.cu", "zero.cu"] {
        place.write(&format!("{source}.toml"), &start.replace("own.cu\"", &format!("{source}\"")));
        place.write(&format!("{source}-header.cu"), &format!("#include \"{source}\"\n"));
        let of_header = start.replace("own.cu\"", &format!("{source}-header.cu\""));
        place.write(&format!("{source}-header.toml"), &of_header);
    }
    for (file, part) in [
        ("pipe.toml", "cannot read pipe.toml: it is no regular file"),
        ("/dev/zero", "cannot read /dev/zero: it is no regular file"),
        ("pipe.cu.toml", "pipe.cu.toml:8: source: "),
        ("zero.cu.toml", "'zero.cu' is a link that leads out of the folder"),
        ("pipe.cu-header.toml", "pipe.cu: it is no regular file"),
        ("zero.cu-header.toml", "'zero.cu' is a link that leads out of the folder"),
    ] {
        let list = place.command(&format!("list --with {file}"));
        assert_refused(&within(Duration::from_secs(60), list), &[part]);
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

/// Of what takes seconds, that which is `chosen`.
fn is_refused_in_a_few_words(chosen: impl Fn(&str) -> bool) {
    let place = with_own();
    let start = place.read("own.toml");
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
        ("script", format!("{long}{long}"), "bytes: 65536 are the most"),
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
        place.write(&name, &file_with(&start, part, by));
        let mut limited = Command::new("sh");
        let words = "ulimit -v 4000000; exec timeout 60 \"$0\" list --with \"$1\"";
        limited.args(["-c", words]).arg(assert_cmd::cargo::cargo_bin!("repro")).arg(&name);
        let output = limited.current_dir(place.path("")).output().unwrap();
        let told = stderr(&output);
        let is_right = output.status.code() == Some(2)
            && told.len() < 700
            && expected.split('|').any(|one| told.contains(one));
        (!is_right).then(|| {
            let told: String = told.chars().take(700).collect();
            format!("{part} = {:.80}, wanted '{expected}': {:?} {told}", by, output.status)
        })
    };
    let takes_seconds = |script: &str| script.contains("loop {") && !script.contains("a = [a, a]");
    let problems: Vec<String> = std::thread::scope(|scope| {
        let problem_of = &problem_of;
        let taken = cases.iter().filter(|(_, by, _)| !takes_seconds(by) || chosen(by));
        let all = taken.enumerate().map(|(at, case)| scope.spawn(move || problem_of(at, case)));
        let all: Vec<_> = all.collect();
        all.into_iter().filter_map(|one| one.join().unwrap()).collect()
    });
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_kernel_file_that_takes_memory_or_time_without_end_is_refused_in_a_few_words() {
    is_refused_in_a_few_words(|script| script.contains("launch(s, [1], [])") || script.contains("a.sort()"));
}

/// The check that `repro new-kernel` prints, of the start with its barriers or without.
fn assert_check_of_start(barrier: &str, code: i32) {
    let place = Place::new();
    let told = stdout(&place.succeed("new-kernel own"));
    let check = told.lines().find_map(|line| line.trim().strip_prefix("repro check ")).unwrap();
    place.edit("own.cu", |text| text.replace("__syncthreads();", barrier));
    let checked = place.with(repro_with_compiler(), &format!("check {check}")).output().unwrap();
    assert_eq!(checked.status.code(), Some(code), "{}{}", stdout(&checked), stderr(&checked));
    assert!(stdout(&checked).contains("on random data of seed 1"), "{}", stdout(&checked));
}

#[test]
fn of_the_start_of_a_kernel_without_a_barrier_its_check_finds_that() {
    assert_check_of_start("", 1);
}

#[test]
fn a_kernel_of_another_type_than_the_graphs_is_refused_before_others_run_in_its_place() {
    let place = with_own();
    place.replace("own.toml", "[\"f32\", \"i32\", \"u16\"]", "[\"i32\"]");
    let told = "own does not solve in f32: it takes i32: add --elements i32";
    for call in ["--device emulated", "--device cpu --only cpu-naive,own --elements f32,f64"] {
        place.refuse(&format!("run table1 --sizes 4 --with own.toml {call}"), &[told]);
    }
    let built_in = "two-phase does not solve in u16: it takes f32: add --elements f32";
    place.refuse("run table1 --sizes 4 --device cpu --only cpu-naive,two-phase --elements u16", &[built_in]);
    // Where one type is its own, and where it is left out.
    for call in ["--only cpu-naive,own --elements f32,i32", "--only cpu-naive"] {
        place.succeed(&format!("run table1 --sizes 4 --device cpu --samples 1 --with own.toml {call}"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_type_that_a_source_does_not_compile_for_is_compiled_for_and_reported_once() {
    let place = with_own();
    place.replace("own.toml", "[\"f32\", \"i32\", \"u16\"]", "[\"f32\", \"i32\"]");
    place.replace("own.toml", "[16, 32]", "[32]");
    // A compiler that says something else each time.
    let compiler = "#!/bin/sh\ngrep -qs 'DISTANCE_I32 1' kernel.cpp || exec c++ \"$@\"\necho own.cu:1: error: of $(date +%N) >&2\nexit 1\n";
    place.write("compiler", compiler);
    place.set_mode("compiler", 0o755);
    let mut verify = place.command("verify --device emulated --with own.toml --only own --sizes 1,2,3");
    let verified = verify.env("REPRO_CXX", place.path("compiler")).output().unwrap();
    assert_eq!(verified.status.code(), Some(1), "{}", stderr(&verified));
    let (table, noted) = (stdout(&verified), stderr(&verified));
    assert_eq!(table.matches("does not compile").count(), 1, "{table}");
    assert!(
        table.contains("own: 2 more checks failed") && table.contains("3 of 18 checks failed"),
        "{table}"
    );
    assert!(noted.contains("own n = 1, i32: failed") && !noted.contains("does not compile"), "{noted}");
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn every_kernel_file_that_takes_memory_or_time_without_end_is_refused_in_a_few_words() {
        is_refused_in_a_few_words(|_| true);
    }

    #[test]
    #[ignore = "long"]
    fn the_start_of_a_kernel_is_right() {
        assert_check_of_start("__syncthreads();", 0);
    }

    /// Of a kernel that hands its distances on as structs, and of one that does not.
    #[test]
    #[ignore = "long"]
    fn a_kernel_that_passes_structs_by_value_loads_the_same_bytes() {
        let place = with_own();
        let by = |name: &str| {
            let run = "run table1 --with own.toml --only own --device emulated --sizes 32 --quiet --out";
            let output = place.with(repro_with_compiler(), &format!("{run} {name}")).output().unwrap();
            assert!(output.status.success(), "{}", stderr(&output));
            let stored = StoredRun::open(&place.path(name)).unwrap();
            stored.results.extra.counts.iter().map(|row| row.counts.global_bytes()).sum::<u64>()
        };
        let plain = by("plain");
        let held = "struct Held { distance value[1]; };\nstatic __device__ distance of(Held held) { return held.value[0]; }\nKERNEL";
        let by_value = |line: &str| match line.contains("= *element(") {
            true => line.replace("= *element(", "= of(*(Held *)element(").replace(");", "));") + "\n",
            false => line.to_string() + "\n",
        };
        let text = place.read("own.cu").replacen("KERNEL void", &format!("{held} void"), 1);
        let text: String = text.lines().map(by_value).collect();
        assert_eq!(text.matches("of(*(Held").count(), 3);
        place.write("own.cu", &text);
        assert_eq!(by("by-value"), plain);
    }
}
