//! Distances as a Matrix Market array.

use super::error::{WriteError, WriteProblem, unwritable};
use super::number::Written;
use super::unfinished;
use crate::Weight;
use std::io::{self, Write};
use std::path::Path;

/// Writes a matrix, given row after row, as a Matrix Market `array`, which goes column after column. The field is `integer` where all are
/// integers of an integer type, and else `real`, in which no path is `inf`.
///
/// # Errors
/// When there are not `rows` times `columns` distances, or they cannot be written.
pub fn write_matrix_market<T: Weight>(
    path: &Path,
    rows: usize,
    columns: usize,
    distances: &[T],
) -> Result<(), WriteError> {
    if rows.checked_mul(columns) != Some(distances.len()) {
        let expected = rows.saturating_mul(columns);
        return Err(WriteProblem::RowLength { found: distances.len(), expected }.at(path));
    }
    let (begun, mut file) = unfinished::begin(path)?;
    let is_integer = T::TYPE.is_integer() && !distances.iter().any(|distance| distance.is_absent());
    let mut write = || -> io::Result<()> {
        writeln!(
            file,
            "%%MatrixMarket matrix array {} general",
            if is_integer { "integer" } else { "real" }
        )?;
        writeln!(file, "{rows} {columns}")?;
        for column in 0..columns {
            for row in 0..rows {
                writeln!(file, "{}", Written(distances[row * columns + column]))?;
            }
        }
        Ok(())
    };
    write().map_err(unwritable(path))?;
    unfinished::finish(begun, file)
}
