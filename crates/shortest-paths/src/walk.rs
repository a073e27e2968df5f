//! A path out of a row of predecessors or a matrix of next vertices.
//!
//! The search for each vertex's nearest source is here too.

use crate::check::check_size;
use crate::rows::check_vertex;
use crate::tree::Tree;
use crate::{Control, Element, Graph, PathSentinels, SearchContext, SolveError};
use repro_graph::memory_check;
use repro_graph::search::{SearchLimits, Workspace};
use thiserror::Error;

/// Why stored vertices form no path, or not one as long as the distance. Vertices are counted from 0.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PathError {
    /// An end of the path is not in the graph.
    #[error("vertex {vertex} is not in a graph of {n} vertices (counted from 0): choose another")]
    NotAVertex {
        /// The number given.
        vertex: usize,
        /// The number of vertices.
        n: usize,
    },
    /// No paths are stored.
    #[error("no paths were asked for: solve with Paths::Predecessors or Paths::Next as Options::paths")]
    NotAsked,
    /// The vertex is not among the chosen sources or targets.
    #[error(
        "vertex {vertex} (counted from 0) is none of the {what} that were chosen: solve with it among them"
    )]
    NotChosen {
        /// The number given.
        vertex: usize,
        /// `sources` or `targets`.
        what: &'static str,
    },
    /// A stored number is too large for a vertex. (A negative one would stand for no vertex.)
    #[error(
        "{found} is stored at vertex {at} of the path from vertex {from} to vertex {to} (counted from 0), but there are {n} vertices"
    )]
    NotStored {
        /// Where the path begins.
        from: usize,
        /// Where it ends.
        to: usize,
        /// The vertex whose entry it is.
        at: usize,
        /// The number stored.
        found: i32,
        /// The number of vertices.
        n: usize,
    },
    /// The stored vertices lead round a cycle.
    #[error("the path from vertex {from} to vertex {to} (counted from 0) comes back to vertex {at}")]
    Cycle {
        /// Where the path begins.
        from: usize,
        /// Where it ends.
        to: usize,
        /// A vertex on the cycle.
        at: usize,
    },
    /// The path ends before it arrives.
    #[error("the path from vertex {from} to vertex {to} (counted from 0) breaks off at vertex {at}")]
    BreaksOff {
        /// Where the path begins.
        from: usize,
        /// Where it ends.
        to: usize,
        /// A vertex between them with nothing stored.
        at: usize,
    },
    /// No arc joins two vertices that follow each other on the path.
    #[error(
        "the path from vertex {from} to vertex {to} (counted from 0) has no arc from vertex {tail} to vertex {head}"
    )]
    NoArc {
        /// Where the path begins.
        from: usize,
        /// Where it ends.
        to: usize,
        /// The arc's beginning.
        tail: usize,
        /// The arc's end.
        head: usize,
    },
    /// There is a path and no distance, or a distance and no path.
    #[error(
        "the distance from vertex {from} to vertex {to} (counted from 0) is {distance}, but {} path is stored",
        if *stored { "a" } else { "no" }
    )]
    Reach {
        /// Where the path begins.
        from: usize,
        /// Where it ends.
        to: usize,
        /// The distance; +infinity for no path.
        distance: f64,
        /// Whether a path is stored.
        stored: bool,
    },
    /// The path has another length than the distance.
    #[error(
        "the path stored from vertex {from} to vertex {to} (counted from 0) is {length} long, and the distance is {distance}, \
         which should be from {low} to {high}"
    )]
    Length {
        /// Where the path begins.
        from: usize,
        /// Where it ends.
        to: usize,
        /// The sum of the path's weights.
        length: f64,
        /// The distance that it is compared with.
        distance: f64,
        /// The least distance that is right given this path.
        low: f64,
        /// The greatest such distance.
        high: f64,
    },
    /// Matrices do not fit together.
    #[error("{what} has {found} entries, but {expected} are needed")]
    WrongLength {
        /// The name of the matrix.
        what: &'static str,
        /// Entries needed.
        expected: usize,
        /// Entries given.
        found: usize,
    },
}

/// The vertices of the stored path from `source` to `target`, both included, by the `predecessors` of one source: n numbers, of which any
/// negative one stands for no vertex. `None` where no path is stored. O(length of the path).
///
/// # Errors
/// When an end is no vertex, or what is stored is no path.
///
/// ```
/// assert_eq!(shortest_paths::walk(&[-1, 0, 1, -1], 0, 2), Ok(Some(vec![0, 1, 2])));
/// assert_eq!(shortest_paths::walk(&[-1, 0, 1, -1], 0, 3), Ok(None));
/// ```
pub fn walk(predecessors: &[i32], source: usize, target: usize) -> Result<Option<Vec<usize>>, PathError> {
    let path = follow(predecessors.len(), [source, target], target, |at| predecessors[at])?;
    Ok(path.map(|mut path| {
        path.reverse();
        path
    }))
}

/// Walks a path by a matrix of next vertices, n x n in row-major order.
///
/// # Errors
/// As [`walk`], and when the matrix has not n² entries.
pub fn walk_next(
    next: &[i32],
    n: usize,
    source: usize,
    target: usize,
) -> Result<Option<Vec<usize>>, PathError> {
    check_size(n, n, next.len(), "the matrix of next vertices")?;
    follow(n, [source, target], source, |at| next[at * n + target])
}

/// The weights of the arcs along a path.
///
/// # Errors
/// [`PathError::NoArc`] for the first two vertices that no arc joins.
pub fn weights_along<T: Element>(
    graph: &impl Graph<Weight = T>,
    path: &[usize],
) -> Result<Vec<T>, PathError> {
    let [from, to] = [path.first(), path.last()].map(|end| end.copied().unwrap_or(0));
    let weight = |arc: &[usize]| {
        let (tail, head) = (arc[0], arc[1]);
        graph.weight(tail, head).ok_or(PathError::NoArc { from, to, tail, head })
    };
    path.windows(2).map(weight).collect()
}

/// The vertices from one end of a path, `start`, to the other, looked up one by one.
fn follow(
    n: usize,
    [from, to]: [usize; 2],
    start: usize,
    stored: impl Fn(usize) -> i32,
) -> Result<Option<Vec<usize>>, PathError> {
    if let Some(&vertex) = [from, to].iter().find(|&&vertex| vertex >= n) {
        return Err(PathError::NotAVertex { vertex, n });
    }
    let end = if start == from { to } else { from };
    let mut path = vec![start];
    let mut at = start;
    while at != end {
        at = match usize::try_from(stored(at)) {
            Ok(next) if next < n => next,
            Ok(_) => return Err(PathError::NotStored { from, to, at, found: stored(at), n }),
            Err(_) if at == start => return Ok(None),
            Err(_) => return Err(PathError::BreaksOff { from, to, at }),
        };
        // A path visits no vertex twice.
        if path.len() == n {
            return Err(PathError::Cycle { from, to, at });
        }
        path.push(at);
    }
    Ok(Some(path))
}

/// For each vertex the nearest source.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest<T> {
    /// The distance from the nearest source, [`Element::ABSENT`](repro_graph::Element::ABSENT) where no path leads from any.
    pub distances: Vec<T>,
    /// The vertex before each vertex on the path from its source.
    pub predecessors: Vec<i32>,
    /// Each vertex's nearest source, where its stored path begins; [`PathSentinels::unreachable`] where no path leads from any.
    pub sources: Vec<i32>,
}

impl<T: Element, G: Graph<Weight = T>> SearchContext<'_, G> {
    /// Searches from all sources at once, as far as the limit. It takes as long as a search from one source: O((n + m) log n).
    ///
    /// ```
    /// use shortest_paths::{ArcsBuilder, Control, PathSentinels, SearchContext};
    ///
    /// let mut builder = ArcsBuilder::growing();
    /// for (tail, head, weight) in [(0, 1, 4), (1, 2, 3), (3, 2, 5)] {
    ///     builder.add(tail, head, weight)?;
    /// }
    /// let (graph, _) = builder.build()?;
    /// let searches = SearchContext::new(&graph, &Control::default())?;
    /// let nearest = searches.nearest(&[0, 3], PathSentinels::PLAIN, &Control::default())?;
    /// assert_eq!((nearest.distances, nearest.sources), (vec![0, 4, 5, 0], vec![0, 0, 3, 3]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SolveError::NotAVertex`], [`SolveError::Negative`] where a weight is negative, [`SearchError::OutOfRange`](crate::SearchError::OutOfRange),
    /// [`SearchError::NotEnoughMemory`](crate::SearchError::NotEnoughMemory) and [`SearchError::Cancelled`](crate::SearchError::Cancelled).
    pub fn nearest(
        &self,
        sources: &[usize],
        marks: PathSentinels,
        control: &Control,
    ) -> Result<Nearest<T>, SolveError> {
        let n = self.graph.n();
        sources.iter().try_for_each(|&source| check_vertex(source, n))?;
        marks.check(n)?;
        if self.potentials().is_some() {
            // Reduced lengths from different sources cannot be compared: each source has its own potential.
            return Err(SolveError::Negative {
                what: "a search for the nearest source",
                least: self.facts().least,
            });
        }
        let reduced = self.reduced();
        let mut workspace = Workspace::new(n)?;
        let limits = SearchLimits { distance: self.limit, targets: None };
        reduced.search(sources, limits, &mut workspace, &mut (), &control.checkpoint())?;
        let mut tree = Tree::new(n)?;
        tree.grow(&reduced, sources, &workspace.labels, marks)?;
        let mut distances = memory_check::filled("a row of distances", n, T::ABSENT)?;
        let first = sources.first().copied().unwrap_or_default();
        reduced.distances(first, &workspace.labels, &mut distances)?;
        Ok(Nearest {
            distances,
            sources: tree.origins(marks.unreachable)?,
            predecessors: tree.predecessors().to_vec(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, Paths, graphs_of_tests::arcs_of, solve};
    use proptest::prelude::*;
    use repro_graph::Element;

    #[test]
    fn what_is_no_path_is_refused_with_its_place() {
        let row = [-1, 2, 1, 7, 5, -9999];
        assert_eq!(walk(&row, 0, 0), Ok(Some(vec![0])));
        assert_eq!(walk(&row, 0, 5), Ok(None));
        assert!(matches!(walk(&row, 0, 1), Err(PathError::Cycle { from: 0, to: 1, .. })));
        assert_eq!(walk(&row, 0, 3), Err(PathError::NotStored { from: 0, to: 3, at: 3, found: 7, n: 6 }));
        assert_eq!(walk(&row, 0, 4), Err(PathError::BreaksOff { from: 0, to: 4, at: 5 }));
        assert_eq!(walk(&row, 6, 4), Err(PathError::NotAVertex { vertex: 6, n: 6 }));
        assert_eq!(walk(&[], 0, 0), Err(PathError::NotAVertex { vertex: 0, n: 0 }));
    }

    #[test]
    fn arcs_that_are_missing_are_named() {
        let matrix = repro_graph::DistanceMatrix::from_row_major(2, vec![0, 3, 5, 0]).unwrap();
        assert_eq!(weights_along(&matrix, &[0, 1, 0]), Ok(vec![3, 5]));
        let error = PathError::NoArc { from: 0, to: 2, tail: 1, head: 2 };
        assert_eq!(weights_along(&matrix, &[0, 1, 2]), Err(error));
        assert_eq!(weights_along(&matrix, &[]), Ok(vec![]));
    }

    proptest! {
        #[test]
        fn the_nearest_source_is_the_least_of_all_rows_and_its_path_leads_there(
            arcs in prop::collection::vec((0..12_usize, 0..12_usize, 0..9_i32), 0..60),
            sources in prop::collection::vec(0..12_usize, 0..4),
            limit in prop::option::of(0..20_u8),
        ) {
            let graph = arcs_of(12, &arcs);
            let limit = limit.map_or(f64::INFINITY, f64::from);
            let control = Control::default();
            let searches = SearchContext::new(&graph, &control).unwrap().limited(limit).unwrap();
            let found = searches.nearest(&sources, PathSentinels::PLAIN, &control).unwrap();
            let options = Options { sources: Some(&sources), limit, paths: Paths::Predecessors(PathSentinels::PLAIN), ..Options::default() };
            let rows = solve(&graph, &options).unwrap();
            // Within the limit rows are what they are without one.
            let whole = solve(&graph, &Options { limit: f64::INFINITY, ..options }).unwrap();
            let [of_rows, of_whole] = [&rows, &whole].map(|solution| solution.predecessors.as_deref().unwrap());
            for (at, &length) in whole.distances.iter().enumerate() {
                let expected = if f64::from(length) > limit { (i32::ABSENT, -1) } else { (length, of_whole[at]) };
                prop_assert_eq!((rows.distances[at], of_rows[at]), expected);
            }
            for vertex in 0..12 {
                let least = sources.iter().map(|source| rows.distance(*source, vertex).unwrap()).min();
                prop_assert_eq!(found.distances[vertex], least.unwrap_or(i32::ABSENT));
                let Ok(source) = usize::try_from(found.sources[vertex]) else {
                    prop_assert!(found.distances[vertex].is_absent());
                    continue;
                };
                prop_assert_eq!(rows.distance(source, vertex).unwrap(), found.distances[vertex]);
                let path = crate::walk(&found.predecessors, source, vertex).unwrap().unwrap();
                let length: i32 = crate::weights_along(&graph, &path).unwrap().iter().sum();
                prop_assert_eq!(length, found.distances[vertex]);
            }
        }
    }

    #[test]
    fn what_negative_weights_rule_out_is_refused() {
        let graph = arcs_of(12, &[(0, 1, -1)]);
        let control = Control::default();
        let searches = || SearchContext::new(&graph, &control).unwrap();
        let refused = searches().nearest(&[0], PathSentinels::PLAIN, &control).unwrap_err().to_string();
        assert!(refused.contains("-1, and a search for the nearest source needs weights"), "{refused}");
        assert!(searches().limited(2.0).unwrap_err().to_string().contains("a limit needs weights"));
        assert!(searches().limited(f64::NAN).is_err() && searches().limited(-1.0).is_err());
        assert!(searches().limited(f64::INFINITY).is_ok());
        let next =
            Options { paths: Paths::Next(PathSentinels::PLAIN), limit: 3.0, ..Options::<i32>::default() };
        assert!(solve(&arcs_of(12, &[]), &next).unwrap_err().to_string().contains("leave the limit out"));
    }
}
