//! Random graphs by block.

use std::ops::Range;

use super::by_element;
use crate::generate::{RandomRows, check_range};
use crate::{BlockError, Blocks, DeclaredWeights, ElementType, GenerateError, RandomGraph};

/// The graph that [`generate`](crate::generate) makes of `graph` with `n` vertices, bit for bit, drawn where and when it is read. It takes
/// four bytes a vertex.
///
/// # Errors
/// When a field of `graph` is out of range, a weight may be no number of `element`, or `n` is 0.
pub fn random_blocks(
    graph: &RandomGraph,
    n: usize,
    element: ElementType,
) -> Result<Box<dyn Blocks>, GenerateError> {
    graph.validate()?;
    check_range(n, element, &graph.weights())?;
    Ok(Box::new(RandomBlocks { rows: RandomRows::of(graph, n), graph: graph.clone(), element }))
}

struct RandomBlocks {
    rows: RandomRows,
    graph: RandomGraph,
    element: ElementType,
}

impl Blocks for RandomBlocks {
    fn n(&self) -> usize {
        self.rows.n()
    }

    fn element(&self) -> ElementType {
        self.element
    }

    fn declared_weights(&self) -> Option<DeclaredWeights> {
        Some(self.rows.declared_weights(self.graph.weights()))
    }

    fn read_row(&self, row: usize, columns: Range<usize>, into: &mut [u8]) -> Result<(), BlockError> {
        by_element!(self.element, T => {
            self.rows.fill::<T>(row, columns.start, bytemuck::cast_slice_mut(into));
            Ok(())
        })
    }
}
