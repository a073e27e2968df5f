//! Processes that solve one problem together, on one host or many: who they are, what they send each other through host memory, and
//! how all of them end when one is lost. The matrix itself travels between devices, not here.

#![allow(dead_code)] // Until processes use it.
mod frame;
mod group;
mod hosts;
mod join;
mod launch;
mod messages;
mod settings;

pub use group::{Alone, Group, GroupError, Member, Progress};
pub use join::JoinError;
pub use launch::{DEFAULT_PORT, Launch, LaunchError, Launcher};
pub use settings::{OnLoss, Settings};
