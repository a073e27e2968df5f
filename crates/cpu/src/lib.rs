//! Floyd-Warshall on CPUs: as it is printed, in blocks on one core and on all, and how fast the latter could be at best. It uses graphs alone.
//!
//! In a crate of its own because it is the code of a debug build that is too slow unless it is optimized.

pub mod generalized;
pub mod naive;
pub mod parallel;
pub mod peak;
