//! The step that moves the tile to registers, before the step to 64 threads: lund-smith-2010, sections 4 and 4.1.

use super::padding::PADDING;
use super::three_kernel_rounds::ThreeKernelRounds;
use super::{Implementation, Layout, PaperFigures, Scheduled, Traffic};
use repro_device::KernelSource;

pub fn implementation() -> Implementation {
    Implementation {
        name: "tile-in-registers-256".into(),
        summary: "optimized-blocked with the tile in registers, still of 256 threads".into(),
        source: "lund-smith-2010 §4 and 4.1, a step of its own".into(),
        traffic: Traffic::TILES_OF_32,
        parameters: (&[PADDING]).into(),
        method: Scheduled::of(ThreeKernelRounds {
            source: KernelSource::embedded(
                "tile_in_registers_256.cu",
                include_str!("../../../kernels/tile_in_registers_256.cu"),
            ),
            layout: Layout::PADDED,
            threads: [256; 3],
            passes_tile: true,
            // Shared memory as section 4.1 counts it for any number of threads; 256 is what section 4 changed from.
            paper: PaperFigures { shared_bytes: 8_224, resident_blocks: 1, threads: 256 },
            also_checked: Vec::new(),
        }),
    }
}
