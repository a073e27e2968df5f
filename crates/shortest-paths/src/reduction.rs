//! Weights that potentials have made non-negative, for Floyd-Warshall in floating point.
//!
//! On a cycle of weight 0 a sum that is rounded may come out below 0. Floyd-Warshall goes round such a cycle again with every vertex, and what is
//! missing may double each time: 1e-16 becomes 1e14 with a hundred vertices. Of weights that are not negative no sum is below its parts,
//! so nothing falls, and a distance is wrong by no more than the rounding of its own path.

use crate::paths::exact_below;
use crate::{Element, WeightSummary};
use rayon::prelude::*;
use repro_graph::DistanceMatrix;

/// Makes the weights of the graph non-negative: w + p(u) - p(v), and 0 where rounding leaves less. O(n²).
pub(crate) fn reduce<T: Element>(matrix: &mut DistanceMatrix<T>, potentials: &[f64]) {
    shift(matrix, potentials, |weight, tail, head| (weight + tail - head).max(0.0));
}

/// Makes distances by those weights distances of the graph. O(n²).
pub(crate) fn restore<T: Element>(matrix: &mut DistanceMatrix<T>, potentials: &[f64]) {
    // -0.0 + 0.0 is +0.0.
    shift(matrix, potentials, |length, from, to| length + to - from + 0.0);
}

fn shift<T: Element>(
    matrix: &mut DistanceMatrix<T>,
    potentials: &[f64],
    by: impl Fn(f64, f64, f64) -> f64 + Sync,
) {
    let rows = matrix.as_mut_slice().par_chunks_mut(potentials.len()).zip(potentials);
    rows.for_each(|(row, tail)| {
        for (number, head) in row.iter_mut().zip(potentials) {
            *number = T::from_f64(by(number.to_f64(), *tail, *head));
        }
    });
}

/// Whether a dense solver may add up these weights of `n` vertices in any order.
///
/// # Errors
/// Why it may not, with the remedy.
pub fn check_sums<T: Element>(n: usize, facts: &WeightSummary) -> Result<(), String> {
    facts.range.fits(n, T::TYPE)?;
    let (element, longest) = (T::TYPE, longest::<T>(n, facts));
    if longest > element.most() {
        return Err(format!(
            "paths may be as long as {longest}, which is no {element}: choose another algorithm"
        ));
    }
    Ok(())
}

/// The longest sum that a solver of the matrix may come to.
fn longest<T: Element>(n: usize, facts: &WeightSummary) -> f64 {
    // Reduced weights are longer by as much as paths are below 0.
    let times = if is_needed::<T>(n, facts) { 2.0 } else { 1.0 };
    times * facts.range.longest(n)
}

/// Whether a weight is negative and sums may be rounded.
pub(crate) fn is_needed<T: Element>(n: usize, facts: &WeightSummary) -> bool {
    facts.range.negative && facts.range.longest(n) >= exact_below::<T>(facts)
}
