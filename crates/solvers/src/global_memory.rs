//! One thread an element: pogorilyy-cuda, equation (4) and figure 4.

use super::one_launch_a_k::{OneLaunchAK, block};
use super::{Body, Implementation, Parameter, Traffic};
use repro_device::KernelSource;

// The paper says that a thread's index has two dimensions and that sizes grow in steps of 16, half a warp; it does not name its
// block shape. Squares of 16 cover each of its sizes without a rest.
pub static BLOCK: [Parameter; 2] = block(16, 16);

pub static IMPLEMENTATION: Implementation = Implementation {
    name: "global-memory",
    summary: "harish-narayanan in blocks of 16 x 16 threads",
    source: "pogorilyy-cuda, equation (4) and figure 4",
    traffic: Traffic::EVERY_TASK,
    parameters: &BLOCK,
    body: Body::Device(&OneLaunchAK {
        source: KernelSource {
            file: "global_memory.cu",
            text: include_str!("../../../kernels/global_memory.cu"),
        },
        kernel: "global_memory",
        block: &BLOCK,
        shared_words: 0,
    }),
};
