//! Batches of small graphs, each solved by one block with a tile in registers: `kernels/batched.cu`.

use super::layout::Layout;
use super::register_blocked::block_for_products;
use super::{
    Batches, Implementation, KernelUse, Launcher, Parameters, Schedule, Scheduled, Signs, Solve, Target,
    Traffic,
};
use repro_device::{Argument, DeviceError, KernelSource, Launch};
use repro_graph::ElementType;

/// Side of its tiles. Of 128 they are 3% faster in `f32` and 12% in `u16` at n = 512, and slower below: fewer blocks fit on a multiprocessor,
/// and more of the last tiles is empty.
const TILE: usize = 64;
/// Threads of a block: all have parts of a tile.
const THREADS: u32 = 128;

pub fn implementation() -> Implementation {
    Implementation {
        name: "batched".into(),
        summary: "blocked: each block solves a graph of its own, for batches of small graphs".into(),
        source: "beyond the papers, which solve one graph at a time".into(),
        traffic: Traffic {
            bytes_per_task: 16.0 / 64.0,
            model: "3 words read and 1 written per 64 tasks",
            paper: None,
        },
        parameters: (&[]).into(),
        method: Scheduled::of(Batched),
    }
}

struct Batched;

/// Bytes of the stages, which are those of `register-blocked` and which a graph of one tile has no use for.
fn stage_bytes(n: usize, target: Target) -> u32 {
    if n <= TILE { 0 } else { block_for_products(TILE, target).1 }
}

// SAFETY: the kernel takes the address of the first matrix, n, the pitch and an integer, and one block a graph stays in its matrix,
// guarded by n. What a launch adds to shared memory has room for the stages.
unsafe impl Schedule for Batched {
    fn source(&self, target: Target, _: &Parameters) -> KernelSource {
        let text = include_str!("../../../kernels/batched.cu");
        let source = KernelSource::embedded("batched.cu", text).for_element(target.element);
        // Right operands are copied as they are, so that none can be shifted on its way.
        let signed = target.element == ElementType::F32 && target.signs != Signs::Positive;
        if signed { source.with_define("SIGNED_F32", "1") } else { source }
    }

    fn elements(&self) -> &[ElementType] {
        &[ElementType::F32, ElementType::I32, ElementType::U16]
    }

    fn kernels(&self, target: Target, _: &Parameters) -> Vec<KernelUse> {
        vec![KernelUse {
            name: "solve_graphs",
            threads: THREADS,
            dynamic_shared_bytes: stage_bytes(usize::MAX, target),
            tasks_a_block: None,
            paper: None,
        }]
    }

    fn layout(&self, _: &Parameters) -> Layout {
        Layout::PitchedRows
    }

    fn batches(&self) -> Batches {
        Batches::AtOnce
    }

    fn solve(&self, on: &Solve, launch: &mut Launcher) -> Result<(), DeviceError> {
        let [n, pitch] = [on.n, on.pitch].map(|value| Argument::Int(value as i32));
        let shape = Launch {
            dynamic_shared_bytes: stage_bytes(on.n, on.target),
            ..Launch::rows_of((on.graphs, 1), THREADS)
        };
        launch(0, shape, &[Argument::Buffer(on.data), n, pitch, Argument::Int(1)])
    }
}
