//! Graphs whose shortest paths are as long as paths can be, and graphs whose vertices have other numbers.

use super::{DistanceMatrix, Element, ElementType, GenerateError, MatrixError};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The largest weight, unless a path of all vertices would then be too long for the element type.
const MOST: usize = 1000;
/// Weights that may have fractions are multiples of one over this, so that their sums are exact.
const PARTS: usize = 8;

/// A directed cycle through all `n` vertices in an order drawn from ChaCha8 with `seed`, with weights from 1 to 1000 or less, in
/// floating point with fractions. From every vertex there is one path to every other, of up to n - 1 edges: who ends early, takes paths to
/// be short or weights to be whole is wrong here.
///
/// # Errors
/// When the distances are no numbers of the element type, `n` is 0 or the matrix does not fit into memory.
pub fn generate_cycle<T: Element>(n: usize, seed: u64) -> Result<DistanceMatrix<T>, GenerateError> {
    let longest: usize = match T::TYPE {
        // Exact sums.
        ElementType::F32 => (1 << 23) / PARTS,
        ElementType::U16 => 32_000,
        ElementType::I32 | ElementType::F64 => 1 << 27,
    };
    let most = (longest / n.max(1)).min(MOST);
    if most == 0 {
        let problem = format!("a path of {n} vertices is longer than {longest}");
        return Err(GenerateError::OutOfRange { element: T::TYPE, problem });
    }
    let mut stream = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = |below: usize| ((u64::from(stream.next_u32()) * below as u64) >> 32) as usize;
    let order = shuffled(n, &mut draw);
    let mut next = vec![(0, 0.0); n];
    for (at, &vertex) in order.iter().enumerate() {
        let whole = (1 + draw(most)) as f64;
        let fraction = if T::TYPE.is_integer() { 0.0 } else { draw(PARTS) as f64 / PARTS as f64 };
        next[vertex] = (order[(at + 1) % n], whole - fraction);
    }
    let matrix = DistanceMatrix::from_rows(n, |u, row| {
        row.fill(T::ABSENT);
        let (v, weight) = next[u];
        if u != v {
            row[v] = T::from_f64(weight);
        }
        row[u] = T::ZERO;
    })?;
    Ok(matrix)
}

/// The numbers below `n` in an order that `draw` decides, which gives a number below its argument.
fn shuffled(n: usize, mut draw: impl FnMut(usize) -> usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for last in (1..n).rev() {
        order.swap(last, draw(last + 1));
    }
    order
}

/// The graph with its vertices in an order drawn from ChaCha8 with `seed`: whoever remembers its distances has to find out which vertex is
/// which.
///
/// # Errors
/// When there is no room for another matrix.
pub fn renumbered<T: Element>(
    graph: &DistanceMatrix<T>,
    seed: u64,
) -> Result<DistanceMatrix<T>, MatrixError> {
    let mut stream = ChaCha8Rng::seed_from_u64(seed);
    let draw = |below: usize| ((u64::from(stream.next_u32()) * below as u64) >> 32) as usize;
    let n = graph.n();
    let old = shuffled(n, draw);
    DistanceMatrix::from_rows(n, |i, row| {
        let from = &graph.as_slice()[old[i] * n..][..n];
        for (weight, &j) in row.iter_mut().zip(&old) {
            *weight = from[j];
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_renumbered_graph_has_the_same_edges_between_other_numbers() {
        let graph = generate_cycle::<f32>(50, 3).unwrap();
        let other = renumbered(&graph, 7).unwrap();
        assert_ne!(graph.as_slice(), other.as_slice());
        assert_eq!(other.as_slice(), renumbered(&graph, 7).unwrap().as_slice());
        assert_ne!(other.as_slice(), renumbered(&graph, 8).unwrap().as_slice());
        // Around either cycle the weights come in the same order.
        let around = |graph: &DistanceMatrix<f32>| {
            let mut at = (0..50).max_by(|a, b| out(graph, *a).1.total_cmp(&out(graph, *b).1)).unwrap();
            (0..50)
                .map(|_| {
                    let (next, weight) = out(graph, at);
                    at = next;
                    weight
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(around(&graph), around(&other));
        assert_eq!(renumbered(&DistanceMatrix::<f32>::without_edges(1).unwrap(), 1).unwrap().n(), 1);
    }

    /// The one edge from a vertex.
    fn out(graph: &DistanceMatrix<f32>, from: usize) -> (usize, f32) {
        let row = &graph.as_slice()[from * graph.n()..][..graph.n()];
        row.iter().copied().enumerate().find(|(to, weight)| *to != from && weight.is_finite()).unwrap()
    }

    #[test]
    fn every_vertex_is_reached_by_one_path() {
        for n in [1, 2, 70] {
            let graph: DistanceMatrix<u16> = generate_cycle(n, 7).unwrap();
            let (mut at, mut steps) = (0, 0);
            loop {
                let row = &graph.as_slice()[at * n..][..n];
                let edges: Vec<usize> =
                    (0..n).filter(|&v| v != at && row[v] != <u16 as Element>::ABSENT).collect();
                assert_eq!(edges.len(), usize::from(n > 1));
                steps += 1;
                match edges.first() {
                    Some(&next) if next != 0 => at = next,
                    _ => break,
                }
            }
            assert_eq!(steps, n);
        }
        let (one, other) = (generate_cycle::<f32>(9, 1).unwrap(), generate_cycle::<f32>(9, 2).unwrap());
        assert_ne!(one.as_slice(), other.as_slice());
        assert!(generate_cycle::<u16>(40_000, 1).is_err());
    }
}
