//! One emulated device: its memory, its kernels and what was seen of its launches.

use crate::Stream;
use crate::counts::LaunchCounts;
use crate::finding::Finding;
use crate::memory::{DeviceMemory, Memory};
use crate::module::{EntryPoint, Module};
use crate::state::{DeviceState, MOST_THREADS, Memories};
use crate::toolchain::{COMPILER_VARIABLE, Toolchain};
use repro_files::temporary_own_folder;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cell::RefCell;
use std::io::Write;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;
use thiserror::Error;

/// What the device watches while kernels run. With neither, kernels run as plain compiled code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instruments {
    /// Look for accesses outside of allocations or at addresses where a GPU faults, races, reads of what nothing wrote, and
    /// barriers not all threads reach.
    pub check: bool,
    /// Count accesses, transactions, bank conflicts and barriers.
    pub count: bool,
    /// Look for accesses beyond local arrays and tables of constants. With this neither of the others, since a compiler instruments for
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
    /// What is done with text that kernels print; it is no line of its own, and several host threads may come with one.
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
            // As with a GPU, whose output nobody waits for.
            print: |text| drop(std::io::stdout().write_all(text)),
            cache: temporary_own_folder(),
        }
    }
}

/// An emulated CUDA device.
pub struct Emulator {
    toolchain: Toolchain,
    pub(crate) state: Rc<DeviceState>,
}

/// A kernel of a loaded file.
#[derive(Clone)]
pub struct Kernel {
    pub(crate) name: Rc<str>,
    pub(crate) module: Rc<Module>,
    pub(crate) entry: EntryPoint,
}

impl Kernel {
    /// Its name in the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bytes of each of its parameters.
    pub fn parameter_bytes(&self) -> &[usize] {
        &self.entry.parameters
    }

    /// Functions of its file that are called and not inlined. What passes to them and from them by value is not seen.
    pub fn called(&self) -> &[String] {
        &self.module.called
    }
}

impl Emulator {
    /// Opens a device.
    ///
    /// # Errors
    /// When there is no C++ compiler, this is not Linux, or the capability is none of [`CAPABILITIES`].
    pub fn open(options: Options) -> Result<Self, EmulatorError> {
        if !CAPABILITIES.iter().any(|(known, _)| *known == options.capability) {
            let (major, minor) = options.capability;
            let known = CAPABILITIES.map(|((major, minor), _)| format!("{major}.{minor}")).join(", ");
            return Err(EmulatorError::refused(format!(
                "compute capability {major}.{minor} cannot be emulated: choose one of {known}"
            )));
        }
        let toolchain = Toolchain::find()?;
        if options.instruments.bounds && toolchain.clang {
            return Err(EmulatorError::unavailable(format!(
                "g++ alone lets pointers be seen that walk beyond local arrays: set {COMPILER_VARIABLE} to it"
            )));
        }
        let state = Rc::new(DeviceState {
            options,
            memories: Memories::default(),
            reached: RefCell::default(),
            counts: RefCell::default(),
            findings: RefCell::default(),
            problem: RefCell::default(),
        });
        Ok(Self { toolchain, state })
    }

    /// What the device was opened with.
    pub fn options(&self) -> &Options {
        &self.state.options
    }

    /// The compute capability that kernels are compiled for.
    pub fn capability(&self) -> (u32, u32) {
        self.state.options.capability
    }

    /// Bytes of shared memory that a block may have when the launch gives its size.
    pub fn most_dynamic_shared_bytes(&self) -> u32 {
        self.state.most_dynamic_shared_bytes()
    }

    /// The most threads that a block, and a multiprocessor of the emulated device, may have.
    pub fn most_threads(&self) -> u32 {
        MOST_THREADS
    }

    /// The compiler that makes libraries of kernels.
    pub fn toolchain(&self) -> &Toolchain {
        &self.toolchain
    }

    /// Bytes of host memory that one byte of device memory takes, with what the checker keeps about it.
    pub fn host_bytes_a_byte(&self) -> u64 {
        // The shadow of a word takes sixteen words.
        if self.state.options.instruments.check { 24 } else { 1 }
    }

    /// Memory whose bytes nothing wrote.
    ///
    /// # Errors
    /// When the host has not as much.
    pub fn allocate(&self, bytes: usize) -> Result<DeviceMemory, EmulatorError> {
        let memory = Memory::allocate(bytes, self.state.options.instruments.check).ok_or_else(|| {
            EmulatorError::OutOfMemory { what: "an emulated buffer".to_string(), bytes: bytes as u64 }
        })?;
        self.register(memory)
    }

    /// Memory of the host as memory of this device, with what is in it: what another library keeps on a GPU.
    ///
    /// # Errors
    /// When there are too many buffers.
    ///
    /// # Safety
    /// Until the last clone of the result is dropped, the bytes are there, nobody else writes them, and they may be written if a kernel or
    /// copy does.
    pub unsafe fn adopt(&self, address: u64, bytes: usize) -> Result<DeviceMemory, EmulatorError> {
        // SAFETY: as the caller promised.
        let memory =
            unsafe { Memory::from_host(address as usize, bytes, self.state.options.instruments.check) };
        self.register(memory)
    }

    fn register(&self, memory: Memory) -> Result<DeviceMemory, EmulatorError> {
        let memory = Rc::new(memory);
        let mut known = self.state.memories.borrow_mut();
        known.retain(|weak| weak.strong_count() > 0);
        if known.len() >= usize::from(u16::MAX) {
            return Err(EmulatorError::refused("more than 65534 buffers at once on the emulated device"));
        }
        known.push(Rc::downgrade(&memory));
        Ok(DeviceMemory(memory))
    }

    /// Compiles `source`, or finds what was compiled of it earlier, and loads the kernels of these names, in this order.
    /// A name is that of an `extern "C"` kernel, or a mangled one (then `c++filt` must be installed).
    ///
    /// # Errors
    /// When the file does not compile or uses what is not emulated, or the cache folder cannot be written.
    pub fn load(&self, source: &Source, kernels: &[&str]) -> Result<Vec<Kernel>, EmulatorError> {
        let path = self.toolchain.library(source, kernels, &self.state.options)?;
        let checked = self.state.options.instruments.check;
        let module = Module::load(&path, source, checked).inspect_err(|_| {
            // Kept, it would fail every time; the next load compiles it again.
            let _ = std::fs::remove_file(&path);
        })?;
        let module = Rc::new(module);
        let load = |name: &&str| {
            Ok(Kernel { name: (*name).into(), module: module.clone(), entry: module.entry(name)? })
        };
        kernels.iter().map(load).collect()
    }

    /// A stream of its own.
    pub fn stream(&self) -> Stream {
        Stream::of(self.state.clone())
    }

    /// Lets kernels of this device use the memory of `other` from here on, as peer access does.
    pub fn reach(&self, other: &Emulator) {
        let mut reached = self.state.reached.borrow_mut();
        if !reached.iter().any(|known| Rc::ptr_eq(known, &other.state.memories)) {
            reached.push(other.state.memories.clone());
        }
    }

    /// What was found since it was last asked. Nothing of it fails a later [`Stream::synchronize`].
    pub fn take_findings(&self) -> Vec<Finding> {
        let findings = self.state.findings.borrow_mut().take();
        // A launch that failed for another reason is still to be reported.
        if !findings.is_empty() {
            self.state.problem.take();
        }
        findings
    }

    /// What the launches since it was last asked did, one by one; empty when nothing was to be counted.
    pub fn take_counts(&self) -> Vec<LaunchCounts> {
        self.state.counts.take()
    }
}

/// One CUDA C++ file and how it is to be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source<'a> {
    /// Its file name, for messages.
    pub file: Cow<'a, str>,
    /// The CUDA C++ code itself.
    pub text: Cow<'a, str>,
    /// Folders in which its own `#include` files are looked for. A source with such folders is compiled at every load.
    pub folders: Vec<PathBuf>,
    /// Whether it uses what one architecture alone has (`sm_90a`).
    pub architecture_specific: bool,
    /// Whether kernels that are not `extern "C"` are found by their plain names too, as a host's own launches find them; NVRTC
    /// wants their mangled names.
    pub plain_names: bool,
}

impl<'a> Source<'a> {
    /// A file that includes CUDA's headers at most.
    pub fn new(file: impl Into<Cow<'a, str>>, text: impl Into<Cow<'a, str>>) -> Self {
        Self {
            file: file.into(),
            text: text.into(),
            folders: Vec::new(),
            architecture_specific: false,
            plain_names: false,
        }
    }
}

/// Why the emulator could not do what it was asked for, in one line with its remedy.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum EmulatorError {
    /// There is no C++ compiler, or none that works here.
    #[error("{0}")]
    Unavailable(String),
    /// The host has not as much memory.
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
