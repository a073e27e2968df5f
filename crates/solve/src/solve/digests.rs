//! Digests of rows, and how many of their pairs have no path.

use shortest_paths::Element;
use std::sync::{Mutex, PoisonError};

/// A number for each row, and one for all: equal for equal distances of one type, whatever order and format they are stored in.
pub(super) struct Digests(Mutex<(Vec<[u8; 32]>, usize)>);

/// What all rows come to.
pub(super) struct Digest {
    /// The first 128 bits of the BLAKE3 hash of the rows' BLAKE3 hashes, in hexadecimal digits.
    pub digest: String,
    /// Pairs of a source and a target.
    pub without_path: usize,
}

impl Digests {
    pub fn new(rows: usize) -> Self {
        Self(Mutex::new((vec![[0; 32]; rows], 0)))
    }

    pub fn add<T: Element>(&self, row: usize, distances: &[T]) {
        let digest = blake3::hash(bytemuck::cast_slice(distances));
        let without = distances.iter().filter(|distance| distance.is_absent()).count();
        let (rows, without_path) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rows[row] = *digest.as_bytes();
        *without_path += without;
    }

    pub fn whole(self) -> Digest {
        let (rows, without_path) = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        Digest { digest: blake3::hash(rows.as_flattened()).to_hex()[..32].to_string(), without_path }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_may_come_in_any_order_and_pairs_without_path_are_counted() {
        let (one, other) = (Digests::new(2), Digests::new(2));
        let far = (1 << 30) - 1;
        let rows = [[0, far, 3], [far, 0, far]];
        (0..2).for_each(|row| one.add::<i32>(row, &rows[row]));
        (0..2).rev().for_each(|row| other.add::<i32>(row, &rows[row]));
        let (one, other) = (one.whole(), other.whole());
        assert_eq!((one.digest, one.without_path), (other.digest, 3));
        assert_eq!(other.without_path, 3);
    }
}
