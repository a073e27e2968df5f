//! Processes that solve one problem together, on one host or many: who they are, what they send each other through host memory, and
//! how all of them end when one is lost. The matrix itself travels between devices, not here.

mod ending;
mod frame;
mod group;
mod hosts;
mod join;
mod launch;
mod links;
mod messages;
mod processes;
mod settings;
mod shared;
mod state;
mod watch;

pub use ending::exit_within;
pub use group::{Alone, Group, GroupError, Member, Progress};
pub use join::JoinError;
pub use launch::{DEFAULT_PORT, Launch, LaunchError, Launcher};
pub use processes::{Processes, Work};
pub use settings::{OnLoss, Settings};
