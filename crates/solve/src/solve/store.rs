//! Rows of results to files, as they come or all at once.

use super::ending::Stop;
use super::npy_stream::{NpyStream, unwritable};
use super::out::Out;
use super::place::{PathsPlace, Places};
use super::stored::{Description, Kind, StoredPaths};
use shortest_paths::read::Names;
use shortest_paths::write::{
    CsvRows, InOrder, NpyRows, NpzRows, OutputFormat, ParquetRows, WriteError, WriteRow, write_solution,
};
use shortest_paths::{Control, Row, Solution, Weight};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The files of a result, none of which has its name yet.
pub(super) struct Store<'a, T: Weight> {
    distances: Distances<'a, T>,
    /// Where paths have a file of their own.
    paths: Option<(PathBuf, NpyRows<i32>)>,
    places: &'a Places,
    names: &'a Names,
    shape: Shape,
}

/// The numbers of rows and columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub n: usize,
    pub rows: usize,
    pub columns: usize,
}

enum Distances<'a, T: Weight> {
    Npy(NpyRows<T>),
    Stream(Box<InOrder<T, NpyStream<T>>>, Arc<AtomicBool>),
    Npz(Box<InOrder<T, NpzRows<T>>>),
    Csv(Box<InOrder<T, CsvRows<'a>>>),
    Parquet(Box<InOrder<T, ParquetRows<'a, T>>>),
    /// Formats that are written from the whole matrix at once.
    AtOnce,
}

/// Whether rows can be stored as they come.
pub(super) fn takes_rows(places: &Places) -> bool {
    match places.format {
        OutputFormat::Npy | OutputFormat::Csv | OutputFormat::Parquet => true,
        // An archive has one array after the other, so the paths would have to wait.
        OutputFormat::Npz => places.paths != PathsPlace::Inside,
        _ => false,
    }
}

/// The files whose sizes are known, with their sizes in bytes.
pub(super) fn sizes<T: Weight>(places: &Places, shape: Shape) -> Vec<(&Path, u128)> {
    let size = |columns: usize, bytes: usize| {
        (shape.rows as u128).saturating_mul(columns as u128).saturating_mul(bytes as u128)
    };
    let paths = size(shape.n, size_of::<i32>());
    let distances = size(shape.columns, size_of::<T>());
    let mut files: Vec<(&Path, u128)> = Vec::new();
    match (places.out.file(), places.format, &places.paths) {
        (Some(out), OutputFormat::Npz, PathsPlace::Inside) => {
            files.push((out, distances.saturating_add(paths)))
        }
        (Some(out), OutputFormat::Npy | OutputFormat::Npz, _) => files.push((out, distances)),
        // Text has the sizes of its numbers, and a Parquet file is packed.
        _ => {}
    }
    if let PathsPlace::Beside(file) = &places.paths {
        files.push((file, paths));
    }
    files
}

impl<'a, T: Weight> Store<'a, T> {
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
        let out = match &places.out {
            Out::File(out) => out,
            Out::Standard => {
                let stream = NpyStream::begin(rows, columns)?;
                let reader_left = stream.reader_left();
                let distances = Distances::Stream(Box::new(InOrder::new(stream)), reader_left);
                return Ok(Self { distances, paths: paths_beside(places, shape)?, places, names, shape });
            }
        };
        let distances = match places.format {
            OutputFormat::Npy => Distances::Npy(NpyRows::begin(out, rows, columns)?),
            OutputFormat::Npz => {
                Distances::Npz(Box::new(InOrder::new(NpzRows::begin(out, rows, columns, false)?)))
            }
            OutputFormat::Csv => {
                Distances::Csv(Box::new(InOrder::new(CsvRows::begin(out, n, targets, names)?)))
            }
            OutputFormat::Parquet => {
                Distances::Parquet(Box::new(InOrder::new(ParquetRows::begin(out, n, targets, names)?)))
            }
            OutputFormat::MatrixMarket => Distances::AtOnce,
        };
        Ok(Self { distances, paths: paths_beside(places, shape)?, places, names, shape })
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

    /// Stores a row, from any thread. For [`takes_rows`] alone.
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
            Distances::Npz(file) => file.write(index, source, distances),
            Distances::Csv(file) => file.write(index, source, distances),
            Distances::Parquet(file) => file.write(index, source, distances),
            Distances::AtOnce => Ok(()),
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
        if let (Some((_, file)), Some(paths)) = (&self.paths, paths_of(solution)) {
            control.check()?;
            file.write_all(paths)?;
        }
        Ok(())
    }

    /// Gives the files their names, the distances last: where they are, everything is.
    ///
    /// # Errors
    /// When the system cannot. What was finished before is taken away again.
    pub fn finish(self, whole: Option<&Solution<T>>, mut description: Description) -> Result<(), Stop> {
        let Self { distances, paths, places, names, shape } = self;
        let mut beside = Vec::new();
        let kind = whole.and_then(|whole| whole.next.as_ref()).map_or(Kind::Predecessors, |_| Kind::Next);
        if places.paths != PathsPlace::Nowhere {
            description.paths = Some(StoredPaths { kind, file: None });
        }
        let (distances, out) = match (distances, &places.out) {
            (Distances::Stream(to, _), _) => {
                to.into_writer()?.finish()?;
                return paths.map_or(Ok(()), |(_, file)| Ok(file.finish()?));
            }
            (_, Out::Standard) => return Err(defect()),
            (distances, Out::File(out)) => (distances, out),
        };
        if let Some((path, file)) = paths {
            file.finish()?;
            if let Some(paths) = &mut description.paths {
                paths.file = Some(seen_from(&path, out));
            }
            beside.push(path);
        }
        let stored = description.store(out).map_err(Stop::Other);
        if stored.is_ok() && description.is_needed() {
            beside.push(Description::place(out));
        }
        let finished = stored.and_then(|()| match distances {
            Distances::Npy(file) => Ok(file.finish()?),
            Distances::Csv(file) => Ok(file.into_writer()?.finish()?),
            Distances::Parquet(file) => Ok(file.into_writer()?.finish()?),
            Distances::Npz(file) => {
                let file = file.into_writer()?;
                match whole.and_then(paths_of).filter(|_| places.paths == PathsPlace::Inside) {
                    None => Ok(file.finish()?),
                    Some(paths) => {
                        let mut file = file.array::<i32>(kind.array(), shape.rows, shape.n)?;
                        for row in paths.chunks(shape.n.max(1)) {
                            file.write_row(0, row)?;
                        }
                        Ok(file.finish()?)
                    }
                }
            }
            Distances::Stream(..) => Err(defect()),
            Distances::AtOnce => match whole {
                Some(whole) => Ok(write_solution(out, places.format, whole, names)?),
                None => Err(defect()),
            },
        });
        if finished.is_err() {
            beside.iter().for_each(|file| drop(std::fs::remove_file(file)));
        }
        finished
    }
}

fn defect() -> Stop {
    Stop::Other("the result came in a form that its format cannot take: this is a defect of repro".into())
}

fn paths_beside(places: &Places, shape: Shape) -> Result<Option<(PathBuf, NpyRows<i32>)>, WriteError> {
    match &places.paths {
        PathsPlace::Beside(file) => Ok(Some((file.clone(), NpyRows::begin(file, shape.rows, shape.n)?))),
        PathsPlace::Nowhere | PathsPlace::Inside => Ok(None),
    }
}

fn paths_of<T>(solution: &Solution<T>) -> Option<&[i32]> {
    solution.predecessors.as_deref().or(solution.next.as_deref())
}

/// `path` as it is found from the folder of `result`.
fn seen_from(path: &Path, result: &Path) -> PathBuf {
    match (path.parent(), result.parent(), path.file_name()) {
        (one, other, Some(name)) if one == other => name.into(),
        _ => std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()),
    }
}
