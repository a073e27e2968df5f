//! What only several devices or processes need: a matrix that no memory holds whole, of which each device has a shard, and processes that
//! answer as one.

mod agree;
mod answers;
mod digests;
mod graph;
mod matrix;
mod shares;

pub use agree::lost;
pub use answers::answer;
pub use graph::host_memory;
pub use matrix::{ShardedMatrix, Share};
pub use shares::{own_share, part_of, share_devices};
