//! What comes before the products of a round: its diagonal block is closed, and its row panel made.

use super::across;
use super::crew::Stage;
use super::kernel::Kernel;
use super::panel;
use super::rounds::{Diagonal, Division, Panels};
use super::tile::Tile;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

/// A round whose panels are made, and whose products are not done everywhere.
pub(super) struct Done<'a, K: Kernel> {
    pub panels: &'a Panels<K>,
    pub division: Division,
    /// Its number, which is that of its diagonal block.
    pub k: usize,
    /// Vertices of that block.
    pub depth: usize,
}

impl<K: Kernel> Done<'_, K> {
    /// The old column panel of a band of rows.
    pub fn left(&self, band: usize) -> &[K::Left] {
        &self.panels.column.get()[band * self.division.packed_band()..]
    }

    /// R* of a block of columns, from one of them on that begins a strip.
    pub fn right(&self, j: usize, column: usize) -> &[K::Element] {
        &self.panels.row.get()[j * self.division.packed_block() + column * self.depth..]
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
    left: Option<&'a mut [K::Left]>,
    /// What is kept of a symmetric matrix in place of a piece left of the diagonal.
    across: Option<Tile<'a, K::Element>>,
}

/// The rows of one diagonal block.
pub(super) struct RowPanel<'a, K: Kernel> {
    kernel: K,
    division: Division,
    /// The number of the block.
    at: usize,
    /// The round before, if there was one.
    before: Option<&'a Done<'a, K>>,
    /// The block, and where to pack it.
    own: Mutex<(Tile<'a, K::Element>, &'a mut [K::Element])>,
    strips: Vec<Mutex<Strip<'a, K>>>,
    diagonal: RwLock<&'a mut Diagonal<K>>,
}

/// Where a panel is packed.
pub(super) type Packed<'a, K> = (&'a mut [<K as Kernel>::Element], Vec<&'a mut [<K as Kernel>::Left]>);

/// A thread that has panicked ends the solve: what it left is not used.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a, K: Kernel> RowPanel<'a, K> {
    /// Of block `at`, whose rows are `band`; None where it has none. R* is to be packed in the first of `packed`. Of a symmetric matrix, the bands
    /// of the column panel are packed in its second, and `across` has the pieces above the block from the first row on.
    pub fn of(
        kernel: K,
        (division, at): (Division, usize),
        (band, across): (Tile<'a, K::Element>, Vec<Tile<'a, K::Element>>),
        before: Option<&'a Done<'a, K>>,
        (packed, lefts): Packed<'a, K>,
        diagonal: &'a mut Diagonal<K>,
    ) -> Option<Self> {
        let Division { block, grain, .. } = division;
        let (depth, bands_a_block) = (band.rows(), division.bands_a_block());
        let (mut across, mut lefts) = (across.into_iter(), lefts.into_iter());
        let rights = packed.chunks_mut(division.packed_block());
        let (mut own, mut strips) = (None, Vec::with_capacity(division.bands()));
        for (j, (tile, right)) in band.blocks(block).into_iter().zip(rights).enumerate() {
            if depth == 0 {
                return None;
            }
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
                strips.push(Mutex::new(Strip { tile, product, right, left: lefts.next(), across }));
            }
        }
        let (own, diagonal) = (Mutex::new(own?), RwLock::new(diagonal));
        Some(Self { kernel, division, at, before, own, strips, diagonal })
    }

    /// What is to be done. The closure takes one thread the longest of all, and is the first.
    pub fn stages(&self) -> Vec<Stage<'_>> {
        vec![
            Stage::new(1, |_| self.close()),
            Stage::new(self.strips.len(), |strip| self.prepare(&mut lock(&self.strips[strip]))),
            Stage::after_all(self.strips.len(), |strip| self.finish(&mut lock(&self.strips[strip]))),
        ]
    }

    /// The product of the round before in these columns of the block's rows, where `kept` names the first column of each band.
    fn relax(
        &self,
        tile: &mut Tile<K::Element>,
        right: impl Fn(usize) -> &'a [K::Element],
        kept: impl Fn(usize) -> usize,
    ) {
        let Some(before) = self.before else { return };
        let first = self.at * self.division.bands_a_block();
        for (s, band) in tile.whole().bands(self.division.grain).into_iter().enumerate() {
            let (_, mut band) = band.split_columns(kept(s));
            panel::relax(self.kernel, &mut band, before.left(first + s), right(kept(s)), before.depth);
        }
    }

    fn close(&self) {
        let Division { grain, symmetric, .. } = self.division;
        let (own, packed) = &mut *lock(&self.own);
        if let Some(before) = self.before {
            self.relax(
                own,
                |column| before.right(self.at, column),
                |s| if symmetric { s * grain } else { 0 },
            );
        }
        if symmetric {
            across::mirror(own);
        }
        self.diagonal.write().unwrap_or_else(PoisonError::into_inner).close(self.kernel, own);
        panel::pack_right::<K>(own, packed);
    }

    /// What does not wait for the closure.
    fn prepare(&self, strip: &mut Strip<'a, K>) {
        let Strip { tile, product, left, across, .. } = strip;
        if let Some(across) = across {
            across::copy(across, tile);
        }
        if let Some(right) = *product {
            self.relax(tile, |_| right, |_| 0);
        }
        if let Some(left) = left {
            panel::pack_left_across::<K>(tile, left);
        }
    }

    /// R* = min(R, D* (x) R), in place and packed.
    fn finish(&self, strip: &mut Strip<K>) {
        let Strip { tile, right, across, .. } = strip;
        let diagonal = self.diagonal.read().unwrap_or_else(PoisonError::into_inner);
        let depth = tile.rows();
        panel::pack_right::<K>(tile, right);
        panel::relax(self.kernel, tile, diagonal.closed.get(), right, depth);
        panel::pack_right::<K>(tile, right);
        if let Some(across) = across {
            across::copy(tile, across);
        }
    }
}
