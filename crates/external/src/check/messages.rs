//! What is sent to the process that runs a kernel to check, and what it answers.

use super::KernelCheck;
use repro_emulator::{Counts, Finding};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What it may answer at most of what a kernel printed, in bytes.
pub const MOST_PRINTED: usize = 64 << 10;

/// A kernel with the text that it stands in.
#[derive(Clone, Serialize, Deserialize)]
pub struct Checked {
    pub plan: KernelCheck,
    /// The name of its file.
    pub file: String,
    pub text: String,
    /// Where what it includes is looked for.
    pub folders: Vec<PathBuf>,
    /// Bytes that the process may take.
    pub memory: u64,
}

/// What a launch came to.
#[derive(Serialize, Deserialize)]
pub struct Launched {
    pub capability: (u32, u32),
    pub findings: Vec<Finding>,
    /// Where it was counted.
    pub counts: Option<Counts>,
    /// What it printed, up to [`MOST_PRINTED`].
    pub printed: String,
    /// Functions between which and the kernel nothing is seen that passes by value.
    pub unseen: Vec<String>,
}
