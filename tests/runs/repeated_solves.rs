//! Solves that are repeated on the device: each is of the graph's own weights, and its name tells its result from any other.

use repro::device::emulated::Instruments;
use repro::device::{Device, DeviceError, HostBuffer, Queue};
use repro::graph::{ElementType, RandomGraph, generate};
use repro::implementation::{Clock, NoClock, Parameters, PreparedSolve, Problem, Scope, TimingPoint, find};
use std::rc::Rc;

/// Wants a CUDA graph, and reads nothing.
struct OfGraph;

impl Clock for OfGraph {
    fn record_point(&mut self, _: TimingPoint, _: &[&dyn Queue]) -> Result<(), DeviceError> {
        Ok(())
    }

    fn wants_graph(&self) -> bool {
        true
    }
}

/// A graph with the emulated device that it is solved on.
struct Given {
    problem: Problem,
    input: HostBuffer,
    devices: [Rc<dyn Device>; 1],
}

impl Given {
    fn new(random: &RandomGraph, n: usize) -> Self {
        let graph = generate::<f32>(random, n).unwrap();
        let mut input = HostBuffer::pageable(n * n * 4).unwrap();
        input.numbers_mut().copy_from_slice(graph.as_slice());
        let problem = Problem::one(n, ElementType::F32, graph.survey().weights.range);
        Self { problem, input, devices: [Rc::new(crate::common::emulated(Instruments::NONE))] }
    }

    fn prepared(&self, implementation: &str, parameters: &Parameters) -> Box<dyn PreparedSolve> {
        find(implementation).unwrap().solver.prepare(&self.problem, &self.devices, parameters).unwrap()
    }

    fn output(&self) -> HostBuffer {
        HostBuffer::pageable(self.problem.matrix_bytes()).unwrap()
    }
}

/// The names of some repeated solves, and the last result.
fn repeated(implementation: &str, n: usize, seed: u64) -> (Vec<u64>, Vec<f32>) {
    let given = Given::new(&RandomGraph { density: 0.1, max_weight: 50, ..RandomGraph::complete(seed) }, n);
    let (mut prepared, mut output) = (given.prepared(implementation, &Parameters::default()), given.output());
    prepared.run(&given.input, &mut output, &mut NoClock).unwrap();
    prepared.collect().unwrap();
    let once = output.numbers::<f32>().to_vec();
    let mut repeating = prepared.repeating(&given.input).unwrap().unwrap();
    repeating.queue(2).unwrap();
    let mut names = repeating.result_digests().unwrap();
    repeating.queue(1).unwrap();
    names.extend(repeating.result_digests().unwrap());
    output.numbers_mut::<f32>().fill(-1.0);
    repeating.download(&mut output).unwrap();
    assert_eq!(output.numbers::<f32>(), once);
    (names, once)
}

fn one_graph_has_one_name_and_another_another(implementation: &str, n: usize) {
    let (names, first) = repeated(implementation, n, 1);
    assert_eq!(names, [names[0]; 3], "{implementation}");
    let (others, second) = repeated(implementation, n, 2);
    assert_ne!(first, second);
    assert_ne!(names[0], others[0], "{implementation}");
}

#[test]
fn repeated_solves_of_one_graph_have_one_name_and_other_results_another() {
    // In a layout of its own, and on plain rows.
    one_graph_has_one_name_and_another_another("staged-load", 33);
    one_graph_has_one_name_and_another_another("harish-narayanan", 33);
}

mod long {
    #[test]
    #[ignore = "long"]
    fn repeated_solves_in_place_with_a_pitch_have_one_name_too() {
        super::one_graph_has_one_name_and_another_another("register-blocked", 65);
    }
}

/// As explicit synchronization is: a graph would leave it out.
#[test]
fn a_solve_with_waits_of_the_host_is_right_and_is_never_made_a_graph() {
    let given = Given::new(&RandomGraph::complete(7), 33);
    let known = find("global-memory").unwrap();
    let solve = |every: u32, clock: &mut dyn Clock| {
        let mut prepared = given.prepared("global-memory", &Parameters::from([("synchronize", every)]));
        let mut output = given.output();
        prepared.run(&given.input, &mut output, clock)?;
        prepared.collect()?;
        let repeats = prepared.repeating(&given.input)?.is_some();
        Ok::<_, DeviceError>((output.numbers::<f32>().to_vec(), repeats))
    };
    let (never, repeats) = solve(0, &mut OfGraph).unwrap();
    assert!(repeats);
    for every in [1, 5] {
        assert_eq!(solve(every, &mut NoClock).unwrap(), (never.clone(), false));
        let refused = solve(every, &mut OfGraph).unwrap_err();
        assert!(refused.message.contains("holds no waits"), "{refused}");
        assert!(refused.message.contains("choose parameters by which it does not wait"), "{refused}");
    }
    let scopes = |every| known.capabilities(&Parameters::from([("synchronize", every)])).scopes;
    assert!(scopes(0).contains(&Scope::CudaGraph));
    assert!(!scopes(1).contains(&Scope::CudaGraph));
    assert!(scopes(1).contains(&Scope::HostUnsynced));
}
