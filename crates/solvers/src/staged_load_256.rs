//! Staged Load without the step from 256 threads to 64: lund-smith-2010, section 4.

use super::three_kernel_rounds::ThreeKernelRounds;
use super::{Implementation, Layout, PaperFigures, Scheduled, Traffic};
use repro_device::KernelSource;

pub fn implementation() -> Implementation {
    Implementation {
        name: "staged-load-256".into(),
        summary: "staged-load with 256 threads, 4 elements each, in place of 64".into(),
        source: "lund-smith-2010 §4, a step of its own".into(),
        traffic: Traffic::TILES_OF_32,
        parameters: (&[]).into(),
        method: Scheduled::of(ThreeKernelRounds {
            source: KernelSource::embedded(
                "staged_load_256.cu",
                include_str!("../../../kernels/staged_load_256.cu"),
            ),
            layout: Layout::DoublyTiled,
            threads: [256; 3],
            passes_tile: false,
            // Shared memory as section 4.2 counts it for any number of threads; 256 is what section 4 changed from.
            paper: PaperFigures { shared_bytes: 1_056, resident_blocks: 15, threads: 256 },
            also_checked: Vec::new(),
        }),
    }
}
