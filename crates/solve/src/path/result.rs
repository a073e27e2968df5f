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
    /// Those of its arcs, if they are known.
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
        let description = Description::read(file)?.ok_or_else(|| of_no_result(file))?;
        let Some(StoredPaths { kind, file: beside }) = &description.paths else {
            let problem = "no paths are stored with it: solve the graph again with --paths predecessor";
            return Err(format!("{}: {problem}", file.display()).into());
        };
        let stored = Self {
            file: file.to_owned(),
            kind: *kind,
            paths: Matrix::open(&file.with_file_name(beside))?,
            distances: has_extension(file, "npy").then(|| Matrix::open(file)).transpose()?,
            names: description.names(),
            sources: description.sources,
            targets: description.targets,
        };
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
            Description::beside(&self.file).file_name().unwrap_or_default().display()
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
    pub fn path(&self, [from, to]: [usize; 2]) -> Result<Option<ShortestPath>, Error> {
        let wrong = |what: String| -> Error { format!("{}: {what}", self.file.display()).into() };
        let unchosen = |vertex: usize, what: &str| {
            let name = self.names.name(vertex);
            wrong(format!("{name} is none of the {what} that were chosen: solve with it among --{what}"))
        };
        let row = place(&self.sources, from).ok_or_else(|| unchosen(from, "sources"))?;
        let column = place(&self.targets, to).ok_or_else(|| unchosen(to, "targets"))?;
        let walked = match self.kind {
            PathKind::Predecessor => walk(&self.paths.row(row)?, from, to),
            // Of next vertices a walk looks at one column alone, which is a row of predecessors that is walked from the other end.
            PathKind::Next => walk(&self.paths.column(to)?, to, from),
        };
        let Some(mut vertices) = walked.map_err(|error| wrong(error.to_string()))? else { return Ok(None) };
        if self.kind == PathKind::Next {
            vertices.reverse();
        }
        let Some(matrix) = &self.distances else {
            return Ok(Some(ShortestPath { vertices, lengths: None, distance: None, is_rounded: false }));
        };
        let distance = Some(matrix.distance(row, column)?);
        // An arc of a shortest path is a shortest path itself, so its weight is the distance between its ends.
        let arcs = vertices.windows(2).map(|arc| {
            let (row, column) = (place(&self.sources, arc[0])?, place(&self.targets, arc[1])?);
            Some(matrix.distance(row, column))
        });
        if let Some(lengths) = arcs.collect::<Option<Result<_, _>>>().transpose()? {
            return Ok(Some(ShortestPath { vertices, lengths: Some(lengths), distance, is_rounded: false }));
        }
        let along = vertices.iter().map(|&vertex| Some(matrix.distance(row, place(&self.targets, vertex)?)));
        let along: Option<Vec<f64>> = along.collect::<Option<Result<_, _>>>().transpose()?;
        let lengths = along.map(|along| along.windows(2).map(|two| two[1] - two[0]).collect());
        let is_rounded = lengths.is_some() && matrix.is_rounded();
        Ok(Some(ShortestPath { vertices, lengths, distance, is_rounded }))
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

/// What to say of a file without a description in which no paths are: it may be a graph, or its description may be lost.
fn of_no_result(file: &Path) -> Error {
    let shown = file.display();
    let beside = ["predecessors.npy", "next.npy"].map(|extension| file.with_extension(extension));
    if beside.iter().any(|paths| paths.is_file() && paths != file) {
        let name = Description::beside(file);
        let name = name.file_name().unwrap_or_default().display();
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
