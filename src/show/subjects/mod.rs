//! A subject each: its numbers, its tables, its figures and its sentences, from one look-up.

pub mod alone;
pub mod batches;
pub mod clocks;
pub mod counts;
pub mod first_solve;
pub mod graphs;
pub mod halves;
pub mod host;
pub mod procedures;
pub mod programs;
pub mod repeats;
pub mod resources;
pub mod scaling;
pub mod seconds;
pub mod speedups;
pub mod steps;
pub mod sweep;
