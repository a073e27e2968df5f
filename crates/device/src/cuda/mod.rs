//! NVIDIA GPUs through the CUDA driver, which is loaded when first asked for: the binary starts without one.

mod compiled;
mod compiler;
mod device;
mod disassembler;
mod memory;
mod nvrtc;
mod probe;
mod queue;
mod search;

pub use compiled::{Compiled, KernelBuild};
pub use compiler::Compiler;
pub use device::{CudaDevice, turn_to};
pub use disassembler::{DISASSEMBLER_VARIABLE, Disassembler};
pub use nvrtc::{LINES, Nvrtc, options};
pub use probe::{DriverStatus, driver_status};
/// For libraries that put work of their own on streams, as NCCL does.
pub use queue::{CudaQueue, own_memory};
pub use search::{FoundLibrary, NVRTC_VARIABLE, find_nvrtc, places};
