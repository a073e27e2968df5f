//! A comparison for whoever reads it: a person at a terminal, a pull request, a tracker.

mod text;
mod trackers;

pub use text::{cells, markdown, outcome, terminal};
pub use trackers::{annotations, bencher, github_action_benchmark, junit};
