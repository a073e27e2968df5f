//! `repro` reproduces, on the hardware at hand, what five papers claimed about Floyd-Warshall with CUDA.
//!
//! The rooms, from the ground up; a room uses only rooms above it in this list:
//!
//! - [`graph`]: distance matrices, generators, readers, an independent shortest-path search, verification.
//! - [`implementation`]: the catalogue of ways to compute all-pairs shortest paths.

pub mod cli;
pub mod device;
pub mod experiment;
pub mod graph;
pub mod implementation;
pub mod record;
pub mod timing;
