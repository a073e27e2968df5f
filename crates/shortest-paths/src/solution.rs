//! What is asked for, and what is found.
//!
//! What happens to a matrix before and after a dense solver closes it is here too.

use crate::reduction::{is_needed, reduce, restore};
use crate::{
    Algorithm, Choice, Control, Dense, Element, Graph, PathError, PathSentinels, RetainedDistances,
    SolveError, WeightSummary, walk, walk_next,
};
use rayon::prelude::*;
use repro_graph::{DistanceMatrix, ElementType, memory_check};

/// What paths are wanted in addition to distances.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Paths {
    /// None.
    #[default]
    No,
    /// For each source and vertex, the vertex before it on the path.
    Predecessors(PathSentinels),
    /// For each pair of vertices, the vertex after the first on the path to the second. Sources and targets cannot be chosen with it.
    Next(PathSentinels),
}

/// What to compute, and how. [`Options::default`] finds all distances with the algorithm that is expected to be fastest.
#[derive(Clone, Copy)]
pub struct Options<'a, T: Element> {
    /// Where paths begin, in the order of the result's rows; at all vertices if `None`.
    pub sources: Option<&'a [usize]>,
    /// Where paths end, in the order of the result's columns; at all vertices if `None`.
    pub targets: Option<&'a [usize]>,
    /// The paths wanted.
    pub paths: Paths,
    /// Vertices farther away than this count as unreachable; +infinity for no limit. No weight may be negative with a limit.
    pub limit: f64,
    /// The algorithm to use; the one that is expected to be fastest if none is named.
    pub algorithm: Option<Algorithm>,
    /// The solver of dense graphs, if there is one.
    pub dense: Option<&'a dyn Dense<T>>,
    /// Cancellation and progress.
    pub control: Control<'a>,
}

impl<T: Element> Default for Options<'_, T> {
    fn default() -> Self {
        Self {
            sources: None,
            targets: None,
            paths: Paths::No,
            limit: f64::INFINITY,
            algorithm: None,
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
    /// The predecessor of each of the n vertices for each source, in row-major order: always n columns. Where targets were chosen, only
    /// vertices on paths to these have one.
    pub predecessors: Option<Vec<i32>>,
    /// The next vertex, n x n in row-major order.
    pub next: Option<Vec<i32>>,
    /// The algorithm that was used.
    pub algorithm: Algorithm,
    /// What was expected of the algorithms.
    pub choice: Choice,
}

impl<T: Element> Solution<T> {
    /// The distance between two vertices; `None` where it was not asked for. O(number of sources and targets chosen).
    pub fn distance(&self, source: usize, target: usize) -> Option<T> {
        let column = place(self.targets.as_deref(), self.n, target)?;
        let columns = self.targets.as_ref().map_or(self.n, Vec::len);
        let row = place(self.sources.as_deref(), self.n, source)?;
        self.distances.get(row.checked_mul(columns)?.checked_add(column)?).copied()
    }

    /// The vertices of the path between two vertices, both included; `None` where no path leads.
    ///
    /// # Errors
    /// When no paths were asked for ([`Paths`]), an end is no vertex, or it is not among the chosen sources or targets. A result of
    /// [`solve`](crate::solve()) gives no other error.
    pub fn path(&self, source: usize, target: usize) -> Result<Option<Vec<usize>>, PathError> {
        if let Some(next) = &self.next {
            return walk_next(next, self.n, source, target);
        }
        let Some(predecessors) = self.predecessors.as_deref() else { return Err(PathError::NotAsked) };
        let n = self.n;
        if let Some(&vertex) = [source, target].iter().find(|vertex| **vertex >= n) {
            return Err(PathError::NotAVertex { vertex, n });
        }
        let missing = |vertex, what| PathError::NotChosen { vertex, what };
        let row = place(self.sources.as_deref(), n, source).ok_or(missing(source, "sources"))?;
        place(self.targets.as_deref(), n, target).ok_or(missing(target, "targets"))?;
        let expected = (row + 1).saturating_mul(n);
        let stored = predecessors.get(row.saturating_mul(n)..expected);
        let wrong = PathError::WrongLength { what: "predecessors", expected, found: predecessors.len() };
        walk(stored.ok_or(wrong)?, source, target)
    }
}

/// The place of a vertex among the chosen ones.
fn place(chosen: Option<&[usize]>, n: usize, vertex: usize) -> Option<usize> {
    match chosen {
        None => (vertex < n).then_some(vertex),
        Some(chosen) => chosen.iter().position(|&v| v == vertex),
    }
}

/// Makes vertices beyond the limit unreachable. No weight is negative, so none of these is on the path to one within it.
pub(crate) fn limit<T: Element>(
    matrix: &mut DistanceMatrix<T>,
    predecessors: Option<(&mut [i32], PathSentinels)>,
    options: &Options<T>,
) {
    if options.limit == f64::INFINITY {
        return;
    }
    let n = matrix.n();
    let is_far = |distance: &T| distance.to_f64() > options.limit;
    if let Some((predecessors, marks)) = predecessors {
        for (at, row) in predecessors.chunks_mut(n).enumerate() {
            let distances = matrix.row(options.sources.map_or(at, |sources| sources[at]));
            for (predecessor, _) in row.iter_mut().zip(distances).filter(|(_, distance)| is_far(distance)) {
                *predecessor = marks.unreachable;
            }
        }
    }
    matrix.as_mut_slice().par_iter_mut().with_min_len(1 << 14).for_each(|distance| {
        if is_far(distance) {
            *distance = T::ABSENT;
        }
    });
}

/// Turns weights into distances by `dense`. Where that is needed, the graph's potentials reduce the weights first.
pub(crate) fn close<'a, T: Element>(
    dense: &'a dyn Dense<T>,
    matrix: &mut DistanceMatrix<T>,
    facts: &WeightSummary,
    potentials: Option<&[f64]>,
    keep: bool,
    control: &Control,
) -> Result<Option<Box<dyn RetainedDistances<T> + 'a>>, SolveError> {
    control.check()?;
    let potentials = potentials.filter(|_| is_needed::<T>(matrix.n(), facts));
    let mut weights = facts.range;
    if let Some(potentials) = potentials {
        reduce(matrix, potentials);
        weights = matrix.facts().range;
    }
    let closed = dense.close(matrix, &weights, keep, control);
    control.check()?;
    let kept = closed.map_err(SolveError::Dense)?;
    if let Some(potentials) = potentials {
        restore(matrix, potentials);
    }
    // Only in `i32` several numbers may stand for no path.
    if T::TYPE == ElementType::I32 {
        let distances = matrix.as_mut_slice().par_iter_mut().with_min_len(1 << 14);
        distances.for_each(|distance| *distance = distance.canonical());
    }
    Ok(kept)
}

/// The rows and columns that were asked for.
pub(crate) fn chosen<T: Element>(
    matrix: DistanceMatrix<T>,
    options: &Options<T>,
) -> Result<Vec<T>, SolveError> {
    if options.sources.is_none() && options.targets.is_none() {
        return Ok(matrix.into_row_major());
    }
    let n = matrix.n();
    let (rows, columns) =
        (options.sources.map_or(n, <[usize]>::len), options.targets.map_or(n, <[usize]>::len));
    let mut distances = memory_check::reserved("the matrix of distances", rows.saturating_mul(columns))?;
    for at in 0..rows {
        let row = matrix.row(options.sources.map_or(at, |sources| sources[at]));
        match options.targets {
            None => distances.extend_from_slice(row),
            Some(targets) => distances.extend(targets.iter().map(|&target| row[target])),
        }
    }
    Ok(distances)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{graphs_of_tests::arcs_of, solve};

    fn solved(paths: Paths, sources: Option<&[usize]>, targets: Option<&[usize]>) -> Solution<i32> {
        let graph = arcs_of(4, &[(0, 1, 5), (1, 2, 5)]);
        solve(&graph, &Options { paths, sources, targets, ..Options::default() }).unwrap()
    }

    #[test]
    fn what_was_not_asked_for_is_an_error_and_not_the_lack_of_a_path() {
        let all = solved(Paths::Predecessors(PathSentinels::PLAIN), None, None);
        assert_eq!((all.path(0, 2), all.path(2, 0)), (Ok(Some(vec![0, 1, 2])), Ok(None)));
        assert_eq!(all.path(0, 4), Err(PathError::NotAVertex { vertex: 4, n: 4 }));
        let none = solved(Paths::No, None, None).path(0, 2).unwrap_err();
        assert!(none.to_string().contains("Paths::Predecessors"), "{none}");
        let some = solved(Paths::Predecessors(PathSentinels::PLAIN), Some(&[1]), Some(&[2]));
        assert_eq!(some.path(1, 2), Ok(Some(vec![1, 2])));
        assert_eq!(some.path(0, 2), Err(PathError::NotChosen { vertex: 0, what: "sources" }));
        assert_eq!(some.path(1, 0), Err(PathError::NotChosen { vertex: 0, what: "targets" }));
        assert_eq!((some.distance(1, 2), some.distance(0, 2)), (Some(5), None));
    }

    #[test]
    fn a_solution_that_was_changed_makes_nothing_panic() {
        let mut changed = solved(Paths::Predecessors(PathSentinels::PLAIN), None, None);
        for n in [9, usize::MAX] {
            changed.n = n;
            assert!(matches!(changed.path(3, 2), Err(PathError::WrongLength { .. })), "{n}");
            assert_eq!(changed.distance(8, 8), None);
            assert_eq!(changed.distance(usize::MAX - 1, 0), None);
        }
        changed.n = 4;
        changed.predecessors = Some(vec![]);
        assert!(matches!(changed.path(0, 2), Err(PathError::WrongLength { .. })));
        changed.next = Some(vec![0]);
        assert!(matches!(changed.path(0, 2), Err(PathError::WrongLength { .. })));
    }
}
