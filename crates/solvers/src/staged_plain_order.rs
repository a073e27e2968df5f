//! Staged loading from the doubly tiled layout, without the cyclic order of k: lund-smith-2010, section 4.3, before its last
//! step.

use super::three_kernel_rounds::ThreeKernelRounds;
use super::{Body, Implementation, Layout, PaperFigures, Traffic};
use repro_device::KernelSource;

pub static IMPLEMENTATION: Implementation = Implementation {
    name: "staged-plain-order",
    summary: "staged-load without the cyclic order of k: bank conflicts where one word a step is broadcast",
    source: "lund-smith-2010 §4.3, a step of its own",
    traffic: Traffic::TILES_OF_32,
    parameters: &[],
    body: Body::Device(&ThreeKernelRounds {
        source: KernelSource {
            file: "staged_plain_order.cu",
            text: include_str!("../../../kernels/staged_plain_order.cu"),
        },
        layout: Layout::DoublyTiled,
        threads: [256, 256, 64],
        passes_tile: false,
        paper: PaperFigures { shared_bytes: 1_056, resident_blocks: 15, threads: 64 },
    }),
};
