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

/// The packed panels of one round.
struct Panels {
    /// R*, one block after the other, each packed as a right operand.
    row: Buffer,
    /// The old column panel, one block after the other, each packed as a left operand.
    column: Buffer,
}

impl Panels {
    fn new(n: usize, block: usize) -> Self {
        let length = n.div_ceil(block) * packed_block(block);
        Self { row: Buffer::new(length), column: Buffer::new(length) }
    }
}

/// Numbers that one packed block may take, padding of any kernel included.
const fn packed_block(block: usize) -> usize {
    padded(block) * block
}

/// Closes diagonal blocks, one at a time.
struct Diagonal {
    scratch: Scratch,
    /// The last closed block, packed as the left operand of its row panel.
    closed: Buffer,
}

impl Diagonal {
    fn close<K: Kernel>(&mut self, kernel: K, block: &mut Tile) {
        close::close(kernel, block, &mut self.scratch);
        panel::pack_left::<K>(block, self.closed.get_mut());
    }
}

/// One block of the rest of a round.
struct Work<'a> {
    tile: Tile<'a>,
    /// The old column panel of its rows.
    left: &'a [f32],
    /// R* of its columns.
    right: &'a [f32],
    /// Where to pack it once it is done, if it belongs to the next round's column panel.
    next_left: Option<&'a mut [f32]>,
}

/// Bytes that [`solve`] allocates: two rounds' panels, the diagonal block, scratch, and the list of work.
pub(super) fn extra_bytes(n: usize, block: usize) -> usize {
    if n <= block {
        return size_of::<f32>() * Scratch::length(n);
    }
    let blocks = n.div_ceil(block);
    let panels = 4 * (blocks * packed_block(block) + Buffer::SLACK);
    let diagonal = packed_block(block) + Buffer::SLACK + Scratch::length(block);
    // Twice the list, because a growing one is moved to a larger place.
    size_of::<f32>() * (panels + diagonal) + 2 * blocks * blocks * size_of::<Work>()
}

/// Shortest paths in place, `block` vertices a round, on the threads of the current rayon pool.
pub(super) fn solve<K: Kernel>(kernel: K, d: &mut [f32], n: usize, block: usize) {
    let mut d = Tile::new(d, n, n);
    if n <= block {
        return close::close(kernel, &mut d, &mut Scratch::new(n));
    }
    // One entry into the pool for all rounds: entering from outside wakes a thread each time.
    rayon::scope(|_| {
        let mut diagonal =
            Diagonal { scratch: Scratch::new(block), closed: Buffer::new(packed_block(block)) };
        let mut now = Panels::new(n, block);
        let mut next = Panels::new(n, block);
        prepare(kernel, d.part(0..n, 0..n), block, &mut now, &mut diagonal);
        for k in 0..n.div_ceil(block) {
            round(kernel, d.part(0..n, 0..n), block, k, &now, &mut next, &mut diagonal);
            std::mem::swap(&mut now, &mut next);
        }
    });
}

/// What comes before the product of round 0.
fn prepare<K: Kernel>(kernel: K, d: Tile, block: usize, now: &mut Panels, diagonal: &mut Diagonal) {
    let (mut band, below) = d.split_rows(block);
    let lefts = now.column.get_mut().par_chunks_mut(packed_block(block)).skip(1);
    below.bands(block).into_par_iter().zip(lefts).for_each(|(mut band, left)| {
        let rows = band.rows();
        panel::pack_left::<K>(&band.part(0..rows, 0..block), left);
    });
    diagonal.close(kernel, &mut band.part(0..block, 0..block));
    let closed = diagonal.closed.get();
    let rights = now.row.get_mut().par_chunks_mut(packed_block(block));
    band.blocks(block).into_par_iter().zip(rights).with_max_len(1).for_each(|(mut tile, right)| {
        row_panel(kernel, &mut tile, closed, right);
    });
}

/// One block of a row panel: R* = min(R, D* (x) R), in place and packed.
fn row_panel<K: Kernel>(kernel: K, tile: &mut Tile, closed: &[f32], packed: &mut [f32]) {
    let depth = tile.rows();
    panel::pack_right::<K>(tile, packed);
    panel::relax(kernel, tile, closed, packed, depth);
    panel::pack_right::<K>(tile, packed);
}

/// The product of round `k`, and what comes before that of round `k + 1`.
fn round<K: Kernel>(
    kernel: K,
    d: Tile,
    block: usize,
    k: usize,
    now: &Panels,
    next: &mut Panels,
    diagonal: &mut Diagonal,
) {
    let packed = packed_block(block);
    let rights = || now.row.get().chunks(packed);
    let mut own_band = None;
    let mut next_band = None;
    let mut own_next_left = None;
    let mut rest = Vec::new();
    let depth = block.min(d.rows() - k * block);
    for (i, (band, next_left)) in
        d.bands(block).into_iter().zip(next.column.get_mut().chunks_mut(packed)).enumerate()
    {
        if i == k {
            // Its rows are R* already.
            own_band = Some(band);
            own_next_left = Some(next_left);
            continue;
        }
        if i == k + 1 {
            next_band = Some(band);
            continue;
        }
        let left = &now.column.get()[i * packed..];
        let mut next_left = Some(next_left);
        for (j, (tile, right)) in band.blocks(block).into_iter().zip(rights()).enumerate() {
            let next_left = if j == k + 1 { next_left.take() } else { None };
            rest.push(Work { tile, left, right, next_left });
        }
    }
    let ahead = || {
        let (Some(mut own_band), Some(own_next_left), Some(next_band)) = (own_band, own_next_left, next_band)
        else {
            return; // the last round
        };
        let from = (k + 1) * block;
        let next_depth = next_band.rows();
        let left = &now.column.get()[(k + 1) * packed..];
        let mut tiles = next_band.blocks(block);

        let tile = &mut tiles[k + 1];
        panel::relax(kernel, tile, left, &now.row.get()[(k + 1) * packed..], depth);
        diagonal.close(kernel, tile);
        panel::pack_left::<K>(&own_band.part(0..depth, from..from + next_depth), own_next_left);

        let closed = diagonal.closed.get();
        let next_rights = next.row.get_mut().par_chunks_mut(packed);
        let tasks = tiles.into_par_iter().zip(rights().collect::<Vec<_>>()).zip(next_rights).enumerate();
        tasks.with_max_len(1).for_each(|(j, ((mut tile, right), next_right))| {
            if j == k + 1 {
                return panel::pack_right::<K>(&tile, next_right);
            }
            panel::relax(kernel, &mut tile, left, right, depth);
            row_panel(kernel, &mut tile, closed, next_right);
        });
    };
    // `join` runs the first on this thread at once and leaves the second to be stolen, which divides it further.
    rayon::join(ahead, || {
        rest.into_par_iter().with_max_len(1).for_each(|mut work| {
            panel::relax(kernel, &mut work.tile, work.left, work.right, depth);
            if let Some(next_left) = work.next_left {
                panel::pack_left::<K>(&work.tile, next_left);
            }
        });
    });
}
