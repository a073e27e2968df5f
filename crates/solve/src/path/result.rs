//! A stored result, and the paths that its numbers make.

use crate::graph::{ElementType, NpyFile};
use crate::program;
use crate::solve::sidecar::{Description, PathKind, StoredPaths};
use repro_base::terminal::Error;
use shortest_paths::read::Names;
use shortest_paths::{Element, walk};
use std::fs::File;
use std::path::{Path, PathBuf};

/// A result with paths.
#[derive(Debug)]
pub(super) struct StoredResult {
    file: PathBuf,
    description: Description,
    kind: PathKind,
    paths: Matrix,
    /// None where the distances are stored as text.
    distances: Option<Matrix>,
}

/// A path that was found.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ShortestPath {
    /// From its first vertex to its last.
    pub vertices: Vec<usize>,
    /// The lengths of its arcs, if they are known.
    pub lengths: Option<Vec<f64>>,
    /// The stored distance between its ends.
    distance: Option<f64>,
    /// Whether lengths are differences of rounded numbers.
    pub is_rounded: bool,
}

impl ShortestPath {
    /// The stored distance, or else the sum of the arcs' lengths; none where neither is known.
    pub fn length(&self) -> Option<f64> {
        // The sum of nothing is -0.0.
        self.distance.or_else(|| Some(self.lengths.as_ref()?.iter().sum::<f64>() + 0.0))
    }
}

impl StoredResult {
    /// Opens a result and the paths that are stored with it.
    ///
    /// # Errors
    /// The file, and what it lacks.
    pub fn open(file: &Path) -> Result<Self, Error> {
        let wrong = |what: &str| -> Error { format!("{}: {what}", file.display()).into() };
        if !file.is_file() {
            return Err(wrong(&format!("there is no such file: name the --out of {} solve", program())));
        }
        let description = Description::read(file)?.ok_or_else(|| of_no_result(file))?;
        let Some(StoredPaths { kind, file: beside }) = &description.paths else {
            return Err(wrong("no paths are stored with it: solve the graph again with --paths predecessor"));
        };
        let (kind, paths) = (*kind, Matrix::open(&file.with_file_name(beside))?);
        let distances = has_extension(file, "npy").then(|| Matrix::open(file)).transpose()?;
        let stored = Self { file: file.to_owned(), description, kind, paths, distances };
        if !stored.fits() {
            return Err(wrong(&format!(
                "the paths, the distances and {} next to them are not of one result: solve the graph again",
                name_beside(file)
            )));
        }
        Ok(stored)
    }

    /// Whether the parts of the result belong to each other.
    fn fits(&self) -> bool {
        let (Description { names, sources, targets, .. }, n) = (&self.description, self.n());
        let count = |chosen: &Option<Vec<usize>>| chosen.as_ref().map_or(n, Vec::len);
        let shape = (count(sources), count(targets));
        self.paths.is_of_vertices()
            && self.paths.rows == shape.0
            && !matches!(names, Names::Given(names) if names.len() != n)
            && sources.iter().chain(targets).flatten().all(|vertex| *vertex < n)
            && self.distances.as_ref().is_none_or(|matrix| (matrix.rows, matrix.columns) == shape)
    }

    /// The number of vertices of the graph.
    pub fn n(&self) -> usize {
        self.paths.columns
    }

    pub fn names(&self) -> &Names {
        &self.description.names
    }

    /// The path between two vertices; none where no path leads.
    ///
    /// # Errors
    /// When no path from there was stored, or what is stored is no path.
    pub fn path(&self, [from, to]: [usize; 2]) -> Result<Option<ShortestPath>, Error> {
        let wrong = |what: String| -> Error { format!("{}: {what}", self.file.display()).into() };
        let unchosen = |vertex: usize, what: &str| {
            let name = self.names().name(vertex);
            wrong(format!("{name} is none of the {what} that were chosen: solve with it among --{what}"))
        };
        let source = |vertex: usize| place(&self.description.sources, vertex);
        let target = |vertex: usize| place(&self.description.targets, vertex);
        let row = source(from).ok_or_else(|| unchosen(from, "sources"))?;
        let column = target(to).ok_or_else(|| unchosen(to, "targets"))?;
        let walked = match self.kind {
            PathKind::Predecessor => walk(&self.paths.row(row)?, from, to),
            // A walk along next vertices reads one column alone: like a row of predecessors, it is walked from the other end.
            PathKind::Next => walk(&self.paths.column(to)?, to, from),
        };
        let Some(mut vertices) = walked.map_err(|error| wrong(error.to_string()))? else { return Ok(None) };
        if self.kind == PathKind::Next {
            vertices.reverse();
        }
        let mut path = ShortestPath { vertices, ..ShortestPath::default() };
        let Some(matrix) = &self.distances else { return Ok(Some(path)) };
        path.distance = Some(matrix.distance(row, column)?);
        // An arc of a shortest path is a shortest path itself, so its weight is the distance between its ends.
        let arcs =
            path.vertices.windows(2).map(|arc| Some(matrix.distance(source(arc[0])?, target(arc[1])?)));
        path.lengths = arcs.collect::<Option<Result<_, _>>>().transpose()?;
        if path.lengths.is_none() {
            let along = path.vertices.iter().map(|&vertex| Some(matrix.distance(row, target(vertex)?)));
            let along: Option<Vec<f64>> = along.collect::<Option<Result<_, _>>>().transpose()?;
            path.lengths = along.map(|along| along.windows(2).map(|two| two[1] - two[0]).collect());
            path.is_rounded = path.lengths.is_some() && matrix.is_rounded();
        }
        Ok(Some(path))
    }
}

/// The file name of the description of a result.
fn name_beside(file: &Path) -> String {
    Description::beside(file).file_name().unwrap_or_default().display().to_string()
}

/// The row or column of a vertex.
fn place(chosen: &Option<Vec<usize>>, vertex: usize) -> Option<usize> {
    match chosen {
        None => Some(vertex),
        Some(chosen) => chosen.iter().position(|one| *one == vertex),
    }
}

fn has_extension(file: &Path, wanted: &str) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

/// The error for a file without a description: it may be a graph, or its description may be lost.
fn of_no_result(file: &Path) -> Error {
    let shown = file.display();
    let beside = ["predecessors.npy", "next.npy"].map(|extension| file.with_extension(extension));
    if beside.iter().any(|paths| paths.is_file() && paths != file) {
        let name = name_beside(file);
        return format!(
            "{shown}: its description {name} is missing (it says which rows, columns and paths the file holds): restore it or solve again"
        )
        .into();
    }
    let may_be_result = ["npy", "csv"].iter().any(|extension| has_extension(file, extension));
    let what = if may_be_result {
        "no paths are stored with it: solve the graph again with --paths predecessor, or if this is the graph"
    } else {
        "is no result of solve: if it is a graph"
    };
    let program = program();
    format!(
        "{shown}: {what}, solve it by `{program} solve {shown} --out all.npy --paths predecessor`, and name all.npy"
    )
    .into()
}

/// A matrix of a result in a `.npy` file.
#[derive(Debug)]
struct Matrix {
    name: PathBuf,
    file: NpyFile,
    rows: usize,
    columns: usize,
}

impl Matrix {
    /// Opens the matrix in a file.
    ///
    /// # Errors
    /// The file, and why it holds none.
    fn open(name: &Path) -> Result<Self, Error> {
        let wrong = |what: String| -> Error { format!("{}: {what}", name.display()).into() };
        let open = File::open(name).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        let file = NpyFile::open(open).map_err(|problem| wrong(problem.to_string()))?;
        let is_result = ElementType::ALL.into_iter().any(|element| file.holds(element));
        let header = &file.header;
        let (true, &[rows, columns]) = (is_result && !header.fortran, &header.shape[..]) else {
            return Err(wrong(format!(
                "has an array of shape {:?} and type '{}', and a result has rows and columns of f32, f64, i32 or u16",
                header.shape, header.descr
            )));
        };
        Ok(Self { name: name.to_owned(), file, rows, columns })
    }

    /// Whether its numbers are floats, which may be rounded.
    fn is_rounded(&self) -> bool {
        !self.is_of_vertices() && !self.file.holds(ElementType::U16)
    }

    fn is_of_vertices(&self) -> bool {
        self.file.holds(ElementType::I32)
    }

    /// The distance at a place.
    ///
    /// # Errors
    /// When the file cannot be read.
    fn distance(&self, row: usize, column: usize) -> Result<f64, Error> {
        let mut found = [0.0];
        self.read(row * self.columns + column, &mut found)?;
        Ok(found[0])
    }

    /// A whole row of vertices.
    ///
    /// # Errors
    /// When the file cannot be read.
    fn row(&self, row: usize) -> Result<Vec<i32>, Error> {
        let mut found = vec![0; self.columns];
        self.read(row * self.columns, &mut found)?;
        Ok(found)
    }

    /// A whole column of vertices.
    ///
    /// # Errors
    /// When the file cannot be read.
    fn column(&self, column: usize) -> Result<Vec<i32>, Error> {
        let mut found = vec![0; self.rows];
        for (row, vertex) in found.chunks_mut(1).enumerate() {
            self.read(row * self.columns + column, vertex)?;
        }
        Ok(found)
    }

    fn read<T: Element>(&self, first: usize, into: &mut [T]) -> Result<(), Error> {
        self.file.read(first, into).map_err(|problem| format!("{}: {problem}", self.name.display()).into())
    }
}
