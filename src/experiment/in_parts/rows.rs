//! Which rows are compared.

use crate::implementation::Block;

/// The most rows that a process compares of its own part alone.
pub const MOST_OWN: usize = 8;

/// Which rows these are is the same in every run and process.
const SEED: u64 = 1;

/// So many rows of n, or all when there are no more, ascending: the first and the last, and of equal shares of those between one each.
pub fn spread_rows(n: usize, count: usize) -> Vec<usize> {
    let count = count.clamp(1, n.max(1));
    let mut rows: Vec<usize> = (0..count)
        .map(|share| match share {
            0 => 0,
            last if last + 1 == count => n - 1,
            share => within(share * n / count..(share + 1) * n / count, share as u64),
        })
        .collect();
    rows.dedup();
    rows
}

/// A row of some blocks, spread evenly over all: blocks of one device follow each other, or those of several take turns.
pub fn own_rows(blocks: &[Block]) -> Vec<usize> {
    let blocks: Vec<&Block> = blocks.iter().filter(|block| block.entries() > 0).collect();
    let count = blocks.len().min(MOST_OWN);
    let share = |share: usize| {
        let of_share = share * blocks.len() / count..(share + 1) * blocks.len() / count;
        let block = blocks[within(of_share, !(share as u64))];
        within(block.rows.clone(), share as u64)
    };
    (0..count).map(share).collect()
}

/// One of `range`, which is not empty. Any but a regular choice does: devices have their rows at regular distances.
fn within(range: std::ops::Range<usize>, of: u64) -> usize {
    // SplitMix64.
    let mut mixed = (of.wrapping_add(SEED)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    range.start + ((mixed ^ (mixed >> 31)) % range.len().max(1) as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_spread_over_the_matrix_with_both_ends() {
        for (n, count) in [(1, 32), (2, 1), (5, 32), (100, 8), (131_072, 32)] {
            let rows = spread_rows(n, count);
            assert_eq!(rows.len(), count.min(n), "{n}");
            assert!(rows.is_sorted_by(|a, b| a < b) && rows[0] == 0, "{n}: {rows:?}");
            assert!(rows.len() == 1 || rows[rows.len() - 1] == n - 1);
        }
        // Not at a distance at which devices take turns.
        let rows = spread_rows(1 << 16, 32);
        let owners: std::collections::BTreeSet<usize> = rows.iter().map(|row| row / 256 % 4).collect();
        assert_eq!(owners.len(), 4);
    }

    #[test]
    fn every_part_of_few_has_a_row_and_every_share_of_many() {
        let block = |at: usize| Block { rows: at * 10..at * 10 + 10, columns: 0..100 };
        let few: Vec<Block> = (0..4).map(block).collect();
        assert_eq!(own_rows(&few).iter().map(|row| row / 10).collect::<Vec<_>>(), [0, 1, 2, 3]);
        let many: Vec<Block> = (0..64).map(block).collect();
        let shares: Vec<usize> = own_rows(&many).iter().map(|row| row / 80).collect();
        assert_eq!(shares, [0, 1, 2, 3, 4, 5, 6, 7]);
        let none = [Block { rows: 3..3, columns: 0..100 }];
        assert!(own_rows(&none).is_empty());
    }
}
