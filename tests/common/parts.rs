//! Tests that take minutes are divided among runs.

#![allow(dead_code)] // Every test file uses a part of it.

use repro::experiment::Part;

/// What of a long test is this run's: a tenth unless `REPRO_PART` names another part. Ten runs with 1/10 to 10/10 reach everything, and so
/// does one with 1/1.
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
