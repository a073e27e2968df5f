//! How the banks of shared memory serve what the threads of a warp want at once, under two rules:
//!
//! - 32 banks, a warp at a time (compute capability 2.0 and newer): any number of threads may read one word together; what
//!   counts is how many different words one bank must give.
//! - 16 banks, a half-warp at a time (compute capability 1.x, CUDA programming guide 2.3, section 5.1.2.5): in each step one
//!   word is broadcast to all who want it, and every other bank serves one thread.

use super::block::WARP;
use super::counting::WarpInstruction;
use super::counts::BankCounts;

/// Serves the accesses in parts of at most `most` neighbouring threads, fewer where each wants more than a word.
pub(crate) fn steps(
    together: &WarpInstruction,
    banks: u64,
    most: usize,
    serve: fn(&[u64], u64) -> u32,
) -> BankCounts {
    let widest = together.iter().flatten().map(|access| usize::from(access.bytes)).max().unwrap_or(0);
    let words_each = widest.div_ceil(4).max(1);
    let mut counts = BankCounts::default();
    for part in together.chunks((most / words_each).max(1)) {
        let mut words = [0u64; WARP];
        let mut count = 0;
        for access in part.iter().flatten() {
            let end = access.address + u64::from(access.bytes.max(1));
            for word in access.address / 4..end.div_ceil(4) {
                if count < WARP {
                    words[count] = word;
                    count += 1;
                }
            }
        }
        if count > 0 {
            let took = u64::from(serve(&words[..count], banks));
            counts += BankCounts { parts: 1, steps: took, worst: took };
        }
    }
    counts
}

/// The most different words of one bank.
pub(crate) fn multicast_steps(words: &[u64], banks: u64) -> u32 {
    let mut of_bank = [0u32; 32];
    for (at, word) in words.iter().enumerate() {
        if !words[..at].contains(word) {
            of_bank[(word % banks) as usize] += 1;
        }
    }
    of_bank.into_iter().max().unwrap_or(0)
}

/// Steps in which one word goes to all who want it, the most wanted first, and each other bank serves one thread.
pub(crate) fn broadcast_steps(words: &[u64], banks: u64) -> u32 {
    let mut waiting = words.to_vec();
    let mut steps = 0;
    while !waiting.is_empty() {
        let wanted = |word: &u64| waiting.iter().filter(|other| *other == word).count();
        // Of equally wanted words, that of the first thread.
        let broadcast = waiting.iter().rev().copied().max_by_key(|word| wanted(word)).unwrap_or_default();
        let mut served = [false; 32];
        served[(broadcast % banks) as usize] = true;
        waiting.retain(|word| {
            *word != broadcast && std::mem::replace(&mut served[(word % banks) as usize], true)
        });
        steps += 1;
    }
    steps
}
