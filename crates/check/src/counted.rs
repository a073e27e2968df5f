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

#[cfg(test)]
mod tests {
    use super::*;
    use repro_emulator::BankCounts;

    #[test]
    fn shared_memory_has_a_part_where_a_kernel_uses_some_and_a_mean_is_told_where_it_differs() {
        let mut counts = Counts { launches: 1, blocks: 2, barriers: 3, ..Counts::default() };
        let text = in_lines(&counts);
        assert!(text.contains("barriers a block") && text.contains(" 1.5\n"), "{text}");
        assert!(!text.contains("Shared"), "{text}");
        counts.shared_load.requests = 2;
        counts.shared_load.banks_32 = BankCounts { parts: 4, steps: 6, worst: 2 };
        let text = in_lines(&counts);
        assert!(text.contains("loads, ways of 32 banks") && text.contains(" 2, mean 1.5\n"), "{text}");
    }
}
