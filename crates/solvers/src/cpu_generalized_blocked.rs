//! The generalized blocked algorithm on one core: likhoded-sipeyko-2019.

use super::{
    Cost, CpuSolver, Implementation, OnCpu, Parameter, Parameters, Problem, Traffic, cpu_generalized,
};
use cpu_generalized::{STEP, Shape};
use repro_device::DeviceError;
use repro_graph::Element;

const KAPPA: Parameter =
    Parameter::new("kappa", "rounds of a tile that run as one, at most the tiles a side", 1, 1..=65_535);
const TILE: Parameter = Parameter::new("tile", "the paper's r: a multiple of 8", 32, STEP as u32..=256);

pub fn implementation() -> Implementation {
    let summary = "blocked on one core, up to kappa rounds of a tile while it is in the caches";
    let source = "likhoded-sipeyko-2019, introduction: what is said of caches";
    Implementation {
        parameters: (&[KAPPA, TILE]).into(),
        verified_with: vec![
            Parameters::from([("kappa", 2)]),
            Parameters::from([("kappa", 3), ("tile", 8)]),
            Parameters::from([("kappa", 2), ("tile", 24)]),
        ],
        ..Implementation::new("cpu-generalized-blocked", summary, source, OnCpu(GeneralizedBlocked))
    }
}

#[derive(Clone, Copy)]
struct GeneralizedBlocked;

fn shape(parameters: &Parameters) -> Shape {
    Shape { tile: TILE.of(parameters) as usize, kappa: KAPPA.of(parameters) as usize }
}

impl CpuSolver for GeneralizedBlocked {
    fn solve<T: Element>(
        &self,
        matrix: &mut [T],
        n: usize,
        parameters: &Parameters,
        _: bool,
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
        let tile = TILE.of(parameters);
        if tile.is_multiple_of(STEP as u32) {
            return Ok(());
        }
        Err(format!("tile = {tile}: expected a multiple of {STEP}"))
    }

    fn traffic(&self, parameters: &Parameters) -> Traffic {
        let Shape { kappa, tile } = shape(parameters);
        let words = (2 * kappa + 2) as f64 / (kappa * tile) as f64;
        let model =
            format!("{} tiles read and 1 written per {kappa} x {tile} tasks of an element", 2 * kappa + 1);
        Traffic { bytes_per_task: words * size_of::<f32>() as f64, model: model.into(), paper: None }
    }

    fn cost(&self, problem: &Problem, parameters: &Parameters) -> Cost {
        let copied = shape(parameters).entries(problem.n) * problem.element.bytes();
        Cost::of(problem, copied as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use repro_graph::{ElementType, WeightRange};

    #[test]
    fn memory_for_the_tiles_depends_on_their_side() {
        let weights =
            WeightRange { largest: 1.0, negative: false, complete: true, grain: 1.0, symmetric: false };
        let problem = Problem::one(100, ElementType::F32, weights);
        let of = |tile: u32| GeneralizedBlocked.cost(&problem, &Parameters::from([("tile", tile)])).bytes;
        assert_eq!([of(32), of(64)], [128 * 128 * 4; 2]);
        assert_eq!(of(8), 104 * 104 * 4);
    }
}
