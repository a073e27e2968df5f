//! What is asked for, and what is found.

use crate::{Algorithm, Choice, Control, Dense, Marks, PathError, Rates, Weight, walk, walk_next};

/// What paths are wanted in addition to distances.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Paths {
    /// None.
    #[default]
    No,
    /// For each source the vertex before each vertex.
    Predecessors(Marks),
    /// For each vertex the vertex after it on the way to each. Sources and targets cannot be chosen with it.
    Next(Marks),
}

/// What to compute, and how. [`Options::default`] finds all distances with the algorithm that is expected to be fastest.
#[derive(Clone, Copy)]
pub struct Options<'a, T: Weight> {
    /// Where paths begin, in the order of the result's rows; everywhere if nothing is named.
    pub sources: Option<&'a [usize]>,
    /// Where paths end, in the order of the result's columns; everywhere if nothing is named.
    pub targets: Option<&'a [usize]>,
    /// The paths wanted.
    pub paths: Paths,
    /// What is farther away is as if no path led there; +infinity for no limit. No weight may be negative with it.
    pub limit: f64,
    /// The algorithm to use; the one that is expected to be fastest if none is named.
    pub algorithm: Option<Algorithm>,
    /// What searches were measured to do; [`Rates::usual`] by default. [`Dense::tasks_per_second`] goes before [`Rates::dense_tasks`].
    pub rates: Rates,
    /// The solver of dense graphs, if there is one.
    pub dense: Option<&'a dyn Dense<T>>,
    /// Cancellation and progress.
    pub control: Control<'a>,
}

impl<T: Weight> Default for Options<'_, T> {
    fn default() -> Self {
        Self {
            sources: None,
            targets: None,
            paths: Paths::No,
            limit: f64::INFINITY,
            algorithm: None,
            rates: Rates::usual(T::TYPE),
            dense: None,
            control: Control::default(),
        }
    }
}

/// Distances, and paths if they were asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution<T> {
    /// The number of vertices.
    pub n: usize,
    /// The source of each row; `None` where row i is that of vertex i.
    pub sources: Option<Vec<usize>>,
    /// The target of each column; `None` where column j is that of vertex j.
    pub targets: Option<Vec<usize>>,
    /// The distance from each source to each target in row-major order, [`Element::ABSENT`](repro_graph::Element::ABSENT) where there is
    /// no path.
    pub distances: Vec<T>,
    /// The predecessor of each of the n vertices for each source, in row-major order: n columns also where targets were chosen, whose paths
    /// alone are there.
    pub predecessors: Option<Vec<i32>>,
    /// The next vertex, n x n in row-major order.
    pub next: Option<Vec<i32>>,
    /// The algorithm that was used.
    pub algorithm: Algorithm,
    /// What was expected of the algorithms.
    pub choice: Choice,
}

impl<T: Weight> Solution<T> {
    /// The distance between two vertices; `None` where it was not asked for. O(number of sources and targets chosen).
    pub fn distance(&self, source: usize, target: usize) -> Option<T> {
        let column = place(self.targets.as_deref(), self.n, target)?;
        let columns = self.targets.as_ref().map_or(self.n, Vec::len);
        self.distances.get(place(self.sources.as_deref(), self.n, source)? * columns + column).copied()
    }

    /// The vertices of the path between two vertices, both included; `None` where there is no path, or none was asked for.
    ///
    /// # Errors
    /// When an end is no vertex. What [`solve`] found has no other.
    pub fn path(&self, source: usize, target: usize) -> Result<Option<Vec<usize>>, PathError> {
        if let Some(next) = &self.next {
            return walk_next(next, self.n, source, target);
        }
        let row = place(self.sources.as_deref(), self.n, source).zip(self.predecessors.as_deref());
        match row {
            Some((row, predecessors)) => {
                walk(&predecessors[row * self.n..(row + 1) * self.n], source, target)
            }
            None => Ok(None),
        }
    }
}

/// Which of the chosen vertices this is.
fn place(chosen: Option<&[usize]>, n: usize, vertex: usize) -> Option<usize> {
    match chosen {
        None => (vertex < n).then_some(vertex),
        Some(chosen) => chosen.iter().position(|&v| v == vertex),
    }
}
