//! Floyd-Warshall on CPUs: as it is printed, in blocks on one core and on all, and how fast the latter could be at best. It uses graphs alone.
//!
//! It is a crate of its own, so that debug builds can optimize it: otherwise it is too slow.

pub mod generalized;
pub mod naive;
pub mod parallel;
pub mod peak;
