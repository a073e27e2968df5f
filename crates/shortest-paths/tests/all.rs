//! The library as its users have it. One program: what it has for every type of weights is compiled once.

mod differential;
#[cfg(feature = "parquet")]
mod parquet;
mod petgraph;
mod read;
mod write;
