//! A stored result: which of its numbers make a path.

use super::matrix::Matrix;
use crate::program;
use crate::solve::stored::{Description, PathKind, StoredPaths};
use repro_terminal::Error;
use shortest_paths::read::Names;
use shortest_paths::walk;
use std::path::{Path, PathBuf};

/// A result with paths.
#[derive(Debug)]
pub(super) struct StoredResult {
    file: PathBuf,
    kind: PathKind,
    paths: Matrix,
    /// None in formats of text.
    distances: Option<Matrix>,
    names: Names,
    sources: Option<Vec<usize>>,
    targets: Option<Vec<usize>>,
}

/// A path that was found.
#[derive(Debug, PartialEq)]
pub(super) struct ShortestPath {
    /// From its first vertex to its last.
    pub vertices: Vec<usize>,
    pub lengths: Lengths,
    /// The stored distance between its ends.
    pub distance: Option<f64>,
    /// Whether lengths are differences of rounded numbers.
    pub is_rounded: bool,
}

/// The lengths of a path's arcs.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Lengths {
    Arcs(Vec<f64>),
    /// Not known.
    None,
}

impl ShortestPath {
    /// The stored distance, or else the sum of the arcs' lengths; none where neither is known.
    pub fn length(&self) -> Option<f64> {
        self.distance.or(match &self.lengths {
            // The sum of nothing is -0.0.
            Lengths::Arcs(lengths) => Some(lengths.iter().sum::<f64>() + 0.0),
            Lengths::None => None,
        })
    }
}

impl StoredResult {
    /// Looks for the paths of a result.
    ///
    /// # Errors
    /// The file, and what it lacks.
    pub fn open(file: &Path) -> Result<Self, Error> {
        if !file.is_file() {
            return Err(format!(
                "{}: there is no such file: name the --out of {} solve",
                file.display(),
                program()
            )
            .into());
        }
        let description = Description::of(file)?.ok_or_else(|| of_no_result(file))?;
        let Some(StoredPaths { kind, file: beside }) = &description.paths else {
            return Err(without_paths(file));
        };
        let paths = Matrix::open(&file.parent().unwrap_or(Path::new("")).join(beside))?;
        let distances = has_extension(file, "npy").then(|| Matrix::open(file)).transpose()?;
        let (kind, names) = (*kind, description.names());
        let Description { sources, targets, .. } = description;
        let stored = Self { file: file.to_owned(), kind, paths, distances, names, sources, targets };
        stored.check()?;
        Ok(stored)
    }

    /// Whether the parts of the result belong to each other.
    fn check(&self) -> Result<(), Error> {
        let n = self.n();
        let rows = self.sources.as_ref().map_or(n, Vec::len);
        let columns = self.targets.as_ref().map_or(n, Vec::len);
        let named = match &self.names {
            Names::Given(names) => names.len(),
            _ => n,
        };
        let chosen = self.sources.iter().chain(&self.targets).flatten();
        let fits = self.paths.is_of_vertices()
            && self.paths.rows == rows
            && named == n
            && chosen.max().is_none_or(|vertex| *vertex < n)
            && self.distances.as_ref().is_none_or(|matrix| (matrix.rows, matrix.columns) == (rows, columns));
        if fits {
            return Ok(());
        }
        Err(format!(
            "{}: the paths, the distances and {} next to them are not of one result: solve the graph again",
            self.file.display(),
            Description::place(&self.file).file_name().unwrap_or_default().display()
        )
        .into())
    }

    /// The number of vertices of the graph.
    pub fn n(&self) -> usize {
        self.paths.columns
    }

    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The path between two vertices; none where no path leads.
    ///
    /// # Errors
    /// When no path from there was stored, or what is stored is no path.
    pub fn path(&self, from: usize, to: usize) -> Result<Option<ShortestPath>, Error> {
        let wrong = |what: String| -> Error { format!("{}: {what}", self.file.display()).into() };
        let name = |vertex| self.names.name(vertex);
        let Some(row) = place(&self.sources, from) else {
            return Err(wrong(format!(
                "{} is none of the sources that were chosen: solve with it among --sources",
                name(from)
            )));
        };
        let column = place(&self.targets, to);
        if column.is_none() {
            return Err(wrong(format!(
                "{} is none of the targets that were chosen: solve with it among --targets",
                name(to)
            )));
        }
        let walked = match self.kind {
            PathKind::Predecessor => walk(&self.paths.row(row)?, from, to),
            // Of next vertices a walk looks at one column alone, which is a row of predecessors that is walked from the other end.
            PathKind::Next => walk(&self.paths.column(to)?, to, from).map(|path| {
                path.map(|mut path| {
                    path.reverse();
                    path
                })
            }),
        };
        match walked.map_err(|error| wrong(error.to_string()))? {
            None => Ok(None),
            Some(vertices) => self.found(vertices, row, column),
        }
    }

    /// With what is stored of its lengths.
    fn found(
        &self,
        vertices: Vec<usize>,
        row: usize,
        column: Option<usize>,
    ) -> Result<Option<ShortestPath>, Error> {
        let mut found = ShortestPath { vertices, lengths: Lengths::None, distance: None, is_rounded: false };
        let Some(distances) = &self.distances else { return Ok(Some(found)) };
        if let Some(column) = column {
            found.distance = distances.distances(&[(row, column)])?.first().copied();
        }
        let arcs = || found.vertices.windows(2);
        // An arc of a shortest path is a shortest path itself, so its weight is the distance between its ends.
        let direct: Option<Vec<(usize, usize)>> =
            arcs().map(|arc| Some((place(&self.sources, arc[0])?, place(&self.targets, arc[1])?))).collect();
        if let Some(places) = direct {
            found.lengths = Lengths::Arcs(distances.distances(&places)?);
            return Ok(Some(found));
        }
        let along: Option<Vec<(usize, usize)>> =
            found.vertices.iter().map(|&vertex| Some((row, place(&self.targets, vertex)?))).collect();
        if let Some(places) = along {
            let lengths = distances.distances(&places)?.windows(2).map(|two| two[1] - two[0]).collect();
            found.lengths = Lengths::Arcs(lengths);
            found.is_rounded = distances.is_rounded();
        }
        Ok(Some(found))
    }
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

fn without_description(file: &Path) -> Error {
    format!(
        "{}: its description {} is missing (it says which rows, columns and paths the file holds): restore it or solve again",
        file.display(),
        Description::place(file).file_name().unwrap_or_default().display()
    )
    .into()
}

/// What to say of a file without a description in which no paths are: it may be a graph, or its description may be lost.
fn of_no_result(file: &Path) -> Error {
    let beside = ["predecessors.npy", "next.npy"].map(|extension| file.with_extension(extension));
    if beside.iter().any(|paths| paths.is_file() && paths != file) {
        return without_description(file);
    }
    let shown = file.display();
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

fn without_paths(file: &Path) -> Error {
    format!("{}: no paths are stored with it: solve the graph again with --paths predecessor", file.display())
        .into()
}
