//! What is started, and within what.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// What is started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxCommand {
    /// The program, looked for in `PATH` where it has no slash, and its arguments. None starts the job of this binary, as
    /// [`run_if_sandbox_child`](crate::confine::run_if_sandbox_child) was given it.
    pub words: Vec<String>,
    /// Where it runs, and the only place where it may write. It exists, and nothing else uses it. `HOME` and `TMPDIR` are here too.
    pub folder: PathBuf,
    /// Variables in addition to those that every program gets: `PATH`, `LANG`, `LD_LIBRARY_PATH`, and those of CUDA where it needs a GPU.
    pub environment: Vec<(String, String)>,
}

/// Within what a program is held. Sizes are in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// From its start to its end.
    pub wall: Duration,
    /// Resident memory of all its processes together. What several of them share counts once.
    pub memory_bytes: u64,
    /// Processes at one time, the first of them included.
    pub processes: u32,
    /// Threads of all its processes at one time.
    pub threads: u32,
    /// All that it prints on standard output.
    pub stdout_bytes: u64,
    /// All that it prints on standard error.
    pub stderr_bytes: u64,
    /// How much of the end of standard error is kept.
    pub stderr_kept_bytes: usize,
    /// One line on standard output.
    pub line_bytes: usize,
    /// What the files in its folder take on disk, with those that it has deleted and not closed.
    pub folder_bytes: u64,
    /// Files and folders in its folder.
    pub folder_files: u32,
    /// Whether it needs a GPU: it can then use `/dev/nvidia*` and a socket that is connected with nothing, and its virtual memory has no limit.
    pub gpu: bool,
}

impl Default for Limits {
    /// A minute, 4 GiB of memory, 64 processes, 1024 threads, 1 MiB on each output, 4 GiB in 1000 files.
    fn default() -> Self {
        Self {
            wall: Duration::from_secs(60),
            memory_bytes: 4 << 30,
            processes: 64,
            threads: 1024,
            stdout_bytes: 1 << 20,
            stderr_bytes: 1 << 20,
            stderr_kept_bytes: 8 << 10,
            line_bytes: 64 << 10,
            folder_bytes: 4 << 30,
            folder_files: 1000,
            gpu: false,
        }
    }
}

/// What the process that becomes the program and its supervisor are told, as their only argument: a list of these in JSON.
#[derive(Debug, Deserialize)]
pub(crate) struct Request {
    pub command: SandboxCommand,
    pub limits: Limits,
    /// What it must not read.
    pub secrets: Vec<PathBuf>,
}
