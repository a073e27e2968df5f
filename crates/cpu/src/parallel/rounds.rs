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

use super::close::{self, Scratch};
use super::kernel::Kernel;
use super::panel::{self, Buffer, padded};
use super::tile::Tile;
use rayon::prelude::*;

/// How a matrix is divided.
#[derive(Clone, Copy)]
pub(super) struct Division {
    pub n: usize,
    /// Vertices a round, the depth of its products.
    pub block: usize,
    /// Rows of one piece of the rest of a round, columns of one piece of a row panel. Divides `block`.
    pub grain: usize,
}

impl Division {
    fn blocks(self) -> usize {
        self.n.div_ceil(self.block)
    }

    fn bands(self) -> usize {
        self.n.div_ceil(self.grain)
    }

    /// Numbers that one block of a packed row panel may take.
    fn packed_block(self) -> usize {
        padded(self.block) * self.block
    }

    /// Numbers that one band of a packed column panel may take.
    fn packed_band(self) -> usize {
        padded(self.grain) * self.block
    }

    /// Bytes that [`solve`] allocates: two rounds' panels, the diagonal block, scratch, and the list of work.
    pub fn extra_bytes<K: Kernel>(self) -> usize {
        if self.n <= self.block {
            return Scratch::<K>::bytes(self.n);
        }
        let row = Buffer::<K::Element>::bytes(self.blocks() * self.packed_block());
        let column = Buffer::<K::Left>::bytes(self.bands() * self.packed_band());
        let diagonal = Buffer::<K::Left>::bytes(self.packed_block()) + Scratch::<K>::bytes(self.block);
        2 * (row + column) + diagonal + self.blocks() * self.bands() * size_of::<Work<K>>()
    }
}

/// The packed panels of one round.
struct Panels<K: Kernel> {
    /// R*, one block of columns after the other, each packed as a right operand.
    row: Buffer<K::Element>,
    /// The old column panel, one band of rows after the other, each packed as a left operand.
    column: Buffer<K::Left>,
}

impl<K: Kernel> Panels<K> {
    fn new(division: Division) -> Self {
        Self {
            row: Buffer::new(division.blocks() * division.packed_block()),
            column: Buffer::new(division.bands() * division.packed_band()),
        }
    }
}

/// Closes diagonal blocks, one at a time.
struct Diagonal<K: Kernel> {
    scratch: Scratch<K>,
    /// The last closed block, packed as the left operand of its row panel.
    closed: Buffer<K::Left>,
}

impl<K: Kernel> Diagonal<K> {
    fn close(&mut self, kernel: K, mut block: Tile<K::Element>) {
        close::close(kernel, &mut block, &mut self.scratch);
        panel::pack_left::<K>(&block, self.closed.get_mut());
    }
}

/// A left and a right operand, packed.
type Operands<'a, K> = (&'a [<K as Kernel>::Left], &'a [<K as Kernel>::Element]);

/// One piece of the rest of a round.
struct Work<'a, K: Kernel> {
    tile: Tile<'a, K::Element>,
    /// The old column panel of its rows and R* of its columns; none for the rows of R* itself.
    product: Option<Operands<'a, K>>,
    /// Where to pack it once it is done, if it belongs to the next round's column panel.
    next_left: Option<&'a mut [K::Left]>,
}

/// Shortest paths in place, on the threads of the current rayon pool. Before each round `goes_on` gets how many rounds are done, and how
/// many there are; the solve ends where it returns false. Returns whether it is done.
pub(super) fn solve<K: Kernel>(
    kernel: K,
    d: &mut [K::Element],
    division: Division,
    goes_on: &(dyn Fn(usize, usize) -> bool + Sync),
) -> bool {
    let Division { n, block, grain } = division;
    let mut d = Tile::new(d, n, n);
    if n <= block {
        close::close(kernel, &mut d, &mut Scratch::new(n));
        return true;
    }
    assert!(block.is_multiple_of(grain) && grain.is_multiple_of(K::NR), "pieces are whole strips of a block");
    // One entry into the pool for all rounds: entering from outside wakes a thread each time.
    rayon::scope(|_| {
        let closed = Buffer::new(division.packed_block());
        let mut diagonal = Diagonal { scratch: Scratch::new(block), closed };
        let mut now = Panels::new(division);
        let mut next = Panels::new(division);
        prepare(kernel, d.part(0..n, 0..n), division, &mut now, &mut diagonal);
        for k in 0..division.blocks() {
            if !goes_on(k, division.blocks()) {
                return false;
            }
            round(kernel, d.part(0..n, 0..n), division, k, &now, &mut next, &mut diagonal);
            std::mem::swap(&mut now, &mut next);
        }
        true
    })
}

/// What comes before the product of round 0.
fn prepare<K: Kernel>(
    kernel: K,
    mut d: Tile<K::Element>,
    division: Division,
    now: &mut Panels<K>,
    diagonal: &mut Diagonal<K>,
) {
    let Division { n, block, grain } = division;
    let lefts = now.column.get_mut().par_chunks_mut(division.packed_band());
    let bands = d.part(0..n, 0..block).bands(grain);
    bands.into_par_iter().zip(lefts).for_each(|(band, left)| panel::pack_left::<K>(&band, left));
    diagonal.close(kernel, d.part(0..block, 0..block));
    let closed = diagonal.closed.get();
    let rights = now.row.get_mut().par_chunks_mut(division.packed_block());
    d.part(0..block, 0..n).blocks(block).into_par_iter().zip(rights).for_each(|(tile, right)| {
        let pieces = tile.blocks(grain).into_par_iter().zip(right.par_chunks_mut(grain * block));
        pieces.with_max_len(1).for_each(|(mut piece, right)| row_panel(kernel, &mut piece, closed, right));
    });
}

/// One piece of a row panel: R* = min(R, D* (x) R), in place and packed.
fn row_panel<K: Kernel>(
    kernel: K,
    piece: &mut Tile<K::Element>,
    closed: &[K::Left],
    packed: &mut [K::Element],
) {
    let depth = piece.rows();
    panel::pack_right::<K>(piece, packed);
    panel::relax(kernel, piece, closed, packed, depth);
    panel::pack_right::<K>(piece, packed);
}

/// The product of round `k`, and what comes before that of round `k + 1`.
fn round<K: Kernel>(
    kernel: K,
    d: Tile<K::Element>,
    division: Division,
    k: usize,
    now: &Panels<K>,
    next: &mut Panels<K>,
    diagonal: &mut Diagonal<K>,
) {
    let Division { n, block, grain } = division;
    let depth = block.min(n - k * block);
    let next_depth = block.min(n - k * block - depth);
    let right = |j: usize| &now.row.get()[j * division.packed_block()..];
    let left = |i: usize| &now.column.get()[i * division.packed_band()..];
    let bands_a_block = block / grain;

    let (above, d) = d.split_rows(k * block + depth);
    let (mut next_band, below) = d.split_rows(next_depth);
    let bands = above.bands(grain).into_iter().chain(below.bands(grain));
    let next_lefts = next.column.get_mut().chunks_mut(division.packed_band()).enumerate();
    let next_lefts = next_lefts.filter(|(i, _)| i / bands_a_block != k + 1);
    let mut rest: Vec<Work<K>> = Vec::with_capacity(division.bands() * division.blocks());
    for (band, (i, next_left)) in bands.zip(next_lefts) {
        let mut next_left = Some(next_left);
        for (j, tile) in band.blocks(block).into_iter().enumerate() {
            let next_left = if j == k + 1 { next_left.take() } else { None };
            if i / bands_a_block != k {
                rest.push(Work { tile, product: Some((left(i), right(j))), next_left });
            } else if next_left.is_some() {
                rest.push(Work { tile, product: None, next_left });
            }
        }
    }

    let relax_band = |tile: &mut Tile<K::Element>, right: &[K::Element]| {
        let (rows, columns) = (tile.rows(), tile.columns());
        for (s, mut band) in tile.part(0..rows, 0..columns).bands(grain).into_iter().enumerate() {
            panel::relax(kernel, &mut band, left((k + 1) * bands_a_block + s), right, depth);
        }
    };
    let ahead = || {
        if next_depth == 0 {
            return;
        }
        let from = (k + 1) * block;
        let mut block_ahead = next_band.part(0..next_depth, from..from + next_depth);
        relax_band(&mut block_ahead, right(k + 1));
        diagonal.close(kernel, block_ahead);

        let closed = diagonal.closed.get();
        let next_rights = next.row.get_mut().par_chunks_mut(division.packed_block());
        next_band.blocks(block).into_par_iter().zip(next_rights).enumerate().for_each(
            |(j, (tile, next_right))| {
                if j == k + 1 {
                    return panel::pack_right::<K>(&tile, next_right);
                }
                let rights = right(j).par_chunks(grain * depth);
                let next_rights = next_right.par_chunks_mut(grain * next_depth);
                let pieces = tile.blocks(grain).into_par_iter().zip(rights).zip(next_rights);
                pieces.with_max_len(1).for_each(|((mut piece, right), next_right)| {
                    relax_band(&mut piece, right);
                    row_panel(kernel, &mut piece, closed, next_right);
                });
            },
        );
    };
    // `join` runs the first on this thread at once and leaves the second to be stolen, which divides it further.
    rayon::join(ahead, || {
        rest.into_par_iter().with_max_len(1).for_each(|mut work| {
            if let Some((left, right)) = work.product {
                panel::relax(kernel, &mut work.tile, left, right, depth);
            }
            if let Some(next_left) = work.next_left {
                panel::pack_left::<K>(&work.tile, next_left);
            }
        });
    });
}
