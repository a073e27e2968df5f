//! Processes that solve one problem together, on one host or many: who they are, what they send each other through host memory, and
//! how all of them end when one is lost. The matrix itself travels between devices, not here.

mod group;
#[allow(dead_code)]
mod hosts;
mod launch;

pub use group::{Alone, Group, GroupError, Member, Progress};
pub use launch::{DEFAULT_PORT, Launch, LaunchError, Launcher};
