//! likhoded-sipeyko-2019, the generalized blocked algorithm, on one core: up to κ rounds are joined, and a tile goes through all of them
//! while it is in the caches.

use repro_graph::{Element, ElementType, by_element, zeros};
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
pub fn solve<T: Element>(d: &mut [T], n: usize, shape: Shape) {
    of_bytes(T::TYPE, bytemuck::cast_slice_mut(d), n, shape);
}

/// Not generic, so that the loops are compiled here once for each type and not in every crate that calls them.
fn of_bytes(element: ElementType, bytes: &mut [u8], n: usize, shape: Shape) {
    by_element!(element, T => by_groups::<T>(bytemuck::cast_slice_mut(bytes), n, shape));
}

fn by_groups<T: Element>(d: &mut [T], n: usize, shape: Shape) {
    assert_eq!(Some(d.len()), n.checked_mul(n), "an n x n matrix holds n * n numbers");
    assert!(shape.kappa > 0 && shape.tile > 0 && shape.tile.is_multiple_of(STEP), "{shape:?}");
    let mut tiles = Tiles::new(d, n, shape);
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
    /// Copies `d`, and pads the last tiles of rows and columns with vertices that have no edges.
    fn new(d: &[T], n: usize, shape: Shape) -> Self {
        let (count, side) = (shape.tiles(n), shape.tile);
        let numbers = zeros((count * side).pow(2)).expect("there is memory for a copy of the matrix");
        let mut tiles = Self { numbers, count, side };
        tiles.numbers.fill(T::ABSENT);
        for (here, there) in tiles.rows_of_tiles(n) {
            tiles.numbers[here].copy_from_slice(&d[there]);
        }
        tiles
    }

    fn copy_to(&self, d: &mut [T], n: usize) {
        for (here, there) in self.rows_of_tiles(n) {
            d[there].copy_from_slice(&self.numbers[here]);
        }
    }

    /// The ranges of the rows of all tiles, here and in an n x n matrix.
    fn rows_of_tiles(&self, n: usize) -> impl Iterator<Item = (Range<usize>, Range<usize>)> + use<T> {
        let &Self { count, side, .. } = self;
        (0..n).flat_map(move |i| {
            (0..n).step_by(side).map(move |j| {
                let here = (i / side * count + j / side) * side * side + i % side * side;
                let width = side.min(n - j);
                (here..here + width, i * n + j..i * n + j + width)
            })
        })
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
            self.close(lead, lead, lead);
            for other in (0..count).filter(|&other| other != lead) {
                // The tile of an earlier lead's row or column has been through that lead's round.
                let first = if rounds.contains(&other) && other < lead { other + 1 } else { start };
                self.join(lead, other, first..lead);
                self.close(lead, other, lead);
                self.join(other, lead, first..lead);
                self.close(other, lead, lead);
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

    /// The paper's TileDD, of one tile for several rounds: the tile is relaxed with other tiles only, so that the order of its tasks does
    /// not matter.
    fn join(&mut self, row: usize, column: usize, rounds: Range<usize>) {
        let side = self.side;
        for round in rounds {
            let places = [self.range(row, column), self.range(row, round), self.range(round, column)];
            let disjoint = self.numbers.get_disjoint_mut(places);
            let [tile, left, right] = disjoint.expect("no tile is relaxed with itself");
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

    /// The paper's Tile, of the lead or, once that is closed, of one in its row or column: paths within the lead, or with an end there.
    fn close(&mut self, row: usize, column: usize, lead: usize) {
        let side = self.side;
        let [tile, left, right] =
            [(row, column), (row, lead), (lead, column)].map(|(i, j)| self.range(i, j).start);
        let mut row_k = vec![T::ABSENT; side];
        for k in 0..side {
            row_k.copy_from_slice(&self.numbers[right + k * side..][..side]);
            for i in 0..side {
                let d_ik = self.numbers[left + i * side + k];
                for (d_ij, d_kj) in self.numbers[tile + i * side..][..side].iter_mut().zip(&row_k) {
                    *d_ij = d_ik.plus(*d_kj).shorter(*d_ij);
                }
            }
        }
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
    use crate::naive;
    use proptest::prelude::*;
    use repro_graph::{DistanceMatrix, Element, RandomGraph, generate};

    /// Distances of a random graph with whole weights by both, in this type.
    fn both<T: Element>(graph: &RandomGraph, n: usize, shape: Shape) -> [Vec<T>; 2] {
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
