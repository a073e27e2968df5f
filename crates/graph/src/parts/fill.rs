//! A block of numbers in a buffer of bytes.

use rayon::prelude::*;
use std::ops::Range;

use crate::{BlockError, Element};

/// Fills a block as [`Blocks::read`](crate::Blocks::read) lays it out, its rows in parallel: `fill` gets a row's number and room for what it has
/// of `columns`.
///
/// # Errors
/// One of those of `fill`.
///
/// # Panics
/// When the block is not in a matrix of `n` vertices, or `into` has no room for it.
pub(super) fn fill_rows<T: Element>(
    n: usize,
    rows: Range<usize>,
    columns: &Range<usize>,
    pitch: usize,
    into: &mut [u8],
    fill: impl Fn(usize, &mut [T]) -> Result<(), BlockError> + Sync,
) -> Result<(), BlockError> {
    let width = columns.len();
    assert!(
        rows.end <= n && columns.end <= n,
        "rows {rows:?} and columns {columns:?} are not in {n} x {n} numbers"
    );
    if rows.is_empty() || width == 0 {
        return Ok(());
    }
    assert!(width <= pitch, "a row of {width} numbers every {pitch} numbers overlaps the next");
    let needed = ((rows.len() - 1) * pitch + width) * size_of::<T>();
    assert!(into.len() >= needed, "{} bytes are no room for {needed}", into.len());
    let into = &mut into[..needed];
    into.par_chunks_mut(pitch * size_of::<T>()).zip(rows).try_for_each(|(bytes, row)| {
        let bytes = &mut bytes[..width * size_of::<T>()];
        match bytemuck::try_cast_slice_mut(bytes) {
            Ok(numbers) => fill(row, numbers),
            // The caller's buffer may begin anywhere.
            Err(_) => {
                let mut numbers = vec![T::ZERO; width];
                fill(row, &mut numbers)?;
                bytes.copy_from_slice(bytemuck::cast_slice(&numbers));
                Ok(())
            }
        }
    })
}
