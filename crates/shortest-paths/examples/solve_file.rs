//! From a graph file to a file of all distances: `solve_file GRAPH OUT`, formats by name and content.

use shortest_paths::read::{AnyGraph, GraphInput, ReadOptions, StoredGraph, read_typed};
use shortest_paths::write::{CsvRows, NpyWriter, OutputFormat, WriteRow};
use shortest_paths::{Element, Options, solve};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [graph, out] = &arguments[..] else { return Err("usage: solve_file GRAPH OUT".into()) };
    let format = OutputFormat::of(out)?;
    let (typed, _) = read_typed(graph, None, &ReadOptions::default())?;
    eprintln!("weights and distances of type {}", typed.element());
    match typed {
        AnyGraph::F32(loaded) => write(&loaded, out, format),
        AnyGraph::I32(loaded) => write(&loaded, out, format),
        AnyGraph::U16(loaded) => write(&loaded, out, format),
        AnyGraph::F64(loaded) => write(&loaded, out, format),
    }
}

fn write<T: Element>(loaded: &GraphInput<T>, out: &Path, format: OutputFormat) -> Result<(), Box<dyn Error>> {
    let options = Options::default();
    let solution = match &loaded.graph {
        StoredGraph::Arcs(arcs) => solve(arcs, &options)?,
        StoredGraph::Matrix(matrix) => solve(matrix, &options)?,
    };
    let n = loaded.n();
    if format == OutputFormat::Npy {
        let file = NpyWriter::begin(out, n, n, T::TYPE)?;
        file.write_whole(&solution.distances)?;
        return Ok(file.finish_rows()?);
    }
    let mut file = CsvRows::begin(out, n, None, &loaded.names)?;
    for (source, row) in solution.distances.chunks(n.max(1)).enumerate() {
        file.write_row(source, row)?;
    }
    Ok(WriteRow::<T>::finish(Box::new(file))?)
}
