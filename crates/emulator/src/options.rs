//! What a device is opened with and what it runs: a CUDA C++ file with what it includes, and the headers that stand in for CUDA's. Why it refuses.

use include_dir::{Dir, include_dir};
use repro_base::files::temporary_own_folder;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;
use thiserror::Error;

/// What the device watches while kernels run. With neither, kernels run as plain compiled code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instruments {
    /// Look for accesses outside of allocations or at addresses where a GPU faults, races, reads of what nothing wrote, and
    /// barriers that not all threads reach.
    pub check: bool,
    /// Count accesses, transactions, bank conflicts and barriers.
    pub count: bool,
    /// Look for accesses beyond local arrays and tables of constants. Excludes the two others, since a compiler instruments for
    /// one thing at a time; of other findings there are only those that end a launch.
    pub bounds: bool,
}

impl Instruments {
    /// Runs kernels as plain code.
    pub const NONE: Self = Self { check: false, count: false, bounds: false };
    /// Looks for mistakes.
    pub const CHECK: Self = Self { check: true, ..Self::NONE };
    /// Counts. An access outside of every allocation is still found.
    pub const COUNT: Self = Self { count: true, ..Self::NONE };
    /// Looks for mistakes and counts.
    pub const ALL: Self = Self { check: true, count: true, bounds: false };
    /// Looks for accesses beyond local arrays and tables of constants through pointers that walk on.
    pub const BOUNDS: Self = Self { bounds: true, ..Self::NONE };

    pub(crate) fn any(self) -> bool {
        self.check || self.count || self.bounds
    }
}

/// Compute capabilities (major, minor) that can be emulated, each with the most bytes of shared memory that a block may have
/// when the launch gives its size (CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability").
pub const CAPABILITIES: [((u32, u32), u32); 10] = [
    ((7, 5), 64 << 10),
    ((8, 0), 163 << 10),
    ((8, 6), 99 << 10),
    ((8, 7), 163 << 10),
    ((8, 9), 99 << 10),
    ((9, 0), 227 << 10),
    ((10, 0), 227 << 10),
    ((10, 3), 227 << 10),
    ((12, 0), 99 << 10),
    ((12, 1), 99 << 10),
];

/// What an emulated device is, and what it watches.
#[derive(Clone, Debug)]
pub struct Options {
    /// What it watches.
    pub instruments: Instruments,
    /// The compute capability that kernels are compiled for: what it has and what it allows. One of [`CAPABILITIES`].
    pub capability: (u32, u32),
    /// The order in which blocks and threads have their turns. 0: as they are numbered, with the blocks spread over all cores.
    /// 1: from the last to the first. 2 and more: shuffled, a different way for each seed. All but 0 run on one core, so that
    /// a run with the same seed repeats.
    pub seed: u64,
    /// Multiprocessors. At most 1,024 threads for each of them are resident at once, or one cluster.
    pub multiprocessors: u32,
    /// How long a launch may take, by the clock on the wall. One that takes longer is ended with a finding. None for no limit.
    pub time_limit: Option<Duration>,
    /// Called with text that kernels print, which may be a part of a line. Several host threads may call it at once.
    pub print: fn(&[u8]),
    /// Where compiled kernels are kept: a folder of the user's own, made if it is not there. One that others may write to is refused.
    pub cache: PathBuf,
}

impl Options {
    /// A device of two multiprocessors with these instruments, which prints to standard output and keeps compiled kernels among the
    /// temporary files.
    pub fn new(instruments: Instruments) -> Self {
        Self {
            instruments,
            capability: (9, 0),
            seed: 0,
            multiprocessors: 2,
            time_limit: None,
            // Errors are ignored: a kernel on a GPU, too, does not learn whether its output was printed.
            print: |text| drop(std::io::stdout().write_all(text)),
            cache: temporary_own_folder(),
        }
    }
}

/// Why the emulator could not do what it was asked for, in one line with its remedy.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum EmulatorError {
    /// There is no C++ compiler, or none that works here.
    #[error("{0}")]
    Unavailable(String),
    /// The host does not have that much memory.
    #[error("{what} of {bytes} bytes does not fit into the memory that is free: make it smaller")]
    OutOfMemory {
        /// What did not fit, for the message.
        what: String,
        /// Its size.
        bytes: u64,
    },
    /// The kernel file, the launch or its arguments are wrong, or a file cannot be written.
    #[error("{0}")]
    Refused(String),
}

impl EmulatorError {
    pub(crate) fn refused(words: impl Into<String>) -> Self {
        Self::Refused(words.into())
    }

    pub(crate) fn unavailable(words: impl Into<String>) -> Self {
        Self::Unavailable(words.into())
    }
}

/// One CUDA C++ file and how it is to be compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source<'a> {
    /// Its file name, for messages.
    pub file: Cow<'a, str>,
    /// The CUDA C++ code itself.
    pub text: Cow<'a, str>,
    /// Files of its own that it includes.
    pub headers: Vec<Header>,
    /// Macros, as NAME or NAME=VALUE.
    pub defines: Vec<String>,
    /// Whether it uses what one architecture alone has (`sm_90a`).
    pub architecture_specific: bool,
    /// Whether it is a file of a program, with code for the host too, as nvcc takes it. Only what its kernels need is compiled,
    /// and kernels are named as the host's own launches name them, with namespaces and template arguments. Otherwise it is
    /// device code alone, as NVRTC takes it, and kernels are `extern "C"` or have mangled names.
    pub whole: bool,
}

impl<'a> Source<'a> {
    /// A file that includes no headers but CUDA's.
    pub fn new(file: impl Into<Cow<'a, str>>, text: impl Into<Cow<'a, str>>) -> Self {
        Self { file: file.into(), text: text.into(), ..Self::default() }
    }
}

/// A file that others include.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Its name in `#include` directives: a path within a folder that holds nothing else.
    pub name: String,
    /// Its file name, for messages.
    pub file: String,
    /// The CUDA C++ code itself.
    pub text: String,
}

/// Whether the emulated device has a header of this name itself.
pub fn has_header(name: &str) -> bool {
    HEADERS.get_file(name).is_some()
}

/// How the symbols of a kernel's entry end: its name, with the code of each character that a symbol cannot have.
pub fn entry_name(kernel: &str) -> String {
    let letter = |c: char| {
        if c.is_ascii_alphanumeric() || c == '_' { c.to_string() } else { format!("_{}", u32::from(c)) }
    };
    kernel.chars().map(letter).collect()
}

/// A kernel's name without namespaces and template arguments.
pub fn plain_name(kernel: &str) -> &str {
    let named = kernel.split('<').next().unwrap_or(kernel).trim();
    named.rsplit("::").next().unwrap_or(named)
}

/// CUDA C++ for a host compiler, and what compiled kernels call.
pub static HEADERS: Dir = include_dir!("$CARGO_MANIFEST_DIR/cuda");
