//! How implementations look in every picture, and in which order they stand: that of the catalogue, which is that of every table.

use crate::implementation;
use crate::plot::{self, SeriesStyle};

/// How `implementation` looks; one that this build does not know is black.
pub fn look(implementation: &str) -> SeriesStyle {
    plot::look(place(implementation))
}

/// The place of `implementation` in the catalogue; unknown ones come last.
pub fn place(implementation: &str) -> usize {
    let all = implementation::catalogue();
    all.iter().position(|one| one.name == implementation).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::palette::{BLUE, GREY, INK};

    #[test]
    fn the_colour_of_an_implementation_is_that_of_its_place_and_unknown_ones_are_black() {
        assert_eq!(look("cpu-naive").ink, GREY);
        assert_eq!(look("staged-load").ink, BLUE);
        assert_eq!(look("somebody-elses").ink, INK);
    }
}
