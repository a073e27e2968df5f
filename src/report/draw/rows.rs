//! A chart of rows in pixels.

use super::font;
use super::label::{LINE, clipped, width_of, wrap};
use super::model::{Bar, Dot, Guide, Row, Rows, Stroke};
use super::palette::{BAND, INK, MUTED, PAPER};
use super::panel::{EDGE, WIDTH, centred, draw_head, draw_x_axis};
use super::scale::{Axis, AxisRange, holds};
use super::scene::{Anchor, Frame, MarkTip, Scene, Text};

/// Height of a bar, px.
const BAR: f64 = 13.0;
/// Height of a row whose dots stand in one place, and what each further place needs, up to a bound, px.
const DOTS: f64 = 14.0;
const DOT: f64 = 7.0;
const HIGHEST: f64 = 64.0;
/// If a label is wider than this, all labels stand above their rows instead of to the left, px.
const WIDEST_BESIDE: f64 = 150.0;
/// Space between a chart and the texts next to it, px.
const BESIDE: f64 = 9.0;
/// Room between the end of a bar and the text there, px.
const BEYOND: f64 = 6.0;

/// What all charts of a plot share.
pub struct RowsLayout {
    x: AxisRange,
    left: f64,
    right: f64,
    /// Whether labels and notes stand above their rows.
    is_above: bool,
}

impl RowsLayout {
    pub fn of(charts: &[&Rows]) -> Self {
        let rows = || charts.iter().flat_map(|chart| &chart.rows);
        let values = rows().flat_map(|row| {
            let bars = row.bars.iter().flat_map(|bar| [bar.from, bar.to]);
            let dots = row.dots.iter().flat_map(|dot| [Some(dot.x), dot.low, dot.high]).flatten();
            let band = row.band.iter().flat_map(|band| [band.low, band.high]).flatten();
            bars.chain(dots).chain(band)
        });
        let guides = charts.iter().flat_map(|chart| &chart.guides).map(|guide| guide.at);
        let x = Axis::range_of(charts.iter().map(|chart| &chart.x), values.chain(guides));
        let width = |text: &str| width_of(&lines_of(text), false);
        // The width of the widest text, with a space next to it.
        let column = |of: &dyn Fn(&Row) -> f64| match rows().map(of).fold(0.0, f64::max) {
            0.0 => 0.0,
            width => width + BESIDE,
        };
        let label = column(&|row| if row.is_heading() { 0.0 } else { width(&row.label) });
        let ends = column(&|row| row.ends.as_ref().map_or(0.0, |(a, b)| width(a).max(width(b))));
        let note = column(&|row| width(&row.note));
        let is_above = label > WIDEST_BESIDE;
        let (mut left, mut right) = (EDGE + ends, WIDTH - EDGE);
        if !is_above {
            left += label;
            right -= note;
        }
        // Narrowed until the text after each bar ends where the chart could have ended.
        let bars = rows().flat_map(|row| &row.bars).filter(|bar| !bar.text.is_empty());
        let widest = bars.map(|bar| {
            let share = x.share(bar.from.max(bar.to)).clamp(0.0, 1.0);
            left + (right - left - BEYOND - width(&bar.text)) / share
        });
        right = widest.fold(right, f64::min);
        Self { x, left, right: right.max(left + 60.0), is_above }
    }

    fn place(&self, x: f64) -> f64 {
        self.left + self.x.share(x).clamp(0.0, 1.0) * (self.right - self.left)
    }
}

/// The picture of `chart`.
pub fn scene(chart: &Rows, layout: &RowsLayout) -> Scene {
    let mut scene = Scene::of_width(WIDTH);
    let top = draw_head(&mut scene, &chart.x.title, &chart.keys) + 5.0;
    let guides: Vec<&Guide> = chart.guides.iter().filter(|guide| holds(chart.x.scale, guide.at)).collect();
    for (at, guide) in guides.iter().enumerate() {
        let place = (layout.place(guide.at), top + (at as f64 + 0.5) * LINE);
        scene.text(centred(Text::new(&guide.label, place, Anchor::Center, guide.ink)));
    }
    let top = top + guides.len() as f64 * (LINE + 2.0);
    let frames = layout.frames(&chart.rows, top);
    let bottom = frames.last().map_or(top, |frame| frame.bottom) + 4.0;
    let frame = Frame { left: layout.left, top, right: layout.right, bottom };
    draw_x_axis(&mut scene, &layout.x, &frame, true);
    for guide in guides {
        let x = layout.place(guide.at);
        scene.line(vec![(x, top), (x, bottom)], guide.ink, 1.3, guide.stroke);
    }
    for (row, frame) in chart.rows.iter().zip(frames) {
        let content = layout.draw_label(&mut scene, row, frame);
        layout.draw_band(&mut scene, row, &content);
        row.bars.iter().for_each(|bar| layout.draw_bar(&mut scene, bar, &content));
        layout.draw_dots(&mut scene, row, &content);
    }
    scene.height = (bottom + LINE + 7.0).round();
    scene
}

fn lines_of(text: &str) -> Vec<String> {
    wrap(text, f64::INFINITY, font::SIZE, false)
}

/// Height of what a row shows, px.
fn content_height(row: &Row) -> f64 {
    let lanes = row.bars.iter().map(|bar| bar.lane + 1).max().unwrap_or_default() as f64;
    let mut places: Vec<f64> = row.dots.iter().map(|dot| dot.within).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let dots = (DOTS + DOT * places.len().saturating_sub(1) as f64).min(HIGHEST);
    let content = dots.max(lanes * (BAR + 1.0) - 1.0);
    row.ends.iter().fold(content, |content, _| content.max(2.0 * LINE))
}

impl RowsLayout {
    /// The frame of each row, including its label if that is above it.
    fn frames(&self, rows: &[Row], top: f64) -> Vec<Frame> {
        let mut y = top;
        let frame = |row: &Row| {
            let top = y + 6.0;
            y = top
                + match (row.is_heading(), self.is_above) {
                    (true, _) => LINE,
                    (false, true) => LINE + content_height(row),
                    (false, false) => content_height(row).max(LINE * lines_of(&row.label).len() as f64),
                };
            Frame { left: self.left, top, right: self.right, bottom: y }
        };
        rows.iter().map(frame).collect()
    }

    /// Writes the label and the note of a row, and returns the frame that is left for its content.
    fn draw_label(&self, scene: &mut Scene, row: &Row, frame: Frame) -> Frame {
        let is_above = row.is_heading() || self.is_above;
        let middle = if is_above { frame.top + LINE / 2.0 } else { frame.middle() };
        let note = Text::new(&row.note, (WIDTH - EDGE, middle), Anchor::Right, MUTED);
        let mut lines = lines_of(&row.label);
        if is_above {
            let room = WIDTH - 2.0 * EDGE - note.frame().width() - BESIDE;
            lines = vec![clipped(lines.join(" "), room, font::SIZE, row.is_heading())];
        }
        let labels = lines.iter().enumerate().map(|(at, line)| {
            let y = middle + (at as f64 - (lines.len() as f64 - 1.0) / 2.0) * LINE;
            let text = Text::new(line, (EDGE, y), Anchor::Left, INK);
            if row.is_heading() { text.bold() } else { text }
        });
        for text in labels.chain([note]).filter(|text| !text.text.is_empty()) {
            // Paper under the text, which the grid would cross.
            scene.area(text.frame().grown(1.5), PAPER, 1.0, "");
            scene.text(text);
        }
        Frame { top: if is_above { frame.top + LINE } else { frame.top }, ..frame }
    }

    fn draw_band(&self, scene: &mut Scene, row: &Row, content: &Frame) {
        let Some(band) = &row.band else { return };
        let left = band.low.map_or(self.left, |low| self.place(low));
        let right = band.high.map_or(self.right, |high| self.place(high));
        // A single number is a thick line.
        let (left, right) = if right - left < 4.0 { (left - 2.0, left + 2.0) } else { (left, right) };
        scene.area(Frame { left, right, ..*content }, BAND, 1.0, &band.told);
    }

    fn draw_bar(&self, scene: &mut Scene, bar: &Bar, content: &Frame) {
        if !bar.from.is_finite() || !bar.to.is_finite() {
            return;
        }
        let (left, right) = (self.place(bar.from.min(bar.to)), self.place(bar.from.max(bar.to)));
        let top = content.top + bar.lane as f64 * (BAR + 1.0);
        // Every bar is at least one pixel wide.
        let frame = Frame { left, top, right: right.max(left + 1.0), bottom: top + BAR };
        scene.area(frame, bar.ink, 1.0, &bar.told);
        let left = frame.right + BEYOND - 1.0;
        let text = clipped(bar.text.clone(), WIDTH - EDGE - left, font::SIZE, false);
        scene.text(Text::new(&text, (left, frame.middle()), Anchor::Left, INK));
    }

    fn draw_dots<'a>(&self, scene: &mut Scene, row: &'a Row, content: &Frame) {
        // Marks of the first and last place lie within the row.
        let y = |dot: &Dot| content.top + DOTS / 2.0 + dot.within * (content.height() - DOTS);
        let dots: Vec<&Dot> = row.dots.iter().filter(|dot| holds(self.x.scale, dot.x)).collect();
        for dot in &dots {
            let ends = [dot.low, dot.high].map(|end| end.filter(|end| holds(self.x.scale, *end)));
            if let [Some(low), Some(high)] = ends {
                let ends = vec![(self.place(low), y(dot)), (self.place(high), y(dot))];
                scene.line(ends, dot.ink, 1.2, Stroke::Solid);
            }
        }
        for run in dots.chunk_by(|a, b| (a.ink, a.mark) == (b.ink, b.mark)) {
            let spot =
                |dot: &&'a Dot| MarkTip { at: (self.place(dot.x), y(dot)), told: &dot.told, single: false };
            scene.marks(&run.iter().map(spot).collect::<Vec<_>>(), run[0].mark, 3.6, run[0].ink);
        }
        if let Some((first, last)) = &row.ends {
            let x = content.left - BESIDE + 2.0;
            scene.text(Text::new(first, (x, content.top + 7.0), Anchor::Right, MUTED));
            scene.text(Text::new(last, (x, content.bottom - 7.0), Anchor::Right, MUTED));
        }
    }
}
