//! The step between Katz & Kider and Optimized & Blocked that replaces division and modulus: lund-smith-2010, section 4.

use super::three_kernel_rounds::ThreeKernelRounds;
use super::{Implementation, Layout, PaperFigures, Scheduled, Traffic};
use repro_device::KernelSource;

pub fn implementation() -> Implementation {
    Implementation {
        name: "katz-kider-shifts".into(),
        summary: "katz-kider with shifts and a constant tile size in place of division and modulus, loops still rolled".into(),
        source: "lund-smith-2010 §4, a step of its own".into(),
        traffic: Traffic::TILES_OF_32,
        parameters: (&[]).into(),
        method: Scheduled::of(ThreeKernelRounds {
            source: KernelSource::embedded("katz_kider_shifts.cu", include_str!("../../../kernels/katz_kider_shifts.cu")),
            layout: Layout::PADDED,
            threads: [256; 3],
            passes_tile: true,
            paper: PaperFigures { shared_bytes: 12_320, resident_blocks: 1, threads: 256 },
            also_checked: Vec::new(),
        }),
    }
}
