//! One thread an element: pogorilyy-cuda, equation (4) and figure 4.

use super::one_launch_a_k::{OneLaunchAK, SYNCHRONIZE, block};
use super::{Implementation, Parameter, Parameters, Scheduled, Traffic};
use repro_device::KernelSource;

// The paper says that a thread's index has two dimensions and that sizes grow in steps of 16, half a warp; it does not name its
// block shape. Squares of 16 cover each of its sizes without a rest.
pub static BLOCK: [Parameter; 2] = block(16, 16);

pub fn implementation() -> Implementation {
    Implementation {
        name: "global-memory".into(),
        summary: "harish-narayanan in blocks of 16 x 16 threads".into(),
        source: "pogorilyy-cuda, equation (4) and figure 4".into(),
        traffic: Traffic::EVERY_TASK,
        parameters: [&BLOCK[..], &[SYNCHRONIZE]].concat().into(),
        method: Scheduled::of(OneLaunchAK {
            source: KernelSource::embedded(
                "global_memory.cu",
                include_str!("../../../kernels/global_memory.cu"),
            ),
            kernel: "global_memory",
            block: &BLOCK,
            shared_words: 0,
            also_checked: vec![Parameters::from([("synchronize", 1)])],
        }),
    }
}
