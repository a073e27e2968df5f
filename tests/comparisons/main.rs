//! Two builds against each other: `repro compare`, pairs of runs and `repro track`.

#[path = "../common/mod.rs"]
mod common;

mod compare;
mod pairing;
mod pairing_programs;
mod programs;
mod track;
