//! Which tiles the procedures of the generalized blocked algorithm bring through which rounds: likhoded-sipeyko-2019, "The
//! modified blocked algorithm".

use std::ops::Range;

/// One tile and the consecutive rounds that are run on it as one.
#[cfg(test)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Multitile {
    pub row: usize,
    pub column: usize,
    /// Rounds by TileDD, relaxed with tiles of the rounds' rows and columns.
    pub doubly: Range<usize>,
    /// Whether the round after those is run too, by Tile: the tile is in its row or column.
    pub closes: bool,
}

/// The procedures of the paper, and its Remark 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Procedure {
    LeadBlock,
    /// TileDD of CalcLeadBlock alone, by many blocks.
    LeadBlockPart,
    LeadRowAndColumn,
    LeadRowAndColumnReverse,
    RestBlocks,
}

/// A group of rounds: the paper's kgl .. kgl + κ - 1, of Q rounds in all. The last group may have fewer than κ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundGroup {
    /// The paper's Q.
    pub tiles: usize,
    pub rounds: Range<usize>,
}

impl RoundGroup {
    /// The groups of `tiles` rounds, κ at a time.
    pub fn all(tiles: usize, kappa: usize) -> impl Iterator<Item = Self> {
        let kappa = kappa.max(1);
        (0..tiles).step_by(kappa).map(move |first| Self { tiles, rounds: first..(first + kappa).min(tiles) })
    }

    /// Tiles of a row that CalcLeadRowAndColumnReverse brings further; one more than of a column.
    pub fn reverse_of_row(&self, lead: usize) -> usize {
        self.tiles - self.rounds.end + lead + 1
    }

    /// Tiles a side that CalcRestBlocks brings through all rounds of the group.
    pub fn rest_side(&self) -> usize {
        self.tiles - self.rounds.len()
    }
}

/// The paper's index sets, which the kernels compute from their block's number: what the tests prove, and hold the kernels
/// and the model against.
#[cfg(test)]
impl RoundGroup {
    /// CalcLeadBlock for the round `lead`.
    pub fn lead_block(&self, lead: usize) -> Multitile {
        Multitile { row: lead, column: lead, doubly: self.rounds.start..lead, closes: true }
    }

    /// CalcLeadRowAndColumn for the round `lead`. Tiles that have been the column of an earlier lead, or its row, have been
    /// through that lead's round.
    pub fn lead_row_and_column(&self, lead: usize) -> Vec<Multitile> {
        let others = || (0..self.tiles).filter(move |&other| other != lead);
        let doubly = |other: usize| {
            let first = if self.is_operand(other, lead) { other + 1 } else { self.rounds.start };
            first..lead
        };
        let row =
            others().map(|column| Multitile { row: lead, column, doubly: doubly(column), closes: true });
        let column = others().map(|row| Multitile { row, column: lead, doubly: doubly(row), closes: true });
        row.chain(column).collect()
    }

    /// Whether the multitiles of CalcLeadRowAndColumn for `lead` relax with the tile of this row or column, which the same
    /// procedure brings further.
    pub fn is_operand(&self, other: usize, lead: usize) -> bool {
        (self.rounds.start..lead).contains(&other)
    }

    /// CalcLeadRowAndColumnReverse for the round `lead`: the rest of the group's rounds for its row and column.
    pub fn reverse(&self, lead: usize) -> Vec<Multitile> {
        let doubly = lead + 1..self.rounds.end;
        let outside = || self.rounds.end..self.tiles;
        let row = (0..=lead).chain(outside()).map(|column| (lead, column));
        let column = (0..lead).chain(outside()).map(|row| (row, lead));
        row.chain(column)
            .map(|(row, column)| Multitile { row, column, doubly: doubly.clone(), closes: false })
            .collect()
    }

    /// CalcRestBlocks.
    pub fn rest(&self) -> Vec<Multitile> {
        let outside = || (0..self.tiles).filter(|other| !self.rounds.contains(other));
        outside()
            .flat_map(|row| outside().map(move |column| (row, column)))
            .map(|(row, column)| Multitile { row, column, doubly: self.rounds.clone(), closes: false })
            .collect()
    }

    /// All procedures of the group in the paper's order, the multitiles of each in no order.
    pub fn procedures(&self) -> Vec<Vec<Multitile>> {
        let mut all = Vec::new();
        for lead in self.rounds.clone() {
            all.push(vec![self.lead_block(lead)]);
            all.push(self.lead_row_and_column(lead));
        }
        let last = self.rounds.end - 1;
        all.extend((self.rounds.start..last).rev().map(|lead| self.reverse(lead)));
        all.push(self.rest());
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu_naive;
    use proptest::prelude::*;
    use repro_graph::{RandomGraph, generate};

    /// Q and κ with 1 <= κ <= Q, dividing it or not.
    fn tiles_and_kappa() -> impl Strategy<Value = (usize, usize)> {
        (1usize..24).prop_flat_map(|tiles| (Just(tiles), 1..=tiles))
    }

    /// Rounds that each tile has been through.
    struct Progress {
        tiles: usize,
        done: Vec<usize>,
    }

    impl Progress {
        fn of(&self, row: usize, column: usize) -> usize {
            self.done[row * self.tiles + column]
        }
    }

    proptest! {
        #[test]
        fn every_tile_goes_through_every_round_once_in_order_with_operands_that_are_ready(
            (tiles, kappa) in tiles_and_kappa(),
        ) {
            let mut progress = Progress { tiles, done: vec![0; tiles * tiles] };
            for group in RoundGroup::all(tiles, kappa) {
                for procedure in group.procedures() {
                    for one in &procedure {
                        prop_assert_eq!(progress.of(one.row, one.column), one.doubly.start, "{:?}", one);
                        for round in one.doubly.clone() {
                            prop_assert!(progress.of(one.row, round) > round, "{:?} needs ({}, {round})", one, one.row);
                            prop_assert!(progress.of(round, one.column) > round, "{:?} needs ({round}, {})", one, one.column);
                        }
                        let lead = one.doubly.end;
                        if one.closes {
                            prop_assert!(one.row == lead || one.column == lead);
                            prop_assert!((one.row, one.column) == (lead, lead) || progress.of(lead, lead) > lead);
                        }
                    }
                    // All of a procedure run at once: they see what was there before it.
                    for one in procedure {
                        progress.done[one.row * tiles + one.column] = one.doubly.end + usize::from(one.closes);
                    }
                }
            }
            prop_assert!(progress.done.iter().all(|&done| done == tiles));
        }

        #[test]
        fn within_a_procedure_only_the_declared_tiles_are_read_while_they_are_brought_further(
            (tiles, kappa) in tiles_and_kappa(),
        ) {
            for group in RoundGroup::all(tiles, kappa) {
                let leads = group.rounds.clone();
                for (at, procedure) in group.procedures().into_iter().enumerate() {
                    let read = |row: usize, column: usize| procedure.iter().any(|one| {
                        (one.row == row && one.doubly.contains(&column))
                            || (one.column == column && one.doubly.contains(&row))
                    });
                    for one in &procedure {
                        let is_row_and_column = at < 2 * leads.len() && at % 2 == 1;
                        let lead = leads.start + at / 2;
                        let other = if one.row == lead { one.column } else { one.row };
                        let declared = is_row_and_column && group.is_operand(other, lead);
                        prop_assert!(!read(one.row, one.column) || declared, "{:?}", one);
                    }
                }
            }
        }

        #[test]
        fn the_multitiles_in_any_order_give_the_distances_of_the_plain_algorithm(
            (tiles, kappa) in tiles_and_kappa(), side in 1usize..4, seed: u64, negative: bool,
        ) {
            let n = tiles * side;
            let graph = RandomGraph { density: 0.5, max_weight: 50, negative, ..RandomGraph::complete(seed) };
            let matrix = generate(&graph, n).unwrap();
            let mut expected = matrix.as_slice().to_vec();
            cpu_naive::solve(&mut expected, n);
            let mut d = matrix.as_slice().to_vec();
            let mut state = seed;
            for group in RoundGroup::all(tiles, kappa) {
                for mut procedure in group.procedures() {
                    while !procedure.is_empty() {
                        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                        let one = procedure.swap_remove((state >> 33) as usize % procedure.len());
                        run(&mut d, n, side, &one);
                    }
                }
            }
            prop_assert_eq!(d, expected);
        }
    }

    /// A multitile on the row-major n x n matrix, in tiles of `side` x `side`.
    fn run(d: &mut [f32], n: usize, side: usize, one: &Multitile) {
        let of = |tile: usize| tile * side..(tile + 1) * side;
        for k in of(one.doubly.start).start..of(one.doubly.end + usize::from(one.closes)).start {
            for i in of(one.row) {
                for j in of(one.column) {
                    d[i * n + j] = d[i * n + j].min(d[i * n + k] + d[k * n + j]);
                }
            }
        }
    }

    #[test]
    fn kappa_one_is_the_blocked_algorithm_and_kappa_q_has_no_rest() {
        let classic: Vec<RoundGroup> = RoundGroup::all(5, 1).collect();
        assert_eq!(classic.len(), 5);
        for (round, group) in classic.iter().enumerate() {
            let procedures = group.procedures();
            assert_eq!(procedures.iter().map(Vec::len).collect::<Vec<_>>(), [1, 8, 16]);
            assert!(
                procedures[0][0].doubly.is_empty() && procedures[1].iter().all(|one| one.doubly.is_empty())
            );
            assert!(procedures[2].iter().all(|one| one.doubly == (round..round + 1)));
        }
        let degenerate: Vec<RoundGroup> = RoundGroup::all(5, 5).collect();
        assert_eq!(degenerate.len(), 1);
        assert!(degenerate[0].rest().is_empty());
    }
}
