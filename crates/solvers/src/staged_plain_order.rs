//! Staged loading from the doubly tiled layout, without the cyclic order of k: lund-smith-2010, section 4.3, before its last
//! step.

use super::three_kernel_rounds::ThreeKernelRounds;
use super::{Implementation, Layout, PaperFigures, Scheduled, Traffic};
use repro_device::KernelSource;

pub fn implementation() -> Implementation {
    Implementation {
        name: "staged-plain-order".into(),
        summary:
            "staged-load without the cyclic order of k: bank conflicts where one word a step is broadcast"
                .into(),
        source: "lund-smith-2010 §4.3, a step of its own".into(),
        traffic: Traffic::TILES_OF_32,
        parameters: (&[]).into(),
        method: Scheduled::of(ThreeKernelRounds {
            source: KernelSource::embedded(
                "staged_plain_order.cu",
                include_str!("../../../kernels/staged_plain_order.cu"),
            ),
            layout: Layout::DoublyTiled,
            threads: [256, 256, 64],
            passes_tile: false,
            paper: PaperFigures { shared_bytes: 1_056, resident_blocks: 15, threads: 64 },
            also_checked: Vec::new(),
        }),
    }
}
