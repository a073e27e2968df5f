//! likhoded-sipeyko-2019, the generalized blocked algorithm, on one core: up to κ rounds are joined, and a tile goes through all of them
//! while it is in the caches.

use super::Vectorized;
use repro_graph::{Element, zeros};
use std::ops::Range;

/// The side of a tile is a multiple of this.
pub const STEP: usize = 8;

/// Entries of a row whose minima stay in registers together.
const PIECE: usize = 16;

/// How a matrix is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Vertices a side of a tile, the paper's r: a multiple of [`STEP`].
    pub tile: usize,
    /// Rounds that run as one, the paper's κ. More than there are count as all.
    pub kappa: usize,
}

impl Shape {
    /// Tiles a side, the paper's Q.
    pub const fn tiles(self, n: usize) -> usize {
        n.div_ceil(self.tile)
    }

    /// Numbers of the copy in tiles that a solve of `n` vertices makes.
    pub const fn entries(self, n: usize) -> usize {
        (self.tiles(n) * self.tile).pow(2)
    }
}

/// Floyd-Warshall on the row-major n x n matrix `d` in place, on the thread that calls, in plain loops.
///
/// Absent edges are [`Element::ABSENT`], weights may be negative. The result equals that of [`naive::solve`](super::naive::solve) bit for
/// bit where sums are exact. The matrix is copied to tiles of consecutive numbers first and back at the end: in rows of a large matrix, a
/// tile's rows would lie whole powers of two apart, and push each other out of a cache.
///
/// # Panics
/// When `d` does not hold n² numbers, κ is 0, the tile is no multiple of [`STEP`], or there is no memory for the copy.
pub fn solve<T: Vectorized>(d: &mut [T], n: usize, shape: Shape) {
    T::solve_generalized(d, n, shape);
}

pub(super) fn by_groups<T: Element>(d: &mut [T], n: usize, shape: Shape) {
    assert_eq!(Some(d.len()), n.checked_mul(n), "an n x n matrix holds n * n numbers");
    assert!(shape.kappa > 0 && shape.tile > 0 && shape.tile.is_multiple_of(STEP), "{shape:?}");
    let mut tiles = Tiles::of(d, n, shape);
    let count = tiles.count;
    for start in (0..count).step_by(shape.kappa) {
        tiles.close_group(start..count.min(start + shape.kappa));
    }
    tiles.copy_to(d, n);
}

/// A matrix in tiles, one after another, row by row; each row-major.
struct Tiles<T> {
    numbers: Vec<T>,
    /// Tiles a side.
    count: usize,
    /// Vertices a side of a tile.
    side: usize,
}

impl<T: Element> Tiles<T> {
    /// Copies `d` and fills the last tiles of rows and columns with vertices that have no edges.
    fn of(d: &[T], n: usize, shape: Shape) -> Self {
        let (count, side) = (shape.tiles(n), shape.tile);
        let numbers = zeros((count * side).pow(2)).expect("there is memory for a copy of the matrix");
        let mut tiles = Self { numbers, count, side };
        for (row, band) in tiles.numbers.chunks_exact_mut((count * side * side).max(1)).enumerate() {
            for (column, tile) in band.chunks_exact_mut(side * side).enumerate() {
                for (i, to) in (row * side..).zip(tile.chunks_exact_mut(side)) {
                    let columns = column * side..n.min((column + 1) * side);
                    let (real, padding) = to.split_at_mut(if i < n { columns.len() } else { 0 });
                    if i < n {
                        real.copy_from_slice(&d[i * n..][columns]);
                    }
                    padding.fill(T::ABSENT);
                }
            }
        }
        tiles
    }

    fn copy_to(&self, d: &mut [T], n: usize) {
        for (i, row) in d.chunks_exact_mut(n.max(1)).enumerate() {
            for (column, to) in row.chunks_mut(self.side).enumerate() {
                let tile = &self.numbers[self.range(i / self.side, column)];
                to.copy_from_slice(&tile[i % self.side * self.side..][..to.len()]);
            }
        }
    }

    /// Where the numbers of a tile are.
    fn range(&self, row: usize, column: usize) -> Range<usize> {
        let size = self.side * self.side;
        let first = (row * self.count + column) * size;
        first..first + size
    }

    /// Brings every tile through the rounds of a group, in the paper's order.
    fn close_group(&mut self, rounds: Range<usize>) {
        let (Range { start, end }, count) = (rounds.clone(), self.count);
        for lead in rounds.clone() {
            self.join(lead, lead, start..lead);
            self.close_lead(lead);
            for other in (0..count).filter(|&other| other != lead) {
                // The tile of an earlier lead's row or column has been through that lead's round.
                let first = if rounds.contains(&other) && other < lead { other + 1 } else { start };
                self.join(lead, other, first..lead);
                self.close_in_row(lead, other);
                self.join(other, lead, first..lead);
                self.close_in_column(other, lead);
            }
        }
        let outside = || (0..start).chain(end..count);
        for lead in (start..end - 1).rev() {
            let others = outside().chain(start..lead);
            for other in others {
                self.join(lead, other, lead + 1..end);
                self.join(other, lead, lead + 1..end);
            }
            self.join(lead, lead, lead + 1..end);
        }
        for row in outside() {
            for column in outside() {
                self.join(row, column, rounds.clone());
            }
        }
    }

    /// TileDD of the paper, of one tile for several rounds: it is relaxed with tiles that none of its own numbers are in, so that the
    /// order of its tasks does not matter.
    fn join(&mut self, row: usize, column: usize, rounds: Range<usize>) {
        let side = self.side;
        for round in rounds {
            let places = [self.range(row, column), self.range(row, round), self.range(round, column)];
            let [tile, left, right] = self.disjoint(places);
            for (row_i, left_i) in tile.chunks_exact_mut(side).zip(left.chunks_exact(side)) {
                for column in (0..side / PIECE * PIECE).step_by(PIECE) {
                    relax_piece::<T, PIECE>(row_i, left_i, right, column);
                }
                for column in (side / PIECE * PIECE..side).step_by(STEP) {
                    relax_piece::<T, STEP>(row_i, left_i, right, column);
                }
            }
        }
    }

    /// Tile of the paper, on the diagonal: shortest paths within it.
    fn close_lead(&mut self, lead: usize) {
        let (side, place) = (self.side, self.range(lead, lead));
        let tile = &mut self.numbers[place];
        for k in 0..side {
            for i in (0..side).filter(|&i| i != k) {
                let Ok([row_i, row_k]) = tile.get_disjoint_mut([row(i, side), row(k, side)]) else { return };
                let d_ik = row_i[k];
                relax_row(row_i, d_ik, row_k);
            }
        }
    }

    /// Closes a tile in the lead's row: paths that begin in the lead.
    fn close_in_row(&mut self, lead: usize, column: usize) {
        let side = self.side;
        let [tile, lead] = self.disjoint([self.range(lead, column), self.range(lead, lead)]);
        for k in 0..side {
            for i in (0..side).filter(|&i| i != k) {
                let Ok([row_i, row_k]) = tile.get_disjoint_mut([row(i, side), row(k, side)]) else { return };
                relax_row(row_i, lead[i * side + k], row_k);
            }
        }
    }

    /// Closes a tile in the lead's column: paths that end in the lead.
    fn close_in_column(&mut self, row_of_tile: usize, lead: usize) {
        let side = self.side;
        let [tile, lead] = self.disjoint([self.range(row_of_tile, lead), self.range(lead, lead)]);
        for row_i in tile.chunks_exact_mut(side) {
            for k in 0..side {
                let d_ik = row_i[k];
                relax_row(row_i, d_ik, &lead[row(k, side)]);
            }
        }
    }

    fn disjoint<const N: usize>(&mut self, places: [Range<usize>; N]) -> [&mut [T]; N] {
        self.numbers.get_disjoint_mut(places).expect("no tile is relaxed with itself")
    }
}

/// Where row `i` of a tile is.
fn row(i: usize, side: usize) -> Range<usize> {
    i * side..(i + 1) * side
}

/// `d[i][j] = min(d[i][j], d[i][k] + d[k][j])` for every j of a row.
fn relax_row<T: Element>(row_i: &mut [T], d_ik: T, row_k: &[T]) {
    for (d_ij, d_kj) in row_i.iter_mut().zip(row_k) {
        *d_ij = d_ik.plus(*d_kj).shorter(*d_ij);
    }
}

/// `row_i[j] = min(row_i[j], min over k of left_i[k] + right[k][j])` for `N` columns j from `column` on and all k of a tile. The minima stay
/// in registers.
fn relax_piece<T: Element, const N: usize>(row_i: &mut [T], left_i: &[T], right: &[T], column: usize) {
    let Some(piece) = row_i[column..].first_chunk_mut::<N>() else { return };
    let mut best = *piece;
    for (d_ik, row_k) in left_i.iter().zip(right.chunks_exact(left_i.len())) {
        let Some(row_k) = row_k[column..].first_chunk::<N>() else { return };
        for j in 0..N {
            best[j] = d_ik.plus(row_k[j]).shorter(best[j]);
        }
    }
    *piece = best;
}

#[cfg(test)]
mod tests {
    use super::{STEP, Shape, solve};
    use crate::{Vectorized, naive};
    use proptest::prelude::*;
    use repro_graph::{DistanceMatrix, Element, RandomGraph, generate};

    /// Distances of a random graph with whole weights by both, in this type.
    fn both<T: Vectorized>(graph: &RandomGraph, n: usize, shape: Shape) -> [Vec<T>; 2] {
        let matrix: DistanceMatrix = generate(graph, n).unwrap();
        let mut plain: Vec<T> = matrix.as_slice().iter().map(|&weight| T::from_f64(weight.into())).collect();
        let mut blocked = plain.clone();
        naive::solve(&mut plain, n);
        solve(&mut blocked, n, shape);
        [plain, blocked].map(|d| d.into_iter().map(Element::canonical).collect())
    }

    proptest! {
        #[test]
        fn every_shape_gives_the_distances_of_the_plain_loop_in_every_type(
            n in 1usize..100, steps in 1usize..5, kappa in 1usize..14, percent in 2u32..100, negative: bool, seed: u64,
        ) {
            let shape = Shape { tile: steps * STEP, kappa };
            let density = f64::from(percent) / 100.0;
            let graph = RandomGraph { density, max_weight: 50, negative, ..RandomGraph::complete(seed) };
            let [plain, blocked] = both::<f32>(&graph, n, shape);
            prop_assert_eq!(plain, blocked);
            let [plain, blocked] = both::<i32>(&graph, n, shape);
            prop_assert_eq!(plain, blocked);
            let [plain, blocked] = both::<f64>(&graph, n, shape);
            prop_assert_eq!(plain, blocked);
            let [plain, blocked] = both::<u16>(&RandomGraph { negative: false, ..graph }, n, shape);
            prop_assert_eq!(plain, blocked);
        }
    }

    #[test]
    #[should_panic(expected = "tile: 12")]
    fn a_tile_that_is_no_multiple_of_a_step_is_refused() {
        solve(&mut [0.0_f32], 1, Shape { tile: 12, kappa: 1 });
    }
}
