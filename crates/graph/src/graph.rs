//! What a search needs of a graph, sparse or dense; a short name for a whole result, so that equal results are recognised without being
//! kept.

use crate::{Arcs, DistanceMatrix, Element, SearchError, WeightSummary};
use std::path::Path;
use std::{fmt, io};

/// A directed graph with weights: [`Arcs`](crate::Arcs), or the matrix of a graph as [`DistanceMatrix`].
///
/// There is at most one arc from a vertex to another and none to itself. Vertices are counted from 0.
pub trait Graph: Sync {
    /// The type of weights, and of distances.
    type Weight: Element;

    /// The number of vertices, at least 1.
    fn n(&self) -> usize;

    /// The number of arcs. O(1) of [`Arcs`](crate::Arcs), O(n²) of a [`DistanceMatrix`] that was written to since.
    fn m(&self) -> usize;

    /// Calls `visit` with the head and the weight of each arc that leaves `tail`, heads ascending. A `tail` that is not in the graph has
    /// none. O(arcs of `tail`); O(n) in a matrix.
    fn for_each_arc(&self, tail: usize, visit: impl FnMut(usize, Self::Weight));

    /// The weight of the arc from `tail` to `head`, if there is one. O(log arcs of `tail`); O(1) in a matrix.
    fn weight(&self, tail: usize, head: usize) -> Option<Self::Weight>;

    /// Writes the row of `tail` in the matrix of the graph into `row`, which has n entries: the weight of each arc,
    /// [`Element::ABSENT`](crate::Element::ABSENT) where there is none, and 0 for `tail` itself. O(n).
    fn fill_row(&self, tail: usize, row: &mut [Self::Weight]) {
        row.fill(Self::Weight::ABSENT);
        if let Some(stay) = row.get_mut(tail) {
            *stay = Self::Weight::ZERO;
        }
        self.for_each_arc(tail, |head, weight| row[head] = weight);
    }

    /// A vertex with a negative arc to itself, and that arc's weight. Only a matrix whose diagonal was written to has one. O(n).
    fn negative_loop(&self) -> Option<(usize, Self::Weight)> {
        None
    }

    /// The arcs as sparse rows, where these are far faster to go through than this graph, as for a matrix with few arcs; else `None`.
    /// Searches then use the rows, with the same results. O(n²) for a matrix.
    ///
    /// # Errors
    /// [`SearchError::NotEnoughMemory`].
    fn sparse(&self) -> Result<Option<Arcs<Self::Weight>>, SearchError> {
        Ok(None)
    }

    /// What is known of the weights. O(1) of [`Arcs`](crate::Arcs), O(n²) of a [`DistanceMatrix`] that was written to since.
    fn facts(&self) -> WeightSummary;
}

impl<T: Element> Graph for DistanceMatrix<T> {
    type Weight = T;

    fn n(&self) -> usize {
        self.n()
    }

    fn m(&self) -> usize {
        self.survey().edges
    }

    #[inline]
    fn for_each_arc(&self, tail: usize, mut visit: impl FnMut(usize, T)) {
        if tail >= self.n() {
            return;
        }
        for (head, weight) in self.row(tail).iter().enumerate() {
            if !weight.is_absent() && head != tail {
                visit(head, *weight);
            }
        }
    }

    fn weight(&self, tail: usize, head: usize) -> Option<T> {
        let inside = tail < self.n() && head < self.n() && tail != head;
        inside.then(|| self.get(tail, head)).filter(|weight| !weight.is_absent())
    }

    fn fill_row(&self, tail: usize, row: &mut [T]) {
        row.copy_from_slice(self.row(tail));
        row[tail] = T::ZERO;
    }

    fn negative_loop(&self) -> Option<(usize, T)> {
        (0..self.n()).map(|v| (v, self.get(v, v))).find(|(_, weight)| *weight < T::ZERO)
    }

    fn sparse(&self) -> Result<Option<Arcs<T>>, SearchError> {
        Arcs::of_sparse(self, Graph::m(self))
    }

    fn facts(&self) -> WeightSummary {
        self.survey().weights
    }
}

/// The first 128 bits of the BLAKE3 hash of a result; prints as 32 hexadecimal digits.
///
/// Equal digests mean equal bits for all practical purposes. The reverse holds too: two correct results of one
/// graph of integers have equal bits, as `Reference` explains, -0.0 included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest([u8; 16]);

/// The digest of the little-endian bits of `result`, computed on all threads.
pub fn digest<T: Element>(result: &[T]) -> Digest {
    let mut hasher = blake3::Hasher::new();
    // CUDA machines are little-endian, and so are the bytes of a result.
    hasher.update_rayon(bytemuck::cast_slice(result));
    let mut short = [0; 16];
    hasher.finalize_xof().fill(&mut short);
    Digest(short)
}

/// The BLAKE3 hash of the bytes of the file at `path`, in hexadecimal digits. They are read by all threads, and not kept in memory.
///
/// # Errors
/// When it cannot be read.
pub fn file_digest(path: &Path) -> io::Result<String> {
    Ok(blake3::Hasher::new().update_mmap_rayon(path)?.finalize().to_hex().to_string())
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_the_start_of_blake3_over_the_little_endian_bits() {
        for numbers in [vec![1.0_f32, -0.0, f32::INFINITY], vec![1.5; 300_000]] {
            let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
            let expected = blake3::hash(&bytes).to_hex();
            assert_eq!(digest(&numbers).to_string(), expected[..32]);
        }
    }
}
