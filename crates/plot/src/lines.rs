//! A chart of lines in pixels.

mod labels;

use super::facts::Facts;
use super::font;
use super::label::{LINE, Obstacles, clipped, wrap};
use super::layout::{EDGE, ESTIMATE, Layout, Sign, head};
use super::model::{Guide, Lines, Point, Series, Stroke};
use super::palette::{GRID, Ink, MUTED, PAPER};
use super::scale::{Range, significant};
use super::scene::{Anchor, Frame, Item, Part, Position, Scene, Text};

/// From this share of the axis on, a line ends at the right border and its label stands next to the chart.
const AT_END: f64 = 0.93;
/// Between the chart and the labels next to it, px.
const BESIDE: f64 = 14.0;
/// Marks of one line are at least so far apart, px.
const BETWEEN_MARKS: f64 = 8.0;
/// A line of more points than this has smaller marks and plain intervals.
const MANY: usize = 30;

/// Labels are clipped to this share of the picture's width.
const WIDEST_LABEL: f64 = 0.36;
/// What has been decided before anything is drawn.
struct View<'a> {
    chart: &'a Lines,
    layout: Layout,
    x: Range,
    y: Range,
    plot: Frame,
    y_ticks: Vec<f64>,
    /// Which series and which guides have their labels next to the chart.
    beside: Beside,
}

#[derive(Clone, PartialEq)]
struct Beside {
    series: Vec<bool>,
    guides: Vec<bool>,
}

/// A label within the chart.
struct Inside {
    of: Part,
    frame: Frame,
    lines: Vec<String>,
    ink: Ink,
    bold: bool,
    /// To what it belongs, where that is not next to it.
    leader: Vec<Position>,
}

/// The picture of `chart`.
pub fn scene(chart: &Lines, layout: Layout) -> Scene {
    let mut scene = Scene { width: layout.width(), height: layout.height(), items: Vec::new() };
    let signs = Sign::of(&chart.keys, facts_of(chart));
    let top = head(&mut scene, &chart.y.title, signs, 2.0) + 8.0;
    let heads: Vec<Frame> = scene.texts().map(Text::frame).collect();
    let mut view = View::new(chart, layout, top, None);
    // What finds no place inside goes beside, which leaves less room inside.
    let mut inside = Vec::new();
    for _ in 0..3 {
        let (placed, beside) = view.place_inside(&heads);
        inside = placed;
        if beside == view.beside {
            break;
        }
        view = View::new(chart, layout, top, Some(beside));
    }
    let ends = |range: &Range| (range.low, range.high);
    scene.items.push(Item::Ends { frame: view.plot, x: ends(&view.x), y: ends(&view.y) });
    view.x_title(&mut scene);
    scene.part(Part::Axes);
    view.grid(&mut scene);
    view.guides(&mut scene);
    view.series(&mut scene);
    view.labels_beside(&mut scene);
    for label in inside {
        scene.part(label.of);
        // Lines of the grid would cross it.
        scene.area(label.frame, PAPER, 0.75);
        view.write(&mut scene, &label);
    }
    view.jumps(&mut scene);
    scene
}

fn shown(chart: &Lines, point: &Point) -> bool {
    chart.x.holds(point.x) && chart.y.holds(point.y)
}

/// The lines of a label; none where there is none.
fn label_of(series: &Series, layout: Layout) -> Vec<String> {
    let label = match layout {
        Layout::Wide => series.label.as_deref(),
        Layout::Narrow => series.short.as_deref(),
    };
    let widest = layout.width() * WIDEST_LABEL;
    label.unwrap_or_default().lines().map(|line| clipped(line, widest, true)).collect()
}

fn guide_label(guide: &Guide, layout: Layout) -> &str {
    if layout == Layout::Wide { &guide.label } else { &guide.short }
}

fn label_width(lines: &[String]) -> f64 {
    lines.iter().map(|line| font::width(line, font::SIZE, true)).fold(0.0, f64::max)
}

fn ends_beside(series: &Series, chart: &Lines, x: &Range) -> bool {
    let last = series.points.iter().rfind(|point| shown(chart, point));
    last.is_some_and(|last| x.share(last.x) >= AT_END)
}

impl<'a> View<'a> {
    /// Without `beside`, the labels of all lines that end at the right border are there.
    fn new(chart: &'a Lines, layout: Layout, top: f64, beside: Option<Beside>) -> Self {
        let points =
            || chart.series.iter().flat_map(|series| &series.points).filter(|point| shown(chart, point));
        let x = chart.x.range(points().map(|point| point.x));
        let ends = |point: &Point| [Some(point.y), point.low, point.high];
        let guides = chart.guides.iter().map(|guide| guide.at);
        let y = chart.y.range(points().flat_map(ends).flatten().chain(guides));
        let bottom = layout.height() - 2.0 * LINE - 12.0;
        // As many as there is room for.
        let far = |ticks: &[f64]| {
            ticks.windows(2).all(|pair| (y.share(pair[1]) - y.share(pair[0])) * (bottom - top) > 1.8 * LINE)
        };
        let y_ticks =
            (2..=9).rev().map(|most| y.ticks(most)).find(|ticks| far(ticks)).unwrap_or_else(|| y.ticks(2));
        let widest = y_ticks
            .iter()
            .map(|tick| font::width(&y.quantity.text(*tick), font::SIZE, false))
            .fold(0.0, f64::max);
        let beside = beside.unwrap_or_else(|| Beside {
            series: chart.series.iter().map(|series| ends_beside(series, chart, &x)).collect(),
            guides: vec![false; chart.guides.len()],
        });
        let of_series = chart.series.iter().zip(&beside.series).filter(|(_, beside)| **beside);
        let of_guides = chart.guides.iter().zip(&beside.guides).filter(|(_, beside)| **beside);
        let column = of_series
            .map(|(series, _)| label_width(&label_of(series, layout)))
            .chain(of_guides.map(|(guide, _)| label_width(&guide_lines(guide, layout))))
            .fold(0.0, f64::max);
        let width = layout.width();
        let right = if column > 0.0 { width - EDGE - column - BESIDE } else { width - EDGE - 8.0 };
        let plot = Frame { left: EDGE + widest + 8.0, top, right, bottom };
        Self { chart, layout, x, y, plot, y_ticks, beside }
    }

    fn place(&self, x: f64, y: f64) -> Position {
        let Frame { left, bottom, .. } = self.plot;
        (left + self.x.share(x) * self.plot.width(), bottom - self.y.share(y) * self.plot.height())
    }

    fn grid(&self, scene: &mut Scene) {
        let Frame { left, right, bottom, .. } = self.plot;
        for tick in &self.y_ticks {
            let y = self.place(self.x.low, *tick).1;
            scene.line(vec![(left, y), (right, y)], GRID, 1.0, Stroke::Solid);
        }
        for tick in &self.y_ticks {
            let y = self.place(self.x.low, *tick).1;
            let text = self.y.quantity.text(*tick);
            scene.text(Text::new(&text, (left - 7.0, y), Anchor::Right, MUTED));
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
        let ticks = self.x.ticks(most);
        for &tick in &ticks {
            let x = self.place(tick, self.y.low).0;
            scene.line(vec![(x, bottom), (x, bottom + 4.0)], MUTED, 1.0, Stroke::Solid);
        }
        scene.line(vec![(left, bottom), (right, bottom)], MUTED, 1.0, Stroke::Solid);
        for tick in ticks {
            let x = self.place(tick, self.y.low).0;
            let half = font::width(&self.x.quantity.text(tick), font::SIZE, false) / 2.0;
            let x = x.clamp(EDGE + half, (scene.width - EDGE - half).max(EDGE + half));
            let text = self.x.quantity.text(tick);
            scene.text(Text::new(&text, (x, bottom + 7.0 + LINE / 2.0), Anchor::Middle, MUTED));
        }
    }

    fn x_title(&self, scene: &mut Scene) {
        let Frame { left, right, bottom, .. } = self.plot;
        let title = clipped(&self.chart.x.title, scene.width - 2.0 * EDGE, true);
        let half = font::width(&title, font::SIZE, true) / 2.0;
        let middle = ((left + right) / 2.0).clamp(EDGE + half, (scene.width - EDGE - half).max(EDGE + half));
        let y = bottom + 9.0 + LINE * 1.5;
        scene.text(Text::new(&title, (middle, y), Anchor::Middle, MUTED).bold());
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

    fn places(&self, series: &Series) -> Vec<Position> {
        let points = series.points.iter().filter(|point| shown(self.chart, point));
        points.map(|point| self.place(point.x, point.y)).collect()
    }

    fn series(&self, scene: &mut Scene) {
        let all = || self.chart.series.iter().enumerate();
        let order = all().filter(|(_, one)| one.thin);
        for (at, series) in order.chain(all().filter(|(_, one)| !one.thin)) {
            scene.part(Part::Series(at));
            let places = self.places(series);
            let width = if series.thin { 1.2 } else { 2.0 };
            scene.line(places.clone(), series.ink, width, series.stroke);
            // Many intervals are a cloud behind their line; few have ends.
            let dense = places.len() > MANY;
            for point in &series.points {
                self.interval(scene, point, series, dense);
            }
            self.marks(scene, series);
        }
    }

    /// Marks at the points of a line, as many as there is room for.
    fn marks(&self, scene: &mut Scene, series: &Series) {
        let Some(mark) = series.mark else { return };
        let shown: Vec<(Position, Facts)> = series
            .points
            .iter()
            .filter(|point| shown(self.chart, point))
            .map(|point| (self.place(point.x, point.y), point.facts))
            .collect();
        let radius = if series.thin || shown.len() > MANY { 2.8 } else { 3.8 };
        let mut last: Option<Position> = None;
        let mut drawn: Vec<(Position, Facts)> = Vec::new();
        for (at, &(place, facts)) in shown.iter().enumerate() {
            let far = last.is_none_or(|last| (place.0 - last.0).hypot(place.1 - last.1) > BETWEEN_MARKS);
            if far || at + 1 == shown.len() {
                drawn.push((place, facts));
                last = Some(place);
            }
        }
        let of = |single: bool| -> Vec<Position> {
            drawn.iter().filter(|(_, facts)| facts.is_single() == single).map(|(place, _)| *place).collect()
        };
        scene.marks(&of(false), mark, radius, series.ink);
        scene.single_marks(&of(true), mark.shape, radius, series.ink);
        for ((x, y), _) in drawn.iter().filter(|(_, facts)| facts.estimated) {
            scene.text(Text::new(ESTIMATE, (*x, y - radius - 7.0), Anchor::Middle, series.ink).bold());
        }
    }

    fn interval(&self, scene: &mut Scene, point: &Point, series: &Series, dense: bool) {
        let (Some(low), Some(high)) = (point.low, point.high) else { return };
        if !shown(self.chart, point) || !self.chart.y.holds(low) || !self.chart.y.holds(high) {
            return;
        }
        let ((x, below), (_, above)) = (self.place(point.x, low), self.place(point.x, high));
        // A mark hides what is shorter.
        if dense && below - above > 3.0 {
            scene.faint_line(vec![(x, below), (x, above)], series.ink, 1.0);
        } else if below - above > 3.0 {
            scene.line(vec![(x, below), (x, above)], series.ink, 1.2, Stroke::Solid);
            for y in [below, above] {
                scene.line(vec![(x - 3.5, y), (x + 3.5, y)], series.ink, 1.2, Stroke::Solid);
            }
        }
    }

    /// How many times as long a task takes where it takes much longer than at the point before.
    fn jumps(&self, scene: &mut Scene) {
        let mut obstacles =
            Obstacles { frames: scene.texts().map(Text::frame).collect(), ..Obstacles::default() };
        self.chart.series.iter().for_each(|series| obstacles.add_line(&self.places(series)));
        for (at, series) in self.chart.series.iter().enumerate() {
            for pair in series.points.windows(2) {
                let Some(jump) = pair[1].facts.jump.filter(|_| pair.iter().all(|one| shown(self.chart, one)))
                else {
                    continue;
                };
                let ends = [&pair[0], &pair[1]].map(|point| self.place(point.x, point.y));
                let middle = ((ends[0].0 + ends[1].0) / 2.0, (ends[0].1 + ends[1].1) / 2.0);
                let text = jump_text(jump);
                let width = font::width(&text, font::SIZE, false);
                let around = [-1.0, 1.0].into_iter().flat_map(|side| {
                    [10.0, 16.0, 26.0, 40.0]
                        .into_iter()
                        .flat_map(move |far| [-30.0, -14.0, 0.0, 14.0, 30.0].map(move |dy| (side, far, dy)))
                });
                let frames = around.map(|(side, far, dy)| {
                    let left = if side < 0.0 { middle.0 - far - width } else { middle.0 + far };
                    let top = middle.1 + dy - LINE / 2.0;
                    (Frame { left, top, right: left + width, bottom: top + LINE }, far * 0.05)
                });
                if let Some(frame) = obstacles.best(&self.plot, frames, 1e4) {
                    obstacles.frames.push(frame);
                    scene.part(Part::Series(at));
                    scene.area(frame, PAPER, 0.75);
                    let place = (frame.left, (frame.top + frame.bottom) / 2.0);
                    scene.text(Text::new(&text, place, Anchor::Left, series.ink));
                }
            }
        }
    }
}

fn jump_text(jump: f64) -> String {
    format!("time a task ×{}", significant(jump, 2))
}

/// The facts that marks show.
fn facts_of(chart: &Lines) -> impl Iterator<Item = Facts> {
    let marked = chart.series.iter().filter(|one| one.mark.is_some());
    marked.flat_map(|one| &one.points).map(|point| point.facts)
}

/// The label of a guide, broken for the column beside the chart.
fn guide_lines(guide: &Guide, layout: Layout) -> Vec<String> {
    let widest = layout.width() * WIDEST_LABEL;
    let lines = wrap(guide_label(guide, layout), widest * 0.75, false);
    // A single long word may be as wide as the label of a line.
    lines.iter().map(|line| clipped(line, widest, false)).collect()
}
