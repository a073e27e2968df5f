//! What is drawn: data and nothing of pixels.

use super::facts::Facts;
use super::heat::Heat;
use super::palette::{self, Ink, SeriesStyle};
use super::scale::Axis;
use super::source::Source;

/// One picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// Unique within a run.
    pub id: String,
    /// The finding: one sentence without a full stop, computed from what is drawn.
    pub title: String,
    /// What is drawn, in a line.
    pub shows: String,
    /// What readers need besides, in sentences computed from the records.
    pub caption: String,
    /// What it shows, for those who cannot see it.
    pub alt: String,
    /// Where its values come from; stands below the picture. None where nobody knows.
    pub source: Option<Source>,
    pub chart: Chart,
}

/// The kinds of picture that there are.
#[derive(Clone, Debug, PartialEq)]
pub enum Chart {
    Lines(Lines),
    Rows(Rows),
    Heat(Heat),
}

/// Lines over two axes, each labelled at its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Lines {
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
    pub guides: Vec<Guide>,
    pub keys: Vec<Key>,
}

impl Lines {
    /// Without keys: what each line is stands at its end.
    pub fn new(x: Axis, y: Axis, series: Vec<Series>, guides: Vec<Guide>) -> Self {
        Self { x, y, series, guides, keys: Vec::new() }
    }

    /// Against the number of vertices.
    pub fn by_n(y: Axis, series: Vec<Series>, guides: Vec<Guide>) -> Self {
        Self::new(Axis::vertices(), y, series, guides)
    }
}

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Unique within the chart.
    pub name: String,
    /// At the end of the line, on a wide screen; lines of text may be several. None where keys explain it.
    pub label: Option<String>,
    /// The label on a phone.
    pub short: Option<String>,
    /// Ascending in x.
    pub points: Vec<Point>,
    pub ink: Ink,
    pub mark: Option<Mark>,
    pub stroke: Stroke,
    /// Drawn thinner: there for comparison.
    pub thin: bool,
}

impl Series {
    /// A line with filled marks that is called `label` wherever it has a name; lines of that are parts of its name.
    pub fn new(label: &str, points: Vec<Point>, looks: SeriesStyle) -> Self {
        Self {
            name: label.replace('\n', ", "),
            label: Some(label.into()),
            short: Some(label.into()),
            points,
            ink: looks.ink,
            mark: Some(Mark { shape: looks.shape, filled: true }),
            stroke: Stroke::Solid,
            thin: false,
        }
    }
}

/// One value, with the interval that it lies in where it was measured more than once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub facts: Facts,
}

impl Point {
    /// A value without an interval.
    pub fn at(x: f64, y: f64) -> Self {
        Self { x, y, low: None, high: None, facts: Facts::default() }
    }
}

/// A horizontal line to compare with; in [`Rows`] a vertical one.
#[derive(Clone, Debug, PartialEq)]
pub struct Guide {
    pub at: f64,
    pub label: String,
    /// The label on a phone.
    pub short: String,
    pub ink: Ink,
    pub stroke: Stroke,
}

impl Guide {
    pub fn new(
        at: f64,
        label: impl Into<String>,
        short: impl Into<String>,
        ink: Ink,
        stroke: Stroke,
    ) -> Self {
        Self { at, label: label.into(), short: short.into(), ink, stroke }
    }

    /// Where two are equal.
    pub fn equal(label: &str) -> Self {
        Self::new(1.0, label, label, palette::GREY, Stroke::Solid)
    }
}

/// What a mark or a colour means, above the chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    pub text: String,
    pub ink: Ink,
    /// A filled square where there is none.
    pub mark: Option<Mark>,
    pub stroke: Stroke,
}

impl Key {
    /// What circles of this colour are, filled or open.
    pub fn circles(text: &str, filled: bool, ink: Ink, stroke: Stroke) -> Self {
        Self { text: text.into(), ink, mark: Some(Mark { shape: Shape::Circle, filled }), stroke }
    }

    /// What an area of this colour is.
    pub fn area(text: &str, ink: Ink) -> Self {
        Self { text: text.into(), ink, mark: None, stroke: Stroke::None }
    }
}

/// How a point is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    pub shape: Shape,
    /// Open marks are published values, or what is not confirmed.
    pub filled: bool,
}

impl Mark {
    /// What the page's script calls it: in lower case where it is open.
    pub(super) fn letter(self) -> &'static str {
        let (filled, open) = match self.shape {
            Shape::Circle => ("C", "c"),
            Shape::Square => ("S", "s"),
            Shape::Diamond => ("D", "d"),
            Shape::Up => ("U", "u"),
            Shape::Down => ("V", "v"),
        };
        if self.filled { filled } else { open }
    }
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

/// Horizontal rows under each other, over one axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    pub x: Axis,
    pub rows: Vec<Row>,
    /// What the rows are, above their labels.
    pub heading: String,
    /// What the notes are, above them.
    pub note_heading: String,
    pub guides: Vec<Guide>,
    pub keys: Vec<Key>,
    /// Each row starts where the one above ends: a line joins them.
    pub joined: bool,
    /// Rows are as low as a line of text, and every point stands in the middle of its row. A row without any data is a heading of
    /// those below it.
    pub dense: bool,
}

impl Rows {
    /// Without headings and guides, neither joined nor dense.
    pub fn new(x: Axis, rows: Vec<Row>, keys: Vec<Key>) -> Self {
        let (heading, note_heading) = (String::new(), String::new());
        Self { x, rows, heading, note_heading, guides: Vec::new(), keys, joined: false, dense: false }
    }
}

/// One row: bars in lanes, points that share its height, or both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    pub label: String,
    /// To the right of the chart.
    pub note: String,
    /// The colour of the note, where it is not that of all.
    pub note_ink: Option<Ink>,
    pub band: Option<Band>,
    /// From the upper lane to the lower.
    pub bars: Vec<Bar>,
    pub traces: Vec<Trace>,
    /// What the upper and the lower end of its height stand for, where points are placed by something.
    pub ends: Option<(String, String)>,
}

impl Row {
    /// What the rows below it are of, in a dense chart.
    pub fn titled(label: String) -> Self {
        Self { label, ..Self::default() }
    }

    /// Whether it is a heading in a dense chart.
    pub fn is_heading(&self) -> bool {
        self.band.is_none() && self.bars.is_empty() && self.traces.is_empty()
    }
}

/// A range behind a row. Open to the left where there is no `low`, to the right where there is no `high`.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub text: String,
}

/// From one value to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    pub from: f64,
    pub to: f64,
    pub ink: Ink,
    /// Drawn as a frame: legible without colours beside a filled one.
    pub hollow: bool,
    /// What it is, for the list of values.
    pub name: String,
    /// Beside its end.
    pub text: String,
    pub lane: usize,
    /// The interval of its end, which is not drawn.
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub facts: Facts,
}

impl Bar {
    /// A filled bar in the upper lane, without an interval and a text.
    pub fn new(from: f64, to: f64, ink: Ink, name: String) -> Self {
        let (low, high, facts) = (None, None, Facts::default());
        Self { from, to, ink, hollow: false, name, text: String::new(), lane: 0, low, high, facts }
    }
}

/// Points within a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    pub name: String,
    pub points: Vec<RowPoint>,
    pub ink: Ink,
    pub mark: Mark,
    pub stroke: Stroke,
}

/// A value within a row.
#[derive(Clone, Debug, PartialEq)]
pub struct RowPoint {
    pub x: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// From 0, the upper end of the row, to 1.
    pub within: f64,
    /// What `within` stands for.
    pub name: String,
    pub facts: Facts,
}

impl RowPoint {
    /// A value without an interval.
    pub fn at(x: f64, within: f64, name: String) -> Self {
        Self { x, low: None, high: None, within, name, facts: Facts::default() }
    }
}

/// A picture, drawn.
pub struct Figure {
    /// Unique; an anchor and the stem of file names.
    pub id: String,
    /// The finding: one sentence without a full stop.
    pub title: String,
    /// What is drawn, in a line.
    pub shows: String,
    /// What readers need besides: where the numbers come from, what is missing.
    pub caption: String,
    /// What it shows, for those who cannot see it.
    pub alt: String,
    /// Where the values come from, as one line; empty where nobody knows.
    pub source: String,
    /// An `<svg>` element for wide screens, for a page that has title, alt and source beside it.
    pub wide: String,
    /// An `<svg>` element for a screen of 390 px.
    pub narrow: String,
    /// The wide one as a picture of its own, with title and source inside: an `<svg>` element without an XML declaration.
    pub svg: String,
    /// That picture as PNG.
    pub png: Vec<u8>,
    /// What the page's script needs to answer questions about values, as JSON; empty where it cannot.
    pub data: String,
    /// Every value that is drawn, as CSV.
    pub csv: String,
}
