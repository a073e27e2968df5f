//! How it is done on Linux.

mod child;
mod report;
mod sandbox;
mod secrets;
mod supervisor;
mod wait;

pub use child::refuse_programs;
pub use sandbox::{SandboxedProcess, protections};
pub(crate) use supervisor::serve;
