//! All shortest paths at once: choose, search or hand to the dense solver, and find the paths.

use crate::rows::check_vertex;
use crate::{
    Algorithm, Choice, Control, Facts, Graph, Marks, PathError, Rates, Row, Searches, SinkError, SolveError,
    Want, Weight, Work, choose, room, walk, walk_next,
};
use rayon::prelude::*;
use repro_graph::{DistanceMatrix, available_memory};
use std::sync::Mutex;

/// A solver of dense graphs, for example Floyd-Warshall on a GPU.
pub trait Dense<T: Weight>: Sync {
    /// Turns the weights in `matrix` into distances, in place. There is no negative cycle; weights may be negative. What is no path may be
    /// left at any number that [`Element::settled`](repro_graph::Element::settled) makes absent. Should look at
    /// [`Control::check`] from time to time.
    ///
    /// # Errors
    /// Whatever went wrong. The matrix is not used then.
    fn close(&self, matrix: &mut DistanceMatrix<T>, control: &Control) -> Result<(), SinkError>;

    /// Tasks a second that were measured at about this n: n³ by the seconds. `None` where nothing was measured; the solver is then used
    /// only if the caller asks for it.
    fn tasks_per_second(&self, n: usize) -> Option<f64>;
}

/// What paths are wanted beside distances.
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
    /// The predecessor of each of the n vertices for each source, in row-major order.
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

/// All shortest paths of a graph, whole in memory. To store rows as they come, use [`Searches::rows`].
///
/// # Errors
/// [`SolveError::NegativeCycle`] where distances do not exist, and every other [`SolveError`]. A result that cannot fit is refused with its
/// size before anything is allocated.
pub fn solve<T: Weight, G: Graph<T>>(graph: &G, options: &Options<T>) -> Result<Solution<T>, SolveError> {
    let n = graph.n();
    let chosen = [options.sources, options.targets];
    chosen.into_iter().flatten().flatten().try_for_each(|&vertex| check_vertex(vertex, n))?;
    if options.paths != Paths::No {
        Marks::check_vertices(n)?;
    }
    if matches!(options.paths, Paths::Next(_)) && chosen.iter().any(Option::is_some) {
        return Err(SolveError::NextOfChosen);
    }
    let facts = graph.facts();
    let work = work_of(graph, &facts, options);
    let usable = dense_of(n, &facts, options.dense);
    let rates = Rates {
        dense_tasks: match &usable {
            Ok(dense) => dense.tasks_per_second(n).or(options.rates.dense_tasks),
            Err(_) => None,
        },
        ..options.rates
    };
    let choice = choose(&work, &rates);
    let algorithm = options.algorithm.unwrap_or(choice.chosen.algorithm);
    if algorithm == Algorithm::Dijkstra && work.negative {
        return Err(SolveError::NegativeWeights { least: facts.least });
    }
    let expected = if algorithm == Algorithm::FloydWarshall {
        // Its memory does not depend on its speed.
        choose(&work, &Rates { dense_tasks: Some(1.0), ..rates }).dense.unwrap_or(choice.search)
    } else {
        choice.search
    };
    room::check("the result", expected.bytes)?;
    let searches = Searches::with_facts(graph, facts, &options.control)?;
    let mut solution = Solution {
        n,
        sources: options.sources.map(<[usize]>::to_vec),
        targets: options.targets.map(<[usize]>::to_vec),
        distances: Vec::new(),
        predecessors: None,
        next: None,
        algorithm,
        choice,
    };
    if algorithm == Algorithm::FloydWarshall {
        let dense = usable.map_err(|reason| SolveError::NoDense { reason })?;
        by_dense(&searches, dense, options, &mut solution)?;
    } else {
        by_searches(&searches, options, &mut solution)?;
    }
    if let Paths::Next(marks) = options.paths {
        solution.next = Some(searches.next_vertices(&solution.distances, marks, &options.control)?);
    }
    Ok(solution)
}

fn work_of<T: Weight, G: Graph<T>>(graph: &G, facts: &Facts, options: &Options<T>) -> Work {
    let n = graph.n();
    Work {
        n,
        m: graph.m(),
        sources: options.sources.map_or(n, <[usize]>::len),
        columns: options.targets.map_or(n, <[usize]>::len),
        negative: facts.range.negative,
        element: T::TYPE,
        paths: options.paths != Paths::No,
        threads: rayon::current_num_threads(),
        available: available_memory(),
    }
}

/// The dense solver, if sums of this graph stay in range whatever order it adds them in.
fn dense_of<'a, T: Weight>(
    n: usize,
    facts: &Facts,
    dense: Option<&'a dyn Dense<T>>,
) -> Result<&'a dyn Dense<T>, String> {
    let dense = dense.ok_or("no dense solver was given: choose another algorithm")?;
    T::TYPE.holds(n, &facts.range)?;
    let longest = facts.range.longest(n);
    if longest > T::TYPE.most() {
        return Err(format!(
            "paths may be as long as {longest}, which is no {}: choose another algorithm",
            T::TYPE
        ));
    }
    Ok(dense)
}

fn by_searches<T: Weight, G: Graph<T>>(
    searches: &Searches<G>,
    options: &Options<T>,
    solution: &mut Solution<T>,
) -> Result<(), SolveError> {
    let n = solution.n;
    let every: Vec<usize>;
    let sources = match options.sources {
        Some(sources) => sources,
        None => {
            every = (0..n).collect();
            &every
        }
    };
    let predecessors = match options.paths {
        Paths::Predecessors(marks) => Some(marks),
        Paths::No | Paths::Next(_) => None,
    };
    let columns = options.targets.map_or(n, <[usize]>::len);
    let mut distances =
        room::filled("the matrix of distances", sources.len().saturating_mul(columns), T::ABSENT)?;
    let entries = if predecessors.is_some() { sources.len().saturating_mul(n) } else { 0 };
    let mut stored = room::filled("the matrix of predecessors", entries, 0)?;
    {
        // Every row has one writer, and nobody waits.
        let rows: Vec<Mutex<&mut [T]>> = distances.chunks_mut(columns.max(1)).map(Mutex::new).collect();
        let trees: Vec<Mutex<&mut [i32]>> = stored.chunks_mut(n).map(Mutex::new).collect();
        let sink = |row: Row<T>| {
            if let Some(place) = rows.get(row.index) {
                place.lock().map_err(|_| "a thread has panicked")?.copy_from_slice(row.distances);
            }
            if let Some((place, tree)) = trees.get(row.index).zip(row.predecessors) {
                place.lock().map_err(|_| "a thread has panicked")?.copy_from_slice(tree);
            }
            Ok(())
        };
        searches.rows(sources, Want { targets: options.targets, predecessors }, &options.control, sink)?;
    }
    solution.distances = distances;
    solution.predecessors = predecessors.map(|_| stored);
    Ok(())
}

fn by_dense<T: Weight, G: Graph<T>>(
    searches: &Searches<G>,
    dense: &dyn Dense<T>,
    options: &Options<T>,
    solution: &mut Solution<T>,
) -> Result<(), SolveError> {
    let (n, control) = (solution.n, &options.control);
    control.check()?;
    let mut matrix = DistanceMatrix::without_edges(n)?;
    matrix.as_mut_slice().par_chunks_mut(n).enumerate().for_each(|(tail, row)| {
        searches.graph().for_each_arc(tail, |head, weight| row[head] = weight);
    });
    let failed = dense.close(&mut matrix, control);
    control.check()?;
    failed.map_err(SolveError::Dense)?;
    matrix.as_mut_slice().par_iter_mut().for_each(|distance| *distance = distance.settled());
    let marks = match options.paths {
        Paths::Predecessors(marks) => Some(marks),
        Paths::No | Paths::Next(_) => None,
    };
    let Some(sources) = options.sources else {
        let every: Vec<usize> = if marks.is_some() { (0..n).collect() } else { Vec::new() };
        let found = marks.map(|marks| searches.predecessors(&every, matrix.as_slice(), marks, control));
        solution.predecessors = found.transpose()?;
        solution.distances = match options.targets {
            None => matrix.into_row_major(),
            Some(targets) => columns(matrix.as_slice().chunks(n), n, targets)?,
        };
        return Ok(());
    };
    if let Some(marks) = marks {
        let mut rows = room::reserved("rows of distances", sources.len().saturating_mul(n))?;
        sources.iter().for_each(|&source| rows.extend_from_slice(matrix.row(source)));
        solution.predecessors = Some(searches.predecessors(sources, &rows, marks, control)?);
    }
    let rows = sources.iter().map(|&source| matrix.row(source));
    solution.distances = match options.targets {
        Some(targets) => columns(rows, sources.len(), targets)?,
        None => {
            let mut distances = room::reserved("the matrix of distances", sources.len().saturating_mul(n))?;
            rows.for_each(|row| distances.extend_from_slice(row));
            distances
        }
    };
    Ok(())
}

/// What `count` rows have in the columns of the targets.
fn columns<'a, T: Weight>(
    rows: impl Iterator<Item = &'a [T]>,
    count: usize,
    targets: &[usize],
) -> Result<Vec<T>, SolveError> {
    let mut distances = room::reserved("the matrix of distances", count.saturating_mul(targets.len()))?;
    rows.for_each(|row| distances.extend(targets.iter().map(|&target| row[target])));
    Ok(distances)
}

#[cfg(test)]
#[path = "solve_tests.rs"]
mod tests;
