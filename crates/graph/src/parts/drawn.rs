//! Graphs of edges drawn one by one, by block.

use std::ops::Range;

use super::{
    by_element,
    sparse::{EdgeSource, SparseRows},
    whole::matrix_blocks,
};
use crate::generate::check_range;
use crate::{Blocks, ElementType, GenerateError, MatrixError, RandomEdges, generate_edges};

/// The graph that [`generate_edges`](crate::generate_edges) makes of `graph` with `n` vertices, bit for bit. Its edges are drawn now and kept as
/// [`SparseRows`], eight bytes each, or as a matrix where that is smaller.
///
/// # Errors
/// As [`generate_edges`](crate::generate_edges), and when there is no room for the edges.
pub fn drawn_blocks(
    graph: &RandomEdges,
    n: usize,
    element: ElementType,
) -> Result<Box<dyn Blocks>, GenerateError> {
    graph.validate()?;
    check_range(element, &graph.weights())?;
    if n == 0 {
        return Err(MatrixError::Empty.into());
    }
    let count = if n == 1 { 0 } else { u64::from(graph.edges_per_vertex) as u128 * n as u128 };
    let matrix = (n as u128).saturating_pow(2).saturating_mul(element.bytes() as u128);
    if count.saturating_mul(8) > matrix {
        return by_element!(element, T => Ok(matrix_blocks(generate_edges::<T>(graph, n)?)));
    }
    // Fewer than n² of them, which must be many less than 2^64 to be drawn at all.
    let drawn = Drawn { graph, n, count: u64::try_from(count).unwrap_or(u64::MAX) };
    Ok(Box::new(SparseRows::of(n, element, &drawn)?))
}

struct Drawn<'a> {
    graph: &'a RandomEdges,
    n: usize,
    count: u64,
}

impl EdgeSource for Drawn<'_> {
    fn count(&self) -> u64 {
        self.count
    }

    fn visit(&self, numbers: Range<u64>, take: &mut dyn FnMut(usize, usize, f32)) {
        // A weight is at most 65535.
        self.graph.draw(self.n, numbers, |start, end, weight| take(start, end, weight as f32));
    }
}
