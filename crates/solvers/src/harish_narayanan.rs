//! Harish & Narayanan: lund-smith-2010, sections 2 and 3.1, and the second column of its Table 1.

use super::one_launch_a_k::{OneLaunchAK, SYNCHRONIZE, block};
use super::{Implementation, Parameter, Scheduled, Traffic};
use repro_device::KernelSource;

// The paper does not name a block shape. Of fourteen shapes tried on an H200, rows of 256 were fastest at n = 8192.
static BLOCK: [Parameter; 2] = block(256, 1);

pub fn implementation() -> Implementation {
    Implementation {
        name: "harish-narayanan".into(),
        summary: "one launch per k, one thread per task, everything in global memory".into(),
        source: "lund-smith-2010 §3.1, Table 1 column 2".into(),
        traffic: Traffic::EVERY_TASK,
        parameters: [&BLOCK[..], &[SYNCHRONIZE]].concat().into(),
        method: Scheduled::of(OneLaunchAK {
            source: KernelSource::embedded(
                "harish_narayanan.cu",
                include_str!("../../../kernels/harish_narayanan.cu"),
            ),
            kernel: "harish_narayanan",
            block: &BLOCK,
            shared_words: 0,
            also_checked: Vec::new(),
        }),
    }
}
