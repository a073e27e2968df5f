//! A dense solver of one's own, the textbook's on all threads, and what predecessors take beside its distances:
//!
//! ```text
//! cargo run --release -p repro-shortest-paths --example own_dense_solver -- [N [DEGREE]]
//! ```
//!
//! N is the number of vertices, 1024 unless given, and DEGREE the number of arcs of each to vertices anywhere, all unless given. Weights
//! are whole numbers from 1 to 1000 first, and then thirds of such in `f32`, whose sums are rounded.

use rayon::prelude::*;
use repro_graph::DistanceMatrix;
use shortest_paths::{
    Algorithm, Arcs, ArcsBuilder, Control, Dense, Element, Options, PathSentinels, RetainedDistances,
    SearchContext, SinkError, WeightRange, solve,
};
use std::error::Error;
use std::time::Instant;

/// Floyd-Warshall, a row a thread.
struct Textbook;

impl<T: Element> Dense<T> for Textbook {
    fn close(
        &self,
        matrix: &mut DistanceMatrix<T>,
        _: &WeightRange,
        _: bool,
        control: &Control,
    ) -> Result<Option<Box<dyn RetainedDistances<T> + '_>>, SinkError> {
        let n = matrix.n();
        for k in 0..n {
            control.check()?;
            let through = matrix.row(k).to_vec();
            matrix.as_mut_slice().par_chunks_mut(n).for_each(|row| {
                let first = row[k];
                for (distance, rest) in row.iter_mut().zip(&through) {
                    *distance = first.plus(*rest).shorter(*distance);
                }
            });
        }
        Ok(None)
    }

    fn seconds(&self, _: usize) -> Option<f64> {
        None
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let n = arguments.next().map_or(Ok(1024), |n| n.parse())?;
    let degree = arguments.next().map(|degree| degree.parse()).transpose()?;
    run(&graph(n, degree, |whole| whole as i32)?)?;
    run(&graph(n, degree, |whole| whole as f32 / 3.0)?)
}

fn run<T: Element>(graph: &Arcs<T>) -> Result<(), Box<dyn Error>> {
    let options = Options {
        dense: Some(&Textbook as &dyn Dense<T>),
        algorithm: Some(Algorithm::FloydWarshall),
        ..Options::default()
    };
    let start = Instant::now();
    let solution = solve(graph, &options)?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{}: {} vertices, {} arcs: distances in {seconds:.3} s", T::TYPE, graph.n(), graph.m());

    let control = Control::default();
    let searches = SearchContext::new(graph, &control)?;
    let all: Vec<usize> = (0..graph.n()).collect();
    let start = Instant::now();
    let predecessors = searches.predecessors(&all, &solution.distances, PathSentinels::PLAIN, &control)?;
    println!("{}: predecessors in {:.3} s", T::TYPE, start.elapsed().as_secs_f64());
    let start = Instant::now();
    let next = searches.next_vertices(&solution.distances, PathSentinels::PLAIN, &control)?;
    println!("{}: next vertices in {:.3} s", T::TYPE, start.elapsed().as_secs_f64());
    let start = Instant::now();
    let walked = searches.check_predecessors(&all, None, &solution.distances, &predecessors, &control)?;
    searches.check_next(&solution.distances, &next, &control)?;
    println!("{}: {} paths of each walked in {:.3} s", T::TYPE, walked.paths, start.elapsed().as_secs_f64());
    Ok(())
}

fn graph<T: Element>(
    n: usize,
    degree: Option<usize>,
    weight: impl Fn(u64) -> T,
) -> Result<Arcs<T>, Box<dyn Error>> {
    let mut state = 20_u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut builder = ArcsBuilder::with_vertices(n)?;
    for tail in 0..n {
        for arc in 0..degree.unwrap_or(n) {
            let head = if degree.is_some() { draw(n as u64) as usize } else { arc };
            builder.add(tail, head, weight(1 + draw(1000)))?;
        }
    }
    Ok(builder.build()?.0)
}
