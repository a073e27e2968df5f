//! The generalized blocked algorithm on one core: likhoded-sipeyko-2019.

use super::{CpuSolver, Implementation, OnCpu, Parameter, Parameters, Traffic, Vectorized, cpu_generalized};
use cpu_generalized::{STEP, Shape};
use repro_device::DeviceError;

const KAPPA: Parameter = Parameter {
    name: "kappa",
    meaning: "rounds of a tile that run as one, at most the tiles a side",
    default: 1,
    lowest: 1,
    highest: 65_535,
};
const TILE: Parameter = Parameter {
    name: "tile",
    meaning: "the paper's r: a multiple of 8",
    default: 32,
    lowest: STEP as u32,
    highest: 256,
};

pub fn implementation() -> Implementation {
    Implementation {
        name: "cpu-generalized-blocked".into(),
        summary: "blocked on one core, up to kappa rounds of a tile while it is in the caches".into(),
        source: "likhoded-sipeyko-2019, introduction: what is said of caches".into(),
        traffic: Traffic::TILES_OF_32,
        parameters: (&[KAPPA, TILE]).into(),
        method: OnCpu::of(GeneralizedBlocked),
    }
}

struct GeneralizedBlocked;

fn shape(parameters: &Parameters) -> Shape {
    Shape { tile: parameters.get(&TILE) as usize, kappa: parameters.get(&KAPPA) as usize }
}

impl CpuSolver for GeneralizedBlocked {
    fn solve<T: Vectorized>(
        &self,
        matrix: &mut [T],
        n: usize,
        parameters: &Parameters,
    ) -> Result<(), DeviceError> {
        cpu_generalized::solve(matrix, n, shape(parameters));
        Ok(())
    }

    fn fits(&self, n: usize, parameters: &Parameters) -> Result<(), String> {
        let shape = shape(parameters);
        let tiles = shape.tiles(n);
        if shape.kappa <= tiles {
            return Ok(());
        }
        Err(format!("n = {n} has {tiles} tiles of {} a side, and kappa is at most their number", shape.tile))
    }

    fn check(&self, parameters: &Parameters) -> Result<(), String> {
        let tile = parameters.get(&TILE);
        if tile.is_multiple_of(STEP as u32) {
            return Ok(());
        }
        Err(format!("tile = {tile}: expected a multiple of {STEP}"))
    }

    fn bytes_per_task(&self, parameters: &Parameters) -> Option<(f64, String)> {
        let Shape { kappa, tile } = shape(parameters);
        let words = (2 * kappa + 2) as f64 / (kappa * tile) as f64;
        Some((
            words * size_of::<f32>() as f64,
            format!("{} tiles read and 1 written per {kappa} x {tile} tasks of an element", 2 * kappa + 1),
        ))
    }

    fn also_checked(&self) -> Vec<Parameters> {
        vec![
            Parameters::from([("kappa", 2)]),
            Parameters::from([("kappa", 3), ("tile", 8)]),
            Parameters::from([("kappa", 2), ("tile", 24)]),
        ]
    }

    fn extra_bytes<T: Vectorized>(&self, n: usize, parameters: &Parameters) -> usize {
        shape(parameters).extra_bytes::<T>(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_for_the_tiles_depends_on_their_side() {
        let of = |tile: u32| GeneralizedBlocked.extra_bytes::<f32>(100, &Parameters::from([("tile", tile)]));
        assert_eq!([of(32), of(64)], [128 * 128 * 4; 2]);
        assert_eq!(of(8), 104 * 104 * 4);
    }
}
