//! Tests that take minutes and divide their work among runs.

#![allow(dead_code)] // Every test file uses a part of it.

use repro::verify::Part;

/// What of a long test's work is this run's: all of it unless `REPRO_PART` names a part. `scripts/test` says which tests get one.
pub fn part() -> Part {
    let named = std::env::var("REPRO_PART").unwrap_or_else(|_| Part::WHOLE.to_string());
    named.parse().unwrap_or_else(|problem| panic!("REPRO_PART is {named}: {problem}"))
}
