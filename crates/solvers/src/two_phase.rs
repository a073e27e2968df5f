//! The two-phase algorithm with persistent blocks: gaioso-2013, section V.

use super::layout::{Layout, TILE};
use super::{
    Implementation, KernelUse, Launcher, Parameter, Parameters, Schedule, Scheduled, Solve, Target, Traffic,
};
use repro_device::{Argument, DeviceError, KernelSource, Launch};

const THREADS: u32 = (TILE * TILE) as u32;

const BLOCKS: Parameter = Parameter {
    name: "blocks-per-multiprocessor",
    meaning: "blocks of phase 1 for each multiprocessor, 0: as many as it holds at once",
    default: 0,
    lowest: 0,
    highest: 8,
};

pub fn implementation() -> Implementation {
    Implementation {
        name: "two-phase".into(),
        summary: "blocked in two kernels a round: persistent blocks that each close the independent tile"
            .into(),
        source: "gaioso-2013 §V, Algorithm 3".into(),
        traffic: Traffic::TILES_OF_32,
        parameters: (&[BLOCKS]).into(),
        method: Scheduled::of(TwoPhase),
    }
}

struct TwoPhase;

// SAFETY: phase 1 takes a matrix, its pitch, its tiles a side and the round, phase 2 the same without the tiles; both stay within
// the tiles of the padded matrix.
unsafe impl Schedule for TwoPhase {
    fn source(&self, _: Target, _: &Parameters) -> KernelSource {
        KernelSource::embedded("two_phase.cu", include_str!("../../../kernels/two_phase.cu"))
    }

    fn kernels(&self, _: Target, _: &Parameters) -> Vec<KernelUse> {
        ["phase_one", "phase_two"]
            .map(|name| KernelUse {
                name,
                threads: THREADS,
                dynamic_shared_bytes: 0,
                tasks_a_block: None,
                paper: None,
            })
            .to_vec()
    }

    fn also_checked(&self) -> Vec<Parameters> {
        vec![Parameters::from([("blocks-per-multiprocessor", 8)])]
    }

    /// What every block repeats, closing the independent tile, counts once.
    fn tasks(&self, kernel: &str, n: usize, _blocks: u64, _: &Parameters) -> Option<u64> {
        let tiles = (self.layout().side(n) / TILE) as u64;
        let others = tiles - 1;
        let a_round = match kernel {
            "phase_one" => 1 + 2 * others,
            "phase_two" => others * others,
            _ => return None,
        };
        Some(tiles * a_round * (TILE as u64).pow(3))
    }

    fn layout(&self) -> Layout {
        Layout::PaddedRows
    }

    fn solve(&self, on: &Solve, launch: &mut Launcher) -> Result<(), DeviceError> {
        let side = self.layout().side(on.n);
        let tiles = side / TILE;
        let others = tiles - 1;
        let each = match on.parameters.get(&BLOCKS) {
            0 => on.resident_blocks[0].max(1),
            given => given,
        };
        let persistent = on.multiprocessors.max(1) * each;
        let [pitch, tiles_a_side] = [side, tiles].map(|integer| Argument::Int(integer as i32));
        for round in 0..tiles {
            let round = Argument::Int(round as i32);
            let grid = (persistent as usize, 1);
            let arguments = [Argument::Buffer(on.data), pitch, tiles_a_side, round];
            launch(0, Launch::rows_of(grid, THREADS), &arguments)?;
            if others > 0 {
                let arguments = [Argument::Buffer(on.data), pitch, round];
                launch(1, Launch::rows_of((others, others), THREADS), &arguments)?;
            }
        }
        Ok(())
    }
}
