//! Optimized & Blocked: lund-smith-2010, section 4, and the fourth column of its Table 1.

use super::three_kernel_rounds::ThreeKernelRounds;
use super::{Body, Implementation, Layout, PaperFigures, Traffic};
use repro_device::KernelSource;

pub static IMPLEMENTATION: Implementation = Implementation {
    name: "optimized-blocked",
    summary: "katz-kider with shifts in place of division and modulus, and unrolled loops",
    source: "lund-smith-2010 §4, Table 1 column 4",
    traffic: Traffic::TILES_OF_32,
    parameters: &[],
    body: Body::Device(&ThreeKernelRounds {
        source: KernelSource {
            file: "optimized_blocked.cu",
            text: include_str!("../../../kernels/optimized_blocked.cu"),
        },
        layout: Layout::PaddedRows,
        threads: [256; 3],
        passes_tile: true,
        paper: PaperFigures { shared_bytes: 12_320, resident_blocks: 1, threads: 256 },
    }),
};
