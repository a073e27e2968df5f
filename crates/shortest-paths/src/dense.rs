//! What another crate's solver of dense graphs has to do to join in.

use crate::{Arcs, Control, Element, PathSentinels, SinkError, WeightRange};
use repro_graph::DistanceMatrix;

/// A solver of dense graphs, for example Floyd-Warshall on a GPU.
pub trait Dense<T: Element>: Sync {
    /// Turns the weights in `matrix`, which are in the range of `weights`, into distances, in place. There is no negative cycle; weights may be negative where no sum of them is rounded, and are reduced
    /// by potentials where one could be. What is no path may be
    /// left at any number that [`Element::canonical`](repro_graph::Element::canonical) makes absent. Should look at
    /// [`Control::check`] from time to time.
    ///
    /// With `keep` the caller will ask for predecessors. A solver that finds them itself, as a GPU that has the distances, returns what does
    /// so; of others the library finds them.
    ///
    /// # Errors
    /// Whatever went wrong. The matrix is not used then.
    fn close<'a>(
        &'a self,
        matrix: &mut DistanceMatrix<T>,
        weights: &WeightRange,
        keep: bool,
        control: &Control,
    ) -> Result<Option<Box<dyn RetainedDistances<T> + 'a>>, SinkError>;

    /// Seconds that a matrix of n vertices is expected to take. `None` where nobody knows; the solver is then used only if the caller asks
    /// for it.
    fn seconds(&self, n: usize) -> Option<f64>;
}

/// Distances that a dense solver has kept. What that takes is free again when this is dropped.
pub trait RetainedDistances<T: Element> {
    /// The predecessors of all vertices by these distances and by the rule of [`SearchContext::predecessors`](crate::SearchContext::predecessors), n x n in row-major order; nothing
    /// where the library has to find them after all. `incoming` is the graph with every arc turned round, without arcs that no shortest
    /// path has: [`Graph::for_each_arc`](crate::Graph::for_each_arc) of a vertex gives the tails of the arcs that end there. Sums along paths are exact.
    ///
    /// # Errors
    /// Whatever went wrong, as distances that are not those of the graph.
    fn predecessors(
        &self,
        incoming: Arcs<T>,
        marks: PathSentinels,
        control: &Control,
    ) -> Result<Option<Vec<i32>>, SinkError>;
}
