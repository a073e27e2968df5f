//! A chart of lines in pixels. Its labels stand near their lines where that hides little, or else in a column next to the chart.

use super::font;
use super::label::LINE;
use super::model::{LegendEntry, Lines, Mark, Point, Series, Shape, Stroke};
use super::palette::{GRID, MUTED};
use super::panel::{EDGE, WIDTH, centred, draw_head, draw_x_axis};
use super::scale::{Axis, AxisRange, holds};
use super::scene::{Anchor, Frame, MarkTip, Position, Scene, Text};
use crate::report::draw::label::{Obstacles, spread_labels, width_of, wrap};
use crate::report::draw::palette::{Ink, PAPER};

/// From this share of the axis on, a line ends at the right border and its label stands next to the chart.
const AT_END: f64 = 0.93;
/// A mark nearer than this to the last large one of its line is small, px.
const BETWEEN_MARKS: f64 = 8.0;
/// A line of more points than this has smaller marks and plain intervals.
const MANY: usize = 30;
/// The height of a chart, px, unless the labels of its lines need more.
const HEIGHT: f64 = 260.0;
/// Space between a chart and what is above it, px; labels may be placed there.
const HEADROOM: f64 = 14.0;

/// What all charts of a plot share.
pub struct LinesLayout {
    x: AxisRange,
    y: AxisRange,
    y_ticks: Vec<f64>,
    left: f64,
    height: f64,
    keys: Vec<LegendEntry>,
    /// Whether every chart has at most one line, and it is the same in all: then it needs no label.
    is_alone: bool,
}

impl LinesLayout {
    pub fn of<'a>(charts: &'a [&Lines]) -> Self {
        let points = || {
            let of = |chart: &'a &Lines| chart.series.iter().flat_map(|series| &series.points);
            charts.iter().flat_map(move |chart| of(chart).filter(|point| has_place(chart, point)))
        };
        let guides = charts.iter().flat_map(|chart| &chart.guides).map(|guide| guide.at);
        let ends = points().flat_map(|point| [Some(point.y), point.low, point.high]).flatten();
        let x = Axis::range_of(charts.iter().map(|chart| &chart.x), points().map(|point| point.x));
        let x = AxisRange { doubles: true, ..x };
        let y = Axis::range_of(charts.iter().map(|chart| &chart.y), ends.chain(guides));
        let mut names = charts.iter().flat_map(|chart| &chart.series).map(|series| &series.label);
        let first = names.next();
        let is_alone =
            charts.iter().all(|chart| chart.series.len() < 2) && names.all(|name| Some(name) == first);
        let of_labels =
            charts.iter().map(|chart| Label::all(chart, is_alone).iter().map(Label::height).sum());
        let height = of_labels.fold(HEIGHT, f64::max);
        let (text, filled) = ("one sample, so no interval".to_string(), false);
        let key =
            LegendEntry { text, ink: MUTED, mark: Some(Mark { shape: Shape::Circle, filled }), hollow: true };
        let keys = points().any(|point| point.single).then_some(key).into_iter().collect();
        // As many ticks as there is room for.
        let gap = |pair: &[f64]| (y.share(pair[1]) - y.share(pair[0])) * height;
        let y_ticks = y.ticks_that(|ticks| ticks.windows(2).all(|pair| gap(pair) > 1.8 * LINE));
        let widths = y_ticks.iter().map(|tick| font::width(&y.text(*tick), font::SIZE, false));
        let left = EDGE + widths.fold(0.0, f64::max) + 8.0;
        Self { x, y, y_ticks, left, height, keys, is_alone }
    }
}

/// A chart with the decisions that are made before anything is drawn.
struct View<'a> {
    chart: &'a Lines,
    layout: &'a LinesLayout,
    frame: Frame,
}

/// The picture of `chart`.
pub fn scene(chart: &Lines, layout: &LinesLayout) -> Scene {
    let mut scene = Scene::of_width(WIDTH);
    let top = draw_head(&mut scene, &chart.y.title, &layout.keys) + HEADROOM;
    let frame = Frame { left: layout.left, top, right: WIDTH - EDGE, bottom: top + layout.height };
    let mut view = View { chart, layout, frame };
    let mut labels = Label::all(chart, layout.is_alone);
    let is_at_end = |x: f64| layout.x.share(x) >= AT_END;
    labels.iter_mut().for_each(|label| label.is_outside = label.x.is_some_and(is_at_end));
    // A label without a place inside goes outside, which leaves less room inside: repeat until all have a place.
    while !view.place_inside(&mut labels) {}
    view.draw_axes(&mut scene);
    // Thin lines are drawn first, under the others.
    let mut series: Vec<&Series> = chart.series.iter().collect();
    series.sort_by_key(|one| !one.thin);
    series.iter().for_each(|one| view.draw_series(&mut scene, one));
    view.draw_labels(&mut scene, labels);
    scene.height = (view.frame.bottom + 2.0 * LINE + 14.0).round();
    scene
}

/// Whether both axes have a place for the point.
fn has_place(chart: &Lines, point: &Point) -> bool {
    holds(chart.x.scale, point.x) && holds(chart.y.scale, point.y)
}

impl<'a> View<'a> {
    fn x(&self, value: f64) -> f64 {
        self.frame.left + self.layout.x.share(value) * self.frame.width()
    }

    fn y(&self, value: f64) -> f64 {
        self.frame.bottom - self.layout.y.share(value) * self.frame.height()
    }

    /// A horizontal line at this value, from the left to the right end of the chart.
    fn across(&self, value: f64) -> Vec<Position> {
        vec![(self.frame.left, self.y(value)), (self.frame.right, self.y(value))]
    }

    fn draw_axes(&self, scene: &mut Scene) {
        let Frame { left, right, bottom, .. } = self.frame;
        for tick in &self.layout.y_ticks {
            scene.line(self.across(*tick), GRID, 1.0, Stroke::Solid);
        }
        for tick in &self.layout.y_ticks {
            let text = self.layout.y.text(*tick);
            scene.text(Text::new(&text, (left - 7.0, self.y(*tick)), Anchor::Right, MUTED));
        }
        draw_x_axis(scene, &self.layout.x, &self.frame, false);
        let at = ((left + right) / 2.0, bottom + 9.0 + LINE * 1.5);
        scene.text(centred(Text::new(&self.chart.x.title, at, Anchor::Center, MUTED).bold()));
        for guide in self.chart.guides.iter().filter(|guide| holds(self.chart.y.scale, guide.at)) {
            scene.line(self.across(guide.at), guide.ink, 1.3, guide.stroke);
        }
    }

    fn points(&self, series: &'a Series) -> impl Iterator<Item = (&'a Point, Position)> {
        let points = series.points.iter().filter(|point| has_place(self.chart, point));
        points.map(|point| (point, (self.x(point.x), self.y(point.y))))
    }

    fn places(&self, series: &'a Series) -> Vec<Position> {
        self.points(series).map(|(_, place)| place).collect()
    }

    fn draw_series(&self, scene: &mut Scene, series: &'a Series) {
        let width = if series.thin { 1.2 } else { 2.0 };
        scene.line(self.places(series), series.ink, width, series.stroke);
        let has_many = series.points.len() > MANY;
        for (point, (x, _)) in self.points(series) {
            let ends = [point.low, point.high].map(|end| end.filter(|end| holds(self.chart.y.scale, *end)));
            let [Some(low), Some(high)] = ends.map(|end| end.map(|end| self.y(end))) else { continue };
            // The mark hides a shorter interval.
            if low - high <= 3.0 {
                continue;
            }
            // Many intervals form a cloud, without caps; few have caps at their ends.
            let width = if has_many { 0.6 } else { 1.2 };
            scene.line(vec![(x, low), (x, high)], series.ink, width, Stroke::Solid);
            for y in [low, high].into_iter().filter(|_| !has_many) {
                scene.line(vec![(x - 3.5, y), (x + 3.5, y)], series.ink, 1.2, Stroke::Solid);
            }
        }
        let Some(mark) = series.mark else { return };
        let (mut large, mut small): (Vec<MarkTip>, Vec<MarkTip>) = Default::default();
        for (point, at) in self.points(series) {
            let spot = MarkTip { at, told: &point.told, single: point.single };
            let gap = large.last().map(|last| (at.0 - last.at.0).hypot(at.1 - last.at.1));
            if gap.is_some_and(|gap| gap < BETWEEN_MARKS) { &mut small } else { &mut large }.push(spot);
        }
        scene.marks(&large, mark, if series.thin || has_many { 2.8 } else { 3.6 }, series.ink);
        scene.marks(&small, mark, 1.8, series.ink);
    }
}

/// Space between the chart and the labels next to it, px.
const OUTSIDE: f64 = 13.0;
/// The greatest width of labels next to the chart, px.
const WIDEST: f64 = 150.0;
/// A label goes next to the chart if hiding, or the distance from its line, costs at least this in every place.
const TOO_HIDDEN: f64 = 5.0;
/// No label comes nearer than this to a lone mark, of a line with one point, px.
const LONE_MARK: f64 = 4.0;
/// A label at least this far to the right of its line has a leader, px.
const LEADER: f64 = 24.0;

/// The label of a line or guide.
pub struct Label<'a> {
    text: &'a str,
    lines: Vec<String>,
    ink: Ink,
    /// Whether its first line is bold: it is the name, and the other lines add to it.
    bold: bool,
    /// The last point of a line, or a guide, which has no x.
    pub x: Option<f64>,
    y: f64,
    pub is_outside: bool,
    /// Its place, if it is inside the chart.
    frame: Option<Frame>,
}

impl<'a> Label<'a> {
    /// The labels of all lines and guides that have a place in `chart`; a line that is the only one of its plot needs none.
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

    /// Gives the frame that the label covers, from its upper left corner.
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
    /// Makes the chart as wide as the labels outside allow, and finds places inside for all others. A label without a place is marked as
    /// outside: then there is less room, and false is returned.
    pub fn place_inside(&mut self, labels: &mut [Label]) -> bool {
        let outside = labels.iter().filter(|label| label.is_outside);
        let column = outside.map(Label::width).fold(0.0, f64::max);
        self.frame.right = WIDTH - EDGE - if column > 0.0 { column + OUTSIDE } else { 8.0 };
        let mut obstacles = Obstacles::default();
        for series in &self.chart.series {
            let places = self.places(series);
            obstacles.add_line(&places);
            // A label would hide a mark that has no line.
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
            // The label of a guide may be as wide as the chart.
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

    /// Draws all labels: those outside under each other, each with a leader to its line or guide.
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
