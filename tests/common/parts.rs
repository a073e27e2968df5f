//! Tests that take minutes are divided among runs.

#![allow(dead_code)] // Every test file uses a part of it.

use repro::experiment::Part;
use std::process::Command;

/// What of a long test is this run's: a tenth, which `REPRO_PART` names. Ten runs with 1/10 to 10/10 reach everything, and so does
/// [`run_all_parts`].
pub fn part() -> Part {
    let named = std::env::var("REPRO_PART").unwrap_or_else(|_| "1/10".to_string());
    named.parse().unwrap_or_else(|problem| panic!("REPRO_PART is {named}: {problem}"))
}

/// Whether one of `of` pieces of work belongs to this run, where each tenth makes one of them.
pub fn has_turn(piece: usize, of: usize) -> bool {
    turns().any(|turn| turn % of == piece)
}

/// The tenths that this run makes, from 0.
pub fn turns() -> impl Iterator<Item = usize> {
    let part = part();
    (0..10).filter(move |&turn| part.has(turn))
}

/// Runs the tests of a module, named by its `module_path!()`, once more and whole: for `cargo test -- --ignored`.
pub fn run_all_parts(module: &str) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    // Tests are named by their path within the crate, which is behind its name.
    if let Some((_, tests)) = module.split_once("::") {
        command.arg(format!("{tests}::"));
    }
    assert!(command.env("REPRO_PART", "1/1").status().unwrap().success());
}
