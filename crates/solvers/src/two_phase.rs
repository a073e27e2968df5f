//! The two-phase algorithm with persistent blocks: gaioso-2013, section V.

use super::layout::{Layout, TILE};
use super::square_blocks::{self, SIZE, element_loop, tile_place, unrolled};
use super::{
    Implementation, KernelUse, Launcher, Parameter, Parameters, Schedule, Scheduled, Solve, Target, Traffic,
};
use repro_device::{Argument, DeviceError, KernelSource, Launch};

const BLOCKS: Parameter = Parameter {
    name: "blocks-per-multiprocessor",
    meaning: "blocks of phase 1 for each multiprocessor, 0: as many as it holds at once",
    default: 0,
    lowest: 0,
    highest: 8,
};
const UNROLLED: Parameter = unrolled(1);
// The paper leaves both open.
const TILE_PLACE: Parameter = tile_place(0);
const ELEMENT_LOOP: Parameter = element_loop(0);

pub fn implementation() -> Implementation {
    Implementation {
        name: "two-phase".into(),
        summary: "blocked in two kernels a round: persistent blocks that each close the independent tile"
            .into(),
        source: "gaioso-2013 §V, Algorithm 3".into(),
        traffic: Traffic::TILES_OF_32,
        parameters: (&[BLOCKS, SIZE, UNROLLED, TILE_PLACE, ELEMENT_LOOP]).into(),
        method: Scheduled::of(TwoPhase),
    }
}

struct TwoPhase;

// SAFETY: phase 1 takes a matrix, its pitch, its tiles a side, the round and the tile size, phase 2 the same without the tiles;
// both stay within the tiles of the padded matrix.
unsafe impl Schedule for TwoPhase {
    fn source(&self, _: Target, parameters: &Parameters) -> KernelSource {
        let mut source =
            KernelSource::embedded("two_phase.cu", include_str!("../../../kernels/two_phase.cu"));
        if square_blocks::side(parameters) != TILE {
            source = square_blocks::with_constant_tile(source, parameters);
        }
        source = square_blocks::with_rest_tile(
            source,
            parameters.get(&TILE_PLACE),
            parameters.get(&ELEMENT_LOOP) == 1,
        );
        if parameters.get(&UNROLLED) == 0 { source.with_define("ROLLED", "1") } else { source }
    }

    fn kernels(&self, _: Target, parameters: &Parameters) -> Vec<KernelUse> {
        ["phase_one", "phase_two"]
            .map(|name| KernelUse {
                name,
                threads: square_blocks::threads(parameters),
                dynamic_shared_bytes: 0,
                tasks_a_block: None,
                paper: None,
            })
            .to_vec()
    }

    fn check(&self, parameters: &Parameters) -> Result<(), String> {
        square_blocks::check(parameters)
    }

    fn also_checked(&self) -> Vec<Parameters> {
        vec![
            Parameters::from([("blocks-per-multiprocessor", 8)]),
            Parameters::from([("tile", 16)]),
            Parameters::from([("unrolled", 0)]),
            Parameters::from([("tile", 16), ("unrolled", 0)]),
            Parameters::from([("tile-place", 1), ("element-loop", 1), ("unrolled", 0)]),
            Parameters::from([("tile-place", 2)]),
        ]
    }

    fn bytes_per_task(&self, parameters: &Parameters) -> Option<(f64, String)> {
        square_blocks::bytes_per_task(parameters)
    }

    /// What every block repeats, closing the independent tile, counts once.
    fn tasks(&self, kernel: &str, n: usize, _blocks: u64, parameters: &Parameters) -> Option<u64> {
        let tile = square_blocks::side(parameters);
        let tiles = (self.layout(parameters).side(n) / tile) as u64;
        let others = tiles - 1;
        let a_round = match kernel {
            "phase_one" => 1 + 2 * others,
            "phase_two" => others * others,
            _ => return None,
        };
        Some(tiles * a_round * (tile as u64).pow(3))
    }

    fn layout(&self, _: &Parameters) -> Layout {
        Layout::PADDED
    }

    fn solve(&self, on: &Solve, launch: &mut Launcher) -> Result<(), DeviceError> {
        let side = self.layout(on.parameters).side(on.n);
        let tile = square_blocks::side(on.parameters);
        let threads = square_blocks::threads(on.parameters);
        let tiles = side / tile;
        let others = tiles - 1;
        let each = match on.parameters.get(&BLOCKS) {
            0 => on.resident_blocks[0].max(1),
            given => given,
        };
        let persistent = on.multiprocessors.max(1) * each;
        let [pitch, tiles_a_side, tile] = [side, tiles, tile].map(|integer| Argument::Int(integer as i32));
        for round in 0..tiles {
            let round = Argument::Int(round as i32);
            let grid = (persistent as usize, 1);
            let arguments = [Argument::Buffer(on.data), pitch, tiles_a_side, round, tile];
            launch(0, Launch::rows_of(grid, threads), &arguments)?;
            if others > 0 {
                let arguments = [Argument::Buffer(on.data), pitch, round, tile];
                launch(1, Launch::rows_of((others, others), threads), &arguments)?;
            }
        }
        Ok(())
    }
}
