//! NVIDIA GPUs through the CUDA driver, which is loaded when first asked for: the binary starts without one.

mod compiled;
mod compiler;
mod device;
mod disassembler;
mod memory;
pub mod nccl;
mod nvrtc;
mod probe;
mod queue;
mod search;

pub use compiled::{Compiled, KernelBuild};
pub use compiler::{Compiler, in_both_orders, reordered};
pub use device::CudaDevice;
pub use disassembler::{DISASSEMBLER_VARIABLE, Disassembler};
pub use nvrtc::Nvrtc;
pub use probe::{DriverStatus, driver_status};
pub use search::{FoundLibrary, NVRTC_VARIABLE, find_nvrtc};
