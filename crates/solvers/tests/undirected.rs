//! Graphs that are declared undirected: the tiles on one side of the diagonal give every bit that the plain loop over all tasks gives.

use repro_device::emulated::{EmulatedDevice, Instruments};
use repro_device::{Device, HostBuffer};
use repro_graph::{
    DistanceMatrix, Element, RandomGraph, WeightRange, check_symmetric, generate, weight_range,
};
use repro_solvers::{Machine, Parameters, Problem, Untimed, Vectorized, cpu_naive, find};
use std::rc::Rc;

/// An undirected graph in so many orders of blocks and threads.
struct Case<'a> {
    n: usize,
    density: f64,
    parameters: &'a [(&'static str, u32)],
    orders: u64,
}

/// Solves a graph on a device of this order, by half of the tiles.
fn solve<T: Vectorized>(case: &Case, graph: &DistanceMatrix<T>, order: u64) -> Vec<T> {
    let n = case.n;
    let weights = WeightRange { symmetric: true, ..weight_range(graph) };
    let problem = Problem::one(n, T::TYPE, weights);
    let mut options = EmulatedDevice::usual_options(Instruments::CHECK);
    options.seed = order;
    let device = Rc::new(EmulatedDevice::open_with(0, options).unwrap());
    let all: [Rc<dyn Device>; 1] = [device.clone()];
    let parameters: Parameters = case.parameters.iter().copied().collect();
    let known = find("register-blocked").unwrap();
    let mut prepared = known.method.prepare(&problem, Machine::of(&all), &parameters).unwrap();
    let mut input = HostBuffer::pageable(problem.matrix_bytes()).unwrap();
    input.numbers_mut::<T>()[..n * n].copy_from_slice(graph.as_slice());
    let mut output = HostBuffer::pageable(problem.matrix_bytes()).unwrap();
    prepared.run(&input, &mut output, &mut Untimed).unwrap();
    prepared.collect().unwrap();
    let findings = device.take_findings();
    assert!(findings.is_empty(), "n = {n}, {parameters}, order {order}: {findings:?}");
    let done = (n * n * (n + 1)) as f64 / 2.0;
    assert_eq!(known.method.tasks_of_solve(&problem, &parameters), done);
    assert_eq!(known.method.tasks_of_solve(&problem, &parameters.with("half", 0)), (n as f64).powi(3));
    output.numbers::<T>()[..n * n].to_vec()
}

fn half_gives_what_all_give<T: Vectorized>(case: &Case) {
    let random =
        RandomGraph { undirected: true, density: case.density, max_weight: 30, ..RandomGraph::complete(5) };
    let graph = generate::<T>(&random, case.n).unwrap();
    check_symmetric(&graph).unwrap();
    let mut all = graph.as_slice().to_vec();
    cpu_naive::solve(&mut all, case.n);
    for order in 0..case.orders {
        let half = solve(case, &graph, order);
        let wrong = all.iter().zip(&half).position(|(one, two)| !one.settled().same(two.settled()));
        let place = wrong.map(|at| (at / case.n, at % case.n));
        assert_eq!(place, None, "{} n = {}, {:?}, order {order}", T::TYPE, case.n, case.parameters);
    }
}

fn in_each_type(case: &Case) {
    half_gives_what_all_give::<f32>(case);
    half_gives_what_all_give::<i32>(case);
    half_gives_what_all_give::<u16>(case);
}

const CHAINLESS: (&str, u32) = ("chain", 0);

#[test]
fn half_on_the_cpu_gives_what_all_give() {
    let known = find("cpu-parallel").unwrap();
    for n in [50, 200, 300] {
        let random =
            RandomGraph { undirected: true, density: 0.05, max_weight: 30, ..RandomGraph::complete(5) };
        let graph = generate::<i32>(&random, n).unwrap();
        let solve = |symmetric, half| {
            let weights = WeightRange { symmetric, ..weight_range(&graph) };
            let problem = Problem::one(n, i32::TYPE, weights);
            let parameters = Parameters::from([("half", half)]);
            let mut prepared = known.method.prepare(&problem, Machine::of(&[]), &parameters).unwrap();
            let mut input = HostBuffer::pageable(problem.matrix_bytes()).unwrap();
            input.numbers_mut::<i32>()[..n * n].copy_from_slice(graph.as_slice());
            let mut output = HostBuffer::pageable(problem.matrix_bytes()).unwrap();
            prepared.run(&input, &mut output, &mut Untimed).unwrap();
            let tasks = known.method.tasks_of_solve(&problem, &parameters);
            (output.numbers::<i32>()[..n * n].to_vec(), tasks)
        };
        let (all, half) = (solve(true, 0), solve(true, 1));
        assert_eq!(all.1, (n as f64).powi(3));
        assert_eq!(half.1, (n * n * (n + 1)) as f64 / 2.0);
        assert!(all.0 == half.0, "n = {n}");
        assert_eq!(solve(false, 1), all);
    }
}

#[test]
fn half_of_small_tiles_gives_what_all_give() {
    for n in [1, 65, 130] {
        half_gives_what_all_give::<f32>(&Case { n, density: 0.3, parameters: &[CHAINLESS], orders: 1 });
    }
}

#[test]
fn half_gives_what_all_give_in_every_type() {
    in_each_type(&Case { n: 130, density: 0.05, parameters: &[CHAINLESS], orders: 1 });
}

#[test]
fn half_gives_what_all_give_where_a_block_follows_the_diagonal() {
    half_gives_what_all_give::<f32>(&Case { n: 65, density: 0.3, parameters: &[], orders: 2 });
    half_gives_what_all_give::<f32>(&Case { n: 129, density: 0.05, parameters: &[], orders: 1 });
}

#[test]
fn half_gives_what_all_give_in_rounds_of_more_steps() {
    for (n, depth) in [(128, 2), (190, 2)] {
        let parameters = [CHAINLESS, ("tile", 64), ("depth", depth)];
        half_gives_what_all_give::<f32>(&Case { n, density: 0.05, parameters: &parameters, orders: 1 });
    }
}

#[test]
fn half_gives_what_all_give_without_a_feeding_warpgroup() {
    let parameters = [("omit", 3), ("tile", 64), ("depth", 2)];
    half_gives_what_all_give::<f32>(&Case { n: 140, density: 0.05, parameters: &parameters, orders: 1 });
}

#[test]
fn half_of_large_tiles_gives_what_all_give() {
    for (n, depth) in [(129, 1), (300, 2)] {
        let parameters = [("tile", 128), ("depth", depth)];
        half_gives_what_all_give::<f32>(&Case { n, density: 0.05, parameters: &parameters, orders: 1 });
    }
}

#[test]
#[ignore = "minutes: more sizes, types and orders"]
fn half_of_small_tiles_gives_what_all_give_in_several_orders() {
    for n in [64, 193] {
        half_gives_what_all_give::<f32>(&Case { n, density: 0.3, parameters: &[CHAINLESS], orders: 2 });
    }
    half_gives_what_all_give::<u16>(&Case { n: 190, density: 0.05, parameters: &[], orders: 1 });
    half_gives_what_all_give::<f32>(&Case { n: 129, density: 0.05, parameters: &[], orders: 3 });
    for (n, depth) in [(128, 2), (190, 2), (257, 3), (330, 2)] {
        let parameters = [CHAINLESS, ("tile", 64), ("depth", depth)];
        half_gives_what_all_give::<f32>(&Case { n, density: 0.05, parameters: &parameters, orders: 2 });
    }
    in_each_type(&Case { n: 200, density: 0.05, parameters: &[("tile", 64), ("depth", 2)], orders: 1 });
    for depth in [1, 2] {
        let parameters = [("omit", 3), ("tile", 64), ("depth", depth)];
        in_each_type(&Case { n: 201, density: 0.05, parameters: &parameters, orders: 1 });
    }
}

#[test]
#[ignore = "minutes: solves of a hundred million tasks and more, watched"]
fn half_of_many_large_tiles_gives_what_all_give() {
    for (n, depth) in [(640, 1), (601, 2)] {
        let parameters = [("tile", 128), ("depth", depth)];
        half_gives_what_all_give::<f32>(&Case { n, density: 0.02, parameters: &parameters, orders: 1 });
    }
}

#[test]
#[ignore = "minutes: solves of fifty million tasks in several orders, watched"]
fn half_of_large_tiles_gives_what_all_give_in_every_type_and_order() {
    for depth in [1, 2] {
        let parameters = [("tile", 128), ("depth", depth)];
        in_each_type(&Case { n: 385, density: 0.02, parameters: &parameters, orders: 2 });
    }
}
