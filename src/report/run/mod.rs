//! What is told of one run: while it goes on, and when it ends.

mod events;
mod remarks;
mod tables;

pub use remarks::{gaps, head, marks};
pub use tables::{Tables, tables};
