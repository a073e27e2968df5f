//! All shortest paths at once: choose, search or hand to the dense solver, and find the paths.

use crate::reduction::check_sums;
use crate::rows::{check_limit, check_vertex};
use crate::solution::{chosen, close, limit};
use crate::tree::keep_paths;
use crate::{
    Algorithm, Choice, Dense, Element, Graph, Options, Paths, Row, RowRequest, SearchContext, Solution,
    SolveError, WeightSummary, Workload, choose, dense_bytes,
};
use rayon::prelude::*;
use repro_graph::{DistanceMatrix, memory_check};
use std::sync::Mutex;

/// All shortest paths of a graph, whole in memory. To store rows as they come, use [`SearchContext::rows`].
///
/// # Errors
/// [`SearchError::NegativeCycle`](crate::SearchError::NegativeCycle) where distances do not exist, and every other [`SolveError`]. A result that cannot fit is refused with its
/// size before anything is allocated.
pub fn solve<T: Element>(
    graph: &impl Graph<Weight = T>,
    options: &Options<T>,
) -> Result<Solution<T>, SolveError> {
    let plan = Plan::new(graph, options)?;
    memory_check::check("the result", plan.bytes)?;
    plan.carry_out(graph, options)
}

/// As [`solve`], of a dense graph that is not needed afterwards. Where Floyd-Warshall is used and no paths are asked for, the matrix of weights
/// becomes that of distances, and no second one is made. In every other case this is [`solve`].
///
/// ```
/// use shortest_paths::DistanceMatrix;
/// use shortest_paths::{Options, solve_in_place};
///
/// let matrix = DistanceMatrix::from_row_major(2, vec![0_i32, 3, 4, 0])?;
/// let solution = solve_in_place(matrix, &Options::default())?;
/// assert_eq!(solution.distances, [0, 3, 4, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of [`solve`].
pub fn solve_in_place<T: Element>(
    graph: DistanceMatrix<T>,
    options: &Options<T>,
) -> Result<Solution<T>, SolveError> {
    let plan = Plan::new(&graph, options)?;
    if plan.algorithm != Algorithm::FloydWarshall || options.paths != Paths::No {
        memory_check::check("the result", plan.bytes)?;
        return plan.carry_out(&graph, options);
    }
    let dense = plan.dense()?;
    // Looks for a negative cycle if a weight is negative.
    let potentials = SearchContext::new(&graph, &options.control)?.potentials;
    let mut matrix = graph;
    let n = matrix.n();
    matrix.as_mut_slice().iter_mut().step_by(n + 1).for_each(|stay| *stay = T::ZERO);
    let control = &options.control;
    close(dense, &mut matrix, &plan.facts, potentials.as_deref(), false, control)?;
    let mut solution = plan.solution(options);
    limit(&mut matrix, None, options);
    solution.distances = chosen(matrix, options)?;
    Ok(solution)
}

/// What is known before anything large is allocated.
struct Plan<'a, T: Element> {
    n: usize,
    facts: WeightSummary,
    usable: Result<&'a dyn Dense<T>, String>,
    algorithm: Algorithm,
    choice: Choice,
    /// Bytes in addition to the graph, as far as they can be counted.
    bytes: u128,
}

impl<'a, T: Element> Plan<'a, T> {
    fn new(graph: &impl Graph<Weight = T>, options: &Options<'a, T>) -> Result<Self, SolveError> {
        let n = graph.n();
        let chosen = [options.sources, options.targets];
        chosen.into_iter().flatten().flatten().try_for_each(|&vertex| check_vertex(vertex, n))?;
        if let Paths::Predecessors(marks) | Paths::Next(marks) = options.paths {
            marks.check(n)?;
        }
        if matches!(options.paths, Paths::Next(_)) && chosen.iter().any(Option::is_some) {
            return Err(SolveError::NextOfChosen);
        }
        if matches!(options.paths, Paths::Next(_)) && options.limit < f64::INFINITY {
            return Err(SolveError::NextWithinLimit);
        }
        let facts = graph.facts();
        check_limit(options.limit, &facts)?;
        let work = Workload::new(graph, options.sources, options.targets, options.paths != Paths::No);
        let usable = match options.dense {
            Some(dense) => check_sums::<T>(n, &facts).map(|()| dense),
            None => Err("no dense solver was given: give one as Options::dense, such as DenseSolver of the crate repro-dense, or choose another algorithm".to_string()),
        };
        let choice = choose(&work, usable.as_ref().ok().and_then(|dense| dense.seconds(n)));
        let algorithm = options.algorithm.unwrap_or(choice.chosen.algorithm);
        if algorithm == Algorithm::Dijkstra && work.negative {
            return Err(SolveError::NegativeWeights { least: facts.least });
        }
        let is_dense = algorithm == Algorithm::FloydWarshall;
        let bytes = if is_dense { dense_bytes(&work) } else { choice.search.bytes };
        Ok(Self { n, facts, usable, algorithm, choice, bytes })
    }

    fn dense(&self) -> Result<&'a dyn Dense<T>, SolveError> {
        self.usable.clone().map_err(|reason| SolveError::NoDense { reason })
    }

    /// The result, still without distances and paths.
    fn solution(&self, options: &Options<T>) -> Solution<T> {
        Solution {
            n: self.n,
            sources: options.sources.map(<[usize]>::to_vec),
            targets: options.targets.map(<[usize]>::to_vec),
            distances: Vec::new(),
            predecessors: None,
            next: None,
            algorithm: self.algorithm,
            choice: self.choice,
        }
    }

    fn carry_out(
        &self,
        graph: &impl Graph<Weight = T>,
        options: &Options<T>,
    ) -> Result<Solution<T>, SolveError> {
        let is_searched = self.algorithm != Algorithm::FloydWarshall || options.paths != Paths::No;
        let sparse = if is_searched { graph.sparse()? } else { None };
        match sparse {
            Some(arcs) => self.carry_out_on(&arcs, options),
            None => self.carry_out_on(graph, options),
        }
    }

    fn carry_out_on(
        &self,
        graph: &impl Graph<Weight = T>,
        options: &Options<T>,
    ) -> Result<Solution<T>, SolveError> {
        let searches = SearchContext::new(graph, &options.control)?.limited(options.limit)?;
        let mut solution = self.solution(options);
        if self.algorithm == Algorithm::FloydWarshall {
            by_dense(&searches, self.dense()?, options, &mut solution)?;
        } else {
            by_searches(&searches, options, &mut solution)?;
        }
        if let Paths::Next(marks) = options.paths {
            solution.next = Some(searches.next_vertices(&solution.distances, marks, &options.control)?);
        }
        Ok(solution)
    }
}

fn by_searches<T: Element>(
    searches: &SearchContext<impl Graph<Weight = T>>,
    options: &Options<T>,
    solution: &mut Solution<T>,
) -> Result<(), SolveError> {
    let n = solution.n;
    let sources = options.sources.map_or_else(|| (0..n).collect(), <[usize]>::to_vec);
    let predecessors = match options.paths {
        Paths::Predecessors(marks) => Some(marks),
        Paths::No | Paths::Next(_) => None,
    };
    let columns = options.targets.map_or(n, <[usize]>::len);
    let mut distances =
        memory_check::zeros("the matrix of distances", sources.len().saturating_mul(columns))?;
    let entries = if predecessors.is_some() { sources.len().saturating_mul(n) } else { 0 };
    let mut stored = memory_check::zeros("the matrix of predecessors", entries)?;
    {
        // Every row has one writer, so no thread waits for a lock.
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
        searches.rows(
            &sources,
            RowRequest { targets: options.targets, predecessors },
            &options.control,
            sink,
        )?;
    }
    solution.distances = distances;
    solution.predecessors = predecessors.map(|_| stored);
    Ok(())
}

fn by_dense<T: Element>(
    searches: &SearchContext<impl Graph<Weight = T>>,
    dense: &dyn Dense<T>,
    options: &Options<T>,
    solution: &mut Solution<T>,
) -> Result<(), SolveError> {
    let (n, control) = (solution.n, &options.control);
    let mut matrix = DistanceMatrix::from_rows(n, |tail, row| searches.graph.fill_row(tail, row))?;
    let keep = matches!(options.paths, Paths::Predecessors(_)) && options.sources.is_none();
    let kept = close(dense, &mut matrix, &searches.facts, searches.potentials(), keep, control)?;
    let Paths::Predecessors(marks) = options.paths else {
        limit(&mut matrix, None, options);
        solution.distances = chosen(matrix, options)?;
        return Ok(());
    };
    let found = match options.sources {
        None => searches.predecessors_by(kept, matrix.as_slice(), marks, control),
        Some(sources) => {
            let mut rows = memory_check::reserved("rows of distances", sources.len().saturating_mul(n))?;
            sources.iter().for_each(|&source| rows.extend_from_slice(matrix.row(source)));
            searches.predecessors(sources, &rows, marks, control)
        }
    };
    let mut found = found?;
    if let Some(targets) = options.targets {
        let rows = found.par_chunks_mut(n);
        let seen = || memory_check::filled("a row of predecessors", n, 0);
        rows.try_for_each_init(seen, |seen, row| {
            let seen = seen.as_mut().map_err(|error| error.clone())?;
            keep_paths(row, targets, marks, seen);
            Ok::<_, SolveError>(())
        })?;
    }
    limit(&mut matrix, Some((&mut found, marks)), options);
    solution.predecessors = Some(found);
    solution.distances = chosen(matrix, options)?;
    Ok(())
}

#[cfg(test)]
#[path = "solve_tests.rs"]
mod tests;
