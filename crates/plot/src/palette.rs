//! The colours of all pictures, each exactly one hex string, so that a page can exchange them for dark ones; and which colour and
//! mark every implementation has, everywhere.
//!
//! The hues are Okabe and Ito's for the colour-blind, darkened until each has a contrast of 4 to 1 on white, so that labels may
//! be of their line's colour. Where two implementations share a hue, they differ in shape.

use super::model::Shape;

/// A colour of the palette, as `#RRGGBB` in upper case, which is how plotters writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ink(&'static str);

impl Ink {
    pub fn hex(self) -> &'static str {
        self.0
    }

    /// Red, green and blue.
    pub fn rgb(self) -> (u8, u8, u8) {
        let number = u32::from_str_radix(self.0.trim_start_matches('#'), 16).unwrap_or_default();
        ((number >> 16) as u8, (number >> 8) as u8, number as u8)
    }
}

pub const PAPER: Ink = Ink("#FFFFFF");
pub const INK: Ink = Ink("#1B1F24");
/// Axes, their numbers, notes next to them.
pub const MUTED: Ink = Ink("#59616B");
pub const GRID: Ink = Ink("#E4E7EB");
/// What a paper's text states, as an area.
pub const BAND: Ink = Ink("#D3DAE2");

pub const GREY: Ink = Ink("#5A5A5A");
pub const ORANGE: Ink = Ink("#9C6500");
pub const VERMILLION: Ink = Ink("#C2410C");
pub const PURPLE: Ink = Ink("#9B3F7D");
pub const SKY: Ink = Ink("#2B7FBD");
pub const GREEN: Ink = Ink("#00795A");
pub const BLUE: Ink = Ink("#0B4A94");

pub const GAIN: Ink = Ink("#1F8A83");
pub const LOSS: Ink = Ink("#C23B52");

/// Parts of a whole, from dark to light and back, so that neighbours differ in grey.
pub const PARTS: [Ink; 5] = [Ink("#23406B"), Ink("#6FA3CF"), Ink("#B9D2E6"), Ink("#8B6F9E"), Ink("#D9C7DF")];

/// Ratios from far below 1 over 1 itself to far above. The outermost are as dark on light paper as they are light on dark paper, so
/// that a number in them is written in the colour of the paper, and in the others in that of the ink.
pub const HEAT: [Ink; 7] = [
    Ink("#9A3412"),
    Ink("#E39A6F"),
    Ink("#F7DCCB"),
    Ink("#EEF0F3"),
    Ink("#CFE3F3"),
    Ink("#79B0DC"),
    Ink("#0F5690"),
];

/// Each colour and the one that a page uses for it on dark paper.
const DARK: &[(&str, &str)] = &[
    ("#FFFFFF", "#15181C"),
    ("#1B1F24", "#E6E9ED"),
    ("#59616B", "#A6AEB8"),
    ("#E4E7EB", "#2B3037"),
    ("#D3DAE2", "#3E4752"),
    ("#5A5A5A", "#B4B4B4"),
    ("#9C6500", "#E3AA45"),
    ("#C2410C", "#FF8B5E"),
    ("#9B3F7D", "#E394C8"),
    ("#2B7FBD", "#67B7EE"),
    ("#00795A", "#3EC79F"),
    ("#0B4A94", "#8AA9FF"),
    ("#1F8A83", "#4CC7BE"),
    ("#C23B52", "#FF8093"),
    ("#23406B", "#D6E6F7"),
    ("#6FA3CF", "#86B6DF"),
    ("#B9D2E6", "#4F7FA8"),
    ("#8B6F9E", "#B79BCB"),
    ("#D9C7DF", "#6E5680"),
    ("#9A3412", "#FFB08C"),
    ("#E39A6F", "#8A4424"),
    ("#F7DCCB", "#452B20"),
    ("#EEF0F3", "#262B31"),
    ("#CFE3F3", "#1D3850"),
    ("#79B0DC", "#2A6191"),
    ("#0F5690", "#9CCBF5"),
];

/// Every colour that a picture can have and the one to use for it on dark paper.
pub fn dark_variants() -> &'static [(&'static str, &'static str)] {
    DARK
}

/// The colour and the mark of an implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SeriesStyle {
    pub ink: Ink,
    pub shape: Shape,
}

/// By the place in the caller's order, which should be that of its tables; whoever is added comes last.
const LOOKS: &[(Ink, Shape)] = &[
    (GREY, Shape::Circle),
    (ORANGE, Shape::Square),
    (VERMILLION, Shape::Square),
    (PURPLE, Shape::Diamond),
    (SKY, Shape::Up),
    (SKY, Shape::Square),
    (SKY, Shape::Down),
    (GREEN, Shape::Diamond),
    (GREEN, Shape::Square),
    (GREEN, Shape::Circle),
    (PURPLE, Shape::Down),
    (VERMILLION, Shape::Up),
    (BLUE, Shape::Circle),
    (BLUE, Shape::Square),
    (PURPLE, Shape::Up),
    (VERMILLION, Shape::Circle),
    (GREEN, Shape::Up),
    (GREY, Shape::Down),
    (BLUE, Shape::Diamond),
];

/// The look of whoever has this place in the caller's order, the same in every picture; behind those that have a look of their own, it is black.
pub fn look(place: usize) -> SeriesStyle {
    let &(ink, shape) = LOOKS.get(place).unwrap_or(&(INK, Shape::Diamond));
    SeriesStyle { ink, shape }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Relative luminance by WCAG 2.
    fn luminance(hex: &str) -> f64 {
        let (r, g, b) = Ink(Box::leak(hex.to_string().into_boxed_str())).rgb();
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.03928 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn every_place_has_a_look_of_its_own_until_all_are_given_away() {
        let distinct: HashSet<SeriesStyle> = (0..LOOKS.len()).map(look).collect();
        assert_eq!(distinct.len(), LOOKS.len());
        assert_eq!(look(LOOKS.len()), SeriesStyle { ink: INK, shape: Shape::Diamond });
    }

    #[test]
    fn lines_and_their_labels_are_legible_on_light_and_on_dark_paper() {
        let dark = |hex: &str| dark_variants().iter().find(|(light, _)| *light == hex).unwrap().1;
        for ink in [INK, MUTED, GREY, ORANGE, VERMILLION, PURPLE, SKY, GREEN, BLUE, GAIN, LOSS] {
            assert!(contrast(ink.hex(), PAPER.hex()) >= 4.0, "{ink:?}");
            assert!(contrast(dark(ink.hex()), dark(PAPER.hex())) >= 4.5, "{ink:?}");
        }
    }

    #[test]
    fn numbers_in_cells_are_legible_on_light_and_on_dark_paper() {
        let dark = |hex: &str| dark_variants().iter().find(|(light, _)| *light == hex).unwrap().1;
        for (at, ground) in HEAT.iter().enumerate() {
            let text = if at == 0 || at + 1 == HEAT.len() { PAPER } else { INK };
            assert!(contrast(ground.hex(), text.hex()) >= 4.5, "{ground:?}");
            assert!(contrast(dark(ground.hex()), dark(text.hex())) >= 4.5, "dark {ground:?}");
        }
    }

    #[test]
    fn every_colour_has_one_dark_variant_and_is_written_as_plotters_writes_it() {
        let mut lights: Vec<&str> = dark_variants().iter().map(|(light, _)| *light).collect();
        let all = lights.len();
        lights.sort_unstable();
        lights.dedup();
        assert_eq!(lights.len(), all);
        for (light, dark) in dark_variants() {
            for hex in [light, dark] {
                assert!(hex.len() == 7 && **hex == hex.to_uppercase(), "{hex}");
            }
        }
        for part in PARTS {
            assert!(lights.contains(&part.hex()));
        }
    }
}
