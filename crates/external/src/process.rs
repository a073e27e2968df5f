//! A process for user kernels: this program once more, in a folder of its own and held within limits.

use repro_confine::{FOREIGN_BYTES, Limits, SandboxCommand, SandboxedProcess, foreign_text};
use repro_device::emulated::Finding;
use repro_files::{Scratch, variable};
use repro_graph::available_memory;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// Memory that it may take where little is free.
const LEAST_MEMORY: u64 = 2 << 30;
/// All that it may write, matrices and compiled kernels together.
const MOST_ON_DISK: u64 = 4 << 30;
/// Variables that choose the compiler.
const OF_COMPILER: [&str; 2] = [repro_emulator::COMPILER_VARIABLE, "CXX"];

/// One that runs.
pub struct Started {
    pub process: SandboxedProcess,
    pub folder: Scratch,
    /// Bytes that it may take.
    pub memory: u64,
}

impl Started {
    /// Starts this program as such a process.
    ///
    /// # Errors
    /// When the system does not let it be started so, in words.
    pub fn new() -> Result<Self, String> {
        let folder = Scratch::new("kernel").map_err(|error| error.to_string())?;
        let memory = available_memory().map_or(u64::MAX, |free| (free / 2).max(LEAST_MEMORY)).min(64 << 30);
        let limits = Limits {
            // Whoever asks it has limits for what is asked.
            wall: Duration::from_secs(24 * 3600),
            memory_bytes: memory,
            folder_bytes: MOST_ON_DISK,
            folder_files: 10_000,
            // Counts of launches.
            stdout_bytes: 1 << 30,
            line_bytes: 256 << 20,
            ..Limits::default()
        };
        let compiler = |name: &str| Some((name.to_string(), variable(name)?.into_string().ok()?));
        let environment = OF_COMPILER.into_iter().filter_map(compiler).collect();
        // No words: what `serve_if_asked` serves.
        let command = SandboxCommand { words: Vec::new(), folder: folder.path().to_path_buf(), environment };
        let process =
            SandboxedProcess::spawn(&command, &limits).map_err(|report| report.to_string())?.resume();
        Ok(Self { process, folder, memory })
    }

    /// Asks it something, one line of JSON, and waits for its answer, which is another. Code of a kernel that prints does not know the number that comes
    /// first, which is another one for each question.
    ///
    /// # Errors
    /// How it ended, as the end of a sentence about it, or that this is no answer.
    pub fn ask<A: DeserializeOwned>(&mut self, ask: &impl Serialize, within: Duration) -> Result<A, String> {
        let secret = RandomState::new().hash_one(());
        let line = serde_json::to_string(&(secret, ask)).map_err(|error| error.to_string())?;
        let answer = self.process.exchange(&line, within).map_err(|report| report.cause.to_string())?;
        match serde_json::from_str::<(u64, A)>(&answer) {
            Ok((number, answer)) if secret == number => Ok(answer),
            _ => Err("printed what is no answer".into()),
        }
    }
}

/// What the process of a user kernel says of a failure, cleaned, as far as a compiler's first errors.
pub fn short(text: &str) -> String {
    const MESSAGE_BYTES: usize = 2000;
    foreign_text(text, MESSAGE_BYTES)
}

/// A finding of the process of a user kernel, in which any text may be.
pub fn printable(mut finding: Finding) -> Finding {
    let clean = |text: &str| foreign_text(text, FOREIGN_BYTES);
    finding.kernel = clean(&finding.kernel);
    finding.details = clean(&finding.details);
    if let Some(place) = &mut finding.place {
        place.file = clean(&place.file);
        place.called_from = place.called_from.take().map(|(file, line)| (clean(&file), line));
    }
    finding
}
