//! The workflows in `scripts/ci` call this program as it is: commands and options that it has not would fail there first.

use crate::common::{run, stdout};
use std::collections::BTreeSet;

const WORKFLOWS: [&str; 2] =
    [include_str!("../../scripts/ci/hosted.yml"), include_str!("../../scripts/ci/gpu.yml")];

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
    assert_eq!(Vec::from_iter(commands), ["doctor", "report", "track"]);
}
