//! What one launch counted, in lines of a name and a number.

use repro_emulator::{BANKS_16, BANKS_32, Counts, Figure};
use repro_types::number::decimals;
use std::fmt::Write;

/// Two parts, of global and of shared memory; the second where shared memory was used.
pub fn in_lines(counts: &Counts) -> String {
    let global = counts.global_figures().iter().copied().chain(counts.rare_figures()).collect();
    let mut text = part("Global memory, one launch", counts, global);
    let of_memory = counts.shared_figures();
    if !of_memory.is_empty() {
        let shared = [of_memory, &BANKS_16, &BANKS_32].concat();
        text += &part("Shared memory, one launch; ways: worst and mean steps of an access", counts, shared);
    }
    text
}

fn part(title: &str, counts: &Counts, figures: Vec<Figure>) -> String {
    let mut text = format!("\n{title}\n");
    let widest = figures.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, read) in figures {
        let _ = writeln!(text, "  {name:widest$}  {:>16}", read(counts).text(decimals));
    }
    text
}
