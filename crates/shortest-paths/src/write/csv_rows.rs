//! Distances as text, one a line.

use super::error::{WriteError, WriteProblem, unwritable};
use super::in_order::WriteRow;
use super::number::Written;
use super::unfinished;
use crate::Weight;
use crate::read::Names;
use repro_files::NewFile;
use std::fmt::Write;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

/// Writes `source,target,distance` a line, vertices by their names, under a line with these three words. Where no path leads there is no
/// line. Numbers in floating point are written so that reading gives the same bits.
pub struct CsvRows<'a> {
    begun: NewFile,
    writer: csv::Writer<BufWriter<File>>,
    names: &'a Names,
    targets: Option<&'a [usize]>,
    n: usize,
}

impl std::fmt::Debug for CsvRows<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("CsvRows").field("path", &self.begun.path()).finish_non_exhaustive()
    }
}

impl<'a> CsvRows<'a> {
    /// Makes the file, under its temporary name. Columns are those of `targets`, or of all `n` vertices.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn begin(
        path: &Path,
        n: usize,
        targets: Option<&'a [usize]>,
        names: &'a Names,
    ) -> Result<Self, WriteError> {
        let (begun, file) = unfinished::begin(path)?;
        let mut writer = csv::Writer::from_writer(file);
        writer.write_record(["source", "target", "distance"]).map_err(|error| of_csv(path, error))?;
        Ok(Self { begun, writer, names, targets, n })
    }

    /// Gives the file its name when all of it is on the disk.
    ///
    /// # Errors
    /// When the system cannot.
    pub fn finish(self) -> Result<(), WriteError> {
        let Self { begun, writer, .. } = self;
        let file = writer.into_inner().map_err(|error| unwritable(begun.path())(error.into_error()))?;
        unfinished::finish(begun, file)
    }
}

fn of_csv(path: &Path, error: csv::Error) -> WriteError {
    let error = match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    };
    unwritable(path)(error)
}

impl<T: Weight> WriteRow<T> for CsvRows<'_> {
    fn write_row(&mut self, source: usize, distances: &[T]) -> Result<(), WriteError> {
        let expected = self.targets.map_or(self.n, <[usize]>::len);
        if distances.len() != expected {
            return Err(WriteProblem::RowLength { found: distances.len(), expected }.at(self.begun.path()));
        }
        let source = self.names.name(source);
        let mut text = String::new();
        for (column, distance) in distances.iter().enumerate().filter(|(_, distance)| !distance.is_absent()) {
            text.clear();
            // Writing to a string does not fail.
            let _ = write!(text, "{}", Written(*distance));
            let target = self.targets.and_then(|targets| targets.get(column)).copied().unwrap_or(column);
            let target = self.names.name(target);
            let written = self.writer.write_record([&source, &*target, &text]);
            written.map_err(|error| of_csv(self.begun.path(), error))?;
        }
        Ok(())
    }

    fn path(&self) -> &Path {
        self.begun.path()
    }
}
