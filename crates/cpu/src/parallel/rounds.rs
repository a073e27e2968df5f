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
//! Of a **symmetric** matrix only what reaches the diagonal or lies right of it is kept. The old column panel is then the old row panel
//! across the diagonal, so that row panels alone are made: what of one lies left of the diagonal is fetched from across, and its R* goes
//! back there. All else of a round is products, half as many. What lies left of the diagonal is filled in the end.

use super::close::{self, Scratch};
use super::kernel::Kernel;
use super::panel::{self, Buffer, padded};
use super::row_panel::{FinishedPanels, row_panel};
use super::tile::Tile;
use super::transpose;
use rayon::prelude::*;

/// How a matrix is divided.
#[derive(Clone, Copy)]
pub(super) struct Blocking {
    pub n: usize,
    /// Vertices a round, the depth of its products.
    pub block: usize,
    /// Rows of one piece of the rest of a round, columns of one piece of a row panel. Divides `block`.
    pub grain: usize,
    /// Whether the matrix is symmetric, and solved by one side of its diagonal.
    pub symmetric: bool,
}

impl Blocking {
    fn blocks(self) -> usize {
        self.n.div_ceil(self.block)
    }

    pub fn bands(self) -> usize {
        self.n.div_ceil(self.grain)
    }

    pub fn bands_a_block(self) -> usize {
        self.block / self.grain
    }

    /// Numbers that one block of a packed row panel may take.
    pub fn packed_block(self) -> usize {
        padded(self.block) * self.block
    }

    /// Numbers that one band of a packed column panel may take.
    pub fn packed_band(self) -> usize {
        padded(self.grain) * self.block
    }

    /// Bytes that [`solve`] allocates: two rounds' panels, the diagonal block, scratch, and the list of work.
    pub fn extra_bytes<K: Kernel>(self) -> usize {
        if self.n <= self.block {
            return Scratch::<K>::bytes(self.n);
        }
        let row = Buffer::<K::Element>::bytes(self.blocks() * self.packed_block());
        let column = Buffer::<K::PackedLeft>::bytes(self.bands() * self.packed_band());
        let diagonal = Buffer::<K::PackedLeft>::bytes(self.packed_block()) + Scratch::<K>::bytes(self.block);
        2 * (row + column) + diagonal + self.blocks() * self.bands() * size_of::<TileUpdate<K>>()
    }
}

/// The packed panels of one round.
pub(super) struct Panels<K: Kernel> {
    /// R*, one block of columns after the other, each packed as a right operand.
    pub row: Buffer<K::Element>,
    /// The old column panel, one band of rows after the other, each packed as a left operand.
    pub column: Buffer<K::PackedLeft>,
}

impl<K: Kernel> Panels<K> {
    fn new(blocking: Blocking) -> Self {
        Self {
            row: Buffer::new(blocking.blocks() * blocking.packed_block()),
            column: Buffer::new(blocking.bands() * blocking.packed_band()),
        }
    }

    /// The row panel, and the bands of the column panel.
    fn parts(&mut self, blocking: Blocking) -> (&mut [K::Element], Vec<&mut [K::PackedLeft]>) {
        (self.row.get_mut(), self.column.get_mut().chunks_mut(blocking.packed_band()).collect())
    }
}

/// Closes diagonal blocks, one at a time.
pub(super) struct DiagonalCloser<K: Kernel> {
    scratch: Scratch<K>,
    /// The last closed block, packed as the left operand of its row panel.
    pub closed: Buffer<K::PackedLeft>,
}

impl<K: Kernel> DiagonalCloser<K> {
    pub fn close(&mut self, kernel: K, block: &mut Tile<K::Element>) {
        close::close(kernel, block, &mut self.scratch);
        panel::pack_left::<K>(block, self.closed.get_mut());
    }
}

/// A left and a right operand, packed.
type Operands<'a, K> = (&'a [<K as Kernel>::PackedLeft], &'a [<K as Kernel>::Element]);

/// One piece of the rest of a round.
struct TileUpdate<'a, K: Kernel> {
    tile: Tile<'a, K::Element>,
    /// The old column panel of its rows and R* of its columns; none for the rows of R* itself.
    product: Option<Operands<'a, K>>,
    /// Where to pack it once it is done, if it belongs to the next round's column panel.
    next_left: Option<&'a mut [K::PackedLeft]>,
}

/// Shortest paths in place, on the threads of the current rayon pool. Before each round `goes_on` gets how many rounds are done, and how
/// many there are; the solve ends where it returns false. Returns whether it is done.
pub(super) fn solve<K: Kernel>(
    kernel: K,
    d: &mut [K::Element],
    blocking: Blocking,
    goes_on: &(dyn Fn(usize, usize) -> bool + Sync),
) -> bool {
    let Blocking { n, block, grain, symmetric } = blocking;
    let mut d = Tile::new(d, n, n);
    if n <= block {
        close::close(kernel, &mut d, &mut Scratch::new(n));
        return true;
    }
    assert!(block.is_multiple_of(grain) && grain.is_multiple_of(K::NR), "pieces are whole strips of a block");
    // One entry into the pool for all rounds: entering from outside wakes a thread each time.
    rayon::scope(|_| {
        let closed = Buffer::new(blocking.packed_block());
        let mut diagonal = DiagonalCloser { scratch: Scratch::new(block), closed };
        let mut now = Panels::new(blocking);
        let mut next = Panels::new(blocking);
        let (row, lefts) = now.parts(blocking);
        let lefts = if symmetric {
            lefts
        } else {
            let bands = d.part(0..n, 0..block).bands(grain).into_par_iter();
            bands.zip(lefts).for_each(|(band, left)| panel::pack_left::<K>(&band, left));
            Vec::new()
        };
        row_panel(
            kernel,
            (blocking, 0),
            (d.part(0..block, 0..n), Vec::new()),
            None,
            (row, lefts),
            &mut diagonal,
        );
        for k in 0..blocking.blocks() {
            if !goes_on(k, blocking.blocks()) {
                return false;
            }
            let done = FinishedPanels { panels: &now, blocking, k, depth: block.min(n - k * block) };
            round(kernel, d.whole(), &done, &mut next, &mut diagonal);
            std::mem::swap(&mut now, &mut next);
        }
        if symmetric {
            transpose::fill_left_of_diagonal(d.whole(), block);
        }
        true
    })
}

/// The products of a round, and what comes before those of the next.
fn round<K: Kernel>(
    kernel: K,
    d: Tile<K::Element>,
    done: &FinishedPanels<K>,
    next: &mut Panels<K>,
    diagonal: &mut DiagonalCloser<K>,
) {
    let &FinishedPanels { blocking, k, depth, .. } = done;
    let Blocking { n, block, grain, symmetric } = blocking;
    let bands_a_block = blocking.bands_a_block();
    let (above, d) = d.split_rows(k * block + depth);
    let (next_band, below) = d.split_rows(block.min(n - k * block - depth));
    let (next_row, next_lefts) = next.parts(blocking);
    // Those of a symmetric matrix come from its row panel.
    let (panel_lefts, lefts) = if symmetric { (next_lefts, Vec::new()) } else { (Vec::new(), next_lefts) };
    let mut lefts: Vec<_> = lefts.into_iter().map(Some).collect();

    let bands = above.bands(grain).into_iter().chain(below.bands(grain));
    let numbers = (0..blocking.bands()).filter(|i| i / bands_a_block != k + 1);
    let mut rest: Vec<TileUpdate<K>> = Vec::with_capacity(blocking.bands() * blocking.blocks());
    let mut across = Vec::new();
    for (i, band) in numbers.zip(bands) {
        let row = i / bands_a_block;
        let mut next_left = lefts.get_mut(i).and_then(Option::take);
        for (j, tile) in band.blocks(block).into_iter().enumerate() {
            if symmetric && j == k + 1 && row <= k {
                across.push(tile);
            } else if symmetric && (row == k || j == k || j < row) {
                // Done, or left of the diagonal.
            } else if symmetric {
                let column = if j == row { i * grain - j * block } else { 0 };
                let product = Some((done.left(i), done.right(j, column)));
                rest.push(TileUpdate { tile: tile.split_columns(column).1, product, next_left: None });
            } else {
                let next_left = if j == k + 1 { next_left.take() } else { None };
                let product = (row != k).then(|| (done.left(i), done.right(j, 0)));
                if product.is_some() || next_left.is_some() {
                    rest.push(TileUpdate { tile, product, next_left });
                }
            }
        }
    }
    let ahead = || {
        if next_band.rows() > 0 {
            let tiles = (next_band, across);
            row_panel(kernel, (blocking, k + 1), tiles, Some(done), (next_row, panel_lefts), diagonal);
        }
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
