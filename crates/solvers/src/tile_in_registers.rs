//! The step between Optimized & Blocked and Staged Load that moves the tile to registers: lund-smith-2010, section 4.1.

use super::padding::PADDING;
use super::three_kernel_rounds::ThreeKernelRounds;
use super::{Implementation, Layout, PaperFigures, Scheduled, Traffic};
use repro_device::KernelSource;

pub fn implementation() -> Implementation {
    Implementation {
        name: "tile-in-registers".into(),
        summary:
            "optimized-blocked with the tile in registers of 64 threads, two whole tiles in shared memory"
                .into(),
        source: "lund-smith-2010 §4.1, a step of its own".into(),
        traffic: Traffic::TILES_OF_32,
        parameters: (&[PADDING]).into(),
        method: Scheduled::of(ThreeKernelRounds {
            source: KernelSource::embedded(
                "tile_in_registers.cu",
                include_str!("../../../kernels/tile_in_registers.cu"),
            ),
            layout: Layout::PADDED,
            threads: [256, 256, 64],
            passes_tile: true,
            paper: PaperFigures { shared_bytes: 8_224, resident_blocks: 1, threads: 64 },
            also_checked: Vec::new(),
        }),
    }
}
