//! What comes before the products of a round: its diagonal block is closed, and its row panel made.

use super::close::{self, Scratch};
use super::kernel::Kernel;
use super::panel::{self, Buffer};
use super::rounds::{Blocking, Panels};
use super::tile::Tile;
use super::transpose;
use rayon::prelude::*;

/// Closes diagonal blocks, one at a time.
pub(super) struct DiagonalCloser<K: Kernel> {
    pub scratch: Scratch<K>,
    /// The last closed block, packed as the left operand of its row panel.
    pub closed: Buffer<K::PackedLeft>,
}

/// One piece of a row panel.
pub(super) struct Strip<'a, K: Kernel> {
    pub tile: Tile<'a, K::Element>,
    /// Where to pack its R*.
    pub right: &'a mut [K::Element],
    /// Where to pack what it was before, which is the old column panel of a symmetric matrix.
    pub left: Option<&'a mut [K::PackedLeft]>,
    /// What is kept of a symmetric matrix in place of a piece left of the diagonal.
    pub across: Option<Tile<'a, K::Element>>,
}

/// Closes a block of the diagonal, packs its part of R* as strips in `rights`, and makes the rest of its row panel: after the product of the
/// round before, if there was one.
pub(super) fn row_panel<K: Kernel>(
    kernel: K,
    mut block: Tile<K::Element>,
    rights: Vec<&mut [K::Element]>,
    mut strips: Vec<Strip<K>>,
    before: Option<&Panels<K>>,
    Blocking { grain, symmetric, .. }: Blocking,
    diagonal: &mut DiagonalCloser<K>,
) {
    let depth = block.rows();
    let close = || {
        if let Some(before) = before {
            before.relax(kernel, &mut block);
        }
        if symmetric {
            transpose::mirror(block.whole());
        }
        close::close(kernel, &mut block, &mut diagonal.scratch);
        panel::pack_left::<K>(&block, diagonal.closed.get_mut());
        for (strip, right) in block.pieces(depth, grain).zip(rights) {
            panel::pack_right::<K>(&strip, right);
        }
    };
    let fetch = || {
        strips.par_iter_mut().with_max_len(1).for_each(|Strip { tile, left, across, .. }| {
            if let Some(across) = across {
                transpose::copy(across, tile);
            }
            if let Some(before) = before {
                before.relax(kernel, tile);
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
