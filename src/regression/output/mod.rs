//! A comparison for whoever reads it: a person at a terminal, a pull request, a tracker.

mod text;
mod told;
mod trackers;

pub use text::{markdown, terminal};
pub use trackers::{bencher, github_action_benchmark};
