//! The container recipes, as far as a machine without a container engine can tell: what they copy, run and set is there.

use crate::common::{missing_tool, repro, stderr};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn recipe(name: &str) -> String {
    std::fs::read_to_string(root().join("scripts/container").join(name)).unwrap()
}

/// The instructions of a Dockerfile, each in one line.
fn instructions(text: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
    let joined = lines.join("\n").replace("\\\n", " ");
    let of_line = |line: &str| {
        line.trim().split_once(' ').map(|(name, rest)| (name.to_string(), rest.trim().to_string()))
    };
    joined.lines().filter_map(of_line).collect()
}

/// The lines of the sections of an Apptainer recipe whose first line begins with `name`.
fn sections<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.starts_with('%') {
            inside = line.trim() == name;
        } else if !line.starts_with(' ') && !line.is_empty() {
            inside = false;
        } else if inside && !line.trim().is_empty() && !line.trim().starts_with('#') {
            found.push(line.trim());
        }
    }
    found
}

/// What the build stage makes, beside what is in the repository, which it clones to /source.
const MADE: [&str; 2] = ["target/release/repro", "target/tools/nvrtc"];

/// Asserts that what is taken from the build stage is there after it.
fn assert_built(path: &str) {
    let inside = path.strip_prefix("/source/").unwrap_or_else(|| panic!("{path} is not of the clone"));
    assert!(MADE.contains(&inside) || root().join(inside).exists(), "{path}");
}

/// Asserts that a command of a build stage is one that its packages or the repository have.
fn assert_command(command: &str, installed: &[&str]) {
    let mut words = command.split_whitespace();
    let name = words.next().unwrap();
    if name.contains('/') {
        let mode =
            root().join(name).metadata().unwrap_or_else(|error| panic!("{name}: {error}")).permissions();
        assert!(mode.mode() & 0o111 != 0, "{name} cannot be run");
        // It makes an environment of Python to fetch with.
        assert!(
            name != "scripts/fetch" || installed.contains(&"python3-venv"),
            "nothing installs python3-venv"
        );
    } else {
        let usual = ["apt-get", "rm", "set", "cd", "cargo"];
        assert!(usual.contains(&name) || installed.contains(&name), "{command}: nothing installs {name}");
    }
    if name == "cargo" {
        assert!(command.contains("--locked") && command.ends_with("--bin repro"), "{command}");
    }
}

/// Asserts that an image has a tag: without one, or with `latest`, it is another image tomorrow.
fn assert_tagged(image: &str) {
    let tag = image.split_once(':').map(|(_, tag)| tag);
    assert!(tag.is_some_and(|tag| tag != "latest" && !tag.is_empty()), "{image} has no tag");
}

/// Asserts that the arguments begin with a command that the program has, and an option of it follows if any does.
fn assert_call(arguments: &[&str]) {
    let help = match arguments {
        [] | ["--help" | "--version", ..] => vec!["--help"],
        [command, ..] => vec![*command, "--help"],
    };
    let output = repro().args(help).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    let known = crate::common::stdout(&output);
    for option in arguments.iter().filter(|argument| argument.starts_with("--")) {
        assert!(known.contains(option), "{arguments:?}: no {option}");
    }
}

/// The calls of repro in the comment at a recipe's head, each behind a call of the `engine`, as arguments.
fn calls<'a>(text: &'a str, engine: &str, program: &str) -> Vec<Vec<&'a str>> {
    let comments = text.lines().take_while(|line| line.starts_with('#')).filter(|line| line.contains(engine));
    let of_line = |line: &'a str| {
        // Behind two blanks a remark follows.
        let call = line.split_once(program)?.1.trim_start();
        Some(call.split("   ").next().unwrap_or_default().split_whitespace().collect())
    };
    comments.filter_map(of_line).collect()
}

#[test]
fn the_dockerfile_copies_and_runs_what_there_is() {
    let text = recipe("Dockerfile");
    let instructions = instructions(&text);
    let known = ["FROM", "RUN", "COPY", "WORKDIR", "ENV", "ENTRYPOINT", "CMD"];
    let mut installed: Vec<&str> = Vec::new();
    let mut stages = Vec::new();
    for (name, rest) in &instructions {
        assert!(known.contains(&name.as_str()), "{name}");
        let words: Vec<&str> = rest.split_whitespace().collect();
        match name.as_str() {
            "FROM" => {
                assert_tagged(words[0]);
                stages.extend(words.get(2).copied());
            }
            "COPY" => match words[0].strip_prefix("--from=") {
                Some(stage) => {
                    assert!(stages.contains(&stage), "{rest}");
                    words[1..words.len() - 1].iter().for_each(|path| assert_built(path));
                }
                None => assert!(root().join(words[0]).exists(), "{rest}"),
            },
            "RUN" => {
                for command in rest.split("&&").map(str::trim) {
                    if command.starts_with("apt-get install") {
                        installed.extend(command.split_whitespace().filter(|word| !word.starts_with('-')));
                    }
                    assert_command(command, &installed);
                }
            }
            _ => {}
        }
    }
    assert_eq!(instructions.iter().filter(|(name, _)| name == "FROM").count(), 2);
    assert!(text.contains(&format!("FROM rust:{}-", env!("CARGO_PKG_RUST_VERSION"))));
    let calls = calls(&text, "docker run", " repro ");
    assert_eq!(calls.len(), 3, "{calls:?}");
    calls.iter().for_each(|call| assert_call(call));
}

#[test]
fn the_apptainer_recipe_copies_and_runs_what_there_is() {
    let text = recipe("repro.def");
    let froms: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("From: ")).collect();
    assert_eq!(froms.len(), 2);
    froms.iter().for_each(|image| assert_tagged(image));
    for line in sections(&text, "%files") {
        assert!(root().join(line.split_whitespace().next().unwrap()).exists(), "{line}");
    }
    let built = sections(&text, "%files from build");
    assert!(built.len() >= MADE.len());
    for line in built {
        assert_built(line.split_whitespace().next().unwrap());
    }
    let mut installed: Vec<&str> = Vec::new();
    for command in sections(&text, "%post") {
        if command.starts_with("apt-get install") {
            installed.extend(command.split_whitespace().filter(|word| !word.starts_with('-')));
        }
        assert_command(command, &installed);
    }
    for line in sections(&text, "%test") {
        assert_call(&line.split_whitespace().skip(1).collect::<Vec<_>>());
    }
    assert_eq!(sections(&text, "%runscript"), ["exec repro \"$@\""]);
    let calls = calls(&text, "apptainer run", "repro.sif ");
    assert_eq!(calls.len(), 2, "{calls:?}");
    calls.iter().for_each(|call| assert_call(call));
}

#[test]
fn both_recipes_have_the_same_images_packages_and_settings() {
    let (docker, apptainer) = (recipe("Dockerfile"), recipe("repro.def"));
    let installs = |text: &str| -> Vec<String> {
        let lines = text.lines().filter_map(|line| line.split_once("apt-get install ")).map(|(_, rest)| rest);
        lines.map(|line| line.trim_end_matches([' ', '\\']).to_string()).collect()
    };
    assert_eq!(installs(&docker), installs(&apptainer));
    for image in apptainer.lines().filter_map(|line| line.strip_prefix("From: ")) {
        assert!(docker.contains(&format!("FROM {image}")), "{image}");
    }
    // Where scripts/fetch puts them.
    for path in ["nvidia/cu13/lib", "nvidia/cu13/bin/nvdisasm"] {
        let place: PathBuf = Path::new("/opt/nvrtc").join(path);
        assert!(docker.contains(place.to_str().unwrap()) && apptainer.contains(place.to_str().unwrap()));
        if !root().join("target/tools/nvrtc").join(path).exists() {
            missing_tool(format!("no {path}: scripts/fetch nvrtc gets it"));
        }
    }
}
