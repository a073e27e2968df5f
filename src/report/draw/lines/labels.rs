//! Where the labels of a chart of lines stand: near their lines where that hides little, or else in a column next to the chart.

use super::super::font;
use super::super::label::{LINE, Obstacles, spread_labels, width_of, wrap};
use super::super::model::{Lines, Stroke};
use super::super::palette::{Ink, PAPER};
use super::super::panel::{EDGE, WIDTH};
use super::super::scale::holds;
use super::super::scene::{Anchor, Frame, Position, Scene, Text};
use super::{HEADROOM, View, has_place};

/// Between the chart and the labels next to it, px.
const OUTSIDE: f64 = 13.0;
/// Labels next to the chart are at most so wide, px.
const WIDEST: f64 = 150.0;
/// A label that would hide more than this, or be that far from its line, stands next to the chart.
const TOO_HIDDEN: f64 = 5.0;
/// No label comes nearer than this to a mark that has no line, px.
const LONE_MARK: f64 = 4.0;
/// A label that is so far right of its line has a leader, px.
const LEADER: f64 = 24.0;

/// What says which line or guide something is.
pub struct Label<'a> {
    text: &'a str,
    lines: Vec<String>,
    ink: Ink,
    /// Whether its first line is bold: all others say more of what that names.
    bold: bool,
    /// The last point of a line, or a guide, which has no x.
    pub x: Option<f64>,
    y: f64,
    pub is_outside: bool,
    /// Where it stands, if that is inside.
    frame: Option<Frame>,
}

impl<'a> Label<'a> {
    /// The labels of everything that has a place in `chart`; a line that is the only one of its plot needs none.
    pub fn all(chart: &'a Lines, is_alone: bool) -> Vec<Self> {
        let label = |text: &'a String, ink, bold, x, y| {
            let lines = wrap(text, WIDEST, font::SIZE, bold);
            Self { text, lines, ink, bold, x, y, is_outside: false, frame: None }
        };
        let of_series = chart.series.iter().filter(|_| !is_alone).filter_map(|series| {
            let last = series.points.iter().rfind(|point| has_place(chart, point))?;
            Some(label(&series.label, series.ink, !series.thin, Some(last.x), last.y))
        });
        let guides = chart.guides.iter().filter(|guide| holds(chart.y.scale, guide.at));
        let of_guides = guides.map(|guide| label(&guide.label, guide.ink, false, None, guide.at));
        of_series.chain(of_guides).filter(|label| !label.text.is_empty()).collect()
    }

    pub fn height(&self) -> f64 {
        self.lines.len() as f64 * LINE
    }

    fn width(&self) -> f64 {
        width_of(&self.lines, self.bold)
    }

    /// What it covers from a place on.
    fn frames(&self) -> impl Fn(f64, f64) -> Frame + use<> {
        let (width, height) = (self.width(), self.height());
        move |left, top| Frame { left, top, right: left + width, bottom: top + height }
    }

    /// Writes its lines under each other.
    fn draw(&self, scene: &mut Scene, (left, top): Position) {
        for (at, line) in self.lines.iter().enumerate() {
            let text = Text::new(line, (left, top + (at as f64 + 0.5) * LINE), Anchor::Left, self.ink);
            scene.text(if self.bold && at == 0 { text.bold() } else { text });
        }
    }
}

impl View<'_> {
    /// Makes the chart as wide as the labels next to it allow, and finds places within it for all others. What has none is to stand
    /// outside: then there is less room, and the answer is false.
    pub fn place_inside(&mut self, labels: &mut [Label]) -> bool {
        let outside = labels.iter().filter(|label| label.is_outside);
        let column = outside.map(Label::width).fold(0.0, f64::max);
        self.frame.right = WIDTH - EDGE - if column > 0.0 { column + OUTSIDE } else { 8.0 };
        let mut obstacles = Obstacles::default();
        for series in &self.chart.series {
            let places = self.places(series);
            obstacles.add_line(&places);
            // A mark without a line would be lost behind a label.
            if let [(x, y)] = places[..] {
                obstacles.frames.push(Frame { left: x, top: y, right: x, bottom: y }.grown(LONE_MARK));
            }
        }
        for guide in self.chart.guides.iter().filter(|guide| holds(self.chart.y.scale, guide.at)) {
            obstacles.add_line(&self.across(guide.at));
        }
        let within = Frame { top: self.frame.top - HEADROOM, right: self.frame.right + 2.0, ..self.frame };
        let mut all_found = true;
        for label in labels.iter_mut().filter(|label| !label.is_outside) {
            // A guide has all of the chart's width.
            let widest = if label.x.is_none() { self.frame.width() - 8.0 } else { WIDEST };
            label.lines = wrap(label.text, widest, font::SIZE, label.bold);
            let places = match label.x {
                Some(x) => near_end(label, (self.x(x), self.y(label.y))),
                None => self.along(label),
            };
            label.frame = obstacles.best(&within, places, TOO_HIDDEN);
            obstacles.frames.extend(label.frame);
            if label.frame.is_none() {
                label.lines = wrap(label.text, WIDEST, font::SIZE, label.bold);
                label.is_outside = true;
                all_found = false;
            }
        }
        all_found
    }

    /// Places above and below a guide, each with what it costs.
    fn along(&self, label: &Label) -> Vec<(Frame, f64)> {
        let (y, frame_at) = (self.y(label.y), label.frames());
        let room = self.frame.width() - label.width() - 8.0;
        let places = (0..=40).flat_map(|step| {
            let left = self.frame.left + 4.0 + room * f64::from(step) / 40.0;
            let cost = f64::from(step) * 0.005;
            let above = frame_at(left, y - label.height() - 3.0);
            [(above, cost), (frame_at(left, y + 3.0), cost + 0.2)]
        });
        places.collect()
    }

    /// Labels outside stand under each other, each with a leader to what it belongs to.
    pub fn draw_labels(&self, scene: &mut Scene, labels: Vec<Label>) {
        let end = |label: &Label| (label.x.map_or(self.frame.right - 6.0, |x| self.x(x)), self.y(label.y));
        let (outside, inside): (Vec<Label>, _) = labels.into_iter().partition(|label| label.is_outside);
        let wanted: Vec<f64> = outside.iter().map(|label| self.y(label.y)).collect();
        let heights: Vec<f64> = outside.iter().map(Label::height).collect();
        let Frame { top, bottom, .. } = self.frame.grown(LINE / 2.0);
        let left = self.frame.right + OUTSIDE;
        for (label, centre) in outside.iter().zip(spread_labels(&wanted, &heights, top, bottom)) {
            let (x, y) = end(label);
            let bend = (self.frame.right + 1.0).max(x + 6.0);
            scene.line(vec![(x + 6.0, y), (bend, y), (left - 3.0, centre)], label.ink, 0.8, Stroke::Solid);
            label.draw(scene, (left, centre - label.height() / 2.0));
        }
        for (label, frame) in inside.iter().filter_map(|label| Some((label, label.frame?))) {
            let (x, y) = end(label);
            if frame.left >= x + LEADER {
                let leader = vec![(x + 6.0, y), (frame.left - 3.0, frame.middle())];
                scene.line(leader, label.ink, 0.8, Stroke::Solid);
            }
            // Lines of the grid would cross it.
            scene.area(frame, PAPER, 0.75, "");
            label.draw(scene, (frame.left, frame.top));
        }
    }
}

/// Places around the end of a line that ends within the chart, and further right with a leader; each with what it costs.
fn near_end(label: &Label, (x, y): Position) -> Vec<(Frame, f64)> {
    let (width, half, frame_at) = (label.width(), label.height() / 2.0, label.frames());
    let around = |dx: f64, dy: f64| frame_at(x + dx, y + dy - half);
    let mut places = Vec::new();
    for far in [0.0, 5.0, 10.0, 15.0] {
        for side in [-1.0, 1.0] {
            places.push((around(9.0, side * far), far * 0.3));
            places.push((around(LEADER, side * far * 2.0), 2.0 + far * 0.1));
            places.extend([0.5, 0.25, 0.75, 0.0, 1.0].map(|share| {
                (around(-width * share, side * (half + 6.0 + far)), 0.55 + side * 0.05 + far * 0.3)
            }));
        }
    }
    places
}
