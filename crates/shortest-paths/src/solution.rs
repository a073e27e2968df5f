//! What is asked for, and what is found.

use crate::{Algorithm, Choice, Control, Dense, Element, PathError, PathSentinels, walk, walk_next};

/// What paths are wanted in addition to distances.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Paths {
    /// None.
    #[default]
    No,
    /// For each source the vertex before each vertex.
    Predecessors(PathSentinels),
    /// For each vertex the vertex after it on the way to each. Sources and targets cannot be chosen with it.
    Next(PathSentinels),
}

/// What to compute, and how. [`Options::default`] finds all distances with the algorithm that is expected to be fastest.
#[derive(Clone, Copy)]
pub struct Options<'a, T: Element> {
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
    /// When no paths were asked for ([`Paths`]), an end is no vertex, or others were chosen as sources or targets. What
    /// [`solve`](crate::solve()) found has no other.
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

/// Which of the chosen vertices this is.
fn place(chosen: Option<&[usize]>, n: usize, vertex: usize) -> Option<usize> {
    match chosen {
        None => (vertex < n).then_some(vertex),
        Some(chosen) => chosen.iter().position(|&v| v == vertex),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ArcsBuilder, solve};

    fn solved(paths: Paths, sources: Option<&[usize]>, targets: Option<&[usize]>) -> Solution<i32> {
        let mut builder = ArcsBuilder::with_vertices(4).unwrap();
        for (tail, head) in [(0, 1), (1, 2)] {
            builder.add(tail, head, 5).unwrap();
        }
        let graph = builder.build().unwrap().0;
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
