//! A picture in pixels: lines, areas, circles and texts in the order in which they are drawn.

use super::facts::Facts;
use super::font;
use super::model::{Mark, Shape, Stroke};
use super::palette::{Ink, PAPER};

/// A place, px from the upper left corner.
pub type Position = (f64, f64);

/// All of a picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    pub width: f64,
    pub height: f64,
    pub items: Vec<Item>,
}

/// One thing that is drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    Line {
        points: Vec<Position>,
        ink: Ink,
        width: f64,
        stroke: Stroke,
        opacity: f64,
    },
    Area {
        points: Vec<Position>,
        ink: Ink,
        opacity: f64,
    },
    Circle {
        at: Position,
        radius: f64,
        ink: Ink,
    },
    Text(Text),
    /// Nothing to see: what the items from here on belong to.
    Part(Part),
    /// Nothing to see: where a chart of lines lies, and what its ends stand for.
    Ends {
        frame: Frame,
        x: (f64, f64),
        y: (f64, f64),
    },
    /// Nothing to see: here is a value that readers can ask for. Each layout has the same ones in the same order.
    Value(Value),
}

/// What belongs together, so that a page can single it out or draw it anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What never changes.
    Fixed,
    /// Ticks, their numbers and guides.
    Axes,
    /// The line with this place in the chart, with its marks and its label.
    Series(usize),
}

/// A value that is drawn at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    pub at: Position,
    /// The row that it stands in.
    pub row: String,
    /// What it is, within its row.
    pub name: String,
    pub value: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub facts: Facts,
}

/// Where a text is, from its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Left,
    Middle,
    Right,
}

/// One line of text; `at` is half way up its letters.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    pub text: String,
    pub at: Position,
    pub anchor: Anchor,
    pub size: f64,
    pub bold: bool,
    pub ink: Ink,
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

    pub fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    pub fn contains(&self, (x, y): Position) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }

    pub fn encloses(&self, other: &Self) -> bool {
        self.contains((other.left, other.top)) && self.contains((other.right, other.bottom))
    }

    /// Larger by so much on every side.
    pub fn grown(&self, by: f64) -> Self {
        Self { left: self.left - by, top: self.top - by, right: self.right + by, bottom: self.bottom + by }
    }
}

impl Item {
    pub fn as_text(&self) -> Option<&Text> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl Text {
    pub fn new(text: &str, at: Position, anchor: Anchor, ink: Ink) -> Self {
        Self { text: text.to_string(), at, anchor, size: font::SIZE, bold: false, ink }
    }

    pub fn bold(mut self) -> Self {
        self.bold = true;
        self
    }

    pub fn width(&self) -> f64 {
        font::width(&self.text, self.size, self.bold)
    }

    /// What it covers.
    pub fn frame(&self) -> Frame {
        let width = self.width();
        let (x, y) = self.at;
        let left = match self.anchor {
            Anchor::Left => x,
            Anchor::Middle => x - width / 2.0,
            Anchor::Right => x - width,
        };
        let half = self.size * 0.55;
        Frame { left, top: y - half, right: left + width, bottom: y + half }
    }
}

impl Scene {
    pub fn line(&mut self, points: Vec<Position>, ink: Ink, width: f64, stroke: Stroke) {
        if points.len() > 1 && stroke != Stroke::None {
            self.items.push(Item::Line { points, ink, width, stroke, opacity: 1.0 });
        }
    }

    /// What may lie behind others of its kind.
    pub fn faint_line(&mut self, points: Vec<Position>, ink: Ink, width: f64) {
        self.items.push(Item::Line { points, ink, width, stroke: Stroke::Solid, opacity: 0.4 });
    }

    pub fn area(&mut self, frame: Frame, ink: Ink, opacity: f64) {
        let Frame { left, top, right, bottom } = frame;
        let points = vec![(left, top), (right, top), (right, bottom), (left, bottom)];
        self.items.push(Item::Area { points, ink, opacity });
    }

    /// What is drawn from here on belongs to `part`.
    pub fn part(&mut self, part: Part) {
        self.items.push(Item::Part(part));
    }

    /// A value that readers can ask for.
    pub fn value(&mut self, value: Value) {
        self.items.push(Item::Value(value));
    }

    pub fn text(&mut self, text: Text) {
        if !text.text.is_empty() {
            self.items.push(Item::Text(text));
        }
    }

    /// A mark around `at`: filled, or open with paper inside.
    pub fn mark(&mut self, at: Position, mark: Mark, radius: f64, ink: Ink) {
        self.marks(&[at], mark, radius, ink);
    }

    /// A mark around each of `places`.
    pub fn marks(&mut self, places: &[Position], mark: Mark, radius: f64, ink: Ink) {
        places.iter().for_each(|at| self.shape(*at, mark.shape, radius, ink));
        if !mark.filled {
            places.iter().for_each(|at| self.shape(*at, mark.shape, radius - 1.5, PAPER));
        }
    }

    /// Marks of single samples: open, with a dot inside.
    pub fn single_marks(&mut self, places: &[Position], shape: Shape, radius: f64, ink: Ink) {
        self.marks(places, Mark { shape, filled: false }, radius + 1.0, ink);
        places.iter().for_each(|at| self.shape(*at, Shape::Circle, 1.2, ink));
    }

    /// Everything lower by `dy`.
    pub fn shifted(mut self, dy: f64) -> Self {
        let move_all = |points: &mut Vec<Position>| points.iter_mut().for_each(|place| place.1 += dy);
        for item in &mut self.items {
            match item {
                Item::Line { points, .. } | Item::Area { points, .. } => move_all(points),
                Item::Circle { at, .. } => at.1 += dy,
                Item::Text(text) => text.at.1 += dy,
                Item::Value(value) => value.at.1 += dy,
                Item::Ends { frame, .. } => {
                    frame.top += dy;
                    frame.bottom += dy;
                }
                Item::Part(_) => {}
            }
        }
        self.height += dy;
        self
    }

    fn shape(&mut self, (x, y): Position, shape: Shape, radius: f64, ink: Ink) {
        // Of about the same area.
        let corners: &[Position] = match shape {
            Shape::Circle => {
                self.items.push(Item::Circle { at: (x, y), radius, ink });
                return;
            }
            Shape::Square => &[(-0.88, -0.88), (0.88, -0.88), (0.88, 0.88), (-0.88, 0.88)],
            Shape::Diamond => &[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)],
            Shape::Up => &[(0.0, -1.2), (1.15, 0.85), (-1.15, 0.85)],
            Shape::Down => &[(0.0, 1.2), (-1.15, -0.85), (1.15, -0.85)],
        };
        let points = corners.iter().map(|(dx, dy)| (x + dx * radius, y + dy * radius)).collect();
        self.items.push(Item::Area { points, ink, opacity: 1.0 });
    }

    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        self.items.iter().filter_map(Item::as_text)
    }

    /// The whole of it.
    pub fn frame(&self) -> Frame {
        Frame { left: 0.0, top: 0.0, right: self.width, bottom: self.height }
    }
}
