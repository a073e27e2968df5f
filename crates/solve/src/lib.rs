//! The commands `solve` and `path`: all shortest paths of a graph in a file, stored, checked, and read again. They use no record and no
//! clock of the harness.

pub mod path;
pub mod solve;

use repro_device as device;
use repro_graph as graph;
use std::sync::OnceLock;

static PROGRAM: OnceLock<&str> = OnceLock::new();

/// Sets the name of the program that has these commands, for its help and messages. Only the first call counts.
pub fn name_program(name: &'static str) {
    PROGRAM.get_or_init(|| name);
}

fn program() -> &'static str {
    PROGRAM.get_or_init(|| "shortest-paths")
}

/// A text in which PROGRAM stands for what the program is called.
fn named(text: &str) -> String {
    text.replace("PROGRAM", program())
}
