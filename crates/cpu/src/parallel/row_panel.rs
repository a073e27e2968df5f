//! What comes before the products of a round: its diagonal block is closed, and its row panel made.

use super::kernel::Kernel;
use super::panel;
use super::rounds::{Blocking, DiagonalCloser, Panels};
use super::tile::Tile;
use super::transpose;
use rayon::prelude::*;

/// A round whose panels are made, and whose products are not done everywhere.
pub(super) struct FinishedPanels<'a, K: Kernel> {
    pub panels: &'a Panels<K>,
    pub blocking: Blocking,
    /// Its number, which is that of its diagonal block.
    pub k: usize,
    /// Vertices of that block.
    pub depth: usize,
}

impl<K: Kernel> FinishedPanels<'_, K> {
    /// The old column panel of a band of rows.
    pub fn left(&self, band: usize) -> &[K::PackedLeft] {
        &self.panels.column.get()[band * self.blocking.packed_band()..]
    }

    /// R* of a block of columns, from one of them on that begins a strip.
    pub fn right(&self, j: usize, column: usize) -> &[K::Element] {
        &self.panels.row.get()[j * self.blocking.packed_block() + column * self.depth..]
    }
}

/// One piece of a row panel.
struct Strip<'a, K: Kernel> {
    tile: Tile<'a, K::Element>,
    /// R* of its columns in the round before, where that round's product is not done yet.
    product: Option<&'a [K::Element]>,
    /// Where to pack its own R*.
    right: &'a mut [K::Element],
    /// Where to pack what it was before, which is the old column panel of a symmetric matrix.
    left: Option<&'a mut [K::PackedLeft]>,
    /// What is kept of a symmetric matrix in place of a piece left of the diagonal.
    across: Option<Tile<'a, K::Element>>,
}

/// Closes block `at` of the diagonal, and makes the row panel of its rows, which are `band`: after the product of the round before, if there
/// was one. R* is packed in `packed`. Of a symmetric matrix `across` has the pieces above that block from the first row on, and `lefts` the bands
/// of its column panel.
pub(super) fn row_panel<K: Kernel>(
    kernel: K,
    (blocking, at): (Blocking, usize),
    (band, across): (Tile<K::Element>, Vec<Tile<K::Element>>),
    before: Option<&FinishedPanels<K>>,
    (packed, lefts): (&mut [K::Element], Vec<&mut [K::PackedLeft]>),
    diagonal: &mut DiagonalCloser<K>,
) {
    let Blocking { block, grain, symmetric, .. } = blocking;
    let (depth, bands_a_block) = (band.rows(), blocking.bands_a_block());
    let (mut across, mut lefts) = (across.into_iter(), lefts.into_iter());
    let rights = packed.chunks_mut(blocking.packed_block());
    let (mut own, mut strips) = (None, Vec::with_capacity(blocking.bands()));
    for (j, (tile, right)) in band.blocks(block).into_iter().zip(rights).enumerate() {
        if j == at {
            lefts.by_ref().take(bands_a_block).for_each(drop);
            own = Some((tile, right));
            continue;
        }
        let pieces = tile.blocks(grain).into_iter().zip(right.chunks_mut(grain * depth));
        for (s, (tile, right)) in pieces.enumerate() {
            let across = across.next();
            // What lies across in the rows of the R* before is R* itself.
            let before = before.filter(|before| across.is_none() || j != before.k);
            let product = before.map(|before| before.right(j, s * grain));
            let left = lefts.next();
            strips.push(Strip::<K> { tile, product, right, left, across });
        }
    }
    let Some((mut own, own_right)) = own else { return };
    let close = || {
        if let Some(before) = before {
            for (s, band) in own.whole().bands(grain).into_iter().enumerate() {
                let column = if symmetric { s * grain } else { 0 };
                let (_, mut band) = band.split_columns(column);
                let left = before.left(at * bands_a_block + s);
                panel::relax(kernel, &mut band, left, before.right(at, column), before.depth);
            }
        }
        if symmetric {
            transpose::mirror(&mut own);
        }
        diagonal.close(kernel, &mut own);
        panel::pack_right::<K>(&own, own_right);
    };
    let fetch = || {
        strips.par_iter_mut().with_max_len(1).for_each(|Strip { tile, product, left, across, .. }| {
            if let Some(across) = across {
                transpose::copy(across, tile);
            }
            if let Some((before, right)) = before.zip(*product) {
                for (s, mut band) in tile.whole().bands(grain).into_iter().enumerate() {
                    let left = before.left(at * bands_a_block + s);
                    panel::relax(kernel, &mut band, left, right, before.depth);
                }
            }
            if let Some(left) = left {
                panel::pack_left_across::<K>(tile, left);
            }
        });
    };
    // The closure takes one thread the longest of all: it begins at once.
    rayon::join(close, fetch);
    let closed = diagonal.closed.get();
    strips.into_par_iter().with_max_len(1).for_each(|Strip { mut tile, right, across, .. }| {
        // R* = min(R, D* (x) R), in place and packed.
        panel::pack_right::<K>(&tile, right);
        panel::relax(kernel, &mut tile, closed, right, depth);
        panel::pack_right::<K>(&tile, right);
        if let Some(mut across) = across {
            transpose::copy(&tile, &mut across);
        }
    });
}
