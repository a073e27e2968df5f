//! Optimized & Blocked: lund-smith-2010, section 4, and the fourth column of its Table 1.

use super::padding::PADDING;
use super::three_kernel_rounds::{TILE_PLACE, ThreeKernelRounds};
use super::{Implementation, Layout, PaperFigures, Parameters, Scheduled, Traffic};
use repro_device::KernelSource;

pub fn implementation() -> Implementation {
    Implementation {
        name: "optimized-blocked".into(),
        summary: "katz-kider with shifts in place of division and modulus, and unrolled loops".into(),
        source: "lund-smith-2010 §4, Table 1 column 4".into(),
        traffic: Traffic::TILES_OF_32,
        parameters: (&[PADDING, TILE_PLACE]).into(),
        method: Scheduled::of(ThreeKernelRounds {
            source: KernelSource::embedded(
                "optimized_blocked.cu",
                include_str!("../../../kernels/optimized_blocked.cu"),
            ),
            layout: Layout::PADDED,
            threads: [256; 3],
            passes_tile: true,
            paper: PaperFigures { shared_bytes: 12_320, resident_blocks: 1, threads: 256 },
            also_checked: vec![
                Parameters::from([("padding-kib", 44)]),
                Parameters::from([("tile-place", 0)]),
                Parameters::from([("tile-place", 2)]),
            ],
        }),
    }
}
