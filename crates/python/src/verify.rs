//! A check of a result by the graph alone.

use crate::error::Failure;
use repro_graph::ElementType;
use shortest_paths::{
    Control, Graph, Marks, PathError, Searches, Solution, Walked, Weight, walk, weights_along,
};

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
    let trees = searches.predecessors(&chosen, &rows, Marks::PLAIN, control)?;
    let proven = searches.check_predecessors(&chosen, &rows, &trees, control)?;
    let walked = if let Some(next) = &solution.next {
        searches.check_next(&solution.distances, next, control)?
    } else if let Some(stored) = &solution.predecessors {
        match &solution.targets {
            None => searches.check_predecessors(&sources, &solution.distances, stored, control)?,
            Some(targets) => paths_to(&searches, graph, (&sources, targets), solution, stored, control)?,
        }
    } else {
        Walked::default()
    };
    Ok(Verified { rows: sample.len(), paths: walked.paths, widest: proven.widest.max(walked.widest) })
}

/// Walks the path to each target, where the distances of the vertices on it are not known.
fn paths_to<T: Weight, G: Graph<T>>(
    searches: &Searches<G>,
    graph: &G,
    (sources, targets): (&[usize], &[usize]),
    solution: &Solution<T>,
    stored: &[i32],
    control: &Control,
) -> Result<Walked, Failure> {
    let n = solution.n;
    let potentials = searches.potentials().unwrap_or_default();
    let spread = potentials.iter().fold(0.0, |most: f64, p| most.max(-p));
    let digits = match T::TYPE {
        ElementType::I32 | ElementType::U16 => f64::INFINITY,
        ElementType::F32 => f64::from(f32::MANTISSA_DIGITS),
        ElementType::F64 => f64::from(f64::MANTISSA_DIGITS),
    };
    // As many sums as a solver may have rounded, and those of the walk.
    let share = 8.0 * n as f64 / digits.exp2();
    let mut walked = Walked::default();
    let rows = solution.distances.chunks(targets.len().max(1)).zip(stored.chunks(n));
    for (&source, (distances, predecessors)) in sources.iter().zip(rows) {
        control.check()?;
        for (&target, distance) in targets.iter().zip(distances) {
            let distance = distance.to_f64();
            let Some(path) = walk(predecessors, source, target)? else {
                if distance < f64::INFINITY {
                    return Err(PathError::Reach { from: source, to: target, distance, stored: false }.into());
                }
                continue;
            };
            let weights = weights_along(graph, &path)?;
            let length: f64 = weights.iter().map(|weight| weight.to_f64()).sum();
            let size: f64 = weights.iter().map(|weight| weight.to_f64().abs()).sum();
            let slack = (size + spread) * share;
            let (low, high) = (length - slack, length + slack);
            if !(low..=high).contains(&distance) {
                return Err(
                    PathError::Length { from: source, to: target, length, distance, low, high }.into()
                );
            }
            walked.paths += 1;
            walked.arcs += weights.len() as u64;
            walked.widest = walked.widest.max((distance - length).abs());
        }
    }
    Ok(walked)
}

/// Rows as far apart as there is room, the first and the last among them.
fn sampled(rows: usize) -> Vec<usize> {
    if rows <= SAMPLED {
        return (0..rows).collect();
    }
    (0..SAMPLED).map(|at| at * (rows - 1) / (SAMPLED - 1)).collect()
}
