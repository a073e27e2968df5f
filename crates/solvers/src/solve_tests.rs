//! Whole solves give every bit that the plain loop gives of each graph: of batches, and by half of the tasks where a graph is declared undirected.

use crate::{NoClock, Parameters, Problem, cpu_naive, find};
use repro_device::emulated::{EmulatedDevice, Instruments};
use repro_device::{Device, HostBuffer};
use repro_graph::{DistanceMatrix, Element, RandomGraph, WeightRange, generate, is_symmetric};
use std::rc::Rc;

/// Graphs of one size, and the distances in each.
struct Graphs<T> {
    problem: Problem,
    weights: Vec<T>,
    distances: Vec<T>,
}

impl<T: Element> Graphs<T> {
    fn of(all: &[DistanceMatrix<T>], symmetric: bool) -> Self {
        let n = all[0].n();
        let range = all.iter().map(|graph| graph.survey().weights.range).reduce(WeightRange::and).unwrap();
        let weights: Vec<T> = all.iter().flat_map(|graph| graph.as_slice().to_vec()).collect();
        let mut distances = weights.clone();
        for matrix in distances.chunks_exact_mut(n * n) {
            cpu_naive::solve(matrix, n);
        }
        let problem = Problem::one(n, T::TYPE, WeightRange { symmetric, ..range });
        Self { problem: Problem { graphs: all.len(), ..problem }, weights, distances }
    }

    /// So many graphs, of which each has fewer edges than the one before.
    fn batch(n: usize, graphs: usize, negative: bool) -> Self {
        let graph = |number: usize| {
            let density = [1.0, 0.3, 0.05][number % 3];
            let seed = number as u64;
            generate(&RandomGraph { density, max_weight: 30, negative, ..RandomGraph::complete(seed) }, n)
                .unwrap()
        };
        Self::of(&(0..graphs).map(graph).collect::<Vec<_>>(), false)
    }

    /// One that is declared undirected.
    fn undirected(n: usize, density: f64) -> Self {
        let random = RandomGraph { undirected: true, density, max_weight: 30, ..RandomGraph::complete(5) };
        let graph = generate(&random, n).unwrap();
        assert!(is_symmetric(&graph));
        Self::of(&[graph], true)
    }

    /// Solves them on a device of this order, and compares every bit.
    fn check(&self, name: &str, parameters: &Parameters, order: u64) {
        let Problem { n, graphs, .. } = self.problem;
        let mut options = EmulatedDevice::default_options(Instruments::CHECK);
        options.seed = order;
        let device = Rc::new(EmulatedDevice::open_with(0, options).unwrap());
        let all: [Rc<dyn Device>; 1] = [device.clone()];
        let solver = &find(name).unwrap().solver;
        let mut prepared = solver.prepare(&self.problem, &all, parameters).unwrap();
        let [mut input, mut output] =
            [(); 2].map(|()| HostBuffer::pageable(self.problem.matrix_bytes()).unwrap());
        input.numbers_mut::<T>()[..self.weights.len()].copy_from_slice(&self.weights);
        prepared.run(&input, &mut output, &mut NoClock).unwrap();
        prepared.collect().unwrap();
        let findings = device.take_findings();
        let what = format!("{name}, {} n = {n}, {graphs} graphs, {parameters}, order {order}", T::TYPE);
        assert!(findings.is_empty(), "{what}: {findings:?}");
        let found = &output.numbers::<T>()[..self.weights.len()];
        let mut pairs = self.distances.iter().zip(found);
        let wrong = pairs.position(|(right, found)| !right.canonical().bitwise_eq(found.canonical()));
        assert_eq!(wrong.map(|at| (at / (n * n), at / n % n, at % n)), None, "{what}");
        if self.problem.weights.symmetric {
            let done = (n * n * (n + 1)) as f64 / 2.0;
            assert_eq!(solver.cost(&self.problem, parameters).tasks, done, "{what}");
            let all = solver.cost(&self.problem, &parameters.clone().with("half", 0)).tasks;
            assert_eq!(all, (n as f64).powi(3), "{what}");
        }
    }
}

fn batch_in_each_type(n: usize, graphs: usize, order: u64) {
    let usual = Parameters::default();
    Graphs::<f32>::batch(n, graphs, false).check("batched", &usual, order);
    Graphs::<i32>::batch(n, graphs, true).check("batched", &usual, order);
    Graphs::<u16>::batch(n, graphs, false).check("batched", &usual, order);
}

#[test]
fn batches_of_one_tile_and_of_several_are_solved() {
    Graphs::<f32>::batch(65, 2, false).check("batched", &Parameters::default(), 0);
}

#[test]
fn what_solves_one_graph_solves_a_batch_in_turn_or_refuses_it() {
    Graphs::<u16>::batch(7, 3, false).check("cpu-naive", &Parameters::default(), 0);
    let batch = Graphs::<f32>::batch(3, 5, false).problem;
    assert_eq!(
        (batch.full_task_count(), batch.symmetric_task_count(), batch.rows(), batch.entries()),
        (135.0, 90.0, 15, 45)
    );
    let device: [Rc<dyn Device>; 1] = [Rc::new(EmulatedDevice::open(Instruments::NONE).unwrap())];
    let refused = find("staged-load").unwrap().solver.prepare(&batch, &device, &Parameters::default());
    assert!(refused.err().unwrap().message.contains("choose batched"));
}

#[test]
fn half_of_the_tasks_on_the_cpu_gives_what_all_give_where_a_graph_is_declared_undirected() {
    for n in [50, 200, 300] {
        let mut graph = Graphs::<i32>::undirected(n, 0.05);
        graph.check("cpu-parallel", &Parameters::from([("half", 1)]), 0);
        graph.problem.weights.symmetric = false;
        graph.check("cpu-parallel", &Parameters::from([("half", 1)]), 0);
        let tasks =
            find("cpu-parallel").unwrap().solver.cost(&graph.problem, &Parameters::from([("half", 1)])).tasks;
        assert_eq!(tasks, (n as f64).powi(3));
    }
}

const CHAINLESS: (&str, u32) = ("chain", 0);

/// Half of the tasks of an undirected graph with these parameters, in so many orders.
type Half = (usize, f64, &'static [(&'static str, u32)], u64);

fn half_gives_what_all_give<T: Element>((n, density, parameters, orders): Half) {
    let graph = Graphs::<T>::undirected(n, density);
    let parameters = parameters.iter().copied().collect();
    (0..orders).for_each(|order| graph.check("register-blocked", &parameters, order));
}

fn half_in_each_type(half: Half) {
    half_gives_what_all_give::<f32>(half);
    half_gives_what_all_give::<i32>(half);
    half_gives_what_all_give::<u16>(half);
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn batches_are_solved_in_every_type_and_with_negative_weights() {
        for (n, graphs) in [(1, 5), (7, 3), (63, 2), (65, 2)] {
            batch_in_each_type(n, graphs, n as u64 % 5);
        }
        Graphs::<f32>::batch(129, 2, false).check("batched", &Parameters::default(), 2);
        Graphs::<f32>::batch(67, 2, true).check("batched", &Parameters::default(), 1);
        Graphs::<f32>::batch(65, 3, false).check("register-blocked", &Parameters::default(), 0);
    }

    #[test]
    #[ignore = "long"]
    fn half_of_the_tasks_gives_what_all_give_by_tiles_of_every_kind() {
        for half in [
            (1, 0.3, &[CHAINLESS][..], 1),
            (65, 0.3, &[CHAINLESS], 1),
            (65, 0.3, &[], 2),
            // In rounds of more steps.
            (190, 0.05, &[CHAINLESS, ("tile", 64), ("depth", 2)], 1),
            // Without a feeding warpgroup.
            (140, 0.05, &[("omit", 3), ("tile", 64), ("depth", 2)], 1),
            (129, 0.05, &[("tile", 128), ("depth", 1)], 1),
            (300, 0.05, &[("tile", 128), ("depth", 2)], 1),
        ] {
            half_gives_what_all_give::<f32>(half);
        }
        half_in_each_type((130, 0.05, &[CHAINLESS], 1));
    }
}

mod minutes {
    use super::*;

    #[test]
    #[ignore = "minutes: every size, type and order"]
    fn batches_are_solved_at_every_size_in_several_orders() {
        for n in [1, 7, 63, 64, 65, 96, 127, 128, 129, 200] {
            for order in 0..3 {
                batch_in_each_type(n, 3, order);
            }
        }
        batch_in_each_type(300, 2, 1);
    }

    #[test]
    #[ignore = "minutes: more sizes, types and orders, watched, of fifty million tasks and more"]
    fn half_of_the_tasks_gives_what_all_give_at_more_sizes_in_several_orders() {
        for half in [
            (64, 0.3, &[CHAINLESS][..], 2),
            (129, 0.05, &[], 3),
            (190, 0.05, &[CHAINLESS, ("tile", 64), ("depth", 2)], 2),
            (257, 0.05, &[CHAINLESS, ("tile", 64), ("depth", 3)], 2),
            (330, 0.05, &[CHAINLESS, ("tile", 64), ("depth", 2)], 2),
            (640, 0.02, &[("tile", 128), ("depth", 1)], 1),
            (601, 0.02, &[("tile", 128), ("depth", 2)], 1),
        ] {
            half_gives_what_all_give::<f32>(half);
        }
        half_gives_what_all_give::<u16>((190, 0.05, &[], 1));
        for half in [
            (200, 0.05, &[("tile", 64), ("depth", 2)][..], 1),
            (201, 0.05, &[("omit", 3), ("tile", 64), ("depth", 1)], 1),
            (201, 0.05, &[("omit", 3), ("tile", 64), ("depth", 2)], 1),
            (385, 0.02, &[("tile", 128), ("depth", 1)], 2),
            (385, 0.02, &[("tile", 128), ("depth", 2)], 2),
        ] {
            half_in_each_type(half);
        }
    }
}
