//! Distances as text, one a line.

use super::WriteRow;
use crate::read::Names;
use crate::write::{WriteError, WriteProblem, unwritable};
use crate::{Element, ElementType};
use repro_base::files::NewFile;
use std::fmt::{self, Write};
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
        let begun = NewFile::begin(path).map_err(unwritable(path))?;
        let file = begun.file.try_clone().map_err(unwritable(path))?;
        let mut writer = csv::Writer::from_writer(BufWriter::with_capacity(1 << 18, file));
        writer.write_record(["source", "target", "distance"]).map_err(|error| of_csv(path, error))?;
        Ok(Self { begun, writer, names, targets, n })
    }
}

fn of_csv(path: &Path, error: csv::Error) -> WriteError {
    let error = match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    };
    unwritable(path)(error)
}

impl<T: Element> WriteRow<T> for CsvRows<'_> {
    fn write_row(&mut self, source: usize, distances: &[T]) -> Result<(), WriteError> {
        let expected = self.targets.map_or(self.n, <[usize]>::len);
        if distances.len() != expected {
            return Err(WriteProblem::Numbers { found: distances.len(), expected }.at(self.begun.path()));
        }
        let source = self.names.name(source);
        let mut text = String::new();
        for (column, distance) in distances.iter().enumerate().filter(|(_, distance)| !distance.is_absent()) {
            text.clear();
            // Writing to a string does not fail.
            let _ = write!(text, "{}", DisplayDistance(*distance));
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

    fn finish(self: Box<Self>) -> Result<(), WriteError> {
        let Self { begun, writer, .. } = *self;
        let path = begun.path().to_path_buf();
        let file = writer.into_inner().map_err(|error| unwritable(&path)(error.into_error()))?;
        file.into_inner().map_err(|error| unwritable(&path)(error.into_error()))?;
        begun.finish().map_err(unwritable(&path))
    }
}

/// A distance as readers take it: the same bits come back, and no path is `inf`.
struct DisplayDistance<T>(T);

impl<T: Element> fmt::Display for DisplayDistance<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let number = self.0.to_f64();
        // Above this the type does not hold every integer, and the shortest text that gives the number may be another integer.
        let dense = match T::TYPE {
            ElementType::F32 => f64::from(1 << 24),
            ElementType::F64 => (1_u64 << 53) as f64,
            ElementType::I32 | ElementType::U16 => f64::INFINITY,
        };
        if number == f64::INFINITY {
            f.write_str("inf")
        } else if number.abs() > dense {
            write!(f, "{number:e}")
        } else {
            fmt::Display::fmt(&self.0, f)
        }
    }
}
