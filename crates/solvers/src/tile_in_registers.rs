//! The step between Optimized & Blocked and Staged Load that moves the tile to registers: lund-smith-2010, section 4.1.

use super::three_kernel_rounds::ThreeKernelRounds;
use super::{Body, Implementation, Layout, PaperFigures, Traffic};
use repro_device::KernelSource;

pub static IMPLEMENTATION: Implementation = Implementation {
    name: "tile-in-registers",
    summary: "optimized-blocked with the tile in registers of 64 threads, two whole tiles in shared memory",
    source: "lund-smith-2010 §4.1, a step of its own",
    traffic: Traffic::TILES_OF_32,
    parameters: &[],
    body: Body::Device(&ThreeKernelRounds {
        source: KernelSource {
            file: "tile_in_registers.cu",
            text: include_str!("../../../kernels/tile_in_registers.cu"),
        },
        layout: Layout::PaddedRows,
        threads: [256, 256, 64],
        passes_tile: true,
        paper: PaperFigures { shared_bytes: 8_224, resident_blocks: 1, threads: 64 },
    }),
};
