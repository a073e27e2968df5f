//! What the process that runs a kernel to check is asked, and what it answers, or why it cannot in words: one JSON line each.

use super::KernelCheck;
use repro_emulator::{Counts, Finding, Instruments};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What it may answer at most of what a kernel printed, in bytes.
pub const MOST_PRINTED: usize = 64 << 10;

/// Launch a kernel with fresh buffers, under these instruments and in the order of this number.
pub type Ask<C> = (C, Instruments, u64);

/// A kernel with the text that it stands in.
#[derive(Serialize, Deserialize)]
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
}
