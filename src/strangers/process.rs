//! A process for strangers' kernels: this program once more, in a folder of its own and held within limits.

use crate::device::emulated::Finding;
use crate::graph::available_memory;
use repro_confine::{Confined, FOREIGN_BYTES, Limits, Program, foreign_text};
use repro_files::{Scratch, variable};
use std::time::Duration;

/// Memory that it may take where little is free.
const LEAST_MEMORY: u64 = 2 << 30;
/// All that it may write, matrices and compiled kernels together.
const MOST_ON_DISK: u64 = 4 << 30;
/// Variables that choose the compiler.
const OF_COMPILER: [&str; 2] = [repro_emulator::COMPILER_VARIABLE, "CXX"];

/// One that runs.
pub struct Started {
    pub confined: Confined,
    pub folder: Scratch,
    /// Bytes that it may take.
    pub memory: u64,
}

impl Started {
    /// Starts this program with `argument`, the hidden one that makes it such a process.
    ///
    /// # Errors
    /// When the system does not let it be started so, in words.
    pub fn new(argument: &str) -> Result<Self, String> {
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
            command: vec!["/proc/self/exe".to_string(), argument.to_string()],
            folder: folder.path().to_path_buf(),
            environment: OF_COMPILER.into_iter().filter_map(compiler).collect(),
            unreadable: Vec::new(),
        };
        let confined = Confined::start(&program, &limits).map_err(|ended| ended.to_string())?;
        Ok(Self { confined, folder, memory })
    }
}

/// What a stranger's process says of a failure, cleaned, as far as a compiler's first errors.
pub fn short(text: &str) -> String {
    const MESSAGE_BYTES: usize = 2000;
    foreign_text(text, MESSAGE_BYTES)
}

/// A finding of a stranger's process, in which any text may be.
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
