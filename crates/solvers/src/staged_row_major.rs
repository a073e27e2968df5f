//! Staged loading from row-major tiles: lund-smith-2010, section 4.2, before section 4.3 changes the layout.

use super::three_kernel_rounds::ThreeKernelRounds;
use super::{Implementation, Layout, PaperFigures, Scheduled, Traffic};
use repro_device::KernelSource;

pub fn implementation() -> Implementation {
    Implementation {
        name: "staged-row-major".into(),
        summary: "tile-in-registers with stages of 4 k; a stage's columns are not coalesced".into(),
        source: "lund-smith-2010 §4.2, a step of its own".into(),
        traffic: Traffic::TILES_OF_32,
        parameters: (&[]).into(),
        method: Scheduled::of(ThreeKernelRounds {
            source: KernelSource::embedded(
                "staged_row_major.cu",
                include_str!("../../../kernels/staged_row_major.cu"),
            ),
            layout: Layout::PADDED,
            threads: [256, 256, 64],
            passes_tile: true,
            paper: PaperFigures { shared_bytes: 1_056, resident_blocks: 15, threads: 64 },
            also_checked: Vec::new(),
        }),
    }
}
