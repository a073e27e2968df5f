//! Random graphs by block.

use std::ops::Range;

use super::{by_element, fill::fill_rows};
use crate::generate::{RandomRows, check_range};
use crate::{BlockError, Blocks, ElementType, GenerateError, MatrixError, Promised, RandomGraph};

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
    check_range(element, &graph.weights())?;
    if n == 0 {
        return Err(MatrixError::Empty.into());
    }
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

    fn promised(&self) -> Option<Promised> {
        Some(self.rows.promised(self.graph.weights()))
    }

    fn read(
        &self,
        rows: Range<usize>,
        columns: Range<usize>,
        pitch: usize,
        into: &mut [u8],
    ) -> Result<(), BlockError> {
        by_element!(self.element, T => fill_rows(self.n(), rows, &columns, pitch, into, |u, row: &mut [T]| {
            self.rows.fill(u, columns.start, row);
            Ok(())
        }))
    }
}
