//! Which parts of the compared rows have been looked at.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;

/// Neighbouring entries of one row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    pub row: usize,
    pub columns: Range<usize>,
}

/// The columns of each row that were looked at.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces(BTreeMap<usize, Vec<Range<usize>>>);

impl Pieces {
    pub fn add(&mut self, row: usize, columns: Range<usize>) {
        if columns.is_empty() {
            return;
        }
        let known = self.0.entry(row).or_default();
        known.push(columns);
        known.sort_by_key(|range| range.start);
        let mut joined: Vec<Range<usize>> = Vec::with_capacity(known.len());
        for next in known.drain(..) {
            match joined.last_mut() {
                Some(last) if next.start <= last.end => last.end = last.end.max(next.end),
                _ => joined.push(next),
            }
        }
        *known = joined;
    }

    pub fn all(&self) -> Vec<Piece> {
        let of = |(&row, ranges): (&usize, &Vec<Range<usize>>)| {
            ranges.iter().map(move |columns| Piece { row, columns: columns.clone() }).collect::<Vec<_>>()
        };
        self.0.iter().flat_map(of).collect()
    }

    /// What is not among them of the first `n` columns of these rows.
    pub fn missing(&self, rows: &[usize], n: usize) -> Vec<Piece> {
        let mut missing = Vec::new();
        for &row in rows {
            let mut next = 0;
            for known in self.0.get(&row).into_iter().flatten() {
                if known.start > next {
                    missing.push(Piece { row, columns: next..known.start });
                }
                next = known.end;
            }
            if next < n {
                missing.push(Piece { row, columns: next..n });
            }
        }
        missing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_what_was_not_added_in_any_order() {
        let mut pieces = Pieces::default();
        let piece = |row, columns| Piece { row, columns };
        assert_eq!(pieces.missing(&[3, 5], 10), [piece(3, 0..10), piece(5, 0..10)]);
        for columns in [6..8, 0..2, 2..3, 7..9, 4..4] {
            pieces.add(3, columns);
        }
        assert_eq!(pieces.all(), [piece(3, 0..3), piece(3, 6..9)]);
        assert_eq!(pieces.missing(&[3], 10), [piece(3, 3..6), piece(3, 9..10)]);
        pieces.add(3, 0..10);
        assert_eq!((pieces.all(), pieces.missing(&[3], 10)), (vec![piece(3, 0..10)], vec![]));
    }
}
