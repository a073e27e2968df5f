//! How fast dense matrices are read, looked at and written, in GB a second:
//!
//! ```text
//! cargo run --release -p repro-shortest-paths --example io_rates -- [N [FOLDER [ROUNDS]]]
//! ```
//!
//! Writes an N x N matrix of `f32` into FOLDER, and reads and writes it ROUNDS times, a part after the other in each round. N is 8192 unless
//! given, FOLDER that of temporary files, and ROUNDS 5. Reading is from the page cache. Prints the median of each part, the least and the
//! greatest. The folder's file system decides what writing takes: name it beside the numbers.

use repro_graph::DistanceMatrix;
use shortest_paths::ElementType;
use shortest_paths::read::{ReadOptions, StoredGraph, read};
use shortest_paths::write::NpyWriter;
use shortest_paths::{
    Control, Dense, Graph, Options, RetainedDistances, SinkError, WeightRange, solve, solve_in_place,
};
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

/// Leaves the matrix as it is, so that what is around a solver is timed alone.
struct Nothing;

impl Dense<f32> for Nothing {
    fn close(
        &self,
        _: &mut DistanceMatrix<f32>,
        _: &WeightRange,
        _: bool,
        _: &Control,
    ) -> Result<Option<Box<dyn RetainedDistances<f32> + '_>>, SinkError> {
        Ok(None)
    }

    fn seconds(&self, _: usize) -> Option<f64> {
        Some(0.0)
    }
}

/// A part of the work, and the seconds it took in each round.
struct Part {
    name: &'static str,
    seconds: Vec<f64>,
}

impl Part {
    fn time<R>(&mut self, run: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = run();
        self.seconds.push(start.elapsed().as_secs_f64());
        result
    }

    fn print(&mut self, bytes: f64) {
        self.seconds.sort_by(f64::total_cmp);
        let (median, last) = (self.seconds[self.seconds.len() / 2], self.seconds.len() - 1);
        let rate = bytes / median / 1e9;
        println!(
            "{:<34} {median:7.4} s ({:.4} to {:.4}), {rate:6.2} GB/s",
            self.name, self.seconds[0], self.seconds[last]
        );
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let n: usize = arguments.first().map_or(Ok(8192), |n| n.parse())?;
    let folder = arguments.get(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let rounds: usize = arguments.get(2).map_or(Ok(5), |rounds| rounds.parse())?;
    let folder = tempfile::TempDir::new_in(folder)?;
    let (graph_file, result_file) = (folder.path().join("graph.npy"), folder.path().join("result.npy"));

    let matrix = DistanceMatrix::from_rows(n, |row, weights| {
        for (column, weight) in weights.iter_mut().enumerate().filter(|(column, _)| *column != row) {
            *weight = 1.0 + (row.wrapping_mul(31) ^ column.wrapping_mul(17)) as f32 % 1000.0;
        }
    })?;
    let file = NpyWriter::begin(&graph_file, n, n, ElementType::F32)?;
    file.write_whole(matrix.as_slice())?;
    file.finish_rows()?;
    drop(matrix);

    let names = [
        "read and look at weights",
        "look at weights alone",
        "solve around an idle solver, copied",
        "solve around an idle solver, in place",
        "write",
        "flush to the disk and name",
        "all but the solver",
    ];
    let mut parts = names.map(|name| Part { name, seconds: Vec::new() });
    let [reading, looking, copied, in_place, writing, naming, all] = &mut parts;
    let options = Options { dense: Some(&Nothing as &dyn Dense<f32>), ..Options::default() };
    for _ in 0..rounds {
        let loaded = reading.time(|| read::<f32>(&graph_file, &ReadOptions::default()))?;
        let StoredGraph::Matrix(graph) = loaded.graph else { return Err("a matrix was written".into()) };
        let mut again = graph.clone();
        again.as_mut_slice();
        let facts = looking.time(|| Graph::facts(&again));
        assert_eq!(facts, graph.facts());
        drop(copied.time(|| solve(&graph, &options))?);
        let solution = in_place.time(|| solve_in_place(graph, &options))?;
        let file = writing.time(|| {
            let file = NpyWriter::begin(&result_file, n, n, ElementType::F32)?;
            file.write_whole(&solution.distances).map(|()| file)
        })?;
        naming.time(|| file.finish_rows())?;
        drop(solution);
        std::fs::remove_file(&result_file)?;
        all.time(|| -> Result<(), Box<dyn Error>> {
            let loaded = read::<f32>(&graph_file, &ReadOptions::default())?;
            let StoredGraph::Matrix(graph) = loaded.graph else { return Err("a matrix was written".into()) };
            let solution = solve_in_place(graph, &options)?;
            let file = NpyWriter::begin(&result_file, n, n, ElementType::F32)?;
            file.write_whole(&solution.distances)?;
            Ok(file.finish_rows()?)
        })?;
        std::fs::remove_file(&result_file)?;
    }
    let bytes = (n * n * size_of::<f32>()) as f64;
    println!(
        "{n} x {n} of f32, {:.0} MiB, {} threads",
        bytes / f64::from(1 << 20),
        rayon::current_num_threads()
    );
    parts.iter_mut().for_each(|part| part.print(bytes));
    Ok(())
}
