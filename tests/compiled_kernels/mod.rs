//! Kernels as NVRTC compiles them: that each compiles, and its machine code.

mod counts;
mod inspect;
mod kernels_compile;
