//! Which algorithm is fastest, by what the machine was measured to do.
//!
//! | algorithm | work |
//! |---|---|
//! | Floyd-Warshall | n³ tasks, and n² numbers, whatever sources are asked for |
//! | Dijkstra | for each source m arcs looked at, and n (1 + ln(m / n)) entries through a heap, each of which takes log2 n steps |
//! | Johnson | the same, and before it potentials, which take [`POTENTIAL_ROUNDS`] looks at each arc unless the graph is made against it |
//!
//! A vertex enters the heap again whenever its label is lowered. Of d arcs in random order the k-th is the shortest so far with
//! probability 1 / k, so that happens about ln d times. On graphs of 20,000 vertices with 2 to 256 arcs each, the estimate was
//! within a third of what `examples/rates.rs` measured.

use repro_graph::ElementType;

/// How often potentials look at each arc, in the estimate. Random graphs of 2 to 256 arcs a vertex took 1 to 2 rounds and a part of one in
/// `examples/rates.rs`; a graph made against it may take n.
pub const POTENTIAL_ROUNDS: f64 = 3.0;

/// An algorithm for all shortest paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// What a machine was measured to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Tasks a second of the dense solver at about this n: n³ by its seconds. `None` where there is no such solver or nobody knows.
    pub dense_tasks: Option<f64>,
    /// Arcs that one thread looks at in a second.
    pub arcs: f64,
    /// Steps that one thread takes in a second to bring entries through a heap: an entry takes log2 n of them.
    pub heap_steps: f64,
}

impl Rates {
    /// No dense solver, and what one thread of a 2-core x86-64 virtual machine was measured to do by `examples/rates.rs`, which
    /// measures it anew elsewhere.
    pub fn usual(element: ElementType) -> Self {
        let (arcs, heap_steps) = match element {
            ElementType::F32 => (2.6e8, 5.0e8),
            ElementType::F64 => (2.3e8, 5.8e8),
            ElementType::I32 => (3.7e8, 7.1e8),
            ElementType::U16 => (4.3e8, 6.9e8),
        };
        Self { dense_tasks: None, arcs, heap_steps }
    }
}

impl Default for Rates {
    /// [`Rates::usual`] of `f64`.
    fn default() -> Self {
        Self::usual(ElementType::F64)
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
    /// How many distances are wanted of each: n, or the number of targets.
    pub columns: usize,
    /// Whether a weight is negative.
    pub negative: bool,
    /// The type of distances.
    pub element: ElementType,
    /// Whether predecessors or next vertices are wanted as well.
    pub paths: bool,
    /// Threads that search at once.
    pub threads: usize,
    /// Bytes that can be allocated; `None` where nobody knows.
    pub available: Option<u64>,
}

/// What an algorithm is expected to take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Seconds of wall clock, without reading and writing files.
    pub seconds: f64,
    /// Bytes in addition to the graph, the result included.
    pub bytes: u128,
    /// Whether these bytes can be had.
    pub fits: bool,
}

/// The algorithm chosen, and what it was compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The one to use: the one that takes less time among those that fit, or, where none does, the one that takes less memory.
    pub chosen: Estimate,
    /// Of Floyd-Warshall; none where no rate of a dense solver is known.
    pub dense: Option<Estimate>,
    /// Of Dijkstra, or of Johnson where a weight is negative.
    pub search: Estimate,
}

/// Chooses an algorithm. O(1).
///
/// ```
/// use shortest_paths::{Algorithm, Rates, Workload, choose};
/// use shortest_paths::ElementType;
///
/// let work = Workload {
///     n: 4096, m: 4096 * 4095, sources: 4096, columns: 4096, negative: false, element: ElementType::F32, paths: false,
///     threads: 2, available: None,
/// };
/// let rates = Rates { dense_tasks: Some(1e10), ..Rates::default() };
/// assert_eq!(choose(&work, &rates).chosen.algorithm, Algorithm::FloydWarshall);
/// let sparse = Workload { m: 3 * 4096, ..work };
/// assert_eq!(choose(&sparse, &rates).chosen.algorithm, Algorithm::Dijkstra);
/// ```
pub fn choose(work: &Workload, rates: &Rates) -> Choice {
    let estimate = |algorithm, seconds, bytes| {
        let fits = work.available.is_none_or(|available| bytes <= u128::from(available));
        Estimate { algorithm, seconds, bytes, fits }
    };
    let (n, m, sources) = (work.n as f64, work.m as f64, work.sources as f64);
    let threads = work.threads.min(work.sources).max(1);

    let row = m / rates.arcs + heap_steps(n, m) / rates.heap_steps;
    // One more pass over the arcs, without a heap, unless no two paths are equally short.
    let trees = |m| if work.paths { sources * m / rates.arcs / threads as f64 } else { 0.0 };
    // Where a dense solver knows all distances, it is over those arcs alone that some shortest path has: about n ln n of a complete graph with
    // random weights.
    let needed = if work.sources == work.n { m.min(2.0 * n * n.max(2.0).ln()) } else { m };
    let potentials = if work.negative { POTENTIAL_ROUNDS * m / rates.arcs } else { 0.0 };
    let algorithm = if work.negative { Algorithm::Johnson } else { Algorithm::Dijkstra };
    let result = result_bytes(work);
    let seconds = potentials + sources * row / threads as f64 + trees(m);
    let search = estimate(algorithm, seconds, result.saturating_add(search_bytes(work, threads)));

    let dense = rates.dense_tasks.map(|tasks| {
        let matrix = square(work.n).saturating_mul(work.element.bytes() as u128);
        let whole = work.sources == work.n && work.columns == work.n;
        let bytes = if whole { result } else { matrix.saturating_add(result) };
        estimate(Algorithm::FloydWarshall, potentials + n.powi(3) / tasks + trees(needed), bytes)
    });
    let chosen = match dense {
        Some(dense) if dense.fits && search.fits && dense.seconds < search.seconds => dense,
        Some(dense) if dense.fits && !search.fits => dense,
        Some(dense) if !dense.fits && !search.fits && dense.bytes < search.bytes => dense,
        _ => search,
    };
    Choice { chosen, dense, search }
}

/// Steps that one search takes in its heap.
fn heap_steps(n: f64, m: f64) -> f64 {
    n * (1.0 + (m / n.max(1.0)).max(1.0).ln()) * n.max(2.0).log2()
}

fn square(n: usize) -> u128 {
    (n as u128).saturating_mul(n as u128)
}

/// Of distances and paths. Paths are `i32`, and rows of n whatever targets are chosen.
fn result_bytes(work: &Workload) -> u128 {
    let rows = work.sources as u128;
    let distances = rows.saturating_mul(work.columns as u128).saturating_mul(work.element.bytes() as u128);
    let paths = if work.paths { rows.saturating_mul(work.n as u128).saturating_mul(4) } else { 0 };
    distances.saturating_add(paths)
}

/// Of each thread's labels, heap, row and tree, and of potentials.
fn search_bytes(work: &Workload, threads: usize) -> u128 {
    let label = if work.element.is_integer() { 4 } else { 8 };
    let vertex = 3 * label + work.element.bytes() + if work.paths { 12 } else { 0 };
    let potentials = if work.negative { 8 + 8 + 4 + 4 + 1 } else { 0 };
    let each = (threads as u128).saturating_mul(vertex as u128).saturating_add(potentials);
    (work.n as u128).saturating_mul(each)
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
            available: None,
        }
    }

    const DENSE: Rates = Rates { dense_tasks: Some(1e10), arcs: 1e8, heap_steps: 1e8 };

    #[test]
    fn the_estimates_are_the_work_by_the_rates() {
        let choice = choose(&work(1024, 10_240), &DENSE);
        let dense = choice.dense.unwrap();
        assert!((dense.seconds - 1024f64.powi(3) / 1e10).abs() < 1e-12);
        assert_eq!(dense.bytes, 4 * 1024 * 1024);
        // For each source 10,240 arcs and 1024 (1 + ln 10) entries of 10 steps each, on two threads.
        let row = (10_240.0 + 10_240.0 * (1.0 + 10f64.ln())) / 1e8;
        assert!((choice.search.seconds - 512.0 * row).abs() < 1e-12);
    }

    #[test]
    fn of_a_complete_graph_predecessors_are_expected_from_few_of_its_arcs() {
        let complete = Workload { paths: true, ..work(16_384, 16_384 * 16_383) };
        let beside = |work: &Workload| {
            let without = Workload { paths: false, ..*work };
            choose(work, &DENSE).dense.unwrap().seconds - choose(&without, &DENSE).dense.unwrap().seconds
        };
        // 16,384 searches along about 2 n ln n arcs, on two threads.
        assert!((beside(&complete) - 8192.0 * 2.0 * 16_384.0 * 16_384f64.ln() / 1e8).abs() < 1e-6);
        assert!(beside(&complete) < beside(&Workload { sources: 100, ..complete }));
        // A search has looked at none of the others.
        let search = |paths| choose(&Workload { paths, ..complete }, &DENSE).search.seconds;
        assert!((search(true) - search(false) - 8192.0 * complete.m as f64 / 1e8).abs() < 1e-3);
    }

    #[test]
    fn few_sources_many_arcs_and_no_dense_solver_each_decide() {
        let dense = work(4096, 4096 * 4095);
        let of = |work: &Workload, rates: &Rates| choose(work, rates).chosen.algorithm;
        assert_eq!(of(&dense, &DENSE), Algorithm::FloydWarshall);
        assert_eq!(of(&Workload { sources: 10, ..dense }, &DENSE), Algorithm::Dijkstra);
        assert_eq!(of(&dense, &Rates::default()), Algorithm::Dijkstra);
        assert_eq!(of(&Workload { negative: true, ..dense }, &Rates::default()), Algorithm::Johnson);
    }

    #[test]
    fn what_does_not_fit_is_not_chosen_while_something_else_does() {
        // The matrix has 400 MB, the ten rows 400 KB.
        let few = Workload { sources: 10, available: Some(10_000_000), ..work(10_000, 99_990_000) };
        let fast = Rates { dense_tasks: Some(1e15), ..DENSE };
        let choice = choose(&few, &fast);
        assert!(choice.dense.unwrap().seconds < choice.search.seconds && !choice.dense.unwrap().fits);
        assert_eq!(choice.chosen, choice.search);
        let none = choose(&Workload { available: Some(1), ..few }, &fast);
        assert!(!none.chosen.fits && none.chosen.bytes == none.search.bytes);
    }

    #[test]
    fn no_size_overflows() {
        let huge = Workload { paths: true, negative: true, ..work(u32::MAX as usize, usize::MAX) };
        let choice = choose(&Workload { sources: usize::MAX, columns: usize::MAX, ..huge }, &DENSE);
        assert!(choice.search.seconds > 1e20);
    }
}
