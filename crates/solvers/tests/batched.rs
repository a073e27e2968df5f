//! Batches of graphs: `batched` gives every bit that a plain solve of each graph gives, and so do those that solve them in turn.

use repro_device::emulated::{EmulatedDevice, Instruments};
use repro_device::{Device, HostBuffer};
use repro_graph::{Element, RandomGraph, WeightRange, generate, weight_range};
use repro_solvers::{Machine, Parameters, Problem, Untimed, Vectorized, cpu_naive, find};
use std::rc::Rc;

/// Graphs of one size that are solved at once.
struct Batch<T> {
    problem: Problem,
    weights: Vec<T>,
    distances: Vec<T>,
}

impl<T: Vectorized> Batch<T> {
    /// So many graphs, of which each has fewer edges than the one before.
    fn of(n: usize, graphs: usize, negative: bool) -> Self {
        let drawn: Vec<_> = (0..graphs).map(|number| graph::<T>(n, number, negative)).collect();
        let range = drawn.iter().map(weight_range).reduce(WeightRange::and).unwrap();
        let weights = drawn.iter().flat_map(|graph| graph.as_slice().to_vec()).collect::<Vec<T>>();
        let mut distances = weights.clone();
        for matrix in distances.chunks_exact_mut(n * n) {
            cpu_naive::solve(matrix, n);
            matrix.iter_mut().for_each(|distance| *distance = distance.settled());
        }
        Self { problem: Problem { graphs, ..Problem::one(n, T::TYPE, range) }, weights, distances }
    }

    /// Solves it on a device of this order, and compares every bit.
    fn check(&self, name: &str, order: u64) {
        let Problem { n, graphs, .. } = self.problem;
        let mut options = EmulatedDevice::usual_options(Instruments::CHECK);
        options.seed = order;
        let device = Rc::new(EmulatedDevice::open_with(0, options).unwrap());
        let all: [Rc<dyn Device>; 1] = [device.clone()];
        let method = &find(name).unwrap().method;
        let mut prepared = method.prepare(&self.problem, Machine::of(&all), &Parameters::default()).unwrap();
        let [mut input, mut output] =
            [(); 2].map(|()| HostBuffer::pageable(self.problem.matrix_bytes()).unwrap());
        input.numbers_mut::<T>()[..self.weights.len()].copy_from_slice(&self.weights);
        prepared.run(&input, &mut output, &mut Untimed).unwrap();
        prepared.collect().unwrap();
        let findings = device.take_findings();
        let what = format!("{name}, {} n = {n}, {graphs} graphs, order {order}", T::TYPE);
        assert!(findings.is_empty(), "{what}: {findings:?}");
        let found = &output.numbers::<T>()[..self.weights.len()];
        let wrong = self.distances.iter().zip(found).position(|(right, found)| !right.same(found.settled()));
        assert_eq!(wrong.map(|at| (at / (n * n), at / n % n, at % n)), None, "{what}");
    }
}

fn graph<T: Element>(n: usize, number: usize, negative: bool) -> repro_graph::DistanceMatrix<T> {
    let density = [1.0, 0.3, 0.05][number % 3];
    generate(&RandomGraph { density, max_weight: 30, negative, ..RandomGraph::complete(number as u64) }, n)
        .unwrap()
}

fn in_each_type(n: usize, graphs: usize, order: u64) {
    Batch::<f32>::of(n, graphs, false).check("batched", order);
    Batch::<i32>::of(n, graphs, true).check("batched", order);
    Batch::<u16>::of(n, graphs, false).check("batched", order);
}

#[test]
fn graphs_of_one_tile_are_solved_in_every_type() {
    for (n, graphs) in [(1, 5), (7, 3), (63, 2)] {
        in_each_type(n, graphs, n as u64);
    }
}

#[test]
fn graphs_of_several_tiles_are_solved_in_every_type() {
    in_each_type(65, 2, 0);
    Batch::<u16>::of(127, 2, false).check("batched", 1);
    Batch::<f32>::of(129, 2, false).check("batched", 2);
}

#[test]
fn negative_weights_are_solved() {
    Batch::<f32>::of(63, 2, true).check("batched", 0);
    Batch::<f32>::of(67, 2, true).check("batched", 1);
}

#[test]
fn what_solves_one_graph_solves_a_batch_in_turn_or_refuses_it() {
    Batch::<f32>::of(65, 3, false).check("register-blocked", 0);
    Batch::<u16>::of(7, 3, false).check("cpu-naive", 0);
    let batch = Batch::<f32>::of(2, 2, false);
    let device: [Rc<dyn Device>; 1] = [Rc::new(EmulatedDevice::open(Instruments::NONE).unwrap())];
    let known = find("staged-load").unwrap();
    let refused = known.method.prepare(&batch.problem, Machine::of(&device), &Parameters::default());
    assert!(refused.err().unwrap().message.contains("choose batched"));
}

#[test]
fn a_batch_has_the_tasks_of_all_its_graphs() {
    let problem = Batch::<f32>::of(3, 5, false).problem;
    assert_eq!((problem.cubed(), problem.halved(), problem.rows(), problem.entries()), (135.0, 90.0, 15, 45));
}

#[test]
#[ignore = "minutes: every size, type and order"]
fn batches_are_solved_at_every_size_in_several_orders() {
    for n in [1, 7, 63, 64, 65, 96, 127, 128, 129, 200] {
        for order in 0..3 {
            in_each_type(n, 3, order);
        }
    }
    in_each_type(300, 2, 1);
}
