//! A check of a result by the graph alone.

use crate::error::Failure;
use shortest_paths::{Control, Element, Graph, SearchContext, Solution};

/// How many rows are held against the graph where there are more.
const SAMPLED: usize = 32;

/// What was checked.
pub struct Verified {
    /// Rows of distances that were held against every arc of the graph.
    pub rows: usize,
    /// Stored paths that were walked.
    pub paths: u64,
    /// The largest difference between a path's length and its distance, in the unit of the weights.
    pub widest: f64,
}

/// Holds rows of distances against the graph, 32 at most, and walks every stored path.
///
/// As [`SearchContext::check_solution`] does: from the arcs alone it is shown that no distance is too short or too long, within what rounding can do.
///
/// # Errors
/// The first thing that is wrong.
pub fn verify<T: Element, G: Graph<T>>(
    graph: &G,
    solution: &Solution<T>,
    control: &Control,
) -> Result<Verified, Failure> {
    let rows = sampled(solution.sources.as_ref().map_or(solution.n, Vec::len));
    let searches = SearchContext::new(graph, control)?;
    let [proven, walked] = searches.check_solution(solution, &rows, true, control)?;
    Ok(Verified { rows: rows.len(), paths: walked.paths, widest: proven.widest.max(walked.widest) })
}

/// Rows as far apart as there is room, the first and the last among them.
fn sampled(rows: usize) -> Vec<usize> {
    if rows <= SAMPLED {
        return (0..rows).collect();
    }
    (0..SAMPLED).map(|at| at * (rows - 1) / (SAMPLED - 1)).collect()
}
