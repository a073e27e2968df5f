//! Times Dijkstra's algorithm from every source of a road-like graph: a grid with gaps, streets of different lengths in both
//! directions. Run it optimized:
//!
//! ```text
//! cargo run --release -p repro-shortest-paths --example all_rows -- [TYPE [SIDE [SOURCES [PATHS [FILE]]]]]
//! ```
//!
//! TYPE is `f64` (the default), `f32`, `i32` or `u16`. SIDE is the side of the grid, 142 unless given, and SOURCES the number of sources, all
//! unless given. PATHS is `none` (the default), `with` for predecessors in the same search, or `after` for predecessors by the distances once all
//! are there, which keeps two whole matrices. FILE receives the arcs as lines of tail, head and weight, for other programs to be timed
//! on the same graph. Prints seconds on the clock, and the sum of all distances.

use shortest_paths::{
    Arcs, ArcsBuilder, Control, Element, Options, PathSentinels, RowRequest, SearchContext, solve,
};
use std::error::Error;
use std::io::Write;
use std::sync::Mutex;
use std::time::Instant;

/// Of a hundred streets between neighbours, how many there are.
const PERCENT: u64 = 63;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |at: usize, default| arguments.get(at).map_or(default, String::as_str);
    let run = match argument(0, "f64") {
        "f32" => run::<f32>,
        "f64" => run::<f64>,
        "i32" => run::<i32>,
        "u16" => run::<u16>,
        other => return Err(format!("unknown type '{other}': choose f32, f64, i32 or u16").into()),
    };
    let side: usize = argument(1, "142").parse()?;
    let sources = arguments.get(2).map_or(Ok(side * side), |sources| sources.parse())?;
    run(side, sources.min(side * side), argument(3, "none"), arguments.get(4).map(String::as_str))
}

fn run<T: Element>(
    side: usize,
    sources: usize,
    paths: &str,
    file: Option<&str>,
) -> Result<(), Box<dyn Error>> {
    let graph = streets::<T>(side)?;
    if let Some(file) = file {
        let mut file = std::io::BufWriter::new(std::fs::File::create(file)?);
        for tail in 0..graph.n() {
            for at in graph.offsets()[tail]..graph.offsets()[tail + 1] {
                writeln!(file, "{tail} {} {}", graph.heads()[at], graph.weights()[at])?;
            }
        }
    }
    println!("{}: {} vertices, {} arcs, {sources} sources", T::TYPE, graph.n(), graph.m());
    // Spread over the graph.
    let sources: Vec<usize> = (0..sources).map(|at| at * graph.n() / sources).collect();
    let control = Control::default();
    let start = Instant::now();
    let searches = SearchContext::new(&graph, &control)?;
    let total = if paths == "after" {
        let solution = solve(&graph, &Options { sources: Some(&sources), ..Options::default() })?;
        println!("{:.3} s until the distances were there", start.elapsed().as_secs_f64());
        let predecessors =
            searches.predecessors(&sources, &solution.distances, PathSentinels::PLAIN, &control)?;
        println!("{} predecessors", predecessors.iter().filter(|vertex| **vertex >= 0).count());
        sum(&solution.distances)
    } else {
        let predecessors = (paths == "with").then_some(PathSentinels::PLAIN);
        let total = Mutex::new(0.0);
        searches.rows(&sources, RowRequest { predecessors, targets: None }, &control, |row| {
            *total.lock().map_err(|_| "a thread has panicked")? += sum(row.distances);
            Ok(())
        })?;
        total.into_inner()?
    };
    let seconds = start.elapsed().as_secs_f64();
    println!("{seconds:.3} s on {} threads, sum of distances {total}", rayon::current_num_threads());
    Ok(())
}

fn sum<T: Element>(distances: &[T]) -> f64 {
    distances.iter().filter(|distance| !distance.is_absent()).map(|distance| distance.to_f64()).sum()
}

/// Neighbours in a square grid, with gaps, at lengths from 1 to 100.
fn streets<T: Element>(side: usize) -> Result<Arcs<T>, Box<dyn Error>> {
    let mut state = 20_u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut builder = ArcsBuilder::with_vertices(side * side)?.undirected(true);
    for (at, step) in (0..side * side).flat_map(|at| [(at, 1), (at, side)]) {
        let inside = if step == 1 { (at + 1) % side > 0 } else { at + side < side * side };
        let weight = T::from_f64((1 + draw(100)) as f64);
        if inside && draw(100) < PERCENT {
            builder.add(at, at + step, weight)?;
        }
    }
    Ok(builder.build()?.0)
}
