//! Plots as data, without anything about pixels.

use super::palette::Ink;
use super::scale::Axis;

/// What one figure shows: a panel for each machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// Serves as an anchor and as the stem of file names.
    pub id: String,
    pub title: String,
    pub caption: String,
    /// The panels; their axes have the same ends.
    pub panels: Vec<Panel>,
}

/// One chart with its axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// The machine; empty where it need not be said.
    pub heading: String,
    /// The runs that the values come from, in a line.
    pub source: String,
    pub chart: Chart,
}

/// The kinds of chart that there are.
#[derive(Clone, Debug, PartialEq)]
pub enum Chart {
    Lines(Lines),
    Rows(Rows),
}

/// Lines over two axes, each labelled at its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Lines {
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
    pub guides: Vec<Guide>,
}

/// One line of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The text at the end of the line; `\n` breaks it.
    pub label: String,
    /// Ascending in x.
    pub points: Vec<Point>,
    pub ink: Ink,
    pub mark: Option<Mark>,
    pub stroke: Stroke,
    /// Drawn thinner: there for comparison.
    pub thin: bool,
}

/// One value, with the interval that it lies in where it was measured more than once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Shown when a reader points at it.
    pub told: String,
    /// Whether it is one sample alone, which has no interval.
    pub single: bool,
}

/// A line to compare with: horizontal among [`Lines`], vertical among [`Rows`].
#[derive(Clone, Debug, PartialEq)]
pub struct Guide {
    pub at: f64,
    pub label: String,
    pub ink: Ink,
    pub stroke: Stroke,
}

/// Horizontal rows under each other, over one axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    pub x: Axis,
    pub rows: Vec<Row>,
    pub guides: Vec<Guide>,
    pub keys: Vec<LegendEntry>,
}

/// One row: bars in lanes, dots that share its height, or both. A row without bars, dots and band is a heading of the rows below.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    pub label: String,
    /// Text to the right of the row.
    pub note: String,
    pub band: Option<Band>,
    pub bars: Vec<Bar>,
    pub dots: Vec<Dot>,
    /// What the upper and the lower end of its height stand for, where dots are placed by something.
    pub ends: Option<(String, String)>,
}

impl Row {
    pub fn is_heading(&self) -> bool {
        self.band.is_none() && self.bars.is_empty() && self.dots.is_empty()
    }
}

/// A range drawn as an area under a row. Open to the left without `low`, to the right without `high`.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub told: String,
}

/// A bar from one value to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    pub from: f64,
    pub to: f64,
    pub ink: Ink,
    /// Text after its end.
    pub text: String,
    pub told: String,
    /// The lane of the row, counted from the uppermost, 0, down.
    pub lane: usize,
}

/// A value within a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Dot {
    pub x: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// The height within the row, from 0, its upper end, to 1.
    pub within: f64,
    pub ink: Ink,
    pub mark: Mark,
    pub told: String,
}

/// What a mark or a colour means, above the chart.
#[derive(Clone, Debug, PartialEq)]
pub struct LegendEntry {
    pub text: String,
    pub ink: Ink,
    /// None for bars and bands.
    pub mark: Option<Mark>,
    /// Whether the mark stands for single samples, which are drawn hollow.
    pub hollow: bool,
}

/// How a point is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    pub shape: Shape,
    /// Open marks are published values, or what is not confirmed.
    pub filled: bool,
}

/// The shape of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    Circle,
    Square,
    Diamond,
    Up,
    Down,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stroke {
    Solid,
    Dashed,
    Dotted,
    /// Not at all.
    None,
}

impl Stroke {
    /// Lengths of dashes and of the gaps between them, px. None of a line without gaps.
    pub fn dashes(self) -> Option<(f64, f64)> {
        match self {
            Self::Dashed => Some((6.0, 4.5)),
            Self::Dotted => Some((0.6, 4.0)),
            Self::Solid | Self::None => None,
        }
    }
}

/// A plot, drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The panels for a page, which writes title, heading, caption and source itself.
    pub panels: Vec<PanelSvg>,
    /// All panels as a picture of its own, with title, headings and sources inside: an `<svg>` element without an XML declaration.
    pub svg: String,
    /// The picture of all panels as PNG.
    pub png: Vec<u8>,
}

/// A panel, drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct PanelSvg {
    pub heading: String,
    pub source: String,
    /// An `<svg>` element, which the page has to describe for those who cannot see it.
    pub svg: String,
}
