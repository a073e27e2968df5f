//! Chosen numbers of a stored matrix, without the rest of it in memory.

use crate::graph::{ElementType, NpyFile};
use repro_terminal::Error;
use std::fs::File;
use std::path::{Path, PathBuf};

/// A matrix of a result in a `.npy` file.
#[derive(Debug)]
pub(super) struct Matrix {
    name: PathBuf,
    file: NpyFile,
    pub rows: usize,
    pub columns: usize,
}

impl Matrix {
    /// Looks at the matrix in a file.
    ///
    /// # Errors
    /// The file, and why it holds none.
    pub fn open(name: &Path) -> Result<Self, Error> {
        let wrong = |what: String| -> Error { format!("{}: {what}", name.display()).into() };
        let open = File::open(name).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        let file = NpyFile::open(open).map_err(|problem| wrong(problem.to_string()))?;
        let is_result = ElementType::ALL.into_iter().any(|element| file.holds(element));
        let Some((rows, columns)) = file.shape().filter(|_| is_result && !file.header.fortran) else {
            let header = &file.header;
            return Err(wrong(format!(
                "has an array of shape {:?} and type '{}', and a result has rows and columns of f32, f64, i32 or u16",
                header.shape, header.descr
            )));
        };
        Ok(Self { name: name.to_owned(), file, rows, columns })
    }

    /// Whether numbers are rounded.
    pub fn is_rounded(&self) -> bool {
        !self.is_of_vertices() && !self.file.holds(ElementType::U16)
    }

    pub fn is_of_vertices(&self) -> bool {
        self.file.holds(ElementType::I32)
    }

    /// The distance at a place.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn distance(&self, row: usize, column: usize) -> Result<f64, Error> {
        let mut found = [0.0];
        self.read(row * self.columns + column, &mut found)?;
        Ok(found[0])
    }

    /// A whole row of vertices.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn row(&self, row: usize) -> Result<Vec<i32>, Error> {
        let mut found = vec![0; self.columns];
        self.read(row * self.columns, &mut found)?;
        Ok(found)
    }

    /// A whole column of vertices.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn column(&self, column: usize) -> Result<Vec<i32>, Error> {
        let mut found = vec![0; self.rows];
        for (row, vertex) in found.chunks_mut(1).enumerate() {
            self.read(row * self.columns + column, vertex)?;
        }
        Ok(found)
    }

    fn read<T: shortest_paths::Element>(&self, first: usize, into: &mut [T]) -> Result<(), Error> {
        self.file.read(first, into).map_err(|problem| format!("{}: {problem}", self.name.display()).into())
    }
}
