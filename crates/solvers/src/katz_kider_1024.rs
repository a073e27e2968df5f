//! Katz & Kider with one thread an element: gaioso-2013, section VI.

use super::square_blocks::SIZE;
use super::three_kernel_rounds::{ELEMENT_LOOP, TILE_PLACE, ThreeKernelRounds, UNROLLED};
use super::{Implementation, Layout, PaperFigures, Parameters, Scheduled, Traffic};
use repro_device::KernelSource;

pub fn implementation() -> Implementation {
    Implementation {
        name: "katz-kider-1024".into(),
        summary: "katz-kider with 32 x 32 threads a block, one element each".into(),
        source: "gaioso-2013 §VI; the algorithm: lund-smith-2010 §3.2-3.3".into(),
        traffic: Traffic::TILES_OF_32,
        parameters: (&[SIZE, UNROLLED, TILE_PLACE, ELEMENT_LOOP]).into(),
        method: Scheduled::of(ThreeKernelRounds {
            source: KernelSource::embedded(
                "katz_kider_1024.cu",
                include_str!("../../../kernels/katz_kider_1024.cu"),
            ),
            layout: Layout::PADDED,
            threads: [1024; 3],
            passes_tile: true,
            // As of katz-kider but for the threads, which are gaioso-2013's.
            paper: PaperFigures { shared_bytes: 12_320, resident_blocks: 1, threads: 1024 },
            also_checked: vec![
                Parameters::from([("tile", 16)]),
                Parameters::from([("unrolled", 1)]),
                Parameters::from([("tile", 16), ("unrolled", 1)]),
                Parameters::from([("tile-place", 0), ("element-loop", 0)]),
                Parameters::from([("tile-place", 2), ("unrolled", 1)]),
            ],
        }),
    }
}
