//! The words for one run: while it goes on, and when it ends.

mod events;
mod remarks;

pub use remarks::{Tables, gaps, head, marks, tables};
