//! A matrix that is in memory as a whole.

use std::ops::Range;

use super::fill::fill_rows;
use crate::{BlockError, Blocks, DistanceMatrix, Element, ElementType};

/// The blocks of `matrix`.
pub fn matrix_blocks<T: Element>(matrix: DistanceMatrix<T>) -> Box<dyn Blocks> {
    Box::new(matrix)
}

impl<T: Element> Blocks for DistanceMatrix<T> {
    fn n(&self) -> usize {
        Self::n(self)
    }

    fn element(&self) -> ElementType {
        T::TYPE
    }

    fn read(
        &self,
        rows: Range<usize>,
        columns: Range<usize>,
        pitch: usize,
        into: &mut [u8],
    ) -> Result<(), BlockError> {
        fill_rows(Self::n(self), rows, &columns, pitch, into, |u, row: &mut [T]| {
            row.copy_from_slice(&self.row(u)[columns.clone()]);
            Ok(())
        })
    }
}
