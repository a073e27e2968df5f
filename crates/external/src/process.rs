//! A process for user kernels: this program once more, in a folder of its own and held within limits.

use crate::inside::RUN_EXTERNAL;
use repro_confine::{Confined, FOREIGN_BYTES, Limits, Program, foreign_text};
use repro_device::emulated::Finding;
use repro_files::{Scratch, variable};
use repro_graph::available_memory;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, Write};
use std::sync::Once;
use std::time::Duration;

/// Memory that it may take where little is free.
const LEAST_MEMORY: u64 = 2 << 30;
/// All that it may write, matrices and compiled kernels together.
const MOST_ON_DISK: u64 = 4 << 30;
/// Variables that choose the compiler.
const OF_COMPILER: [&str; 2] = [repro_emulator::COMPILER_VARIABLE, "CXX"];

/// A question or an answer. Code of a kernel that prints does not know the secret, which is another one for each question.
#[derive(Serialize, Deserialize)]
struct Secret<T> {
    secret: u64,
    says: T,
}

/// One that runs.
pub struct Started {
    confined: Confined,
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
        let program = Program {
            command: vec!["/proc/self/exe".to_string(), RUN_EXTERNAL.to_string()],
            folder: folder.path().to_path_buf(),
            environment: OF_COMPILER.into_iter().filter_map(compiler).collect(),
            unreadable: Vec::new(),
        };
        let confined = Confined::start(&program, &limits).map_err(|ended| ended.to_string())?;
        Ok(Self { confined, folder, memory })
    }

    /// What this system cannot keep it from, each as the end of the sentence "it could"; nothing where it is kept from everything.
    pub fn unconfined(&self) -> Vec<String> {
        self.confined.protections().lacks().into_iter().map(str::to_string).collect()
    }

    /// Asks it something, one line of JSON, and waits for its answer, which is another.
    ///
    /// # Errors
    /// How it ended, as the end of a sentence about it, or that this is no answer.
    pub fn ask<A: DeserializeOwned>(&mut self, ask: &impl Serialize, within: Duration) -> Result<A, String> {
        let secret = RandomState::new().hash_one(());
        let line = serde_json::to_string(&Secret { secret, says: ask }).map_err(|error| error.to_string())?;
        let answer = self.confined.exchange(&line, within).map_err(|ended| ended.end.to_string())?;
        let answer: Option<Secret<A>> = serde_json::from_str(&answer).ok();
        let answer = answer.filter(|answer| answer.secret == secret);
        Ok(answer.ok_or("printed what is no answer")?.says)
    }
}

/// In such a process: answers what [`Started::ask`] asks until its input closes.
///
/// # Errors
/// When its input or output fails.
pub fn answer_each<Q: DeserializeOwned>(
    mut answer: impl FnMut(Q) -> serde_json::Result<Value>,
) -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let Secret { secret, says } = serde_json::from_str(&line?)?;
        let mut answer = serde_json::to_vec(&Secret { secret, says: answer(says)? })?;
        answer.push(b'\n');
        let mut output = io::stdout().lock();
        output.write_all(&answer)?;
        output.flush()?;
    }
    Ok(())
}

/// In such a process: from here on code of a kernel may run in it, and nothing else is executed, no compiler either. Where the system
/// cannot refuse that, [`Started::unconfined`] says that it refuses nothing.
pub fn refuse_programs() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        repro_confine::refuse_programs();
    });
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
