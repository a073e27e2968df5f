//! Two builds against each other: `repro compare`, pairs of runs and `repro track`.

mod compare;
mod pairing;
mod pairing_programs;
mod programs;
mod track;
