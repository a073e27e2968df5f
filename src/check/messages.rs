//! What the process that runs a kernel to check is asked, and what it answers: one JSON line each.

use super::Given;
use repro_emulator::{Counts, Finding, Instruments, Launch};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// What it may answer at most of what a kernel printed, in bytes.
pub const MOST_PRINTED: usize = 64 << 10;

#[derive(Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub enum Ask {
    /// What is checked. The first that is asked.
    Begin(Box<Checked>),
    /// Launch it with fresh buffers.
    Launch { instruments: Instruments, order: u64 },
}

/// A kernel and how it is launched.
#[derive(Serialize, Deserialize)]
pub struct Checked {
    pub file: String,
    pub text: String,
    /// Where what it includes is looked for.
    pub folders: Vec<PathBuf>,
    pub kernel: String,
    pub launch: Launch,
    pub arguments: Vec<Given>,
    pub capability: Option<(u32, u32)>,
    pub architecture_specific: bool,
    pub time_limit: Duration,
    /// Bytes that the process may take.
    pub memory: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum Answer {
    Begun,
    Launched(Box<Launched>),
    Failed { message: String },
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
