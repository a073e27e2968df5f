//! Katz & Kider: lund-smith-2010, sections 3.2 and 3.3, and the third column of its Table 1.

use super::padding::PADDING;
use super::three_kernel_rounds::ThreeKernelRounds;
use super::{Implementation, Layout, PaperFigures, Scheduled, Traffic};
use repro_device::KernelSource;

pub fn implementation() -> Implementation {
    Implementation {
        name: "katz-kider".into(),
        summary: "blocked: three 32 x 32 tiles in shared memory, run-time tile size, rolled loops".into(),
        source: "lund-smith-2010 §3.2-3.3, Table 1 column 3".into(),
        traffic: Traffic::TILES_OF_32,
        parameters: (&[PADDING]).into(),
        method: Scheduled::of(ThreeKernelRounds {
            source: KernelSource::embedded("katz_kider.cu", include_str!("../../../kernels/katz_kider.cu")),
            layout: Layout::PADDED,
            threads: [256; 3],
            passes_tile: true,
            // Section 3.3: three tiles and 32 bytes of parameters, which that GPU keeps in shared memory.
            paper: PaperFigures { shared_bytes: 12_320, resident_blocks: 1, threads: 256 },
            also_checked: Vec::new(),
        }),
    }
}
