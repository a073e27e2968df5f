//! Blocked kernels whose blocks have one thread for each element of a square tile: gaioso-2013, sections V and VI.

use super::layout::TILE;
use super::{Parameter, Parameters};
use repro_device::KernelSource;

pub const SIZE: Parameter = Parameter {
    name: "tile",
    meaning: "side of a tile: 16 or 32",
    default: TILE as u32,
    lowest: 16,
    highest: TILE as u32,
};

/// Whether the tile size is a constant; where it is not, what it does to the code of indexes and loops.
pub const fn unrolled(default: u32) -> Parameter {
    Parameter {
        name: "unrolled",
        meaning: "0: run-time tile size, division, modulus and rolled loops; 1: constant, shifts and unrolled loops",
        default,
        lowest: 0,
        highest: 1,
    }
}

/// Where the kernel of the tiles outside of the round's row and column keeps a tile: `kernels/rest_tile.cuh`.
pub const fn tile_place(default: u32) -> Parameter {
    Parameter {
        name: "tile-place",
        meaning: "where a rest tile is kept: 0: registers; 1: shared memory, unless the compiler moves it; 2: shared memory by force",
        default,
        lowest: 0,
        highest: 2,
    }
}

/// Whether that kernel has a loop over the elements of a thread, which are one.
pub const fn element_loop(default: u32) -> Parameter {
    Parameter {
        name: "element-loop",
        meaning: "1: the kernel of rest tiles loops over the elements of a thread, which are one; 0: it does not",
        default,
        lowest: 0,
        highest: 1,
    }
}

/// The macros of a tile's place and of the loop over a thread's elements.
pub fn with_rest_tile(source: KernelSource, place: u32, has_loop: bool) -> KernelSource {
    let source = source.with_define("TILE_PLACE", &place.to_string());
    if has_loop { source } else { source.with_define("ONE_ELEMENT", "1") }
}

/// The side of a tile.
pub fn side(parameters: &Parameters) -> usize {
    parameters.get(&SIZE) as usize
}

/// Threads of a block.
pub fn threads(parameters: &Parameters) -> u32 {
    parameters.get(&SIZE).pow(2)
}

/// Whether there are kernels for the tile size.
///
/// # Errors
/// For which there are, in one line.
pub fn check(parameters: &Parameters) -> Result<(), String> {
    match parameters.get(&SIZE) {
        16 | 32 => Ok(()),
        other => Err(format!("tile = {other}: there are kernels for 16 and 32")),
    }
}

/// Bytes of global memory a task and the model behind them, of smaller tiles than those of
/// [`Traffic::TILES_OF_32`](super::Traffic).
pub fn bytes_per_task(parameters: &Parameters) -> Option<(f64, String)> {
    let side = side(parameters);
    let bytes = 4 * size_of::<f32>();
    (side != TILE)
        .then(|| (bytes as f64 / side as f64, format!("3 words read and 1 written per {side} tasks")))
}

/// The macro that makes the tile size a constant.
pub fn with_constant_tile(source: KernelSource, parameters: &Parameters) -> KernelSource {
    source.with_define("TILE_BITS", &side(parameters).ilog2().to_string())
}
