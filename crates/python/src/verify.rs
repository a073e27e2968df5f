//! A check of a result by the graph alone.

use crate::error::Failure;
use shortest_paths::{Control, Graph, Marks, Searches, Solution, Walked, Weight};

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

/// Holds rows of distances against the graph, 32 at most, and walks the stored paths: all of them, or, where targets were chosen, those
/// of these rows.
///
/// A row is given to [`Searches::predecessors`]. Where sums are exact, that proves from the arcs alone that no distance is too short or too
/// long. Where they are rounded, it searches the row anew in `f64`, and the lengths of its paths have to lie within the library's bounds.
///
/// # Errors
/// The first thing that is wrong.
pub fn verify<T: Weight, G: Graph<T>>(
    graph: &G,
    solution: &Solution<T>,
    control: &Control,
) -> Result<Verified, Failure> {
    let n = solution.n;
    let searches = Searches::new(graph, control)?;
    let sources: Vec<usize> = match &solution.sources {
        Some(sources) => sources.clone(),
        None => (0..n).collect(),
    };
    let sample = sampled(sources.len());
    let chosen: Vec<usize> = sample.iter().map(|&row| sources[row]).collect();
    let mut rows: Vec<T> = Vec::new();
    for (&row, &source) in sample.iter().zip(&chosen) {
        match &solution.targets {
            None => rows.extend_from_slice(&solution.distances[row * n..(row + 1) * n]),
            Some(targets) => {
                let mut whole = searches.row(source, control)?;
                let given = &solution.distances[row * targets.len()..(row + 1) * targets.len()];
                targets.iter().zip(given).for_each(|(&target, distance)| whole[target] = *distance);
                rows.append(&mut whole);
            }
        }
    }
    let mut trees = searches.predecessors(&chosen, &rows, Marks::PLAIN, control)?;
    let proven = searches.check_predecessors(&chosen, &rows, &trees, control)?;
    let walked = if let Some(next) = &solution.next {
        searches.check_next(&solution.distances, next, control)?
    } else if let Some(stored) = &solution.predecessors {
        if solution.targets.is_none() {
            searches.check_predecessors(&sources, &solution.distances, stored, control)?
        } else {
            // What is stored goes before what was found, which fills in what lies farther away than all targets.
            for (&row, tree) in sample.iter().zip(trees.chunks_mut(n)) {
                let stored = stored[row * n..(row + 1) * n].iter();
                tree.iter_mut()
                    .zip(stored)
                    .filter(|(_, stored)| **stored >= 0)
                    .for_each(|(to, from)| *to = *from);
            }
            searches.check_predecessors(&chosen, &rows, &trees, control)?
        }
    } else {
        Walked::default()
    };
    Ok(Verified { rows: sample.len(), paths: walked.paths, widest: proven.widest.max(walked.widest) })
}

/// Rows as far apart as there is room, the first and the last among them.
fn sampled(rows: usize) -> Vec<usize> {
    if rows <= SAMPLED {
        return (0..rows).collect();
    }
    (0..SAMPLED).map(|at| at * (rows - 1) / (SAMPLED - 1)).collect()
}
