//! Runs CUDA kernel files on the CPU, to check what they do and to count it. No GPU and no CUDA toolkit are needed. It knows
//! nothing of graphs or solvers, and uses nothing of this repository but `repro_base`, for files.
//!
//! A kernel is checked for accesses outside of memory, races, barriers that not all threads reach, reads of memory that
//! nothing wrote, misuse of mbarriers and asynchronous copies, and waits that never end. [`FindingKind`] lists all kinds.
//! Each [`Finding`] names the kernel, the block, the thread and the line. [`Counts`] holds the sectors of global memory, the
//! bank conflicts of shared memory, barriers, atomics and copies of each launch. Nothing is timed: how long a launch takes
//! here says nothing about a GPU.
//!
//! ```
//! use repro_emulator::{
//!     ArgumentValue, Emulator, FindingKind, Instruments, Launch, Options, PackedArguments, Source,
//! };
//!
//! let text = r#"extern "C" __global__ void shift(int* data) {
//!     data[threadIdx.x] = data[threadIdx.x + 1];
//! }"#;
//! let emulator = Emulator::open(Options::new(Instruments::CHECK))?;
//! let kernels = emulator.load(&Source::new("shift.cu", text), &["shift"])?;
//! let (data, stream) = (emulator.allocate(64 * 4)?, emulator.stream());
//! stream.upload(&[0; 64 * 4], &data, 0);
//! let arguments = PackedArguments::new(&[ArgumentValue::Memory(&data)]);
//! // SAFETY: the launch is checked; it stops at the first access outside of its buffer.
//! unsafe { stream.launch(&kernels[0], Launch::new((1, 1, 1), (64, 1, 1)), &arguments)? };
//! let findings = emulator.take_findings();
//! assert!(findings.iter().any(|finding| finding.kind == FindingKind::OutOfBounds));
//! # Ok::<(), repro_emulator::EmulatorError>(())
//! ```
//!
//! # How it works
//!
//! A kernel file is preprocessed with the headers of this crate in place of CUDA's, translated from CUDA C++ to C++, with
//! inline PTX as function calls, and compiled by the host's C++ compiler to a library. Each CUDA thread is a fiber with a
//! stack of its own. A fiber is switched where its thread waits: at a barrier, at an operation of the warp, or when it
//! reads the same memory again and again. The blocks of a launch spread over the cores.
//!
//! To be checked or counted, kernels are compiled with the compiler's thread sanitizer instrumentation, which calls a
//! function for every load and store. The functions are this crate's own and write the accesses down.
//!
//! # What it does not do
//!
//! - Texture and surface memory, grid-wide barriers of cooperative groups, launches from kernels and `wgmma` are refused
//!   when the file is compiled.
//! - Local variables of a thread are not checked for being read before they are written, and constant tables are neither
//!   checked nor counted.
//! - Time is not modelled.
//!
//! The crate's `README.md` has the whole list, and `PTX.md` the instructions of PTX that run.
#![warn(missing_docs)]

/// The code in the README is compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct EmulatorReadme;

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
compile_error!("the emulated device reads ELF libraries and registers: build for Linux on x86-64 or aarch64");

mod access;
mod atomics;
mod barriers;
mod block;
mod bulk;
mod cache;
mod clock;
mod compile;
mod context;
mod copies;
mod counting;
mod counts;
mod deadlock;
mod directives;
mod emulator;
mod finding;
mod guards;
mod history;
mod launch;
mod mbarrier;
mod memory;
mod messages;
mod module;
mod object_file;
mod options;
mod order;
mod pending_work;
mod quiescence;
mod report;
mod request;
mod resident;
mod shadow;
mod stack;
mod state;
mod stream;
mod tensor;
mod toolchain;
mod trace;
mod translate;
mod trap;
mod warps;
mod watch;
mod worker;

pub use cache::{cache_folder, cache_key, keep, kept};
pub use counts::SECTOR as SECTOR_BYTES;
pub use counts::{BANKS_16, BANKS_32, CounterAccessor, CounterValue};
pub use counts::{
    BankCounts, BulkCounts, CopyCounts, CounterField, Counts, FIELDS, GlobalCounts, LaunchCounts,
    RemoteCounts, SharedCounts,
};
pub use directives::inclusions;
pub use emulator::Emulator;
pub use finding::{Finding, FindingKind, SourceLocation};
pub use launch::{ArgumentValue, Extent, Launch, PackedArguments};
pub use memory::DeviceMemory;
pub use module::KernelHandle;
pub use options::{CAPABILITIES, EmulatorError, Header, Instruments, Options, Source, has_header};
pub use stream::{Event, Stream};
pub use tensor::{Swizzle, TensorMap};
pub use toolchain::{COMPILER_VARIABLE, Toolchain};
pub use translate::Signature;
