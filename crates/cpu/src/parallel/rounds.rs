//! The rounds of blocked Floyd-Warshall and how they share the threads.
//!
//! With K a block of vertices, the classic round (Venkataraman, Sahni and Mukhopadhyaya 2003) closes the
//! diagonal block, then the row and column panels of K, then the rest, each waiting for the one before. Two
//! changes keep the serial part small:
//!
//! - **One product for column panel and rest.** With R* the row panel after its own update, a path i -> j through
//!   K leaves i for its first vertex k in K, and the rest of it is in R*\[k\]\[j\]. So the *old* column panel C
//!   gives both the new one and the rest: D = min(D, C (x) R*) for all columns, K's own included.
//! - **Look-ahead.** As soon as round K has reached the diagonal block of the next round, one thread closes it,
//!   and the next row panel follows, while the other threads are still at the rest of round K. (The idea is
//!   that of look-ahead in parallel LU, as in HPL.) A round then has one barrier, at its end.
//!
//! Of a **symmetric** matrix only the blocks on the diagonal and right of it are updated. The old column panel is then the transpose of the
//! old row panel, so only row panels are made: the part of one that lies left of the diagonal is fetched, transposed, from across, and its
//! R* is put back there. The rest of a round is products, half as many. What lies left of the diagonal is filled in the end.
//!
//! The code that closes a block on one thread is here too.

use super::kernel::Microkernel;
use super::panel::{Buffer, DiagonalCloser, Strip, padded, row_panel};
use super::tile::Tile;
use super::{panel, tile};
use rayon::prelude::*;
use repro_graph::Element;

/// Gets how many rounds are done, and how many there are. Says whether to go on.
pub(super) type ProceedFn<'a> = &'a (dyn Fn(usize, usize) -> bool + Sync);

/// How a matrix is divided.
#[derive(Clone, Copy)]
pub(super) struct BlockSizes {
    pub n: usize,
    /// Vertices a round, the depth of its products.
    pub block: usize,
    /// Rows of one piece of the rest of a round, columns of one piece of a row panel. Divides `block`.
    pub grain: usize,
    /// Whether the matrix is symmetric, and solved by one side of its diagonal.
    pub symmetric: bool,
}

impl BlockSizes {
    fn blocks(self) -> usize {
        self.n.div_ceil(self.block)
    }

    fn bands(self) -> usize {
        self.n.div_ceil(self.grain)
    }

    /// Numbers that one band of a packed column panel may take, or one strip of a packed row panel.
    fn packed_band(self) -> usize {
        padded(self.grain) * self.block
    }

    /// Numbers that a packed block may take.
    fn packed_block(self) -> usize {
        padded(self.block) * self.block
    }

    /// Bytes that [`solve`] allocates: two rounds' panels, the diagonal block, scratch, and the list of work.
    pub fn extra_bytes<K: Microkernel>(self) -> usize {
        if self.n <= self.block {
            return Scratch::<K>::bytes(self.n);
        }
        let panel = self.bands() * self.packed_band();
        let panels = Buffer::<K::Element>::bytes(panel) + Buffer::<K::PackedLeft>::bytes(panel);
        let diagonal = Buffer::<K::PackedLeft>::bytes(self.packed_block()) + Scratch::<K>::bytes(self.block);
        let work = self.blocks() * size_of::<TileUpdate<K>>() + size_of::<Strip<K>>();
        2 * panels + diagonal + self.bands() * work
    }
}

/// The packed panels of one round.
pub(super) struct Panels<K: Microkernel> {
    blocking: BlockSizes,
    /// The number of the round, which is that of its diagonal block.
    k: usize,
    /// R*, one strip of columns after the other, each packed as a right operand.
    row: Buffer<K::Element>,
    /// The old column panel, one band of rows after the other, each packed as a left operand.
    column: Buffer<K::PackedLeft>,
}

impl<K: Microkernel> Panels<K> {
    fn new(blocking: BlockSizes) -> Self {
        let length = blocking.bands() * blocking.packed_band();
        Self { blocking, k: 0, row: Buffer::new(length), column: Buffer::new(length) }
    }

    /// Does the product of the round in a tile, except in R* itself, which is done, and, in a symmetric matrix, in those pieces of a
    /// diagonal block that lie left of the diagonal.
    pub fn relax(&self, kernel: K, tile: &mut Tile<K::Element>) {
        let BlockSizes { n, block, grain, symmetric } = self.blocking;
        let depth = block.min(n - self.k * block);
        for mut piece in tile.whole().pieces(grain, grain) {
            let (row, column) = piece.origin();
            let (i, j) = (row / block, column / block);
            let is_done = i == self.k || symmetric && j == self.k;
            if is_done || symmetric && i == j && column < row {
                continue;
            }
            let left = &self.column.get()[row / grain * self.blocking.packed_band()..];
            let right = &self.row.get()[column / grain * self.blocking.packed_band()..];
            panel::relax(kernel, &mut piece, left, right, depth);
        }
    }
}

/// One piece of the rest of a round.
struct TileUpdate<'a, K: Microkernel> {
    tile: Tile<'a, K::Element>,
    /// Where to pack it once it is done, if it belongs to the next round's column panel.
    next_left: Option<&'a mut [K::PackedLeft]>,
}

/// Shortest paths in place, on the threads of the current rayon pool. Before each round `goes_on` gets how many rounds are done, and how
/// many there are; the solve ends where it returns false. Returns whether it is done.
pub(super) fn solve<K: Microkernel>(
    kernel: K,
    d: &mut [K::Element],
    blocking: BlockSizes,
    goes_on: ProceedFn<'_>,
) -> bool {
    let BlockSizes { n, block, grain, symmetric } = blocking;
    let mut d = Tile::new(d, n, n);
    if n <= block {
        close(kernel, &mut d, &mut Scratch::new(n));
        return true;
    }
    assert!(block.is_multiple_of(grain) && grain.is_multiple_of(K::NR), "pieces are whole strips of a block");
    // One entry into the pool for all rounds: entering from outside wakes a thread each time.
    rayon::scope(|_| {
        let closed = Buffer::new(blocking.packed_block());
        let mut diagonal = DiagonalCloser { scratch: Scratch::new(block), closed };
        let mut now = Panels::new(blocking);
        let mut next = Panels::new(blocking);
        round(kernel, d.whole(), None, &mut now, &mut diagonal);
        for k in 0..blocking.blocks() {
            if !goes_on(k, blocking.blocks()) {
                return false;
            }
            next.k = k + 1;
            round(kernel, d.whole(), Some(&now), &mut next, &mut diagonal);
            std::mem::swap(&mut now, &mut next);
        }
        if symmetric {
            tile::fill_left_of_diagonal(d.whole(), block);
        }
        true
    })
}

/// Does the products of a round, and prepares those of the next; before the first round, only prepares.
fn round<K: Microkernel>(
    kernel: K,
    d: Tile<K::Element>,
    done: Option<&Panels<K>>,
    next: &mut Panels<K>,
    diagonal: &mut DiagonalCloser<K>,
) {
    let blocking = next.blocking;
    let BlockSizes { n, block, grain, symmetric } = blocking;
    let from = n.min(next.k * block);
    let to = n.min(from + block);
    let (above, d) = d.split_rows(from);
    let (band, below) = d.split_rows(to - from);
    let mut rights: Vec<_> = next.row.get_mut().chunks_mut(blocking.packed_band()).collect();
    let mut lefts: Vec<_> = next.column.get_mut().chunks_mut(blocking.packed_band()).map(Some).collect();

    let mut rest: Vec<TileUpdate<K>> = Vec::with_capacity(blocking.bands() * blocking.blocks());
    let mut across = Vec::new();
    for tile in above.pieces(grain, block).chain(below.pieces(grain, block)) {
        let (row, column) = tile.origin();
        if symmetric && column == from && row < from {
            across.push(tile);
        } else if !symmetric || column / block >= row / block {
            let is_next = !symmetric && column == from;
            let next_left = if is_next { lefts[row / grain].take() } else { None };
            rest.push(TileUpdate { tile, next_left });
        }
    }
    let ahead = || {
        if band.rows() == 0 {
            return;
        }
        let own_rights = rights.drain(from / grain..to.div_ceil(grain)).collect();
        let (before, band) = band.split_columns(from);
        let (own, after) = band.split_columns(to - from);
        let tiles = before.pieces(block, grain).chain(after.pieces(block, grain));
        let mut across = across.into_iter();
        let strips = tiles.zip(rights).map(|(tile, right)| {
            let left = if symmetric { lefts[tile.origin().1 / grain].take() } else { None };
            Strip { tile, right, left, across: across.next() }
        });
        let strips = strips.collect();
        row_panel(kernel, own, own_rights, strips, done, blocking, diagonal);
    };
    // `join` runs the first on this thread at once and leaves the second to be stolen, which divides it further.
    rayon::join(ahead, || {
        rest.into_par_iter().with_max_len(1).for_each(|mut work| {
            if let Some(done) = done {
                done.relax(kernel, &mut work.tile);
            }
            if let Some(next_left) = work.next_left {
                panel::pack_left::<K>(&work.tile, next_left);
            }
        });
    });
}

/// Side of the sub-blocks. Their own closure is a plain loop, a share of `STEP`/side of the panels' work; smaller
/// ones would leave the products too little depth.
pub(super) const STEP: usize = 32;

/// Packed panels for closing blocks of up to a given side.
pub(super) struct Scratch<K: Microkernel> {
    row: Buffer<K::Element>,
    column: Buffer<K::PackedLeft>,
}

impl<K: Microkernel> Scratch<K> {
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

/// Floyd-Warshall on a square block, in rounds of [`STEP`] vertices, like [`solve`] without threads:
/// every round closes a sub-block of the diagonal, then its row panel, then all other rows at once.
pub(super) fn close<K: Microkernel>(kernel: K, block: &mut Tile<K::Element>, scratch: &mut Scratch<K>) {
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
