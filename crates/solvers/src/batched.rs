//! Batches of small graphs, each solved by one block with a tile in registers: `kernels/batched.cu`.

use super::layout::Layout;
use super::register_blocked::{TILE, check_tile, operand_words};
use super::{
    Batches, Implementation, KernelUse, Launcher, Parameters, Schedule, Scheduled, Signs, Solve, Target,
    Traffic,
};
use repro_device::{Argument, DeviceError, KernelSource, Launch};
use repro_graph::ElementType;

/// Vertices up to which graphs are small: a block goes through all rounds by itself.
pub const MOST_VERTICES: usize = 512;

/// Threads of a block: all have parts of a tile.
const THREADS: u32 = 128;
/// Stages of the right operand, and the rows that each has, as in `batched.cu`.
const STAGES: usize = 2;
const STAGE_K: usize = 32;

pub fn implementation() -> Implementation {
    Implementation {
        name: "batched".into(),
        summary: "blocked: each block solves a graph of its own, for batches of small graphs".into(),
        source: "beyond the papers, which solve one graph at a time".into(),
        traffic: Traffic {
            bytes_per_task: 16.0 / 128.0,
            model: "3 words read and 1 written per 128 tasks",
            paper: None,
        },
        parameters: (&[TILE]).into(),
        method: Scheduled::of(Batched),
    }
}

struct Batched;

/// Vertices up to which small tiles are faster: more blocks fit on a multiprocessor, and less of the last tiles is empty.
const SMALL_UP_TO: usize = 448;

/// The side of the tiles of graphs of `n` vertices.
fn tile_of(n: usize, parameters: &Parameters) -> usize {
    match parameters.get(&TILE) {
        0 if n <= SMALL_UP_TO => 64,
        0 => 128,
        given => given as usize,
    }
}

/// The kernel for tiles of this side, by its place among the kernels.
fn kernel_of(tile: usize) -> usize {
    usize::from(tile == 128)
}

/// Bytes of the left operand and the stages of the right one, which a graph of one tile has no use for.
fn operand_bytes(n: usize, tile: usize, element: ElementType) -> u32 {
    let (left, right) = operand_words(tile, element);
    if n <= tile { 0 } else { ((left + right / tile * STAGE_K * STAGES) * 4) as u32 }
}

// SAFETY: both kernels take the address of the first matrix, n, the pitch and an integer, and one block a graph stays in its matrix,
// guarded by n. What a launch adds to shared memory has room for the left operand and the stages.
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
        let of = |name, tile| KernelUse {
            name,
            threads: THREADS,
            dynamic_shared_bytes: operand_bytes(usize::MAX, tile, target.element),
            tasks_a_block: None,
            paper: None,
        };
        vec![of("solve_graphs_by_64", 64), of("solve_graphs_by_128", 128)]
    }

    fn check(&self, parameters: &Parameters) -> Result<(), String> {
        check_tile(parameters)
    }

    fn also_checked(&self) -> Vec<Parameters> {
        vec![Parameters::from([("tile", 64)]), Parameters::from([("tile", 128)])]
    }

    fn layout(&self, _: &Parameters) -> Layout {
        Layout::PitchedRows
    }

    fn batches(&self) -> Batches {
        Batches::AtOnce
    }

    fn solve(&self, on: &Solve, launch: &mut Launcher) -> Result<(), DeviceError> {
        let tile = tile_of(on.n, on.parameters);
        let [n, pitch] = [on.n, on.pitch].map(|value| Argument::Int(value as i32));
        let shape = Launch {
            dynamic_shared_bytes: operand_bytes(on.n, tile, on.target.element),
            ..Launch::rows_of((on.graphs, 1), THREADS)
        };
        launch(kernel_of(tile), shape, &[Argument::Buffer(on.data), n, pitch, Argument::Int(1)])
    }
}
