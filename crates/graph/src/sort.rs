//! Arcs brought into the order of a graph where they lie, without a second list.

use crate::{Element, SearchError, memory_check};

/// Sorts arcs between `n` vertices by tails, and those of one tail by heads, and returns where each tail's begin: n + 1 numbers. O(n + m) for
/// the tails, by exchanging each arc into its place, and O(d log d) for each tail of d arcs.
///
/// # Errors
/// When there is no room for 16 bytes a vertex.
pub(crate) fn by_tails<T: Element>(
    n: usize,
    tails: &mut [u32],
    heads: &mut [u32],
    weights: &mut [T],
) -> Result<Vec<usize>, SearchError> {
    let mut offsets = memory_check::filled("the graph", n + 1, 0_usize)?;
    tails.iter().for_each(|tail| offsets[*tail as usize + 1] += 1);
    for tail in 0..n {
        offsets[tail + 1] += offsets[tail];
    }
    // Where the next arc of each tail goes; those before are in place.
    let mut next = memory_check::reserved("the graph", n)?;
    next.extend_from_slice(&offsets[..n]);
    for tail in 0..n {
        while next[tail] < offsets[tail + 1] {
            let at = next[tail];
            let place = &mut next[tails[at] as usize];
            let to = *place;
            *place += 1;
            if to != at {
                tails.swap(at, to);
                heads.swap(at, to);
                weights.swap(at, to);
            }
        }
    }
    drop(next);
    let mut row: Vec<(u32, T)> = Vec::new();
    for place in offsets.windows(2).map(|ends| ends[0]..ends[1]) {
        let (heads, weights) = (&mut heads[place.clone()], &mut weights[place]);
        if heads.is_sorted() {
            continue;
        }
        row.clear();
        row.extend(heads.iter().copied().zip(weights.iter().copied()));
        row.sort_unstable_by_key(|(head, _)| *head);
        for ((head, weight), from) in heads.iter_mut().zip(weights.iter_mut()).zip(&row) {
            (*head, *weight) = *from;
        }
    }
    Ok(offsets)
}
