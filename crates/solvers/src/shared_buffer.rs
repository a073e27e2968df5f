//! Shared memory as a mere buffer: pogorilyy-cuda, figure 7.

use super::global_memory::BLOCK;
use super::one_launch_a_k::{BARRIER, OneLaunchAK, SYNCHRONIZE};
use super::{Implementation, Parameters, Scheduled, Traffic};
use repro_device::KernelSource;

pub fn implementation() -> Implementation {
    Implementation {
        name: "shared-buffer".into(),
        summary: "global-memory with each thread's three operands through shared memory".into(),
        source: "pogorilyy-cuda, figure 7".into(),
        traffic: Traffic::EVERY_TASK,
        parameters: [&BLOCK[..], &[SYNCHRONIZE, BARRIER]].concat().into(),
        method: Scheduled::of(OneLaunchAK {
            source: KernelSource::embedded(
                "shared_buffer.cu",
                include_str!("../../../kernels/shared_buffer.cu"),
            ),
            kernel: "shared_buffer",
            block: &BLOCK,
            shared_words: 3,
            also_checked: vec![Parameters::from([("barrier", 0)])],
        }),
    }
}
