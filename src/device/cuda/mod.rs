//! NVIDIA GPUs through the CUDA driver, which is loaded when first asked for: the binary starts without one.

mod compiler;
mod device;
mod memory;
mod nvrtc;
mod probe;
mod search;

pub use compiler::Compiler;
pub use device::CudaDevice;
pub use nvrtc::{Compiled, Nvrtc};
pub use probe::{DriverStatus, driver_status};
pub use search::{FoundLibrary, NVRTC_VARIABLE, find_nvrtc};
