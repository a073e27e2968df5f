//! One emulated device: its memory, its kernels and what was seen of its launches.

use crate::counts::LaunchCounts;
use crate::finding::Finding;
use crate::memory::{Allocation, DeviceMemory};
use crate::module::{KernelHandle, Module};
use crate::options::{CAPABILITIES, EmulatorError, Options, Source};
use crate::state::{DeviceState, MOST_THREADS, Memories};
use crate::stream::Stream;
use crate::toolchain::{COMPILER_VARIABLE, Toolchain};
use crate::translate::Signature;
use std::cell::RefCell;
use std::rc::Rc;

/// An emulated CUDA device.
pub struct Emulator {
    toolchain: Toolchain,
    pub(crate) state: Rc<DeviceState>,
}

impl Emulator {
    /// Opens a device.
    ///
    /// # Errors
    /// When there is no C++ compiler, or the capability is none of [`CAPABILITIES`].
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

    /// Allocates memory that counts as not written yet.
    ///
    /// # Errors
    /// When the host does not have that much.
    pub fn allocate(&self, bytes: usize) -> Result<DeviceMemory, EmulatorError> {
        let memory = Allocation::allocate(bytes, self.state.options.instruments.check).ok_or_else(|| {
            EmulatorError::OutOfMemory { what: "an emulated buffer".to_string(), bytes: bytes as u64 }
        })?;
        self.register(memory)
    }

    /// Makes memory of the host, with its contents, memory of this device: for what another library would keep on a GPU.
    ///
    /// # Errors
    /// When there are too many buffers.
    ///
    /// # Safety
    /// Until the last clone of the result is dropped, the bytes exist, nobody else writes them, and kernels and copies of this
    /// device may write them.
    pub unsafe fn adopt(&self, address: u64, bytes: usize) -> Result<DeviceMemory, EmulatorError> {
        // SAFETY: as the caller promised.
        let memory =
            unsafe { Allocation::from_host(address as usize, bytes, self.state.options.instruments.check) };
        self.register(memory)
    }

    fn register(&self, memory: Allocation) -> Result<DeviceMemory, EmulatorError> {
        let memory = Rc::new(memory);
        let mut known = self.state.memories.borrow_mut();
        known.retain(|weak| weak.strong_count() > 0);
        if known.len() >= usize::from(u16::MAX) {
            return Err(EmulatorError::refused("more than 65534 buffers at once on the emulated device"));
        }
        known.push(Rc::downgrade(&memory));
        Ok(DeviceMemory(memory))
    }

    /// Compiles `source`, or finds what was compiled of it earlier, and loads the kernels of these names, in this order. A name
    /// is that of an `extern "C"` kernel, or a mangled one (then `c++filt` must be installed); in a whole file, it may also be
    /// written as in a launch, such as `space::kernel<4>`.
    ///
    /// # Errors
    /// When the file does not compile or uses what is not emulated, or the cache folder cannot be written.
    pub fn load(&self, source: &Source, kernels: &[&str]) -> Result<Vec<KernelHandle>, EmulatorError> {
        let path = self.toolchain.library(source, kernels, &self.state.options)?;
        let checked = self.state.options.instruments.check;
        let module = Module::load(&path, source, kernels, checked).inspect_err(|_| {
            // Kept, it would fail every time; the next load compiles it again.
            let _ = std::fs::remove_file(&path);
        })?;
        let module = Rc::new(module);
        let load = |name: &&str| {
            Ok(KernelHandle { name: (*name).into(), module: module.clone(), entry: module.entry(name)? })
        };
        kernels.iter().map(load).collect()
    }

    /// The kernels that a whole file defines, in its order.
    ///
    /// # Errors
    /// When it cannot be preprocessed, or the cache folder cannot be written.
    pub fn kernels(&self, source: &Source) -> Result<Vec<Signature>, EmulatorError> {
        self.toolchain.kernels(source, &self.state.options)
    }

    /// Makes a new stream of this device.
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

    /// Takes what was found since the last call. These findings then no longer fail [`Stream::synchronize`].
    pub fn take_findings(&self) -> Vec<Finding> {
        let findings = self.state.findings.borrow_mut().take();
        // A launch that failed for another reason is still to be reported.
        if !findings.is_empty() {
            self.state.problem.take();
        }
        findings
    }

    /// Takes the counts of each launch since the last call; empty when the device does not count.
    pub fn take_counts(&self) -> Vec<LaunchCounts> {
        self.state.counts.take()
    }
}
