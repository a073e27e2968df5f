//! A chart of lines in pixels.

mod labels;

use super::font;
use super::label::LINE;
use super::model::{Key, Lines, Mark, Point, Series, Shape, Stroke};
use super::palette::{GRID, MUTED};
use super::panel::{EDGE, WIDTH, centred, draw_head, draw_x_axis};
use super::scale::{Axis, AxisRange, holds};
use super::scene::{Anchor, Frame, Position, Scene, Spot, Text};
use labels::Label;

/// From this share of the axis on, a line ends at the right border and its label stands next to the chart.
const AT_END: f64 = 0.93;
/// A mark nearer than this to the last large one of its line is small, px.
const BETWEEN_MARKS: f64 = 8.0;
/// A line of more points than this has smaller marks and plain intervals.
const MANY: usize = 30;
/// A chart is so high, px, or as high as the labels of its lines need.
const HEIGHT: f64 = 260.0;
/// Between a chart and what stands above it, px: labels may stand there.
const HEADROOM: f64 = 14.0;

/// What all charts of a plot share.
pub struct LinesLayout {
    x: AxisRange,
    y: AxisRange,
    y_ticks: Vec<f64>,
    left: f64,
    height: f64,
    keys: Vec<Key>,
    /// Whether no chart has a second line, or another than the others.
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
        let key = Key { text, ink: MUTED, mark: Some(Mark { shape: Shape::Circle, filled }), hollow: true };
        let keys = points().any(|point| point.single).then_some(key).into_iter().collect();
        // As many as there is room for.
        let gap = |pair: &[f64]| (y.share(pair[1]) - y.share(pair[0])) * height;
        let y_ticks = y.ticks_that(|ticks| ticks.windows(2).all(|pair| gap(pair) > 1.8 * LINE));
        let widths = y_ticks.iter().map(|tick| font::width(&y.text(*tick), font::SIZE, false));
        let left = EDGE + widths.fold(0.0, f64::max) + 8.0;
        Self { x, y, y_ticks, left, height, keys, is_alone }
    }
}

/// What has been decided before anything is drawn.
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
    // What finds no place inside goes outside, which leaves less room inside.
    while !view.place_inside(&mut labels) {}
    view.draw_axes(&mut scene);
    // Thin lines lie behind the others.
    let mut series: Vec<&Series> = chart.series.iter().collect();
    series.sort_by_key(|one| !one.thin);
    series.iter().for_each(|one| view.draw_series(&mut scene, one));
    view.draw_labels(&mut scene, labels);
    scene.height = (view.frame.bottom + 2.0 * LINE + 14.0).round();
    scene
}

/// Whether both axes have a place for it.
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

    /// From the left to the right end.
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
            // A mark hides what is shorter.
            if low - high <= 3.0 {
                continue;
            }
            // Many intervals are a cloud; few have ends.
            let width = if has_many { 0.6 } else { 1.2 };
            scene.line(vec![(x, low), (x, high)], series.ink, width, Stroke::Solid);
            for y in [low, high].into_iter().filter(|_| !has_many) {
                scene.line(vec![(x - 3.5, y), (x + 3.5, y)], series.ink, 1.2, Stroke::Solid);
            }
        }
        let Some(mark) = series.mark else { return };
        let (mut large, mut small): (Vec<Spot>, Vec<Spot>) = Default::default();
        for (point, at) in self.points(series) {
            let spot = Spot { at, told: &point.told, single: point.single };
            let gap = large.last().map(|last| (at.0 - last.at.0).hypot(at.1 - last.at.1));
            if gap.is_some_and(|gap| gap < BETWEEN_MARKS) { &mut small } else { &mut large }.push(spot);
        }
        scene.marks(&large, mark, if series.thin || has_many { 2.8 } else { 3.6 }, series.ink);
        scene.marks(&small, mark, 1.8, series.ink);
    }
}
