//! How implementations look in every picture, and in which order they stand: that of the catalogue, which is that of every table.

use crate::implementation;
use crate::report::draw::{self, SeriesStyle};

/// How `implementation` looks; one that this build does not know is black.
pub fn look(implementation: &str) -> SeriesStyle {
    draw::look(place(implementation))
}

/// The place of `implementation` in the catalogue; unknown ones come last.
pub fn place(implementation: &str) -> usize {
    let all = implementation::catalogue();
    all.iter().position(|one| one.name == implementation).unwrap_or(usize::MAX)
}
