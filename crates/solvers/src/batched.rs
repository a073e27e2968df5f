//! Batches of small graphs, each solved by one block with a tile in registers: `kernels/batched.cu`.

use super::layout::Layout;
use super::register_blocked::block_for_products;
use super::{
    BatchMode, Capabilities, DistanceSigns, Implementation, KernelSet, KernelUse, LaunchArgument, LaunchList,
    LaunchSite, Parameters, PlannedLaunch, Solver, Target, Traffic,
};
use repro_device::{DeviceError, Kernel, KernelSource, Launch};
use repro_graph::ElementType;

/// Side of the tiles. Tiles of 128 are 3% faster in `f32` and 12% in `u16` at n = 512, and slower below: fewer blocks fit on a
/// multiprocessor, and more of the last tiles is empty.
const TILE: usize = 64;
/// Threads of a block: all have parts of a tile.
const THREADS: u32 = 128;

pub fn implementation() -> Implementation {
    let summary = "blocked: each block solves a graph of its own, for batches of small graphs";
    Implementation::new("batched", summary, "beyond the papers, which solve one graph at a time", Batched)
}

struct Batched;

/// Bytes of the stages, which are those of `register-blocked` and which a graph of one tile has no use for.
fn stage_bytes(n: usize, target: Target) -> u32 {
    if n <= TILE { 0 } else { block_for_products(TILE, target).1 }
}

impl Solver for Batched {
    fn capabilities(&self, _: &Parameters) -> Capabilities {
        Capabilities {
            elements: (&[ElementType::F32, ElementType::I32, ElementType::U16]).into(),
            solves_batches: true,
            ..Capabilities::of_launches()
        }
    }

    fn traffic(&self, _: &Parameters) -> Traffic {
        Traffic::of_tiles(TILE)
    }

    fn kernels(&self, target: Target, _: &Parameters) -> Option<KernelSet> {
        let text = include_str!("../../../kernels/batched.cu");
        let source = KernelSource::embedded("batched.cu", text).for_element(target.element);
        // Right operands are copied as they are, so that none can be shifted on its way.
        let signed = target.element == ElementType::F32 && target.signs != DistanceSigns::Positive;
        let used = KernelUse {
            dynamic_shared_bytes: stage_bytes(usize::MAX, target),
            ..KernelUse::new("solve_graphs", THREADS)
        };
        Some(KernelSet {
            source: if signed { source.with_define("SIGNED_F32", "1") } else { source },
            uses: vec![used],
            layout: Layout::PitchedRows,
            batch_mode: BatchMode::AtOnce,
            launches_per_sync: None,
        })
    }

    fn launches(&self, on: &LaunchSite, _: &[Kernel]) -> Result<LaunchList, DeviceError> {
        let [n, pitch] = [on.problem.n, on.pitch].map(|value| LaunchArgument::Int(value as i32));
        let launch = Launch {
            dynamic_shared_bytes: stage_bytes(on.problem.n, on.target),
            ..Launch::rows_of(on.graphs, 1, THREADS)
        };
        let arguments = vec![LaunchArgument::Address(on.matrix()), n, pitch, LaunchArgument::Int(1)];
        // SAFETY: the kernel takes the address of the first matrix, n, the pitch and an integer, and one block a graph stays in its matrix,
        // guarded by n. What a launch adds to shared memory has room for the stages.
        Ok(unsafe { LaunchList::new(0, vec![PlannedLaunch { kernel: 0, launch, arguments }]) })
    }
}
