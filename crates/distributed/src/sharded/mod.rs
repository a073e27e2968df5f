//! What only several devices or processes need: a matrix that no memory holds whole, of which each device has a shard, and processes that
//! answer as one.

mod answers;
mod digests;
mod graph;
mod launched;
mod matrix;
mod shares;
mod storing;
mod team;

pub use graph::host_memory;
pub use launched::{join, launched, settings};
pub use matrix::{ShardedMatrix, Share};
pub use team::Team;
