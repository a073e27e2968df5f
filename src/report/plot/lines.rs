//! A chart of lines in pixels.

use super::font;
use super::label::{LINE, Obstacles, apart, clipped};
use super::layout::{EDGE, Layout, head};
use super::model::{Guide, Lines, Point, Series, Stroke};
use super::palette::{GRID, MUTED};
use super::scale::Range;
use super::scene::{Anchor, Frame, Place, Scene, Text};

/// From this share of the axis on, a line ends at the right border and its label stands beside the chart.
const AT_END: f64 = 0.93;
/// Between the chart and the labels beside it, px.
const BESIDE: f64 = 16.0;
/// Marks of one line are at least so far apart, px.
const BETWEEN_MARKS: f64 = 8.0;

/// What has been decided before anything is drawn.
struct View<'a> {
    chart: &'a Lines,
    layout: Layout,
    x: Range,
    y: Range,
    plot: Frame,
}

/// The picture of `chart`.
pub fn scene(chart: &Lines, layout: Layout) -> Scene {
    let mut scene = Scene { width: layout.width(), height: layout.height(), items: Vec::new() };
    let top = head(&mut scene, &chart.y.title, &chart.keys, 2.0) + 8.0;
    let points = || chart.series.iter().flat_map(|series| &series.points).filter(|point| shown(chart, point));
    let x = chart.x.range(points().map(|point| point.x));
    let ends = |point: &Point| [Some(point.y), point.low, point.high];
    let guides = chart.guides.iter().map(|guide| guide.at);
    let y = chart.y.range(points().flat_map(ends).flatten().chain(guides));
    let bottom = scene.height - 2.0 * LINE - 10.0;
    let y_ticks = y.ticks(((bottom - top) / 42.0) as usize);
    let y_texts: Vec<String> = y_ticks.iter().map(|tick| y.quantity.text(*tick)).collect();
    let widest = y_texts.iter().map(|text| font::width(text, font::SIZE, false)).fold(0.0, f64::max);
    let beside = chart
        .series
        .iter()
        .filter(|series| ends_beside(series, chart, &x))
        .flat_map(|series| label_of(series, layout).map(label_width))
        .fold(0.0, f64::max);
    let right = if beside > 0.0 { scene.width - EDGE - beside - BESIDE } else { scene.width - EDGE - 8.0 };
    let plot = Frame { left: EDGE + widest + 8.0, top, right, bottom };
    let view = View { chart, layout, x, y, plot };
    view.grid(&mut scene, &y_ticks, &y_texts);
    view.guides(&mut scene);
    view.series(&mut scene);
    view.labels(&mut scene);
    scene
}

fn shown(chart: &Lines, point: &Point) -> bool {
    chart.x.holds(point.x) && chart.y.holds(point.y)
}

fn label_of(series: &Series, layout: Layout) -> Option<&str> {
    match layout {
        Layout::Wide => series.label.as_deref(),
        Layout::Narrow => series.short.as_deref(),
    }
}

fn label_width(label: &str) -> f64 {
    label.lines().map(|line| font::width(line, font::SIZE, true)).fold(0.0, f64::max)
}

fn ends_beside(series: &Series, chart: &Lines, x: &Range) -> bool {
    let last = series.points.iter().rfind(|point| shown(chart, point));
    last.is_some_and(|last| x.share(last.x) >= AT_END)
}

impl View<'_> {
    fn place(&self, x: f64, y: f64) -> Place {
        let Frame { left, bottom, .. } = self.plot;
        (left + self.x.share(x) * self.plot.width(), bottom - self.y.share(y) * self.plot.height())
    }

    fn grid(&self, scene: &mut Scene, y_ticks: &[f64], y_texts: &[String]) {
        let Frame { left, top, right, bottom } = self.plot;
        for (tick, text) in y_ticks.iter().zip(y_texts) {
            let y = self.place(self.x.low, *tick).1;
            scene.line(vec![(left, y), (right, y)], GRID, 1.0, Stroke::Solid);
            scene.text(Text::new(text, (left - 7.0, y), Anchor::Right, MUTED));
        }
        let widest = |ticks: &[f64]| {
            let of = |tick: &f64| font::width(&self.x.quantity.text(*tick), font::SIZE, false);
            ticks.iter().map(of).fold(0.0, f64::max)
        };
        // As many as fit with a space between them.
        let most = (2..=10usize)
            .rev()
            .find(|&most| {
                let ticks = self.x.ticks(most);
                let places: Vec<f64> = ticks.iter().map(|tick| self.place(*tick, self.y.low).0).collect();
                places.windows(2).all(|pair| pair[1] - pair[0] > widest(&ticks) + 10.0)
            })
            .unwrap_or(2);
        for tick in self.x.ticks(most) {
            let x = self.place(tick, self.y.low).0;
            scene.line(vec![(x, bottom), (x, bottom + 4.0)], MUTED, 1.0, Stroke::Solid);
            let half = font::width(&self.x.quantity.text(tick), font::SIZE, false) / 2.0;
            let x = x.clamp(EDGE + half, (scene.width - EDGE - half).max(EDGE + half));
            let text = self.x.quantity.text(tick);
            scene.text(Text::new(&text, (x, bottom + 5.0 + LINE / 2.0), Anchor::Middle, MUTED));
        }
        scene.line(vec![(left, bottom), (right, bottom)], MUTED, 1.0, Stroke::Solid);
        let title = clipped(&self.chart.x.title, scene.width - 2.0 * EDGE, true);
        let half = font::width(&title, font::SIZE, true) / 2.0;
        let middle = ((left + right) / 2.0).clamp(EDGE + half, (scene.width - EDGE - half).max(EDGE + half));
        let y = bottom + 7.0 + LINE * 1.5;
        scene.text(Text::new(&title, (middle, y), Anchor::Middle, MUTED).bold());
        let _ = top;
    }

    fn guides(&self, scene: &mut Scene) {
        for guide in &self.chart.guides {
            if self.chart.y.holds(guide.at) {
                let y = self.place(self.x.low, guide.at).1;
                let line = vec![(self.plot.left, y), (self.plot.right, y)];
                scene.line(line, guide.ink, 1.3, guide.stroke);
            }
        }
    }

    fn places(&self, series: &Series) -> Vec<Place> {
        let points = series.points.iter().filter(|point| shown(self.chart, point));
        points.map(|point| self.place(point.x, point.y)).collect()
    }

    fn series(&self, scene: &mut Scene) {
        let order = self.chart.series.iter().filter(|one| one.thin);
        for series in order.chain(self.chart.series.iter().filter(|one| !one.thin)) {
            let places = self.places(series);
            let width = if series.thin { 1.2 } else { 2.0 };
            scene.line(places.clone(), series.ink, width, series.stroke);
            for point in &series.points {
                self.interval(scene, point, series);
            }
            let Some(mark) = series.mark else { continue };
            let radius = if series.thin || places.len() > 30 { 2.8 } else { 3.8 };
            let mut last: Option<Place> = None;
            for (at, &place) in places.iter().enumerate() {
                let far = last.is_none_or(|last| (place.0 - last.0).hypot(place.1 - last.1) > BETWEEN_MARKS);
                if far || at + 1 == places.len() {
                    scene.mark(place, mark, radius, series.ink);
                    last = Some(place);
                }
            }
        }
    }

    fn interval(&self, scene: &mut Scene, point: &Point, series: &Series) {
        let (Some(low), Some(high)) = (point.low, point.high) else { return };
        if !shown(self.chart, point) || !self.chart.y.holds(low) || !self.chart.y.holds(high) {
            return;
        }
        let ((x, below), (_, above)) = (self.place(point.x, low), self.place(point.x, high));
        // A mark hides what is shorter.
        if below - above > 3.0 {
            scene.line(vec![(x, below), (x, above)], series.ink, 1.2, Stroke::Solid);
            for y in [below, above] {
                scene.line(vec![(x - 3.5, y), (x + 3.5, y)], series.ink, 1.2, Stroke::Solid);
            }
        }
    }

    fn labels(&self, scene: &mut Scene) {
        let mut obstacles = Obstacles::default();
        for series in &self.chart.series {
            let places = self.places(series);
            obstacles.add_line(&places);
        }
        for guide in self.chart.guides.iter().filter(|guide| self.chart.y.holds(guide.at)) {
            let y = self.place(self.x.low, guide.at).1;
            obstacles.add_line(&[(self.plot.left, y), (self.plot.right, y)]);
        }
        self.labels_beside(scene);
        for guide in &self.chart.guides {
            self.label_guide(scene, guide, &mut obstacles);
        }
        for series in self.chart.series.iter().filter(|one| !ends_beside(one, self.chart, &self.x)) {
            self.label_inside(scene, series, &mut obstacles);
        }
    }

    /// In a column to the right, with a leader to each line's end.
    fn labels_beside(&self, scene: &mut Scene) {
        let beside: Vec<(&Series, &str, Place)> = self
            .chart
            .series
            .iter()
            .filter(|series| ends_beside(series, self.chart, &self.x))
            .filter_map(|series| Some((series, label_of(series, self.layout)?, *self.places(series).last()?)))
            .collect();
        let wanted: Vec<f64> = beside.iter().map(|(.., place)| place.1).collect();
        let heights: Vec<f64> =
            beside.iter().map(|(_, label, _)| label.lines().count() as f64 * LINE).collect();
        let centres = apart(&wanted, &heights, self.plot.top - LINE / 2.0, self.plot.bottom + LINE / 2.0);
        let left = self.plot.right + BESIDE;
        for ((series, label, place), centre) in beside.into_iter().zip(centres) {
            let bend = self.plot.right + 2.0;
            let leader =
                vec![(place.0 + 6.0, place.1), (bend.max(place.0 + 7.0), place.1), (left - 3.0, centre)];
            scene.line(leader, series.ink, 0.7, Stroke::Solid);
            self.write(scene, label, (left, centre), series);
        }
    }

    /// The lines of a label around the height of `at`.
    fn write(&self, scene: &mut Scene, label: &str, (x, y): Place, series: &Series) {
        let lines = label.lines().count() as f64;
        for (at, line) in label.lines().enumerate() {
            let y = y + (at as f64 - (lines - 1.0) / 2.0) * LINE;
            let text = Text::new(line, (x, y), Anchor::Left, series.ink);
            scene.text(if series.thin { text } else { text.bold() });
        }
    }

    /// Around the last point of a line that ends within the chart.
    fn label_inside(&self, scene: &mut Scene, series: &Series, obstacles: &mut Obstacles) {
        let places = self.places(series);
        let (Some(label), Some(&(x, y))) = (label_of(series, self.layout), places.last()) else { return };
        let (width, height) = (label_width(label), label.lines().count() as f64 * LINE);
        let around = |dx: f64, dy: f64| {
            let (left, top) = (x + dx, y + dy - height / 2.0);
            Frame { left, top, right: left + width, bottom: top + height }
        };
        let mut candidates = Vec::new();
        for step in 0..12 {
            let far = f64::from(step) * 6.0;
            let dy = height / 2.0 + 7.0 + far;
            candidates.push((around(9.0, -far), far * 0.3));
            candidates.push((around(9.0, far), far * 0.3));
            for share in [0.5, 0.0, 1.0, 0.25, 0.75] {
                candidates.push((around(-width * share, -dy), 0.5 + far * 0.3));
                candidates.push((around(-width * share, dy), 0.5 + far * 0.3));
            }
        }
        if let Some(frame) = obstacles.best(&self.plot.grown(2.0), candidates.into_iter()) {
            self.write(scene, label, (frame.left, (frame.top + frame.bottom) / 2.0), series);
            obstacles.frames.push(frame);
        }
    }

    /// Above or below it, where that hides least.
    fn label_guide(&self, scene: &mut Scene, guide: &Guide, obstacles: &mut Obstacles) {
        if !self.chart.y.holds(guide.at) {
            return;
        }
        let label = match self.layout {
            Layout::Wide => &guide.label,
            Layout::Narrow => &guide.short,
        };
        let label = clipped(label, self.plot.width() - 8.0, false);
        let y = self.place(self.x.low, guide.at).1;
        let width = font::width(&label, font::SIZE, false);
        let room = self.plot.width() - width - 8.0;
        let candidates = (0..=40).flat_map(|step| {
            let left = self.plot.left + 4.0 + room * f64::from(step) / 40.0;
            [(-LINE / 2.0 - 3.0, 0.0), (LINE / 2.0 + 3.0, 0.2)].map(|(dy, cost)| {
                let (top, bottom) = (y + dy - LINE / 2.0, y + dy + LINE / 2.0);
                (Frame { left, top, right: left + width, bottom }, cost + f64::from(step) * 0.005)
            })
        });
        let within = Frame { top: self.plot.top - LINE, ..self.plot };
        if let Some(frame) = obstacles.best(&within, candidates) {
            let at = (frame.left, (frame.top + frame.bottom) / 2.0);
            scene.text(Text::new(&label, at, Anchor::Left, guide.ink));
            obstacles.frames.push(frame);
        }
    }
}
