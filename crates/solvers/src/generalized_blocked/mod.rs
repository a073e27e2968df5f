//! The generalized blocked algorithm: likhoded-sipeyko-2019.

mod model;

use super::{
    Implementation, KernelTraffic, KernelUse, Launcher, Layout, Parameter, Parameters, Schedule, Scheduled,
    Solve, Target, Traffic,
};
use crate::padding::{self, PADDING};
use model::{Procedure, RoundGroup};
use repro_device::{Argument, DeviceError, DeviceInfo, KernelSource, Launch};

const KAPPA: Parameter = Parameter {
    name: "kappa",
    meaning: "rounds of a tile that run as one, at most the tiles a side",
    default: 1,
    lowest: 1,
    highest: 65_535,
};
const TILE: Parameter =
    Parameter { name: "tile", meaning: "the paper's r: 8, 16 or 32", default: 32, lowest: 8, highest: 32 };
const SPREAD: Parameter = Parameter {
    name: "spread-lead",
    meaning: "1: CalcLeadBlock on all multiprocessors, as in Remark 4",
    default: 0,
    lowest: 0,
    highest: 1,
};
const STAGE: Parameter = Parameter {
    name: "stage",
    meaning: "values of k in shared memory at a time: 4, 8, 16 or 32, at most a tile; 0: half a tile",
    default: 0,
    lowest: 0,
    highest: 32,
};
const REST_THREADS: Parameter = Parameter {
    name: "rest-threads",
    meaning: "threads a block of CalcRestBlocks: 64, with 16 elements each, of tiles of 32; 0: one thread an element",
    default: 0,
    lowest: 0,
    highest: 64,
};

pub fn implementation() -> Implementation {
    Implementation {
        name: "generalized-blocked".into(),
        summary: "blocked, up to kappa rounds of a tile as one multitile that is stored once".into(),
        source: "likhoded-sipeyko-2019".into(),
        traffic: Traffic::TILES_OF_32,
        parameters: (&[KAPPA, TILE, SPREAD, STAGE, REST_THREADS, PADDING]).into(),
        method: Scheduled::of(GeneralizedBlocked),
    }
}

struct GeneralizedBlocked;

/// The parameters' values.
#[derive(Clone, Copy)]
struct Shape {
    kappa: usize,
    /// The paper's r.
    tile: usize,
    spread: bool,
    /// Of CalcRestBlocks.
    padding_bytes: u32,
}

impl Shape {
    fn of(parameters: &Parameters) -> Self {
        Self {
            kappa: parameters.get(&KAPPA) as usize,
            tile: parameters.get(&TILE) as usize,
            spread: parameters.get(&SPREAD) == 1,
            padding_bytes: padding::bytes(parameters),
        }
    }

    /// Shared memory that a block is launched with and does not use.
    fn padding_bytes(self, procedure: Procedure) -> u32 {
        if procedure == Procedure::RestBlocks { self.padding_bytes } else { 0 }
    }

    /// The paper's Q for `n` vertices.
    fn tiles(self, n: usize) -> usize {
        n.div_ceil(self.tile)
    }

    /// Threads of every block of a procedure.
    fn threads(self, procedure: Procedure, parameters: &Parameters) -> u32 {
        match parameters.get(&REST_THREADS) {
            given if given > 0 && procedure == Procedure::RestBlocks => given,
            _ => (self.tile * self.tile) as u32,
        }
    }
}

/// In the order in which [`Schedule::kernels`] names them.
const PROCEDURES: [(Procedure, &str); 5] = [
    (Procedure::LeadBlock, "lead_block"),
    (Procedure::LeadBlockPart, "lead_block_part"),
    (Procedure::LeadRowAndColumn, "lead_row_and_column"),
    (Procedure::LeadRowAndColumnReverse, "lead_row_and_column_reverse"),
    (Procedure::RestBlocks, "rest_blocks"),
];

// SAFETY: every procedure takes a matrix, its pitch and the integers that it is given below, and stays within the tiles of the
// padded matrix.
unsafe impl Schedule for GeneralizedBlocked {
    fn source(&self, _: Target, parameters: &Parameters) -> KernelSource {
        let source = match parameters.get(&TILE) {
            _ if parameters.get(&REST_THREADS) > 0 => KernelSource::embedded(
                "generalized_blocked_32_by_64.cu",
                include_str!("../../../../kernels/generalized_blocked_32_by_64.cu"),
            ),
            8 => KernelSource::embedded(
                "generalized_blocked_8.cu",
                include_str!("../../../../kernels/generalized_blocked_8.cu"),
            ),
            16 => KernelSource::embedded(
                "generalized_blocked_16.cu",
                include_str!("../../../../kernels/generalized_blocked_16.cu"),
            ),
            _ => KernelSource::embedded(
                "generalized_blocked_32.cu",
                include_str!("../../../../kernels/generalized_blocked_32.cu"),
            ),
        };
        match parameters.get(&STAGE) {
            0 => source,
            stage => source.with_define("STAGE", &stage.to_string()),
        }
    }

    fn kernels(&self, _: Target, parameters: &Parameters) -> Vec<KernelUse> {
        let shape = Shape::of(parameters);
        PROCEDURES
            .map(|(procedure, name)| KernelUse {
                name,
                threads: shape.threads(procedure, parameters),
                dynamic_shared_bytes: shape.padding_bytes(procedure),
                tasks_a_block: None,
                paper: None,
            })
            .to_vec()
    }

    fn check(&self, parameters: &Parameters) -> Result<(), String> {
        let tile = parameters.get(&TILE);
        if !matches!(tile, 8 | 16 | 32) {
            return Err(format!("tile = {tile}: there are kernels for 8, 16 and 32"));
        }
        match parameters.get(&STAGE) {
            0 => {}
            stage @ (4 | 8 | 16 | 32) if stage <= tile => {}
            stage => {
                return Err(format!(
                    "stage = {stage} with tile = {tile}: expected 0, 4, 8, 16 or 32, and at most the tile"
                ));
            }
        }
        match (parameters.get(&REST_THREADS), tile) {
            (0, _) | (64, 32) => Ok(()),
            (threads, _) => {
                Err(format!("rest-threads = {threads} with tile = {tile}: expected 0, or 64 with tile = 32"))
            }
        }
    }

    fn fits(&self, n: usize, parameters: &Parameters) -> Result<(), String> {
        let shape = Shape::of(parameters);
        let tiles = shape.tiles(n);
        if shape.kappa <= tiles {
            return Ok(());
        }
        Err(format!("n = {n} has {tiles} tiles of {} a side, and kappa is at most their number", shape.tile))
    }

    fn fits_on(&self, device: &DeviceInfo, _: Target, parameters: &Parameters) -> Result<(), String> {
        let tile = parameters.get(&TILE);
        let stage = match parameters.get(&STAGE) {
            0 => tile / 2,
            given => given,
        };
        let declared = 2 * stage * tile * size_of::<f32>() as u32;
        padding::check(device, u64::from(declared), parameters)
    }

    fn also_checked(&self) -> Vec<Parameters> {
        vec![
            Parameters::from([("kappa", 2)]),
            Parameters::from([("kappa", 3)]),
            Parameters::from([("kappa", 3), ("spread-lead", 1)]),
            Parameters::from([("kappa", 4), ("tile", 8)]),
            Parameters::from([("kappa", 5), ("tile", 16), ("spread-lead", 1)]),
            Parameters::from([("kappa", 2), ("stage", 32)]),
            Parameters::from([("kappa", 2), ("rest-threads", 64), ("stage", 4)]),
            Parameters::from([("rest-threads", 64), ("stage", 8), ("padding-kib", 25)]),
        ]
    }

    fn bytes_per_task(&self, parameters: &Parameters) -> Option<(f64, String)> {
        let Shape { kappa, tile, .. } = Shape::of(parameters);
        // A multitile of κ rounds reads its own tile and two a round, and stores its own.
        let words = (2 * kappa + 2) as f64 / (kappa * tile) as f64;
        Some((
            words * size_of::<f32>() as f64,
            format!("{} tiles read and 1 written per {kappa} x {tile} tasks of an element", 2 * kappa + 1),
        ))
    }

    fn tasks(&self, kernel: &str, n: usize, _blocks: u64, parameters: &Parameters) -> Option<u64> {
        let model = model::traffic(n, Shape::of(parameters));
        model.iter().find(|modelled| modelled.kernel == kernel).map(|modelled| modelled.tasks)
    }

    fn model(&self, n: usize, parameters: &Parameters) -> Option<Vec<KernelTraffic>> {
        Some(model::traffic(n, Shape::of(parameters)))
    }

    fn layout(&self, _: &Parameters) -> Layout {
        Layout::PADDED
    }

    fn solve(&self, on: &Solve, launch: &mut Launcher) -> Result<(), DeviceError> {
        let shape = Shape::of(on.parameters);
        let pitch = self.layout(on.parameters).side(on.n);
        let tiles = shape.tiles(on.n);
        let mut launch = |procedure: Procedure, grid: (usize, usize), integers: &[usize]| {
            let at = PROCEDURES.iter().position(|(one, _)| *one == procedure).unwrap_or(0);
            let mut arguments = vec![Argument::Buffer(on.data), Argument::Int(pitch as i32)];
            arguments.extend(integers.iter().map(|&integer| Argument::Int(integer as i32)));
            let launched = Launch {
                dynamic_shared_bytes: shape.padding_bytes(procedure),
                ..Launch::rows_of(grid, shape.threads(procedure, on.parameters))
            };
            launch(at, launched, &arguments)
        };
        for group in RoundGroup::all(tiles, shape.kappa) {
            let (start, end) = (group.rounds.start, group.rounds.end);
            for lead in group.rounds.clone() {
                let spreads = shape.spread && lead > start;
                if spreads {
                    launch(
                        Procedure::LeadBlockPart,
                        (shape.tile / PART_COLUMNS, shape.tile),
                        &[start, lead],
                    )?;
                }
                let first = if spreads { lead } else { start };
                launch(Procedure::LeadBlock, (1, 1), &[first, lead])?;
                if tiles > 1 {
                    launch(Procedure::LeadRowAndColumn, (tiles - 1, 2), &[start, lead])?;
                }
            }
            for lead in (start..end - 1).rev() {
                let of_row = group.reverse_of_row(lead);
                let arguments = [lead, end, of_row];
                launch(Procedure::LeadRowAndColumnReverse, (2 * of_row - 1, 1), &arguments)?;
            }
            let rest = group.rest_side();
            if rest > 0 {
                launch(Procedure::RestBlocks, (rest, rest), &[start, end])?;
            }
        }
        Ok(())
    }
}

/// Columns of the lead tile that a block of `lead_block_part` owns, as in `generalized_blocked.cuh`.
const PART_COLUMNS: usize = 8;
