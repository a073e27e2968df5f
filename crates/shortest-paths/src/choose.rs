//! Which algorithm is expected to be fastest, by a stated rule of size and density. Nothing is measured for it, so the same graph is solved
//! by the same algorithm on every machine with as many threads and the same kind of device.
//!
//! | algorithm | seconds |
//! |---|---|
//! | Floyd-Warshall | [`Dense::seconds`](crate::Dense::seconds), whatever sources are asked for |
//! | Dijkstra | for each source m arcs at [`ARCS`] a second, and n (1 + ln(m / n)) entries through a heap of log2 n steps each at [`HEAP_STEPS`] a second; sources side by side on all threads |
//! | Johnson | the same after potentials, which take [`POTENTIAL_ROUNDS`] looks at each arc, unless the graph is built to be slow |
//!
//! A vertex enters the heap again whenever its label is lowered. Of d arcs in random order the k-th is the shortest so far with
//! probability 1 / k, so that happens about ln d times. On graphs of 20,000 vertices with 2 to 256 arcs each, on one thread of a 2-core x86-64 virtual
//! machine, the estimate was within a half of what `examples/rates.rs` measured in each type of weights.
//!
//! The trait that another crate's solver of dense graphs implements is here too.

use crate::{Arcs, Control, Element, Graph, PathSentinels, SinkError, WeightRange};
use repro_graph::{DistanceMatrix, ElementType, memory_check};
use serde::Serialize;
use strum::{EnumString, IntoStaticStr, VariantNames};

/// Arcs that a thread is assumed to look at in a second.
const ARCS: f64 = 3e8;

/// Steps through a heap that a thread is assumed to make in a second.
const HEAP_STEPS: f64 = 6e8;

/// How often the search for potentials is assumed to look at each arc. Random graphs of 2 to 256 arcs a vertex took between 1 and 3 rounds
/// in `examples/rates.rs`; a graph built to be slow may take n.
const POTENTIAL_ROUNDS: f64 = 3.0;

/// An algorithm for all shortest paths. As a word, which is parsed and listed, it is `floyd-warshall` and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantNames)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Algorithm {
    /// Floyd-Warshall on the dense matrix, by the caller's [`Dense`](crate::Dense).
    FloydWarshall,
    /// Dijkstra's algorithm from every source, in parallel. No weight may be negative.
    Dijkstra,
    /// Potentials first, then Dijkstra's algorithm from every source on reduced weights.
    Johnson,
}

impl std::fmt::Display for Algorithm {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.pad(match self {
            Self::FloydWarshall => "Floyd-Warshall",
            Self::Dijkstra => "Dijkstra",
            Self::Johnson => "Johnson",
        })
    }
}

/// What is to be computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Workload {
    /// The number of vertices.
    pub n: usize,
    /// The number of arcs.
    pub m: usize,
    /// How many sources there are.
    pub sources: usize,
    /// How many distances are wanted from each source: n, or the number of targets.
    pub columns: usize,
    /// Whether a weight is negative.
    pub negative: bool,
    /// The type of distances.
    pub element: ElementType,
    /// Whether predecessors or next vertices are wanted as well.
    pub paths: bool,
    /// Threads that search at once.
    pub threads: usize,
    /// Whether rows of a search are handed on as they come, so that it takes no memory for the result.
    pub streams: bool,
}

impl Workload {
    /// The workload of whole results of this graph on the current rayon pool. `None` for sources or targets means all vertices.
    pub fn new<G: Graph>(
        graph: &G,
        sources: Option<&[usize]>,
        targets: Option<&[usize]>,
        paths: bool,
    ) -> Self {
        let n = graph.n();
        Self {
            n,
            m: graph.m(),
            sources: sources.map_or(n, <[usize]>::len),
            columns: targets.map_or(n, <[usize]>::len),
            negative: graph.facts().range.negative,
            element: G::Weight::TYPE,
            paths,
            threads: rayon::current_num_threads(),
            streams: false,
        }
    }
}

/// What an algorithm is expected to take.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CostEstimate {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Seconds of wall clock, without reading and writing files.
    pub seconds: f64,
    /// Bytes in addition to the graph, the result included.
    pub bytes: u128,
    /// Whether that much memory is available.
    #[serde(skip)]
    pub fits: bool,
}

/// The algorithm chosen, and what it was compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The one to use: the one that takes less time among those that fit, or, where none does, the one that takes less memory.
    pub chosen: CostEstimate,
    /// The estimate for Floyd-Warshall; `None` where there is no dense solver, or it does not say how long it takes.
    pub dense: Option<CostEstimate>,
    /// The estimate for Dijkstra, or for Johnson where a weight is negative.
    pub search: CostEstimate,
}

/// Chooses an algorithm. `dense_seconds` is the time of Floyd-Warshall, `None` where there is no solver for it. O(1).
///
/// ```
/// use shortest_paths::{Algorithm, ElementType, Workload, choose};
///
/// let work = Workload {
///     n: 4096, m: 4096 * 4095, sources: 4096, columns: 4096, negative: false, element: ElementType::F32, paths: false,
///     threads: 2, streams: false,
/// };
/// assert_eq!(choose(&work, Some(3.0)).chosen.algorithm, Algorithm::FloydWarshall);
/// let sparse = Workload { m: 3 * 4096, ..work };
/// assert_eq!(choose(&sparse, Some(3.0)).chosen.algorithm, Algorithm::Dijkstra);
/// ```
pub fn choose(work: &Workload, dense_seconds: Option<f64>) -> Choice {
    let estimate = |algorithm, seconds, bytes| CostEstimate {
        algorithm,
        seconds,
        bytes,
        fits: memory_check::check("the result", bytes).is_ok(),
    };
    let (n, m, sources) = (work.n as f64, work.m as f64, work.sources as f64);
    let threads = work.threads.min(work.sources).max(1);

    let row = m / ARCS + heap_steps(n, m) / HEAP_STEPS;
    // Paths take one more pass over the arcs, without a heap. (A search saves it where no two paths are equally short.)
    let trees = |m| if work.paths { sources * m / ARCS / threads as f64 } else { 0.0 };
    // After a dense solver has found all distances, the pass leaves out arcs that no shortest path has. About n ln n are left of a complete
    // graph with random weights; twice that is assumed.
    let needed = if work.sources == work.n { m.min(2.0 * n * n.max(2.0).ln()) } else { m };
    let potentials = if work.negative { POTENTIAL_ROUNDS * m / ARCS } else { 0.0 };
    let algorithm = if work.negative { Algorithm::Johnson } else { Algorithm::Dijkstra };
    let result = if work.streams { 0 } else { result_bytes(work) };
    let seconds = potentials + sources * row / threads as f64 + trees(m);
    let search = estimate(algorithm, seconds, result.saturating_add(search_bytes(work, threads)));

    let dense = dense_seconds.map(|seconds| {
        estimate(Algorithm::FloydWarshall, potentials + seconds + trees(needed), dense_bytes(work))
    });
    let chosen = match dense {
        Some(dense) if dense.fits && search.fits && dense.seconds < search.seconds => dense,
        Some(dense) if dense.fits && !search.fits => dense,
        Some(dense) if !dense.fits && !search.fits && dense.bytes < search.bytes => dense,
        _ => search,
    };
    Choice { chosen, dense, search }
}

/// Bytes that Floyd-Warshall takes in addition to the graph, the result included.
pub fn dense_bytes(work: &Workload) -> u128 {
    let n = work.n as u128;
    let matrix = n.saturating_mul(n).saturating_mul(work.element.bytes() as u128);
    let whole = work.sources == work.n && work.columns == work.n;
    let result = result_bytes(work);
    if whole { result } else { matrix.saturating_add(result) }
}

/// Steps that one search takes in its heap.
fn heap_steps(n: f64, m: f64) -> f64 {
    n * (1.0 + (m / n.max(1.0)).max(1.0).ln()) * n.max(2.0).log2()
}

/// Bytes of distances and paths. Paths are `i32`, in rows of n whatever targets are chosen.
fn result_bytes(work: &Workload) -> u128 {
    let rows = work.sources as u128;
    let distances = rows.saturating_mul(work.columns as u128).saturating_mul(work.element.bytes() as u128);
    let paths = if work.paths { rows.saturating_mul(work.n as u128).saturating_mul(4) } else { 0 };
    distances.saturating_add(paths)
}

/// Bytes of each thread's labels, heap, row and tree, and of potentials.
fn search_bytes(work: &Workload, threads: usize) -> u128 {
    let label = if work.element.is_integer() { 4 } else { 8 };
    let vertex = 3 * label + work.element.bytes() + if work.paths { 12 } else { 0 };
    let potentials = if work.negative { 8 + 8 + 4 + 4 + 1 } else { 0 };
    let each = (threads as u128).saturating_mul(vertex as u128).saturating_add(potentials);
    (work.n as u128).saturating_mul(each)
}

/// A solver of dense graphs, for example Floyd-Warshall on a GPU.
pub trait Dense<T: Element>: Sync {
    /// Turns the weights in `matrix`, which are in the range of `weights`, into distances, in place. There is no negative cycle. Weights
    /// may be negative only where no sum of them is rounded; elsewhere the caller has reduced them by potentials. Without a path, an entry
    /// may hold any number that [`Element::canonical`](repro_graph::Element::canonical) makes absent. A solver should call
    /// [`Control::check`] from time to time.
    ///
    /// `keep` says that the caller will ask for predecessors. A solver that can find them itself, as a GPU that holds the distances,
    /// returns an object that does; after other solvers the library finds them.
    ///
    /// # Errors
    /// Whatever went wrong. The matrix is not used afterwards.
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

/// Distances that a dense solver has kept. Their memory is freed when this is dropped.
pub trait RetainedDistances<T: Element> {
    /// The predecessors of all vertices by these distances and by the rule of
    /// [`SearchContext::predecessors`](crate::SearchContext::predecessors), n x n in row-major order; `None` where the library has to find
    /// them after all. `incoming` is the graph with every arc reversed, without arcs that no shortest path has:
    /// [`Graph::for_each_arc`](crate::Graph::for_each_arc) of a vertex gives the tails of the arcs that end there. Sums along paths are
    /// exact.
    ///
    /// # Errors
    /// Whatever went wrong, for example distances that are not those of the graph.
    fn predecessors(
        &self,
        incoming: Arcs<T>,
        marks: PathSentinels,
        control: &Control,
    ) -> Result<Option<Vec<i32>>, SinkError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(n: usize, m: usize) -> Workload {
        Workload {
            n,
            m,
            sources: n,
            columns: n,
            negative: false,
            element: ElementType::F32,
            paths: false,
            threads: 2,
            streams: false,
        }
    }

    /// Floyd-Warshall at 10^10 tasks a second.
    fn choice(work: &Workload) -> Choice {
        choose(work, Some((work.n as f64).powi(3) / 1e10))
    }

    #[test]
    fn few_sources_many_arcs_and_no_dense_solver_each_decide() {
        let dense = work(4096, 4096 * 4095);
        assert_eq!(choice(&dense).chosen.algorithm, Algorithm::FloydWarshall);
        assert_eq!(choice(&Workload { sources: 10, ..dense }).chosen.algorithm, Algorithm::Dijkstra);
        assert_eq!(choose(&dense, None).chosen.algorithm, Algorithm::Dijkstra);
        assert_eq!(choose(&Workload { negative: true, ..dense }, None).chosen.algorithm, Algorithm::Johnson);
    }

    #[test]
    fn what_does_not_fit_is_not_chosen_while_something_else_does() {
        // The matrix has 4 EB, the ten rows 40 GB, and streamed they take 20 bytes a vertex and thread.
        let few = Workload { sources: 10, streams: true, ..work(1_000_000_000, 1 << 40) };
        let choice = choose(&few, Some(1e-3));
        assert!(choice.dense.unwrap().seconds < choice.search.seconds && !choice.dense.unwrap().fits);
        assert_eq!(choice.chosen, choice.search);
        let none = choose(&Workload { sources: few.n, streams: false, ..few }, Some(1e-3));
        assert!(!none.dense.unwrap().fits && !none.search.fits);
        assert_eq!(none.chosen.bytes, none.dense.unwrap().bytes.min(none.search.bytes));
    }

    #[test]
    fn no_size_overflows() {
        let huge = Workload { paths: true, negative: true, ..work(u32::MAX as usize, usize::MAX) };
        let choice = choice(&Workload { sources: usize::MAX, columns: usize::MAX, ..huge });
        assert!(choice.search.seconds > 1e20);
    }
}
