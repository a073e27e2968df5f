//! Graphs of edges drawn one by one, by block.

use super::by_element;
use crate::generate::check_range;
use crate::{
    ArcsBuilder, Blocks, Element, ElementType, GenerateError, GraphError, RandomEdges, generate_edges,
};

/// The graph that [`generate_edges`](crate::generate_edges) makes of `graph` with `n` vertices, bit for bit. Its edges are drawn now and kept as
/// [`Arcs`](crate::Arcs), or as a matrix where that is smaller.
///
/// # Errors
/// As [`generate_edges`](crate::generate_edges), and when there is no room for the edges.
pub fn drawn_blocks(
    graph: &RandomEdges,
    n: usize,
    element: ElementType,
) -> Result<Box<dyn Blocks>, GenerateError> {
    graph.validate()?;
    check_range(n, element, &graph.weights())?;
    let count = if n == 1 { 0 } else { u64::from(graph.edges_per_vertex) as u128 * n as u128 };
    let matrix = (n as u128).saturating_pow(2).saturating_mul(element.bytes() as u128);
    if count.saturating_mul(8) > matrix {
        return by_element!(element, T => Ok(Box::new(generate_edges::<T>(graph, n)?)));
    }
    // Fewer than n² of them, which must be many less than 2^64 to be drawn at all.
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    by_element!(element, T => random_edges::<T>(graph, n, count).map_err(|error| GenerateError::Arcs(error.to_string())))
}

fn random_edges<T: Element>(
    graph: &RandomEdges,
    n: usize,
    count: u64,
) -> Result<Box<dyn Blocks>, GraphError> {
    let mut builder = ArcsBuilder::<T>::with_vertices(n)?;
    builder.reserve(usize::try_from(count).unwrap_or(usize::MAX))?;
    let mut added = Ok(());
    graph.draw(n, 0..count, |start, end, weight| {
        if added.is_ok() {
            added = builder.add(start, end, T::from_f64(weight.into()));
        }
    });
    added?;
    Ok(Box::new(builder.build()?.0))
}
