//! A whole solution into a file.

use super::{CsvRows, NpyRows, NpzRows, WriteError, WriteProblem, WriteRow, write_matrix_market};
use crate::read::Names;
use crate::{Solution, Weight};
use std::path::Path;

/// A format of result files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputFormat {
    /// Distances as a matrix of NumPy.
    Npy,
    /// An archive of NumPy: `distances`, and `predecessors` or `next` where they were asked for.
    Npz,
    /// Distances as a Matrix Market array.
    MatrixMarket,
    /// A line for each source and target with a path between them.
    Csv,
    /// A Parquet file with an entry for each source and target with a path between them. Needs the feature `parquet`.
    Parquet,
}

impl OutputFormat {
    /// That of the name's extension.
    ///
    /// # Errors
    /// When it has none of these.
    pub fn of(path: &Path) -> Result<Self, WriteError> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        match extension.to_ascii_lowercase().as_str() {
            "npy" => Ok(Self::Npy),
            "npz" => Ok(Self::Npz),
            "mtx" => Ok(Self::MatrixMarket),
            "csv" => Ok(Self::Csv),
            "parquet" => Ok(Self::Parquet),
            _ => Err(WriteProblem::UnknownFormat { extension }.at(path)),
        }
    }
}

/// Writes the distances of a solution, and into a `.npz` file its paths as well. Takes no memory that grows with it.
///
/// # Errors
/// When the file cannot be written; nothing is left of it then.
pub fn write_solution<T: Weight>(
    path: &Path,
    format: OutputFormat,
    solution: &Solution<T>,
    names: &Names,
) -> Result<(), WriteError> {
    let (rows, columns) = (count(&solution.sources, solution.n), count(&solution.targets, solution.n));
    // A solution that somebody put together may have fewer distances than it should; a row of the wrong length is refused.
    let distances =
        |row: usize| solution.distances.get(row * columns..(row + 1) * columns).unwrap_or_default();
    let each = || (0..rows).map(|row| (row, distances(row)));
    let chosen = |row: usize| solution.sources.as_ref().and_then(|sources| sources.get(row));
    let source = |row: usize| chosen(row).copied().unwrap_or(row);
    match format {
        OutputFormat::Npy => {
            let file = NpyRows::<T>::begin(path, rows, columns)?;
            file.write_all(&solution.distances)?;
            file.finish()
        }
        OutputFormat::Npz => {
            let mut file = NpzRows::<T>::begin(path, rows, columns, false)?;
            each().try_for_each(|(row, distances)| file.write_row(source(row), distances))?;
            let paths = [("predecessors", &solution.predecessors), ("next", &solution.next)];
            let mut stored = paths.into_iter().filter_map(|(name, matrix)| Some((name, matrix.as_ref()?)));
            match stored.next() {
                None => file.finish(),
                Some((name, matrix)) => {
                    let mut file = file.array::<i32>(name, matrix.len() / solution.n.max(1), solution.n)?;
                    for row in matrix.chunks(solution.n.max(1)) {
                        file.write_row(0, row)?;
                    }
                    file.finish()
                }
            }
        }
        OutputFormat::MatrixMarket => write_matrix_market(path, rows, columns, &solution.distances),
        OutputFormat::Csv => {
            let mut file = CsvRows::begin(path, solution.n, solution.targets.as_deref(), names)?;
            each().try_for_each(|(row, distances)| file.write_row(source(row), distances))?;
            file.finish()
        }
        #[cfg(feature = "parquet")]
        OutputFormat::Parquet => {
            let mut file = super::ParquetRows::begin(path, solution.n, solution.targets.as_deref(), names)?;
            each().try_for_each(|(row, distances)| file.write_row(source(row), distances))?;
            file.finish()
        }
        #[cfg(not(feature = "parquet"))]
        OutputFormat::Parquet => Err(WriteProblem::NoParquet.at(path)),
    }
}

fn count(chosen: &Option<Vec<usize>>, n: usize) -> usize {
    chosen.as_ref().map_or(n, Vec::len)
}
