//! Which block of a matrix lies where, when it lies in many.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Rows and columns of a matrix whose numbers are stored row after row, without gaps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    pub rows: Range<usize>,
    pub columns: Range<usize>,
}

impl Block {
    /// Numbers in it; `None` where they cannot be counted.
    pub fn entries(&self) -> Option<usize> {
        self.rows.len().checked_mul(self.columns.len())
    }
}

/// The blocks of a whole matrix, by rows and then by columns.
pub(super) struct Layout {
    bands: Vec<Band>,
}

/// Rows that are cut into the same columns.
struct Band {
    rows: Range<usize>,
    /// Blocks by number, from the left to the right.
    cut: Vec<(Range<usize>, usize)>,
}

impl Layout {
    /// Of blocks that together are n x n, each entry in one of them.
    ///
    /// # Errors
    /// Where an entry is in none or in several, in words.
    pub fn of(n: usize, blocks: &[Block]) -> Result<Self, String> {
        if let Some(Block { rows, columns }) =
            blocks.iter().find(|block| block.rows.end > n || block.columns.end > n)
        {
            return Err(format!("the block of rows {rows:?} and columns {columns:?} is not in {n} x {n}"));
        }
        let full = blocks.iter().filter(|block| block.entries() != Some(0));
        let mut edges: Vec<usize> = full.flat_map(|block| [block.rows.start, block.rows.end]).collect();
        edges.extend([0, n]);
        edges.sort_unstable();
        edges.dedup();
        let mut bands: Vec<Band> =
            edges.windows(2).map(|edge| Band { rows: edge[0]..edge[1], cut: Vec::new() }).collect();
        for (number, block) in blocks.iter().enumerate().filter(|(_, block)| block.entries() != Some(0)) {
            let first = bands.partition_point(|band| band.rows.start < block.rows.start);
            let within = bands[first..].iter_mut().take_while(|band| band.rows.end <= block.rows.end);
            within.for_each(|band| band.cut.push((block.columns.clone(), number)));
        }
        for band in &mut bands {
            band.cut.sort_by_key(|(columns, _)| columns.start);
            let mut next = 0;
            for (columns, _) in band.cut.iter().chain([&(n..n, 0)]) {
                if columns.start != next {
                    let (what, from, to) = if columns.start > next {
                        ("in no block", next, columns.start)
                    } else {
                        ("in several blocks", columns.start, next)
                    };
                    return Err(format!("rows {:?} and columns {:?} are {what}", band.rows, from..to));
                }
                next = columns.end;
            }
        }
        Ok(Self { bands })
    }

    /// The numbers of the blocks that have something of a row in these columns, with the columns of each.
    pub fn of_row(&self, row: usize, columns: &Range<usize>) -> impl Iterator<Item = &(Range<usize>, usize)> {
        let band = &self.bands[self.bands.partition_point(|band| band.rows.end <= row)];
        let first = band.cut.partition_point(|(cut, _)| cut.end <= columns.start);
        let end = columns.end;
        band.cut[first..].iter().take_while(move |(cut, _)| cut.start < end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(rows: Range<usize>, columns: Range<usize>) -> Block {
        Block { rows, columns }
    }

    fn problem(n: usize, blocks: &[Block]) -> String {
        Layout::of(n, blocks).err().unwrap_or_default()
    }

    #[test]
    fn blocks_of_any_shape_are_found_by_row_and_column() {
        let blocks =
            [block(0..2, 0..5), block(2..5, 0..3), block(2..3, 3..5), block(3..5, 3..5), block(1..1, 2..4)];
        let layout = Layout::of(5, &blocks).unwrap();
        let found =
            |row, columns| layout.of_row(row, &columns).map(|(_, number)| *number).collect::<Vec<_>>();
        assert_eq!(found(1, 0..5), [0]);
        assert_eq!(found(2, 0..5), [1, 2]);
        assert_eq!(found(4, 2..4), [1, 3]);
        assert_eq!(found(4, 3..5), [3]);
        assert_eq!(found(4, 3..3), [0_usize; 0]);
    }

    #[test]
    fn gaps_overlaps_and_blocks_beyond_the_matrix_are_named() {
        assert_eq!(problem(2, &[block(0..2, 0..1)]), "rows 0..2 and columns 1..2 are in no block");
        assert_eq!(problem(2, &[block(1..2, 0..2)]), "rows 0..1 and columns 0..2 are in no block");
        let twice = [block(0..2, 0..2), block(1..2, 1..2)];
        assert_eq!(problem(2, &twice), "rows 1..2 and columns 1..2 are in several blocks");
        assert_eq!(
            problem(2, &[block(0..2, 0..3)]),
            "the block of rows 0..2 and columns 0..3 is not in 2 x 2"
        );
        assert_eq!(problem(2, &[]), "rows 0..2 and columns 0..2 are in no block");
        let huge = problem(2, &[block(0..usize::MAX, 0..usize::MAX)]);
        assert!(huge.ends_with("is not in 2 x 2"), "{huge}");
    }
}
