//! Rows of results to files, as they come or all at once.

use super::ending::Stop;
use super::npy_stream::{NpyStream, unwritable};
use super::out::Out;
use super::place::Places;
use super::stored::{Description, PathKind, StoredPaths};
use shortest_paths::read::Names;
use shortest_paths::write::{CsvRows, NpyRows, OrderedWriter, OutputFormat, WriteError};
use shortest_paths::{Control, Element, Row, Solution};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The files of a result, none of which has its name yet.
pub(super) struct Store<'a, T: Element> {
    distances: Distances<'a, T>,
    /// Where paths are stored.
    paths: Option<(PathBuf, NpyRows<i32>)>,
    places: &'a Places,
    shape: Shape,
}

/// The numbers of rows and columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub n: usize,
    pub rows: usize,
    pub columns: usize,
}

enum Distances<'a, T: Element> {
    Npy(NpyRows<T>),
    Stream(Box<OrderedWriter<T, NpyStream<T>>>, Arc<AtomicBool>),
    Csv(Box<OrderedWriter<T, CsvRows<'a>>>),
}

/// The files whose sizes are known, with their sizes in bytes. Text has the sizes of its numbers.
pub(super) fn sizes<T: Element>(places: &Places, shape: Shape) -> Vec<(&Path, u128)> {
    let size = |columns: usize, bytes: usize| {
        (shape.rows as u128).saturating_mul(columns as u128).saturating_mul(bytes as u128)
    };
    let distances = places.out.file().filter(|_| places.format == OutputFormat::Npy);
    let distances = distances.map(|out| (out, size(shape.columns, size_of::<T>())));
    let paths = places.paths.as_deref().map(|file| (file, size(shape.n, size_of::<i32>())));
    distances.into_iter().chain(paths).collect()
}

impl<'a, T: Element> Store<'a, T> {
    /// Makes the files, under their temporary names.
    ///
    /// # Errors
    /// When one cannot be made.
    pub fn begin(
        places: &'a Places,
        names: &'a Names,
        shape: Shape,
        targets: Option<&'a [usize]>,
    ) -> Result<Self, WriteError> {
        let Shape { n, rows, columns } = shape;
        let distances = match (&places.out, places.format) {
            (Out::Standard, _) => {
                let stream = NpyStream::begin(rows, columns)?;
                let reader_left = stream.reader_left();
                Distances::Stream(Box::new(OrderedWriter::new(stream)), reader_left)
            }
            (Out::File(out), OutputFormat::Npy) => Distances::Npy(NpyRows::begin(out, rows, columns)?),
            (Out::File(out), OutputFormat::Csv) => {
                Distances::Csv(Box::new(OrderedWriter::new(CsvRows::begin(out, n, targets, names)?)))
            }
        };
        let begin = |file: &PathBuf| Ok::<_, WriteError>((file.clone(), NpyRows::begin(file, rows, n)?));
        let paths = places.paths.as_ref().map(begin).transpose()?;
        Ok(Self { distances, paths, places, shape })
    }

    /// Asks the system for room while nothing is there to be stored.
    pub fn reserve(&self) {
        if let Distances::Npy(file) = &self.distances {
            file.reserve();
        }
        if let Some((_, file)) = &self.paths {
            file.reserve();
        }
    }

    /// Stores a row, from any thread.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn row(&self, row: &Row<T>) -> Result<(), WriteError> {
        self.distances(row.index, row.source, row.distances)?;
        match (&self.paths, row.predecessors) {
            (Some((_, file)), Some(predecessors)) => file.write(row.index, predecessors),
            _ => Ok(()),
        }
    }

    fn distances(&self, index: usize, source: usize, distances: &[T]) -> Result<(), WriteError> {
        match &self.distances {
            Distances::Npy(file) => file.write(index, distances),
            Distances::Stream(to, reader_left) => to.write(index, source, distances).map_err(|error| {
                let left = reader_left.load(Ordering::Relaxed);
                if left { unwritable(io::ErrorKind::BrokenPipe.into()) } else { error }
            }),
            Distances::Csv(file) => file.write(index, source, distances),
        }
    }

    /// Stores a whole result.
    ///
    /// # Errors
    /// When it cannot be written, and [`Stop::Interrupted`].
    pub fn whole(&self, solution: &Solution<T>, control: &Control) -> Result<(), Stop> {
        let columns = self.shape.columns;
        if let Distances::Npy(file) = &self.distances {
            file.write_all(&solution.distances)?;
        } else {
            for index in 0..self.shape.rows {
                control.check()?;
                let source = solution.sources.as_ref().map_or(index, |sources| sources[index]);
                self.distances(index, source, &solution.distances[index * columns..(index + 1) * columns])?;
            }
        }
        let paths = solution.predecessors.as_deref().or(solution.next.as_deref());
        if let (Some((_, file)), Some(paths)) = (&self.paths, paths) {
            control.check()?;
            file.write_all(paths)?;
        }
        Ok(())
    }

    /// Gives the files their names, the distances last: where they are, everything is.
    ///
    /// # Errors
    /// When the system cannot. What was finished before is taken away again.
    pub fn finish(self, kind: PathKind, mut description: Description) -> Result<(), Stop> {
        let Self { distances, paths, places, .. } = self;
        let Out::File(out) = &places.out else {
            if let Distances::Stream(to, _) = distances {
                to.into_writer()?.finish()?;
            }
            return paths.map_or(Ok(()), |(_, file)| Ok(file.finish()?));
        };
        let mut beside = Vec::new();
        if let Some((path, file)) = paths {
            file.finish()?;
            description.paths = Some(StoredPaths { kind, file: seen_from(&path, out) });
            beside.push(path);
        }
        let stored = description.store(out).map_err(Stop::Other);
        if stored.is_ok() && description.is_needed() {
            beside.push(Description::place(out));
        }
        let finished = stored.and_then(|()| match distances {
            Distances::Npy(file) => Ok(file.finish()?),
            Distances::Csv(file) => Ok(file.into_writer()?.finish()?),
            Distances::Stream(to, _) => Ok(to.into_writer()?.finish()?),
        });
        if finished.is_err() {
            beside.iter().for_each(|file| drop(std::fs::remove_file(file)));
        }
        finished
    }
}

/// `path` as it is found from the folder of `result`.
fn seen_from(path: &Path, result: &Path) -> PathBuf {
    match (path.parent(), result.parent(), path.file_name()) {
        (one, other, Some(name)) if one == other => name.into(),
        _ => std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()),
    }
}
