//! Which rows are compared.

use crate::generate;
use rand_chacha::rand_core::Rng;
use std::collections::BTreeSet;
use std::ops::Range;

/// Rows of a matrix that lie together: on one device, for example.
pub type RowGroup = Vec<Range<usize>>;

/// Vertices 0 and n - 1, and `rows` different rows of each group, or all of it, in ascending order: the same wherever the arguments are.
pub(super) fn spread(n: usize, groups: &[RowGroup], rows: usize, seed: u64) -> Vec<usize> {
    let mut sources = BTreeSet::from([0, n - 1]);
    for (number, group) in groups.iter().enumerate() {
        let size = group.iter().map(ExactSizeIterator::len).sum();
        let mut chosen = BTreeSet::new();
        draw(&mut chosen, rows.min(size), size, seed, number as u64);
        sources.extend(chosen.into_iter().filter_map(|at| nth(group, at)));
    }
    sources.into_iter().inspect(|row| assert!(*row < n, "row {row} is not in a matrix of {n} rows")).collect()
}

/// `rows` different vertices in ascending order, 0 and n - 1 among them, or all n.
pub(super) fn sample(n: usize, rows: usize, seed: u64) -> Vec<usize> {
    let mut sources = BTreeSet::from([0, n - 1]);
    draw(&mut sources, rows.min(n), n, seed, 0);
    sources.into_iter().collect()
}

/// Adds numbers below `size` until there are `count`.
fn draw(chosen: &mut BTreeSet<usize>, count: usize, size: usize, seed: u64, stream: u64) {
    let mut random = generate::stream(seed, b"", stream);
    while chosen.len() < count {
        chosen.insert(((u128::from(random.next_u64()) * size as u128) >> 64) as usize);
    }
}

/// Row number `at` of a group.
fn nth(group: &[Range<usize>], mut at: usize) -> Option<usize> {
    for range in group {
        if at < range.len() {
            return Some(range.start + at);
        }
        at -= range.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_has_as_many_sources_as_asked_or_all_its_rows() {
        let group = |ranges: &[Range<usize>]| ranges.to_vec();
        let groups =
            [group(&[0..100, 400..500]), group(&[100..200, 200..400]), group(&[500..502, 502..503]), vec![]];
        let sources = spread(1000, &groups, 5, 1);
        let of = |group: &RowGroup| {
            sources.iter().filter(|&row| group.iter().any(|range| range.contains(row))).count()
        };
        assert_eq!(groups[1..].iter().map(of).collect::<Vec<_>>(), [5, 3, 0]);
        assert!((5..=6).contains(&of(&groups[0])), "vertex 0 may be one more");
        assert_eq!((sources[0], sources.last()), (0, Some(&999)));
        assert_eq!(sources, spread(1000, &groups, 5, 1));
        assert_ne!(sources, spread(1000, &groups, 5, 2));
        assert!(sources.is_sorted());
    }
}
