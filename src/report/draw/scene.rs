//! A picture in pixels: lines, areas, circles and texts in the order in which they are drawn.

use super::font;
use super::model::{Mark, Shape, Stroke};
use super::palette::{Ink, PAPER};
pub use plotters::style::text_anchor::HPos as Anchor;

/// plotters places text too high, by this share of its size: half way up the letters should be at its place.
pub const TEXT_LOWER: f64 = 0.15;

/// A place, px from the upper left corner.
pub type Position = (f64, f64);

/// Everything that a picture shows, in the order in which it is drawn.
#[derive(Default)]
pub struct Scene {
    pub width: f64,
    pub height: f64,
    pub items: Vec<Item>,
}

/// One thing that is drawn. An inset is a whole scene, shifted to the right and down by its position. An item with a `told` text shows that
/// text when a reader points at it.
pub enum Item {
    Line { points: Vec<Position>, ink: Ink, width: f64, stroke: Stroke },
    Area { points: Vec<Position>, ink: Ink, opacity: f64, told: String },
    Circle { at: Position, radius: f64, ink: Ink, told: String },
    Text(Text),
    Inset(Position, Scene),
}

/// One line of text; `at` is half way up its letters.
pub struct Text {
    pub text: String,
    pub at: Position,
    pub anchor: Anchor,
    pub size: f64,
    pub bold: bool,
    pub ink: Ink,
}

/// The place of a mark, and the text that it shows to a pointer.
pub struct MarkTip<'a> {
    pub at: Position,
    pub told: &'a str,
    /// Whether it stands for a single sample: drawn open, with a dot inside.
    pub single: bool,
}

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Frame {
    pub fn width(&self) -> f64 {
        self.right - self.left
    }

    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }

    pub fn middle(&self) -> f64 {
        (self.top + self.bottom) / 2.0
    }

    pub fn overlaps(&self, other: &Self) -> bool {
        let across = self.left < other.right && other.left < self.right;
        across && self.top < other.bottom && other.top < self.bottom
    }

    pub fn encloses(&self, other: &Self) -> bool {
        let across = self.left <= other.left && other.right <= self.right;
        across && self.top <= other.top && other.bottom <= self.bottom
    }

    /// The frame, larger by `by` on every side.
    pub fn grown(&self, by: f64) -> Self {
        Self { left: self.left - by, top: self.top - by, right: self.right + by, bottom: self.bottom + by }
    }
}

impl Text {
    pub fn new(text: &str, at: Position, anchor: Anchor, ink: Ink) -> Self {
        Self { text: text.to_string(), at, anchor, size: font::SIZE, bold: false, ink }
    }

    pub fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    /// The frame that the text covers.
    pub fn frame(&self) -> Frame {
        let width = font::width(&self.text, self.size, self.bold);
        let (x, y) = self.at;
        let left = match self.anchor {
            Anchor::Left => x,
            Anchor::Center => x - width / 2.0,
            Anchor::Right => x - width,
        };
        let half = self.size * 0.55;
        Frame { left, top: y - half, right: left + width, bottom: y + half }
    }
}

impl Scene {
    pub fn of_width(width: f64) -> Self {
        Self { width, ..Self::default() }
    }

    pub fn line(&mut self, points: Vec<Position>, ink: Ink, width: f64, stroke: Stroke) {
        if points.len() > 1 && stroke != Stroke::None {
            self.items.push(Item::Line { points, ink, width, stroke });
        }
    }

    pub fn area(&mut self, frame: Frame, ink: Ink, opacity: f64, told: &str) {
        let Frame { left, top, right, bottom } = frame;
        let points = vec![(left, top), (right, top), (right, bottom), (left, bottom)];
        self.items.push(Item::Area { points, ink, opacity, told: told.to_string() });
    }

    pub fn text(&mut self, text: Text) {
        if !text.text.is_empty() {
            self.items.push(Item::Text(text));
        }
    }

    /// Draws marks of one look: filled, or open with paper inside. Shapes of one kind are pushed together: one SVG element each.
    pub fn marks(&mut self, spots: &[MarkTip], mark: Mark, radius: f64, ink: Ink) {
        let radius_of = |spot: &MarkTip| if spot.single { radius + 1.0 } else { radius };
        for spot in spots {
            self.shape(spot.at, mark.shape, radius_of(spot), ink, spot.told);
        }
        for spot in spots.iter().filter(|spot| spot.single || !mark.filled) {
            self.shape(spot.at, mark.shape, radius_of(spot) - 1.5, PAPER, "");
        }
        for spot in spots.iter().filter(|spot| spot.single) {
            self.shape(spot.at, Shape::Circle, 1.2, ink, "");
        }
    }

    fn shape(&mut self, (x, y): Position, shape: Shape, radius: f64, ink: Ink, told: &str) {
        let told = told.to_string();
        // The corners give all shapes about the same area.
        let corners: &[Position] = match shape {
            Shape::Circle => return self.items.push(Item::Circle { at: (x, y), radius, ink, told }),
            Shape::Square => &[(-0.88, -0.88), (0.88, -0.88), (0.88, 0.88), (-0.88, 0.88)],
            Shape::Diamond => &[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)],
            Shape::Up => &[(0.0, -1.2), (1.15, 0.85), (-1.15, 0.85)],
            Shape::Down => &[(0.0, 1.2), (-1.15, -0.85), (1.15, -0.85)],
        };
        let points = corners.iter().map(|(dx, dy)| (x + dx * radius, y + dy * radius)).collect();
        self.items.push(Item::Area { points, ink, opacity: 1.0, told });
    }
}
