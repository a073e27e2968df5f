//! The colours of all pictures, each with its counterpart for dark paper; and the colour and mark that every implementation has in all
//! pictures.
//!
//! The hues are Okabe and Ito's for the colour-blind, darkened until each has a contrast of 4 to 1 on white, so that labels may
//! be of their line's colour. Where two implementations share a hue, they differ in shape.

use super::model::Shape;
use plotters::style::RGBAColor;

/// A colour of the palette on light and on dark paper, as `#RRGGBB` in upper case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ink(&'static str, &'static str);

impl Ink {
    pub fn hex(self) -> &'static str {
        self.0
    }

    /// The colour for light paper, as plotters wants it.
    pub(super) fn color(self, opacity: f64) -> RGBAColor {
        let number = u32::from_str_radix(self.0.trim_start_matches('#'), 16).unwrap_or_default();
        RGBAColor((number >> 16) as u8, (number >> 8) as u8, number as u8, opacity)
    }
}

pub const PAPER: Ink = Ink("#FFFFFF", "#15181C");
pub const INK: Ink = Ink("#1B1F24", "#E6E9ED");
/// Axes, their numbers, notes next to them.
pub const MUTED: Ink = Ink("#59616B", "#A6AEB8");
pub const GRID: Ink = Ink("#E4E7EB", "#2B3037");
/// Areas that show what a paper's text states.
pub const BAND: Ink = Ink("#D3DAE2", "#3E4752");

pub const GREY: Ink = Ink("#5A5A5A", "#B4B4B4");
pub const ORANGE: Ink = Ink("#9C6500", "#E3AA45");
pub const VERMILLION: Ink = Ink("#C2410C", "#FF8B5E");
pub const PURPLE: Ink = Ink("#9B3F7D", "#E394C8");
pub const SKY: Ink = Ink("#2B7FBD", "#67B7EE");
pub const GREEN: Ink = Ink("#00795A", "#3EC79F");
pub const BLUE: Ink = Ink("#0B4A94", "#8AA9FF");

/// Parts of a whole, from dark to light and back, so that neighbours differ in grey.
pub const PARTS: [Ink; 5] = [
    Ink("#23406B", "#D6E6F7"),
    Ink("#6FA3CF", "#86B6DF"),
    Ink("#B9D2E6", "#4F7FA8"),
    Ink("#8B6F9E", "#B79BCB"),
    Ink("#D9C7DF", "#6E5680"),
];

/// All colours but [`PARTS`].
const INKS: [Ink; 12] = [PAPER, INK, MUTED, GRID, BAND, GREY, ORANGE, VERMILLION, PURPLE, SKY, GREEN, BLUE];

/// Every colour that a picture can have, and its counterpart for dark paper.
pub fn dark_variants() -> Vec<(&'static str, &'static str)> {
    INKS.into_iter().chain(PARTS).map(|Ink(light, dark)| (light, dark)).collect()
}

/// The colour and the mark of an implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SeriesStyle {
    pub ink: Ink,
    pub shape: Shape,
}

/// The looks of implementations by their place in the caller's order, which should be that of its tables; a new one is added at the end.
const LOOKS: [(Ink, Shape); 22] = [
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
    (PURPLE, Shape::Square),
    (SKY, Shape::Circle),
    (ORANGE, Shape::Diamond),
    (ORANGE, Shape::Up),
];

/// The look of the implementation at this place in the caller's order, the same in every picture; places after the last look are
/// black.
pub fn series_style(place: usize) -> SeriesStyle {
    let &(ink, shape) = LOOKS.get(place).unwrap_or(&(INK, Shape::Diamond));
    SeriesStyle { ink, shape }
}

/// A look that none of `taken` has, with the colour and the shape that occur least among them.
pub fn look_unlike(taken: &[SeriesStyle]) -> SeriesStyle {
    let inks = [BLUE, VERMILLION, GREEN, PURPLE, GREY, SKY, ORANGE];
    let shapes = [Shape::Circle, Shape::Square, Shape::Up, Shape::Diamond, Shape::Down];
    let all = inks.into_iter().flat_map(|ink| shapes.map(|shape| SeriesStyle { ink, shape }));
    let count = |is_so: &dyn Fn(&SeriesStyle) -> bool| taken.iter().filter(|one| is_so(one)).count();
    let cost = |style: &SeriesStyle| {
        let of_ink = count(&|one| one.ink == style.ink);
        (count(&|one| one == style), of_ink, count(&|one| one.shape == style.shape))
    };
    all.min_by_key(cost).unwrap_or(series_style(usize::MAX))
}
