//! A chart of rows in pixels.

use super::font;
use super::label::{LINE, clipped, wrap};
use super::layout::{EDGE, ESTIMATE, Layout, Sign, head};
use super::model::{Bar, Row, RowPoint, Rows, Stroke};
use super::palette::{BAND, GRID, INK, MUTED, PAPER};
use super::scale::Range;
use super::scene::{Anchor, Frame, Position, Scene, Text, Value};

/// Height of a bar, px, and of a row in which points have places.
const BAR: f64 = 13.0;
const TRACES: f64 = 62.0;
/// Least height of a row of a dense chart, and height of a heading in it, px.
const DENSE: f64 = 12.0;
const HEADING: f64 = 18.0;
/// Height that one of several marks in a row of a dense chart takes, px.
const MARK: f64 = 9.0;
/// A dense chart is no wider than the column of a page, px: made smaller, its many texts could not be read.
const WIDEST_DENSE: f64 = 680.0;
/// Labels left of the chart are at most so wide, px.
const WIDEST_LABEL: f64 = 280.0;

/// The picture of `chart`.
pub fn scene(chart: &Rows, layout: Layout) -> Scene {
    let width = if chart.dense { layout.width().min(WIDEST_DENSE) } else { layout.width() };
    let mut scene = Scene { width, height: 0.0, items: Vec::new() };
    let points = chart.rows.iter().flat_map(|row| &row.traces).flat_map(|trace| &trace.points);
    let signs = Sign::of(&chart.keys, points.map(|point| point.facts));
    let mut top = head(&mut scene, &chart.x.title, signs, 2.0) + 4.0;
    let view = View::new(chart, layout, scene.width);
    top = view.headings(&mut scene, top);
    top = view.guide_labels(&mut scene, top);
    let places = view.places(top);
    let bottom = places.last().map_or(top, |frame| frame.bottom) + 2.0;
    view.grid(&mut scene, top, bottom);
    for (row, frame) in chart.rows.iter().zip(&places) {
        view.row(&mut scene, row, frame);
    }
    // On a phone labels stand between the bars.
    if chart.joined && layout == Layout::Wide {
        view.joints(&mut scene, &places);
    }
    scene.height = (bottom + LINE + 7.0).round();
    scene
}

struct View<'a> {
    chart: &'a Rows,
    layout: Layout,
    x: Range,
    left: f64,
    right: f64,
    width: f64,
}

/// Where the labels of a row's bars end matters to the width that is left for the chart.
fn text_beyond(chart: &Rows, x: &Range, width: f64) -> f64 {
    let bars = chart.rows.iter().flat_map(|row| &row.bars).filter(|bar| !bar.text.is_empty());
    bars.map(|bar| {
        let end = x.share(bar.from.max(bar.to)) * width;
        end + 5.0 + font::width(&bar.text, font::SIZE, false) - width
    })
    .fold(0.0, f64::max)
}

impl<'a> View<'a> {
    fn new(chart: &'a Rows, layout: Layout, width: f64) -> Self {
        let values = chart.rows.iter().flat_map(|row| {
            let bars = row.bars.iter().flat_map(|bar| [bar.from, bar.to]);
            let points = row.traces.iter().flat_map(|trace| &trace.points);
            let points = points.flat_map(|point| [Some(point.x), point.low, point.high]).flatten();
            let band = row.band.iter().flat_map(|band| [band.low, band.high]).flatten();
            bars.chain(points).chain(band)
        });
        let x = chart.x.range(values.chain(chart.guides.iter().map(|guide| guide.at)));
        let widest = |of: &dyn Fn(&Row) -> f64| chart.rows.iter().map(of).fold(0.0, f64::max);
        let mut left = EDGE + widest(&|row| ends_width(row));
        let mut right = width - EDGE;
        if layout == Layout::Wide {
            let label = |row: &Row| {
                if chart.dense && row.is_heading() {
                    return 0.0;
                }
                row.label.lines().map(|line| font::width(line, font::SIZE, !chart.dense)).fold(0.0, f64::max)
            };
            left +=
                widest(&label).min(WIDEST_LABEL).max(font::width(&chart.heading, font::SIZE, false)) + 12.0;
            let note = widest(&|row| font::width(&row.note, font::SIZE, false));
            if note > 0.0 {
                right -= note.max(font::width(&chart.note_heading, font::SIZE, false)) + 12.0;
            }
        }
        right -= text_beyond(chart, &x, right - left);
        Self { chart, layout, x, left, right: right.max(left + 60.0), width }
    }

    fn place(&self, x: f64) -> f64 {
        self.left + self.x.share(x).clamp(0.0, 1.0) * (self.right - self.left)
    }

    fn headings(&self, scene: &mut Scene, top: f64) -> f64 {
        if self.layout == Layout::Narrow
            || (self.chart.heading.is_empty() && self.chart.note_heading.is_empty())
        {
            return top;
        }
        let y = top + LINE / 2.0;
        scene.text(Text::new(&self.chart.heading, (EDGE, y), Anchor::Left, MUTED));
        let right = self.width - EDGE;
        scene.text(Text::new(&self.chart.note_heading, (right, y), Anchor::Right, MUTED));
        top + LINE + 3.0
    }

    fn guide_labels(&self, scene: &mut Scene, top: f64) -> f64 {
        let mut taken: Vec<Frame> = Vec::new();
        for guide in self.chart.guides.iter().filter(|guide| self.chart.x.holds(guide.at)) {
            let label = if self.layout == Layout::Wide { &guide.label } else { &guide.short };
            let label = clipped(label, self.width - 2.0 * EDGE, false);
            let half = font::width(&label, font::SIZE, false) / 2.0;
            let x = self.place(guide.at).clamp(EDGE + half, (self.width - EDGE - half).max(EDGE + half));
            let mut text = Text::new(&label, (x, top + LINE / 2.0), Anchor::Middle, guide.ink);
            while taken.iter().any(|frame| frame.overlaps(&text.frame().grown(1.0))) {
                text.at.1 += LINE;
            }
            taken.push(text.frame());
            scene.text(text);
        }
        taken.iter().map(|frame| frame.bottom + 4.0).fold(top, f64::max)
    }

    /// What each row covers, its label on a phone included.
    fn places(&self, top: f64) -> Vec<Frame> {
        let mut y = top + 4.0;
        self.chart
            .rows
            .iter()
            .map(|row| {
                let start = y;
                let label = if self.layout == Layout::Narrow { LINE + 1.0 } else { 0.0 };
                y += label + self.content_height(row);
                let frame = Frame { left: self.left, top: start, right: self.right, bottom: y };
                y += match (self.chart.dense, row.traces.is_empty()) {
                    (true, _) if self.layout == Layout::Narrow => 4.0,
                    (true, _) => 1.0,
                    (false, true) => 5.0,
                    (false, false) => 14.0,
                };
                frame
            })
            .collect()
    }

    fn grid(&self, scene: &mut Scene, top: f64, bottom: f64) {
        let fits = |ticks: &[f64]| {
            let mut end = f64::NEG_INFINITY;
            ticks.iter().all(|tick| {
                let half = font::width(&self.x.quantity.text(*tick), font::SIZE, false) / 2.0;
                let free = self.place(*tick) - half > end + 10.0;
                end = self.place(*tick) + half;
                free
            })
        };
        let ticks =
            (2..=9).rev().map(|most| self.x.ticks(most)).find(|ticks| fits(ticks)).unwrap_or_default();
        for tick in &ticks {
            let x = self.place(*tick);
            scene.line(vec![(x, top), (x, bottom)], GRID, 1.0, Stroke::Solid);
        }
        for tick in ticks {
            let x = self.place(tick);
            let text = self.x.quantity.text(tick);
            let half = font::width(&text, font::SIZE, false) / 2.0;
            let x = x.clamp(EDGE + half, (self.width - EDGE - half).max(EDGE + half));
            scene.text(Text::new(&text, (x, bottom + 3.0 + LINE / 2.0), Anchor::Middle, MUTED));
        }
        for guide in self.chart.guides.iter().filter(|guide| self.chart.x.holds(guide.at)) {
            let x = self.place(guide.at);
            scene.line(vec![(x, top), (x, bottom)], guide.ink, 1.3, guide.stroke);
        }
        scene.line(vec![(self.left, bottom), (self.right, bottom)], MUTED, 1.0, Stroke::Solid);
    }

    fn row(&self, scene: &mut Scene, row: &Row, frame: &Frame) {
        let mut content = *frame;
        if self.chart.dense && row.is_heading() {
            return self.heading(scene, row, frame);
        }
        let text = |text: Text| if self.chart.dense { text } else { text.bold() };
        let note_ink = row.note_ink.unwrap_or(MUTED);
        match self.layout {
            Layout::Narrow => {
                let y = frame.top + LINE / 2.0;
                let note = font::width(&row.note, font::SIZE, false);
                let room = self.width - 2.0 * EDGE - note - 10.0;
                let label = clipped(&row.label.replace('\n', " "), room, true);
                // The grid would cross it.
                scene.area(
                    Frame { left: EDGE, top: frame.top, right: self.width - EDGE, bottom: frame.top + LINE },
                    PAPER,
                    1.0,
                );
                scene.text(text(Text::new(&label, (EDGE, y), Anchor::Left, INK)));
                scene.text(Text::new(&row.note, (self.width - EDGE, y), Anchor::Right, note_ink));
                content.top += LINE + 1.0;
            }
            Layout::Wide => {
                let middle = (content.top + content.bottom) / 2.0;
                let fitting = ((content.height() / LINE) as usize).max(1);
                let mut lines = match self.chart.dense {
                    true => vec![row.label.clone()],
                    false => wrap(&row.label, WIDEST_LABEL, true),
                };
                lines.truncate(fitting);
                for (at, line) in lines.iter().enumerate() {
                    let y = middle + (at as f64 - (lines.len() as f64 - 1.0) / 2.0) * LINE;
                    let line = clipped(line, WIDEST_LABEL, !self.chart.dense);
                    scene.text(text(Text::new(&line, (EDGE, y), Anchor::Left, INK)));
                }
                let right = self.width - EDGE;
                scene.text(Text::new(&row.note, (right, middle), Anchor::Right, note_ink));
            }
        }
        self.band(scene, row, &content);
        if self.chart.dense {
            // From the label to the note: rows are too low to be told apart by the gaps between them.
            let y = (content.top + content.bottom) / 2.0;
            scene.line(vec![(self.left, y), (self.right, y)], GRID, 1.0, Stroke::Solid);
        }
        for bar in &row.bars {
            self.bar(scene, row, bar, &content);
        }
        self.traces(scene, row, &content);
    }

    /// What the rows below are of, over the whole width; the grid would cross it.
    fn heading(&self, scene: &mut Scene, row: &Row, frame: &Frame) {
        scene.area(Frame { left: EDGE, right: self.width - EDGE, ..*frame }, PAPER, 1.0);
        let label = clipped(&row.label, self.width - 2.0 * EDGE, true);
        let y = frame.bottom - LINE / 2.0;
        scene.text(Text::new(&label, (EDGE, y), Anchor::Left, INK).bold());
    }

    fn band(&self, scene: &mut Scene, row: &Row, content: &Frame) {
        let holds = |end: &f64| self.chart.x.holds(*end);
        let Some(band) = row.band.as_ref().filter(|band| band.low.as_ref().is_none_or(holds)) else { return };
        let left = band.low.map_or(self.left, |low| self.place(low));
        let right = band.high.map_or(self.right, |high| self.place(high));
        // A single number is a thick line.
        let (left, right) = if right - left < 4.0 { (left - 2.0, left + 2.0) } else { (left, right) };
        // Of many bounds below each other, ranges with two ends would not be seen.
        let is_faint = self.chart.dense && (band.low.is_none() || band.high.is_none());
        scene.area(Frame { left, right, ..*content }, BAND, if is_faint { 0.45 } else { 1.0 });
    }

    fn bar(&self, scene: &mut Scene, row: &Row, bar: &Bar, content: &Frame) {
        let finite = |value: f64| value.is_finite();
        if !finite(bar.from) || !finite(bar.to) {
            return;
        }
        let (left, right) = (self.place(bar.from.min(bar.to)), self.place(bar.from.max(bar.to)));
        let top = content.top + bar.lane as f64 * (BAR + 1.0);
        // Something of every bar is seen.
        let frame = Frame { left, top, right: right.max(left + 1.0), bottom: top + BAR };
        scene.area(frame, bar.ink, 1.0);
        if bar.hollow && frame.width() > 4.0 {
            scene.area(frame.grown(-1.5), PAPER, 1.0);
        }
        let middle = (frame.top + frame.bottom) / 2.0;
        scene.text(Text::new(&bar.text, (frame.right + 5.0, middle), Anchor::Left, INK));
        // Where each bar starts at the end of the one above, its end is what was measured; elsewhere a bar is a part of its row.
        let (at, value) = match self.chart.joined {
            true => ((self.place(bar.to), middle), bar.to),
            false => (((frame.left + frame.right) / 2.0, middle), bar.to - bar.from),
        };
        let (row, name) = (row.label.clone(), bar.name.clone());
        let Bar { low, high, facts, .. } = *bar;
        scene.value(Value { at, row, name, value, low, high, facts });
    }

    fn traces(&self, scene: &mut Scene, row: &Row, content: &Frame) {
        // Marks of the first and last point lie within the row.
        let inner = content.height() - 14.0;
        for trace in &row.traces {
            let points = trace.points.iter().filter(|point| self.chart.x.holds(point.x));
            let y = |within: f64| match self.chart.dense {
                true => content.top + within * content.height(),
                false => content.top + 7.0 + within * inner,
            };
            let places: Vec<(f64, f64)> =
                points.clone().map(|point| (self.place(point.x), y(point.within))).collect();
            scene.line(places.clone(), trace.ink, 1.0, trace.stroke);
            for (point, &(_, y)) in points.clone().zip(&places) {
                if let (Some(low), Some(high)) = (point.low, point.high)
                    && self.chart.x.holds(low)
                {
                    let ends = vec![(self.place(low), y), (self.place(high), y)];
                    scene.line(ends, trace.ink, 1.2, Stroke::Solid);
                }
            }
            let of = |single: bool| -> Vec<Position> {
                let pairs = points.clone().zip(&places);
                pairs.filter(|(point, _)| point.facts.is_single() == single).map(|(_, at)| *at).collect()
            };
            scene.marks(&of(false), trace.mark, 3.6, trace.ink);
            scene.single_marks(&of(true), trace.mark.shape, 3.6, trace.ink);
            for (point, &at) in points.zip(&places) {
                if point.facts.estimated {
                    let place = (at.0 + 12.0, at.1);
                    scene.text(Text::new(ESTIMATE, place, Anchor::Middle, trace.ink).bold());
                }
                let RowPoint { x: value, low, high, facts, .. } = *point;
                let name = format!("{}, {}", trace.name, point.name);
                scene.value(Value { at, row: row.label.clone(), name, value, low, high, facts });
            }
        }
        if let Some((upper, lower)) = &row.ends {
            let x = content.left - 6.0;
            scene.text(Text::new(upper, (x, content.top + 7.0), Anchor::Right, MUTED));
            if lower != upper {
                scene.text(Text::new(lower, (x, content.bottom - 7.0), Anchor::Right, MUTED));
            }
        }
    }

    /// Height of a row without its label on a phone, px.
    fn content_height(&self, row: &Row) -> f64 {
        let lanes = row.bars.iter().map(|bar| bar.lane + 1).max().unwrap_or(1) as f64;
        match (self.chart.dense, row.is_heading(), row.traces.is_empty()) {
            (true, true, _) if self.layout == Layout::Narrow => HEADING - LINE,
            (true, true, _) => HEADING,
            (true, false, _) => DENSE.max(MARK * row.traces.len() as f64),
            (false, _, true) => lanes * (BAR + 1.0) - 1.0,
            (false, _, false) => TRACES,
        }
    }

    /// From the end of each row's bar to the next row.
    fn joints(&self, scene: &mut Scene, places: &[Frame]) {
        for (pair, frames) in self.chart.rows.windows(2).zip(places.windows(2)) {
            if let (Some(bar), Some(_)) = (pair[0].bars.first(), pair[1].bars.first()) {
                let x = self.place(bar.to);
                let top = frames[1].bottom - self.content_height(&pair[1]);
                scene.line(vec![(x, frames[0].bottom), (x, top)], MUTED, 1.0, Stroke::Solid);
            }
        }
    }
}

fn ends_width(row: &Row) -> f64 {
    let of = |text: &str| font::width(text, font::SIZE, false) + 8.0;
    row.ends.as_ref().map_or(0.0, |(upper, lower)| of(upper).max(of(lower)))
}

#[cfg(test)]
mod tests {
    use super::super::facts::Facts;
    use super::super::model::{Band, Mark, RowPoint, Shape, Trace};
    use super::super::palette::GREEN;
    use super::super::scale::{Axis, Quantity, Scale};
    use super::*;

    fn row(at: usize) -> Row {
        let point = RowPoint {
            x: 2.0 + at as f64,
            low: Some(1.5),
            high: Some(40.0),
            within: 1.0,
            name: String::new(),
            facts: Facts::default(),
        };
        Row {
            label: format!("claim {at}"),
            note: "DIFFERS".to_string(),
            note_ink: Some(GREEN),
            band: Some(Band { low: None, high: Some(4.0), text: String::new() }),
            traces: vec![Trace {
                name: String::new(),
                points: vec![point],
                ink: GREEN,
                mark: Mark { shape: Shape::Square, filled: true },
                stroke: Stroke::None,
            }],
            ..Row::default()
        }
    }

    fn chart(count: usize) -> Rows {
        let rows =
            std::iter::once(Row::titled("A long title ".repeat(3))).chain((0..count).map(row)).collect();
        Rows { dense: true, ..Rows::new(Axis::new("x", Scale::Log, Quantity::Times), rows, Vec::new()) }
    }

    #[test]
    fn forty_dense_rows_are_lower_than_a_screen_and_no_text_lies_on_another() {
        for layout in Layout::ALL {
            let scene = scene(&chart(40), layout);
            assert!(layout == Layout::Narrow || scene.height < 640.0, "{}", scene.height);
            assert!(scene.width <= WIDEST_DENSE, "{layout:?}: {}", scene.width);
            let texts: Vec<Frame> = scene.texts().map(Text::frame).collect();
            for (at, text) in texts.iter().enumerate() {
                assert!(scene.frame().encloses(text), "{layout:?}: {text:?}");
                let hidden = texts[..at].iter().find(|other| other.overlaps(&text.grown(-1.0)));
                assert_eq!(hidden, None, "{layout:?}: {text:?}");
            }
        }
    }
}
