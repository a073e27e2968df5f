//! Staged Load: lund-smith-2010, section 4, and the fifth column of its Table 1.

use super::padding::PADDING;
use super::three_kernel_rounds::ThreeKernelRounds;
use super::{Implementation, Layout, PaperFigures, Scheduled, Traffic};
use repro_device::KernelSource;

pub fn implementation() -> Implementation {
    Implementation {
        name: "staged-load".into(),
        summary: "blocked: the tile in registers of 64 threads, stages of 4 k, doubly tiled, cyclic k".into(),
        source: "lund-smith-2010 §4.1-4.3, Table 1 column 5".into(),
        traffic: Traffic {
            // Section 5 states 46 GB/s for 73.6e9 tasks/s, which is 20 bytes per 32 tasks; section 3.2 counts 16.
            paper: Some((20.0 / 32.0, "20 B per 32 tasks, behind the 46 GB/s of section 5")),
            ..Traffic::TILES_OF_32
        },
        parameters: (&[PADDING]).into(),
        method: Scheduled::of(ThreeKernelRounds {
            source: KernelSource::embedded("staged_load.cu", include_str!("../../../kernels/staged_load.cu")),
            layout: Layout::DoublyTiled,
            threads: [256, 256, 64],
            passes_tile: false,
            // Section 4.2: two stages of 32 x 4 words and 32 bytes of parameters.
            paper: PaperFigures { shared_bytes: 1_056, resident_blocks: 15, threads: 64 },
            also_checked: Vec::new(),
        }),
    }
}
