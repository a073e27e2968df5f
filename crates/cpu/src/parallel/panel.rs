//! Packed operands and the product that reads them.
//!
//! - The **right** operand of a product, a row panel, is packed as strips of NR columns, each `depth` x NR and
//!   contiguous, because a register tile walks down one strip.
//! - The **left** operand, a block of the column panel, is packed as strips of MR rows, each `depth` x MR and contiguous: what a
//!   register tile broadcasts in one step lies together, so that one address serves all rows.
//!
//! Both take the room of whole register tiles, so that edges need no scalar loops. What the padding holds does not
//! matter: it only reaches sums that belong to no vertex, and those are dropped.
//!
//! What comes before the products of a round is here too: its diagonal block is closed, and its row panel made.

use super::kernel::{Microkernel, Product};
use super::rounds::{BlockSizes, Panels, Scratch};
use super::tile::Tile;
use super::{rounds, tile};
use rayon::prelude::*;
use repro_graph::Element;

/// The most rows of a register tile of any kernel.
const LARGEST_MR: usize = 8;
/// The most columns of a register tile of any kernel; all divide it.
const LARGEST_NR: usize = 64;

/// A bound of this side with the padding of any kernel.
pub(super) const fn padded(side: usize) -> usize {
    side.next_multiple_of(LARGEST_NR) + LARGEST_MR
}

/// Owner of numbers whose first one starts a cache line: otherwise each 64-byte load of a strip would
/// touch two lines.
pub(super) struct Buffer<T> {
    numbers: Vec<T>,
    first: usize,
    length: usize,
}

impl<T: bytemuck::Pod> Buffer<T> {
    /// Numbers of slack that alignment may cost.
    const SLACK: usize = 64 / size_of::<T>() - 1;

    /// Bytes that `new` allocates.
    pub const fn bytes(length: usize) -> usize {
        (length + Self::SLACK) * size_of::<T>()
    }

    pub fn new(length: usize) -> Self {
        let numbers = vec![T::zeroed(); length + Self::SLACK];
        // `align_offset` may decline; an unaligned buffer is slow and right.
        let first = numbers.as_ptr().align_offset(64).min(Self::SLACK);
        Self { numbers, first, length }
    }

    pub fn get(&self) -> &[T] {
        &self.numbers[self.first..][..self.length]
    }

    pub fn get_mut(&mut self) -> &mut [T] {
        &mut self.numbers[self.first..][..self.length]
    }
}

/// Packs a row panel (its rows are the depth of the product) as strips of NR columns.
pub(super) fn pack_right<K: Microkernel>(panel: &Tile<K::Element>, packed: &mut [K::Element]) {
    let (depth, columns) = (panel.rows(), panel.columns());
    let packed = &mut packed[..columns.next_multiple_of(K::NR) * depth];
    for k in 0..depth {
        let row = panel.row(k);
        for (strip, part) in packed.chunks_exact_mut(depth * K::NR).zip(row.chunks(K::NR)) {
            strip[k * K::NR..][..part.len()].copy_from_slice(part);
        }
    }
}

/// Packs a block of a column panel (its columns are the depth of the product) as strips of MR rows.
pub(super) fn pack_left<K: Microkernel>(panel: &Tile<K::Element>, packed: &mut [K::PackedLeft]) {
    let strips = packed.chunks_exact_mut(panel.columns() * K::MR);
    for (strip, from) in strips.zip((0..panel.rows()).step_by(K::MR)) {
        for (r, i) in (from..panel.rows().min(from + K::MR)).enumerate() {
            for (to, number) in strip.iter_mut().skip(r).step_by(K::MR).zip(panel.row(i)) {
                *to = K::PackedLeft::from(*number);
            }
        }
    }
}

/// As [`pack_left`], of the transpose of a block: its rows are the left operand's columns, as across a symmetric matrix's diagonal.
pub(super) fn pack_left_across<K: Microkernel>(panel: &Tile<K::Element>, packed: &mut [K::PackedLeft]) {
    let depth = panel.rows();
    for k in 0..depth {
        let parts = panel.row(k).chunks(K::MR);
        for (strip, part) in packed.chunks_exact_mut(depth * K::MR).zip(parts) {
            for (to, number) in strip[k * K::MR..].iter_mut().zip(part) {
                *to = K::PackedLeft::from(*number);
            }
        }
    }
}

/// C = min(C, left (x) right), operands packed by [`pack_left`] and [`pack_right`].
pub(super) fn relax<K: Microkernel>(
    kernel: K,
    c: &mut Tile<K::Element>,
    left: &[K::PackedLeft],
    right: &[K::Element],
    depth: usize,
) {
    const { assert!(K::MR <= LARGEST_MR && LARGEST_NR.is_multiple_of(K::NR)) };
    let (rows, columns, stride) = (c.rows(), c.columns(), c.stride());
    let left = &left[..rows.next_multiple_of(K::MR) * depth];
    let right = &right[..columns.next_multiple_of(K::NR) * depth];
    let c = c.as_mut_ptr();
    // A strip stays in the first-level cache while all rows of the left operand pass by it.
    for (strip, j) in right.chunks_exact(depth * K::NR).zip((0..columns).step_by(K::NR)) {
        for (band, i) in left.chunks_exact(depth * K::MR).zip((0..rows).step_by(K::MR)) {
            // SAFETY: (i, j) is inside the tile.
            let c = unsafe { c.add(i * stride + j) };
            let product = Product { depth, a: band.as_ptr(), b: strip.as_ptr(), c, c_stride: stride };
            if i + K::MR <= rows && j + K::NR <= columns {
                // SAFETY: band and strip are whole by `chunks_exact`; MR rows and NR columns from (i, j) lie in
                // the tile, which is borrowed exclusively.
                unsafe { kernel.relax(product) };
            } else {
                let mut edge = [K::Element::ABSENT; LARGEST_MR * LARGEST_NR];
                // SAFETY: as above, and MR * NR numbers fit the scratch (checked at compile time above).
                unsafe { kernel.relax(Product { c: edge.as_mut_ptr(), c_stride: K::NR, ..product }) };
                let width = K::NR.min(columns - j);
                for (r, best) in edge.chunks_exact(K::NR).take(K::MR.min(rows - i)).enumerate() {
                    // SAFETY: row i + r and `width` columns from j on lie in the tile.
                    let to = unsafe { std::slice::from_raw_parts_mut(c.add(r * stride), width) };
                    for (to, best) in to.iter_mut().zip(best) {
                        *to = best.shorter(*to);
                    }
                }
            }
        }
    }
}

/// Closes diagonal blocks, one at a time.
pub(super) struct DiagonalCloser<K: Microkernel> {
    pub scratch: Scratch<K>,
    /// The last closed block, packed as the left operand of its row panel.
    pub closed: Buffer<K::PackedLeft>,
}

/// One piece of a row panel.
pub(super) struct Strip<'a, K: Microkernel> {
    pub tile: Tile<'a, K::Element>,
    /// Where to pack its R*.
    pub right: &'a mut [K::Element],
    /// Where to pack the piece before its update: the old column panel of a symmetric matrix.
    pub left: Option<&'a mut [K::PackedLeft]>,
    /// The tile across the diagonal of a symmetric matrix, which is kept in place of a piece left of the diagonal.
    pub across: Option<Tile<'a, K::Element>>,
}

/// Closes a block of the diagonal, packs its part of R* as strips in `rights`, and makes the rest of its row panel: after the product of the
/// round before, if there was one.
pub(super) fn row_panel<K: Microkernel>(
    kernel: K,
    mut block: Tile<K::Element>,
    rights: Vec<&mut [K::Element]>,
    mut strips: Vec<Strip<K>>,
    before: Option<&Panels<K>>,
    BlockSizes { grain, symmetric, .. }: BlockSizes,
    diagonal: &mut DiagonalCloser<K>,
) {
    let depth = block.rows();
    let close = || {
        if let Some(before) = before {
            before.relax(kernel, &mut block);
        }
        if symmetric {
            tile::mirror(block.whole());
        }
        rounds::close(kernel, &mut block, &mut diagonal.scratch);
        pack_left::<K>(&block, diagonal.closed.get_mut());
        for (strip, right) in block.pieces(depth, grain).zip(rights) {
            pack_right::<K>(&strip, right);
        }
    };
    let fetch = || {
        strips.par_iter_mut().with_max_len(1).for_each(|Strip { tile, left, across, .. }| {
            if let Some(across) = across {
                tile::copy(across, tile);
            }
            if let Some(before) = before {
                before.relax(kernel, tile);
            }
            if let Some(left) = left {
                pack_left_across::<K>(tile, left);
            }
        });
    };
    // The closure takes one thread the longest of all: it begins at once.
    rayon::join(close, fetch);
    let closed = diagonal.closed.get();
    strips.into_par_iter().with_max_len(1).for_each(|Strip { mut tile, right, across, .. }| {
        // R* = min(R, D* (x) R), in place and packed.
        pack_right::<K>(&tile, right);
        relax(kernel, &mut tile, closed, right, depth);
        pack_right::<K>(&tile, right);
        if let Some(mut across) = across {
            tile::copy(&tile, &mut across);
        }
    });
}
