//! Solves that are repeated on the device: each is of the graph's own weights, and its name tells its result from any other.

mod common;

use repro::device::emulated::Instruments;
use repro::device::{Device, HostBuffer};
use repro::graph::{ElementType, RandomGraph, generate, weight_range};
use repro::implementation::{Machine, Output, Parameters, Problem, Untimed, find};
use std::rc::Rc;

/// The names of some repeated solves, and the last result.
fn repeated(implementation: &str, n: usize, seed: u64) -> (Vec<u64>, Vec<f32>) {
    let graph =
        generate::<f32>(&RandomGraph { density: 0.1, max_weight: 50, negative: false, seed }, n).unwrap();
    let device: Rc<dyn Device> = Rc::new(common::emulated(Instruments::NONE));
    let problem =
        Problem { n, element: ElementType::F32, weights: weight_range(&graph), output: Output::Distances };
    let mut input = HostBuffer::pageable(n * n * 4).unwrap();
    input.numbers_mut().copy_from_slice(graph.as_slice());
    let mut output = HostBuffer::pageable(n * n * 4).unwrap();
    let known = find(implementation).unwrap();
    let devices = [device];
    let mut prepared =
        known.method.prepare(&problem, Machine { devices: &devices }, &Parameters::default()).unwrap();
    prepared.run(&input, &mut output, &mut Untimed).unwrap();
    prepared.collect().unwrap();
    let once = output.numbers::<f32>().to_vec();
    let mut repeating = prepared.repeating(&input).unwrap().unwrap();
    repeating.queue(2).unwrap();
    let mut names = repeating.names().unwrap();
    repeating.queue(1).unwrap();
    names.extend(repeating.names().unwrap());
    output.numbers_mut::<f32>().fill(-1.0);
    repeating.download(&mut output).unwrap();
    assert_eq!(output.numbers::<f32>(), once);
    (names, once)
}

#[test]
fn repeated_solves_of_one_graph_have_one_name_and_other_results_another() {
    // In place with a pitch, in a layout of its own, and on plain rows.
    for implementation in ["register-blocked", "staged-load", "harish-narayanan"] {
        let (names, first) = repeated(implementation, 65, 1);
        assert_eq!(names, [names[0]; 3], "{implementation}");
        let (others, second) = repeated(implementation, 65, 2);
        assert_ne!(first, second);
        assert_ne!(names[0], others[0], "{implementation}");
    }
}
