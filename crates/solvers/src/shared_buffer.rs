//! Shared memory as a mere buffer: pogorilyy-cuda, figure 7.

use super::global_memory::BLOCK;
use super::one_launch_a_k::OneLaunchAK;
use super::{Body, Implementation, Traffic};
use repro_device::KernelSource;

pub static IMPLEMENTATION: Implementation = Implementation {
    name: "shared-buffer",
    summary: "global-memory with each thread's three operands through shared memory",
    source: "pogorilyy-cuda, figure 7",
    traffic: Traffic::EVERY_TASK,
    parameters: &BLOCK,
    body: Body::Device(&OneLaunchAK {
        source: KernelSource {
            file: "shared_buffer.cu",
            text: include_str!("../../../kernels/shared_buffer.cu"),
        },
        kernel: "shared_buffer",
        block: &BLOCK,
        shared_words: 3,
    }),
};
