//! Shortest paths within one block, on one thread.

use super::kernel::Kernel;
use super::panel::{self, Buffer};
use super::tile::Tile;
use repro_graph::Element;

/// Side of the sub-blocks. Their own closure is a plain loop, a share of `STEP`/side of the panels' work; smaller
/// ones would leave the products too little depth.
pub(super) const STEP: usize = 32;

/// Packed panels for closing blocks of up to a given side.
pub(super) struct Scratch<K: Kernel> {
    row: Buffer<K::Element>,
    column: Buffer<K::PackedLeft>,
}

impl<K: Kernel> Scratch<K> {
    pub fn new(side: usize) -> Self {
        Self { row: Buffer::new(Self::panel(side)), column: Buffer::new(Self::panel(side)) }
    }

    /// Numbers in one of the two panels, padding of any kernel included.
    const fn panel(side: usize) -> usize {
        panel::padded(side) * STEP
    }

    /// Bytes that `new` allocates.
    pub const fn bytes(side: usize) -> usize {
        Buffer::<K::Element>::bytes(Self::panel(side)) + Buffer::<K::PackedLeft>::bytes(Self::panel(side))
    }
}

/// Floyd-Warshall on a square block, in rounds of [`STEP`] vertices, like [`super::rounds`] without threads:
/// every round closes a sub-block of the diagonal, then its row panel, then all other rows at once.
pub(super) fn close<K: Kernel>(kernel: K, block: &mut Tile<K::Element>, scratch: &mut Scratch<K>) {
    let side = block.rows();
    assert_eq!(side, block.columns());
    let (row, column) = (scratch.row.get_mut(), scratch.column.get_mut());
    for from in (0..side).step_by(STEP) {
        let to = side.min(from + STEP);
        close_plainly(&mut block.part(from..to, from..to));

        panel::pack_left::<K>(&block.part(from..to, from..to), column);
        let mut band = block.part(from..to, 0..side);
        panel::pack_right::<K>(&band, row);
        panel::relax(kernel, &mut band, column, row, to - from);
        panel::pack_right::<K>(&band, row);

        for rows in [0..from, to..side] {
            // Packed before the product writes it: `rounds` explains why the old column panel is the right one.
            panel::pack_left::<K>(&block.part(rows.clone(), from..to), column);
            panel::relax(kernel, &mut block.part(rows, 0..side), column, row, to - from);
        }
    }
}

/// Floyd-Warshall on at most [`STEP`] vertices: three loops, vectorised at the default target features.
fn close_plainly<T: Element>(block: &mut Tile<T>) {
    let mut row_k = [T::ABSENT; STEP];
    for k in 0..block.rows() {
        let row_k = &mut row_k[..block.columns()];
        row_k.copy_from_slice(block.row(k));
        for i in 0..block.rows() {
            let row_i = block.row_mut(i);
            let d_ik = row_i[k];
            for (d_ij, d_kj) in row_i.iter_mut().zip(&*row_k) {
                *d_ij = d_ik.plus(*d_kj).shorter(*d_ij);
            }
        }
    }
}
