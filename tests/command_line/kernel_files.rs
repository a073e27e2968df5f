//! `repro new-kernel`, and files with a kernel that ask for too much.

use crate::common::place::Place;
use crate::common::{calls, stderr, stdout};
use std::path::Path;
use std::process::Command;

/// With `own.toml` and `own.cu` as `repro new-kernel` writes them.
fn with_own() -> Place {
    let place = Place::new();
    place.succeed("new-kernel own");
    place
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

const TEXT: &str = "let s = \"x\"; while s.len < 500 { s += s; }";
const LIST: &str = "let a = []; a.pad(1000, 1);";
const OF_TIME: &str = "did not end within 5 s";
/// A build that is not optimized may take longer first.
const OF_LAUNCHES: &str = "more than 256 MiB: ask for fewer|did not end within 5 s";

/// Asserts that kernel files with a part in place of another one are refused in few words, within a minute and 4 GB. A part without a `=` is
/// the whole script.
fn are_refused_in_a_few_words(cases: &[(&str, String, &str)]) {
    let place = with_own();
    let start = place.read("own.toml");
    let script = start.find("script = \"\"\"").unwrap();
    let problem_of = |at: usize, (part, by, expected): &(&str, String, &str)| {
        let name = format!("case-{at}.toml");
        let file = match *part {
            "script" => format!("{}script = '''\n{by}\n'''\n", &start[..script]),
            part => start.replacen(part, by, 1),
        };
        assert_ne!(file, start, "{part}");
        place.write(&name, &file);
        let mut limited = Command::new("sh");
        let words = "ulimit -v 4000000; exec timeout 60 \"$0\" list --with \"$1\"";
        limited.args(["-c", words]).arg(assert_cmd::cargo::cargo_bin!("repro")).arg(&name);
        let output = limited.current_dir(place.path("")).output().unwrap();
        let told = stderr(&output);
        let is_told = expected.split('|').any(|one| told.contains(one));
        let is_right = output.status.code() == Some(2) && told.len() < 700 && is_told;
        let shown = || format!("{part} = {by:.80}, wanted '{expected}': {:?} {told:.700}", output.status);
        (!is_right).then(shown)
    };
    let problems: Vec<String> = std::thread::scope(|scope| {
        let start = |(at, case)| scope.spawn(move || problem_of(at, case));
        let all: Vec<_> = cases.iter().enumerate().map(start).collect();
        all.into_iter().filter_map(|one| one.join().unwrap()).collect()
    });
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_kernel_file_that_takes_memory_or_time_without_end_is_refused_in_a_few_words() {
    let long = "x".repeat(60_000);
    let many = "\"f32\", ".repeat(1001);
    are_refused_in_a_few_words(&[
        ("script", format!("{TEXT} loop {{ launch(s, [1], []) }}"), OF_LAUNCHES),
        ("script", format!("{LIST} loop {{ a.sort(); }}"), OF_TIME),
        ("script", "let a = []; loop { a = [a, a]; }".into(), "below 1024 entries and texts below 1024"),
        ("script", format!("{TEXT} throw s + s"), "script: xxx"),
        ("script", format!("throw \"{long}\""), "script: "),
        ("script", format!("launch(\"{}\", [1], [])", &long[..1000]), "there is no [kernels.xxx"),
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
        // Of a value that is no default, too.
        ("values = [16, 32]", "values = [16, 32, 64]".into(), "threads in all is 4096: expected 1 to 1024"),
        ("[\"f32\", \"i32\"", format!("[{many}\"i32\""), "1003 of them, name each once"),
    ]);
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn launches_without_end_and_steps_that_do_much_at_once_are_refused_in_a_few_words() {
        are_refused_in_a_few_words(&[
            ("script", format!("{LIST} loop {{ launch(\"relax\", [1], a) }}"), OF_LAUNCHES),
            ("script", format!("{LIST} loop {{ launch(\"relax\", a, []) }}"), OF_LAUNCHES),
            (
                "script",
                format!("{TEXT} s.replace(\"x\", s); s.replace(\"x\", s); loop {{}}"),
                "texts below 1024",
            ),
            ("script", format!("{LIST} let b = a; loop {{ a == b; }}"), OF_TIME),
            ("script", format!("{TEXT} loop {{ s.contains(s); s.replace(\"xx\", \"xx\"); }}"), OF_TIME),
        ]);
    }

    #[test]
    #[ignore = "long"]
    fn the_start_of_a_kernel_is_right_and_without_a_barrier_its_check_finds_that() {
        for (barrier, code) in [("__syncthreads();", 0), ("", 1)] {
            let place = Place::new();
            let told = stdout(&place.succeed("new-kernel own"));
            let check = told.lines().find_map(|line| line.trim().strip_prefix("repro check ")).unwrap();
            place.edit("own.cu", |text| text.replace("__syncthreads();", barrier));
            let checked = place.emulating(&format!("check {check}")).output().unwrap();
            assert_eq!(checked.status.code(), Some(code), "{}{}", stdout(&checked), stderr(&checked));
            assert!(stdout(&checked).contains("on random data of seed 1"), "{}", stdout(&checked));
        }
    }

    /// What `/proc` has of a process that ends is root's: nobody else is told of its open files, and it has not hidden them.
    #[test]
    #[ignore = "long"]
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
    #[ignore = "long"]
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
        assert!(
            noted.contains("own n = 1, i32: ") && noted.matches("does not compile").count() == 1,
            "{noted}"
        );
    }

    /// Of a kernel that hands its distances on as structs, and of one that does not.
    #[test]
    #[ignore = "long"]
    fn a_kernel_that_passes_structs_by_value_loads_the_same_bytes() {
        let place = with_own();
        let loaded = |name: &str| {
            let run = "run table1 --with own.toml --only own --device emulated --sizes 32 --no-report --out";
            place.emulate(&format!("{run} {name}"));
            let counts = repro::results::StoredRun::open(&place.path(name)).unwrap().results.extra.counts;
            counts.iter().map(|row| row.counts.global_bytes()).sum::<u64>()
        };
        let plain = loaded("plain");
        let held = "struct Held { distance value[1]; };\n\
                    static __device__ distance of(Held held) { return held.value[0]; }\nKERNEL void";
        let by_value = |line: &str| match line.contains("= *element(") {
            true => line.replace("= *element(", "= of(*(Held *)element(").replace(");", "));") + "\n",
            false => line.to_string() + "\n",
        };
        place.replace("own.cu", "KERNEL void", held);
        place.edit("own.cu", |text| text.lines().map(by_value).collect());
        assert_eq!(place.read("own.cu").matches("of(*(Held").count(), 3);
        assert_eq!(loaded("by-value"), plain);
    }
}
