//! Half of the tasks of graphs that are declared undirected, on emulated devices in one column: every bit that all tasks give.

use crate::distributed::solver::DEVICES;
use crate::{NoClock, Parameters, PreparedSolve, Problem, ShardedSolve, cpu_naive, find};
use repro_device::emulated::{EmulatedDevice, Instruments};
use repro_device::{Device, HostBuffer};
use repro_graph::{DistanceMatrix, Element, RandomGraph, WeightRange, generate, is_symmetric};
use repro_timing::CountingClock;
use std::rc::Rc;

fn undirected<T: Element>(n: usize) -> DistanceMatrix<T> {
    let random = RandomGraph { undirected: true, density: 0.05, max_weight: 30, ..RandomGraph::complete(5) };
    let graph = generate::<T>(&random, n).unwrap();
    assert!(is_symmetric(&graph));
    graph
}

/// So many devices in a column.
fn column(devices: u32, depth: u32) -> Parameters {
    Parameters::from([("devices", devices), ("rows", devices), ("tile", 64), ("depth", depth), ("half", 1)])
}

/// Emulated devices, as many as these parameters take.
struct Devices(Vec<Rc<EmulatedDevice>>);

impl Devices {
    fn of(parameters: &Parameters, instruments: Instruments) -> Self {
        let open = |ordinal| Rc::new(EmulatedDevice::open_ordinal(ordinal, instruments).unwrap());
        Self((0..DEVICES.value_in(parameters) as usize).map(open).collect())
    }

    fn all(&self) -> Vec<Rc<dyn Device>> {
        self.0.iter().map(|device| device.clone() as Rc<dyn Device>).collect()
    }

    fn assert_clean(&self, what: &str) {
        let findings: Vec<_> = self.0.iter().flat_map(|device| device.take_findings()).collect();
        assert!(findings.is_empty(), "{what}: {findings:?}");
    }
}

/// A graph that is declared symmetric, prepared.
fn prepare<T: Element>(
    graph: &DistanceMatrix<T>,
    devices: &[Rc<dyn Device>],
    parameters: &Parameters,
) -> Box<dyn PreparedSolve> {
    let weights = WeightRange { symmetric: true, ..graph.survey().weights.range };
    let problem = Problem::one(graph.n(), T::TYPE, weights);
    crate::distributed::register();
    let known = find("distributed-blocked").unwrap();
    known.solver.prepare(&problem, devices, parameters).unwrap()
}

/// All distances, and how many times it loaded from shared memory where the devices count.
fn solve<T: Element>(
    graph: &DistanceMatrix<T>,
    parameters: &Parameters,
    instruments: Instruments,
) -> (Vec<T>, u64) {
    let devices = Devices::of(parameters, instruments);
    let (all, entries) = (devices.all(), graph.n() * graph.n());
    let mut prepared = prepare(graph, &all, parameters);
    let host = || HostBuffer::pageable(entries * T::TYPE.bytes()).unwrap();
    let (mut input, mut output) = (host(), host());
    input.numbers_mut::<T>()[..entries].copy_from_slice(graph.as_slice());
    let mut clock = CountingClock::new(&all);
    prepared.run(&input, &mut output, &mut clock).unwrap();
    devices.assert_clean(&format!("n = {}, {parameters}", graph.n()));
    let loads = clock.take().iter().map(|launch| launch.counts.shared_load.requests).sum();
    (output.numbers::<T>()[..entries].to_vec(), loads)
}

fn assert_same<T: Element>(one: &[T], two: &[T], n: usize, what: &Parameters) {
    let wrong = one.iter().zip(two).position(|(one, two)| !one.canonical().bitwise_eq(two.canonical()));
    assert_eq!(wrong.map(|at| (at / n, at % n)), None, "{} n = {n}, {what}", T::TYPE);
}

/// On columns of so many devices, with rounds of so many tiles.
fn half_gives_what_all_give<T: Element>(n: usize, devices: &[u32], depths: &[u32]) {
    let graph = undirected::<T>(n);
    let mut all = graph.as_slice().to_vec();
    cpu_naive::solve(&mut all, n);
    for &depth in depths {
        for &devices in devices {
            let parameters = column(devices, depth);
            let half = solve(&graph, &parameters, Instruments::CHECK).0;
            assert_same(&half, &all, n, &parameters);
        }
    }
}

#[test]
fn half_gives_what_all_give_on_one_device_and_on_two() {
    half_gives_what_all_give::<f32>(40, &[1], &[1]);
    half_gives_what_all_give::<f32>(100, &[2], &[1]);
}

#[test]
fn one_entry_that_differs_from_the_one_across_has_all_tasks_done() {
    let (n, parameters) = (100, column(2, 1));
    let graph = undirected::<f32>(n);
    let mut weights = graph.as_slice().to_vec();
    weights[99 * n + 3] = 0.5;
    let graph = DistanceMatrix::from_row_major(n, weights).unwrap();
    assert!(!is_symmetric(&graph));
    let found = solve(&graph, &parameters, Instruments::CHECK).0;
    let right: Vec<f32> =
        (0..n).flat_map(|source| repro_graph::shortest_from(&graph, source).unwrap()).collect();
    assert_same(&found, &right, n, &parameters);
}

/// A matrix in memory, of which blocks are written.
fn stored<T: Element>(parts: &mut dyn ShardedSolve, n: usize) -> DistanceMatrix<T> {
    let mut all = vec![T::ZERO; n * n];
    parts
        .store(&mut |block, bytes| {
            let mut numbers = vec![T::ZERO; bytes.len() / size_of::<T>()];
            bytemuck::cast_slice_mut(&mut numbers).copy_from_slice(bytes);
            for (row, numbers) in block.rows.clone().zip(numbers.chunks_exact(block.columns.len())) {
                all[row * n..][block.columns.clone()].copy_from_slice(numbers);
            }
            Ok(())
        })
        .unwrap();
    DistanceMatrix::from_row_major(n, all).unwrap()
}

#[test]
fn the_tasks_of_half_are_those_of_columns_of_devices() {
    crate::distributed::register();
    let known = find("distributed-blocked").unwrap();
    let tasks = |symmetric, negative, parameters: Parameters| {
        let weights = WeightRange { symmetric, negative, ..undirected::<f32>(4).survey().weights.range };
        let problem = Problem::one(100, f32::TYPE, weights);
        (known.solver.cost(&problem, &parameters).tasks, known.capabilities(&parameters).halves)
    };
    let (half, all) = (505_000.0, 1_000_000.0);
    for (devices, rows, done) in
        [(1, 0, half), (2, 0, half), (4, 0, half), (3, 3, half), (9, 9, half), (4, 2, all), (9, 0, all)]
    {
        let parameters = Parameters::from([("devices", devices), ("rows", rows), ("half", 1)]);
        assert_eq!(tasks(true, false, parameters.clone()), (done, done == half), "{parameters}");
        assert_eq!(tasks(false, false, parameters.clone()).0, all);
        assert_eq!(tasks(true, true, parameters.clone()).0, all);
        let unasked = Parameters::from([("devices", devices), ("rows", rows)]);
        assert_eq!(tasks(true, false, unasked), (all, false));
    }
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn half_gives_what_all_give_in_every_type_on_up_to_four_devices() {
        for n in [100, 300, 321] {
            half_gives_what_all_give::<f32>(n, &[1, 2, 3, 4], &[1, 2]);
        }
        half_gives_what_all_give::<f32>(40, &[2], &[1]);
        half_gives_what_all_give::<i32>(321, &[1, 2, 3, 4], &[1, 2]);
        half_gives_what_all_give::<u16>(321, &[1, 2, 3, 4], &[1, 2]);
    }

    #[test]
    #[ignore = "long"]
    fn half_multiplies_fewer_tiles_than_all() {
        let graph = undirected::<f32>(256);
        let [half, all] =
            [1, 0].map(|half| solve(&graph, &column(1, 1).with("half", half), Instruments::COUNT).1);
        assert!(half > 0 && (half as f64) < 0.75 * all as f64, "{half} of {all}");
    }

    #[test]
    #[ignore = "long"]
    fn a_solve_after_the_first_rounds_of_one_is_right() {
        let (n, parameters) = (200, column(2, 2));
        let graph = undirected::<u16>(n);
        let whole = solve(&graph, &parameters, Instruments::CHECK).0;
        let devices = Devices::of(&parameters, Instruments::CHECK);
        let all = devices.all();
        let mut prepared = prepare(&graph, &all, &parameters);
        let parts = prepared.sharded().unwrap();
        // As a run warms up.
        parts.load(&*Box::new(graph.clone())).unwrap();
        for _ in 0..2 {
            parts.solve(128, &mut NoClock).unwrap();
        }
        parts.load(&*Box::new(graph)).unwrap();
        parts.solve(n, &mut NoClock).unwrap();
        devices.assert_clean("after the first rounds");
        assert_same(stored::<u16>(parts, n).as_slice(), &whole, n, &parameters);
    }
}
