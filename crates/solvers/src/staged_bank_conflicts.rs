//! Staged loading with bank conflicts of four ways on 32 banks, and their cure: lund-smith-2010, section 4.3.

use super::padding::PADDING;
use super::three_kernel_rounds::{CYCLIC, ThreeKernelRounds};
use super::{Implementation, Layout, PaperFigures, Parameters, Scheduled, Traffic};
use repro_device::KernelSource;

pub fn implementation() -> Implementation {
    Implementation {
        name: "staged-bank-conflicts".into(),
        summary: "staged-load with bank conflicts of four ways on 32 banks, or with a cyclic order of k that cures them"
            .into(),
        source: "lund-smith-2010 §4.3, for the banks of today".into(),
        traffic: Traffic::TILES_OF_32,
        parameters: (&[CYCLIC, PADDING]).into(),
        method: Scheduled::of(ThreeKernelRounds {
            source: KernelSource::embedded(
                "staged_bank_conflicts.cu",
                include_str!("../../../kernels/staged_bank_conflicts.cu"),
            ),
            layout: Layout::DoublyTiled,
            threads: [256, 256, 64],
            passes_tile: false,
            paper: PaperFigures { shared_bytes: 1_056, resident_blocks: 15, threads: 64 },
            also_checked: vec![Parameters::from([("cyclic", 1)])],
        }),
    }
}
