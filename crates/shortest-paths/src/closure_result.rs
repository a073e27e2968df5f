//! What is made of the matrix that a dense solver has closed.

use crate::reduction::{is_needed, reduce, restore};
use crate::{
    Control, Dense, Element, Graph, Options, PathSentinels, RetainedDistances, SolveError, WeightSummary,
};
use rayon::prelude::*;
use repro_graph::{DistanceMatrix, ElementType, memory_check};

/// Takes away what lies beyond the limit. No weight is negative, so all that is on the way to what stays, stays.
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

/// Turns weights into distances by `dense`, with weights that the graph's potentials reduce first where that is needed.
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
    // In the other types no number but one is no path.
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
