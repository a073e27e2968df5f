//! The two-phase algorithm with persistent blocks: gaioso-2013, section V.

use super::layout::{Layout, TILE};
use super::square_blocks::{self, SIZE, unrolled};
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

pub fn implementation() -> Implementation {
    Implementation {
        name: "two-phase".into(),
        summary: "blocked in two kernels a round: persistent blocks that each close the independent tile"
            .into(),
        source: "gaioso-2013 §V, Algorithm 3".into(),
        traffic: Traffic::TILES_OF_32,
        parameters: (&[BLOCKS, SIZE, UNROLLED]).into(),
        method: Scheduled::of(TwoPhase),
    }
}

struct TwoPhase;

// SAFETY: phase 1 takes a matrix, its pitch, its tiles a side and the round, phase 2 the same without the tiles, rolled ones the
// tile size behind them; both stay within the tiles of the padded matrix.
unsafe impl Schedule for TwoPhase {
    fn source(&self, _: Target, parameters: &Parameters) -> KernelSource {
        let mut source =
            KernelSource::embedded("two_phase.cu", include_str!("../../../kernels/two_phase.cu"));
        if square_blocks::side(parameters) != TILE {
            source = square_blocks::with_constant_tile(source, parameters);
        }
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
        let is_rolled = on.parameters.get(&UNROLLED) == 0;
        let of_rolled = is_rolled.then_some(Argument::Int(tile as i32));
        let persistent = on.multiprocessors.max(1) * each;
        let [pitch, tiles_a_side] = [side, tiles].map(|integer| Argument::Int(integer as i32));
        for round in 0..tiles {
            let round = Argument::Int(round as i32);
            let grid = (persistent as usize, 1);
            let arguments = [Argument::Buffer(on.data), pitch, tiles_a_side, round];
            let arguments: Vec<Argument> = arguments.into_iter().chain(of_rolled).collect();
            launch(0, Launch::rows_of(grid, threads), &arguments)?;
            if others > 0 {
                let arguments = [Argument::Buffer(on.data), pitch, round];
                let arguments: Vec<Argument> = arguments.into_iter().chain(of_rolled).collect();
                launch(1, Launch::rows_of((others, others), threads), &arguments)?;
            }
        }
        Ok(())
    }
}
