//! Katz & Kider with one thread an element: gaioso-2013, section VI.

use super::three_kernel_rounds::ThreeKernelRounds;
use super::{Body, Implementation, Layout, PaperFigures, Traffic};
use repro_device::KernelSource;

pub static IMPLEMENTATION: Implementation = Implementation {
    name: "katz-kider-1024",
    summary: "katz-kider with 32 x 32 threads a block, one element each",
    source: "gaioso-2013 §VI; the algorithm: lund-smith-2010 §3.2-3.3",
    traffic: Traffic::TILES_OF_32,
    parameters: &[],
    body: Body::Device(&ThreeKernelRounds {
        source: KernelSource {
            file: "katz_kider_1024.cu",
            text: include_str!("../../../kernels/katz_kider_1024.cu"),
        },
        layout: Layout::PaddedRows,
        threads: [1024; 3],
        passes_tile: true,
        // As of katz-kider but for the threads, which are gaioso-2013's.
        paper: PaperFigures { shared_bytes: 12_320, resident_blocks: 1, threads: 1024 },
    }),
};
