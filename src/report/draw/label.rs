//! Places for labels: in a column, pushed apart, or wherever they hide least.

use super::font;
use super::scene::{Frame, Position};

/// Height of a line of text, px.
pub const LINE: f64 = 15.0;

/// Centres for labels of these `heights` that want to be at `wanted`, within `low` to `high`: no two overlap, and each is as near to its
/// wish as that allows. The centres come in the order of `wanted`, which need not be sorted.
pub fn spread_labels(wanted: &[f64], heights: &[f64], low: f64, high: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    // Blocks of touching labels: their number, their total height, and the mean of the upper ends that they want.
    let mut blocks: Vec<(usize, f64, f64)> = Vec::new();
    let within = |height: f64, top: f64| top.clamp(low, (high - height).max(low));
    for &at in &order {
        let mut block = (1, heights[at], wanted[at] - heights[at] / 2.0);
        while let Some(&(count, height, top)) = blocks.last()
            && within(height, top) + height > within(block.1, block.2)
        {
            let sum = top * count as f64 + (block.2 - height) * block.0 as f64;
            let both = count + block.0;
            block = (both, height + block.1, sum / both as f64);
            blocks.pop();
        }
        blocks.push(block);
    }
    let mut centres = vec![0.0; wanted.len()];
    let mut order = order.into_iter();
    for (count, height, top) in blocks {
        let mut at = within(height, top);
        for member in order.by_ref().take(count) {
            centres[member] = at + heights[member] / 2.0;
            at += heights[member];
        }
    }
    centres
}

/// What labels should not hide.
#[derive(Default)]
pub struct Obstacles {
    /// Points along lines.
    pub points: Vec<Position>,
    /// Other texts.
    pub frames: Vec<Frame>,
}

impl Obstacles {
    /// Adds a line, as points every few pixels.
    pub fn add_line(&mut self, points: &[Position]) {
        const EVERY: f64 = 3.0;
        for pair in points.windows(2) {
            let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
            let steps = ((x1 - x0).hypot(y1 - y0) / EVERY).ceil().clamp(1.0, 1000.0) as usize;
            for step in 0..steps {
                let share = step as f64 / steps as f64;
                self.points.push((x0 + (x1 - x0) * share, y0 + (y1 - y0) * share));
            }
        }
        self.points.extend(points.last());
    }

    /// How much a text in `frame` would hide; any other text counts for more than all lines.
    pub fn hidden(&self, frame: &Frame) -> f64 {
        let near = frame.grown(2.5);
        let is_near =
            |(x, y): &&Position| (near.left..=near.right).contains(x) && (near.top..=near.bottom).contains(y);
        let points = self.points.iter().filter(is_near).count() as f64;
        let frames = self.frames.iter().filter(|other| other.overlaps(&near)).count() as f64;
        points + 1e4 * frames
    }

    /// The place within `within` with the least cost: its own, and what it hides. The first of equals; None if all cost `most` or more.
    pub fn best(&self, within: &Frame, places: Vec<(Frame, f64)>, most: f64) -> Option<Frame> {
        let inside = places.into_iter().filter(|(frame, _)| within.encloses(frame));
        let costs = inside.map(|(frame, cost)| (frame, cost + self.hidden(&frame)));
        let best = costs.filter(|(_, cost)| *cost < most).min_by(|a, b| a.1.total_cmp(&b.1));
        best.map(|(frame, _)| frame)
    }
}

/// Breaks `text` into lines of at most `width` px: at line ends, at spaces, and within words that are longer than a line after `-_=/`;
/// what is still too long is cut with an ellipsis.
pub fn wrap(text: &str, width: f64, size: f64, bold: bool) -> Vec<String> {
    let mut lines = Vec::new();
    let fits = |text: &str| font::width(text.trim_end(), size, bold) <= width;
    for part in text.lines() {
        let mut line = String::new();
        for word in part.split_inclusive(' ') {
            let is_end = |sign: char| !fits(word) && matches!(sign, '-' | '_' | '=' | '/');
            for piece in word.split_inclusive(is_end) {
                if !line.is_empty() && !fits(&format!("{line}{piece}")) {
                    lines.push(std::mem::take(&mut line));
                }
                line += piece;
            }
        }
        lines.push(line);
    }
    lines.into_iter().map(|line| clipped(line.trim_end().to_string(), width, size, bold)).collect()
}

/// `text`, cut at its end with an ellipsis so that it is at most `width` px wide.
pub fn clipped(text: String, width: f64, size: f64, bold: bool) -> String {
    if font::width(&text, size, bold) <= width {
        return text;
    }
    let mut kept = text;
    while kept.pop().is_some() && font::width(&format!("{kept}…"), size, bold) > width {}
    kept + "…"
}

/// The widest of these lines, px.
pub fn width_of(lines: &[String], bold: bool) -> f64 {
    lines.iter().map(|line| font::width(line, font::SIZE, bold)).fold(0.0, f64::max)
}
