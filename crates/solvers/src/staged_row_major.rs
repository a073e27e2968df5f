//! Staged loading from row-major tiles: lund-smith-2010, section 4.2, before section 4.3 changes the layout.

use super::three_kernel_rounds::ThreeKernelRounds;
use super::{Body, Implementation, Layout, PaperFigures, Traffic};
use repro_device::KernelSource;

pub static IMPLEMENTATION: Implementation = Implementation {
    name: "staged-row-major",
    summary: "tile-in-registers with stages of 4 k; a stage's columns are not coalesced",
    source: "lund-smith-2010 §4.2, a step of its own",
    traffic: Traffic::TILES_OF_32,
    parameters: &[],
    body: Body::Device(&ThreeKernelRounds {
        source: KernelSource {
            file: "staged_row_major.cu",
            text: include_str!("../../../kernels/staged_row_major.cu"),
        },
        layout: Layout::PaddedRows,
        threads: [256, 256, 64],
        passes_tile: true,
        paper: PaperFigures { shared_bytes: 1_056, resident_blocks: 15, threads: 64 },
    }),
};
