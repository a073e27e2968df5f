//! For each vertex the nearest of several sources.

use crate::rows::check_vertex;
use crate::tree::Tree;
use crate::{Control, Element, Graph, PathSentinels, SearchContext, SolveError};
use repro_graph::memory_check;
use repro_graph::search::{SearchLimits, Workspace};

/// For each vertex the nearest source.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest<T> {
    /// The distance from the nearest source, [`Element::ABSENT`](repro_graph::Element::ABSENT) where no path leads from any.
    pub distances: Vec<T>,
    /// The vertex before each vertex on the path from its source.
    pub predecessors: Vec<i32>,
    /// The source itself, [`PathSentinels::unreachable`] where no path leads from any. Of several that are as near, that of the path that is stored.
    pub sources: Vec<i32>,
}

impl<T: Element, G: Graph<Weight = T>> SearchContext<'_, G> {
    /// Searches from all sources at once, as far as the limit: as long as from one of them. O((n + m) log n).
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
            // Each source would have reduced weights of its own.
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
    use crate::{ArcsBuilder, Options, Paths, solve};
    use proptest::prelude::*;
    use repro_graph::Element;

    fn graph(arcs: &[(usize, usize, i32)]) -> crate::Arcs<i32> {
        let mut builder = ArcsBuilder::with_vertices(12).unwrap();
        arcs.iter().for_each(|(tail, head, weight)| builder.add(*tail, *head, *weight).unwrap());
        builder.build().unwrap().0
    }

    proptest! {
        #[test]
        fn the_nearest_source_is_the_least_of_all_rows_and_its_path_leads_there(
            arcs in prop::collection::vec((0..12_usize, 0..12_usize, 0..9_i32), 0..60),
            sources in prop::collection::vec(0..12_usize, 0..4),
            limit in prop::option::of(0..20_u8),
        ) {
            let graph = graph(&arcs);
            let limit = limit.map_or(f64::INFINITY, f64::from);
            let control = Control::default();
            let searches = SearchContext::new(&graph, &control).unwrap().limited(limit).unwrap();
            let found = searches.nearest(&sources, PathSentinels::PLAIN, &control).unwrap();
            let options = Options { sources: Some(&sources), limit, paths: Paths::Predecessors(PathSentinels::PLAIN), ..Options::default() };
            let rows = solve(&graph, &options).unwrap();
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
        let graph = graph(&[(0, 1, -1)]);
        let control = Control::default();
        let searches = || SearchContext::new(&graph, &control).unwrap();
        let refused = searches().nearest(&[0], PathSentinels::PLAIN, &control).unwrap_err().to_string();
        assert!(refused.contains("-1, and a search for the nearest source needs weights"), "{refused}");
        assert!(searches().limited(2.0).unwrap_err().to_string().contains("a limit needs weights"));
        assert!(searches().limited(f64::NAN).is_err() && searches().limited(-1.0).is_err());
        assert!(searches().limited(f64::INFINITY).is_ok());
        let next =
            Options { paths: Paths::Next(PathSentinels::PLAIN), limit: 3.0, ..Options::<i32>::default() };
        assert!(solve(&self::graph(&[]), &next).unwrap_err().to_string().contains("leave the limit out"));
    }
}
