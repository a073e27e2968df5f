//! Many small graphs at once.

use crate::{DenseError, DenseSolver};
use rayon::prelude::*;
use repro_graph::{DistanceMatrix, Element, WeightRange, weight_range};
use repro_solvers::{MOST_VERTICES_OF_BATCHES, Problem, Vectorized, cpu_parallel};
use shortest_paths::{Control, Dense, Reduction, SinkError};
use std::collections::BTreeMap;

/// Graphs whose numbers of vertices differ by less than this are solved together, as if all had as many as the largest.
const STEP: usize = 64;
/// Bytes of matrices that are on a device at once, unless one graph has more.
const BATCH_BYTES: usize = 1 << 30;

impl DenseSolver {
    /// Solves many graphs in place, n x n weights each with 0 on the diagonal, none of which has a negative cycle. On a device, graphs of up to
    /// 512 vertices are solved together, hundreds in a launch, and larger ones alone; on the CPU each thread solves graphs of its own, whole and by
    /// all tasks. What [`DenseSolver::last_halved`] and [`DenseSolver::last_parts`] say is of other solves.
    ///
    /// # Errors
    /// As [`Dense::close`], and those of [`Reduction::of`]. What the matrices are then is not known.
    pub fn close_batch<T: Element + Vectorized>(
        &self,
        graphs: &mut [DistanceMatrix<T>],
        control: &Control,
    ) -> Result<(), SinkError> {
        let reductions: Vec<_> =
            graphs.par_iter().map(|graph| Reduction::of(graph, control)).collect::<Result<_, _>>()?;
        let each = |graphs: &mut [DistanceMatrix<T>], change: fn(&Reduction, &mut DistanceMatrix<T>)| {
            let reduced = graphs.iter_mut().zip(&reductions);
            reduced.for_each(|(graph, reduction)| {
                if let Some(reduction) = reduction {
                    change(reduction, graph);
                }
            });
        };
        each(graphs, Reduction::apply);
        self.close_reduced(graphs, control)?;
        each(graphs, Reduction::undo);
        Ok(())
    }

    /// As [`DenseSolver::close_batch`], of weights that are not negative where sums of them are rounded.
    fn close_reduced<T: Element + Vectorized>(
        &self,
        graphs: &mut [DistanceMatrix<T>],
        control: &Control,
    ) -> Result<(), SinkError> {
        if self.device_for(T::TYPE).is_none() {
            return graphs.par_iter_mut().try_for_each(|graph| {
                control.check()?;
                let n = graph.n();
                cpu_parallel::solve(graph.as_mut_slice(), n);
                Ok(())
            });
        }
        let mut alike: BTreeMap<usize, Vec<&mut DistanceMatrix<T>>> = BTreeMap::new();
        for graph in graphs {
            alike.entry(graph.n().div_ceil(STEP)).or_default().push(graph);
        }
        for (steps, mut graphs) in alike {
            if steps * STEP > MOST_VERTICES_OF_BATCHES {
                graphs.into_iter().try_for_each(|graph| {
                    self.close(graph, &weight_range(graph), false, control).map(drop)
                })?;
                continue;
            }
            let n = graphs.iter().map(|graph| graph.n()).max().unwrap_or(1);
            for some in graphs.chunks_mut((BATCH_BYTES / (n * n * T::TYPE.bytes())).max(1)) {
                self.close_together(n, some, control)?;
            }
        }
        Ok(())
    }

    /// Solves graphs of at most `n` vertices each, one matrix below the other on the device.
    fn close_together<T: Element + Vectorized>(
        &self,
        n: usize,
        graphs: &mut [&mut DistanceMatrix<T>],
        control: &Control,
    ) -> Result<(), DenseError> {
        let device = self.device_for(T::TYPE).ok_or(DenseError::NoDevice { element: T::TYPE })?;
        let ranges = graphs.par_iter().map(|graph| {
            let range = weight_range(graph);
            // Vertices that only fill up have no edges.
            WeightRange { complete: range.complete && graph.n() == n, ..range }
        });
        let Some(weights) = ranges.reduce_with(WeightRange::and) else { return Ok(()) };
        let problem = Problem { graphs: graphs.len(), ..Problem::one(n, T::TYPE, weights) };
        let mut numbers = zeros(&problem)?;
        let matrices = numbers.par_chunks_exact_mut(n * n).zip(graphs.par_iter());
        matrices.for_each(|(matrix, graph)| fill(matrix, n, graph));
        let (numbers, ..) = device.solve(numbers, problem, None, control)?;
        let matrices = numbers.par_chunks_exact(n * n).zip(graphs.par_iter_mut());
        matrices.for_each(|(matrix, graph)| take(matrix, n, graph));
        Ok(())
    }
}

/// Room for all matrices.
fn zeros<T: Element>(problem: &Problem) -> Result<Vec<T>, DenseError> {
    let (n, element, bytes) = (problem.n, problem.element, problem.matrix_bytes() as u64);
    let available = repro_graph::available_memory().unwrap_or(0);
    repro_graph::zeros(problem.entries()).map_err(|_| DenseError::NoRoom { n, element, bytes, available })
}

/// Writes a graph into the corner of an n x n matrix, all of whose numbers are 0.
fn fill<T: Element>(matrix: &mut [T], n: usize, graph: &DistanceMatrix<T>) {
    for (vertex, row) in matrix.chunks_exact_mut(n).enumerate() {
        let known = if vertex < graph.n() { graph.row(vertex) } else { &[] };
        row[..known.len()].copy_from_slice(known);
        row[known.len()..].fill(T::ABSENT);
        row[vertex] = if vertex < known.len() { known[vertex] } else { T::ZERO };
    }
}

/// Reads it back.
fn take<T: Element>(matrix: &[T], n: usize, graph: &mut DistanceMatrix<T>) {
    let own = graph.n();
    for (row, known) in graph.as_mut_slice().chunks_exact_mut(own).zip(matrix.chunks_exact(n)) {
        row.copy_from_slice(&known[..own]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use repro_device::Selection;
    use repro_graph::{RandomGraph, generate};

    /// Graphs of several sizes, one of them larger than those that are solved together.
    fn graphs<T: Element>(sizes: &[usize]) -> Vec<DistanceMatrix<T>> {
        let random = |seed| RandomGraph { density: 0.2, max_weight: 30, ..RandomGraph::complete(seed) };
        sizes.iter().enumerate().map(|(seed, &n)| generate(&random(seed as u64), n).unwrap()).collect()
    }

    fn are_solved<T: Element + Vectorized>(solver: &DenseSolver, sizes: &[usize]) {
        let mut all = graphs::<T>(sizes);
        solver.close_batch(&mut all, &Control::default()).unwrap();
        for (mut expected, found) in graphs::<T>(sizes).into_iter().zip(all) {
            let n = expected.n();
            cpu_parallel::solve(expected.as_mut_slice(), n);
            let same = |(one, two): (&T, &T)| one.canonical().bitwise_eq(two.canonical());
            assert!(expected.as_slice().iter().zip(found.as_slice()).all(same), "{} n = {n}", T::TYPE);
        }
    }

    #[test]
    fn graphs_of_several_sizes_are_solved_together_on_a_device_and_on_the_cpu() {
        let emulated = DenseSolver::open(Selection::Emulated(None)).unwrap();
        are_solved::<f32>(&emulated, &[1, 20, 7, 64, 20, 70]);
        are_solved::<u16>(&emulated, &[5, 5, 5]);
        are_solved::<f64>(&emulated, &[5, 9]);
        are_solved::<i32>(&DenseSolver::cpu(), &[40, 1, 600]);
        are_solved::<f32>(&emulated, &[]);
    }
}
