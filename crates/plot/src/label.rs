//! Where labels go: pushed apart in a column, or wherever they hide least.

use super::font;
use super::scene::{Frame, Position};

/// Height of a line of text, px.
pub const LINE: f64 = 14.5;

/// Centres for labels of these `heights` that want to be at `wanted`, within `low` to `high`, so that none overlap and all are
/// as near as that allows. In the order of `wanted`, whatever that is.
pub fn apart(wanted: &[f64], heights: &[f64], low: f64, high: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    // Blocks of labels that touch: members, height, and the mean of where their upper ends want to be.
    let mut blocks: Vec<(Vec<usize>, f64, f64)> = Vec::new();
    for at in order {
        let mut block = (vec![at], heights[at], wanted[at] - heights[at] / 2.0);
        while let Some((members, height, top)) = blocks.last() {
            let start = top.clamp(low, (high - height).max(low));
            if start + height <= block.2.clamp(low, (high - block.1).max(low)) {
                break;
            }
            let (a, b) = (members.len() as f64, block.0.len() as f64);
            let merged_top = (top * a + (block.2 - height) * b) / (a + b);
            let members = members.iter().chain(&block.0).copied().collect();
            block = (members, height + block.1, merged_top);
            blocks.pop();
        }
        blocks.push(block);
    }
    let mut centres = vec![0.0; wanted.len()];
    for (members, height, top) in blocks {
        let mut at = top.clamp(low, (high - height).max(low));
        for member in members {
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
        let points = self.points.iter().filter(|point| near.contains(**point)).count() as f64;
        let frames = self.frames.iter().filter(|other| other.overlaps(&near)).count() as f64;
        points + 1e4 * frames
    }

    /// The first of `frames` that lies in `within` and, with what it costs itself, hides least. None when all hide `most` or more.
    pub fn best(
        &self,
        within: &Frame,
        frames: impl Iterator<Item = (Frame, f64)>,
        most: f64,
    ) -> Option<Frame> {
        frames
            .filter(|(frame, _)| within.encloses(frame))
            .map(|(frame, cost)| (frame, cost + self.hidden(&frame)))
            .filter(|(_, cost)| *cost < most)
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(frame, _)| frame)
    }
}

/// Breaks `text` into lines of at most `width` px, at spaces, and where it has line ends.
pub fn wrap(text: &str, width: f64, bold: bool) -> Vec<String> {
    wrapped(text, width, font::SIZE, bold)
}

/// Breaks text of this size, px, into lines of at most `width`.
pub fn wrapped(text: &str, width: f64, size: f64, bold: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for part in text.lines() {
        let mut line = String::new();
        for word in part.split(' ') {
            let longer = if line.is_empty() { word.to_string() } else { format!("{line} {word}") };
            if !line.is_empty() && font::width(&longer, size, bold) > width {
                lines.push(std::mem::replace(&mut line, word.to_string()));
            } else {
                line = longer;
            }
        }
        lines.push(line);
    }
    lines
}

/// `text`, cut at its end with an ellipsis so that it is at most `width` px wide.
pub fn clipped(text: &str, width: f64, bold: bool) -> String {
    if font::width(text, font::SIZE, bold) <= width {
        return text.to_string();
    }
    let mut kept: String = text.to_string();
    while !kept.is_empty() && font::width(&format!("{kept}…"), font::SIZE, bold) > width {
        kept.pop();
    }
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_that_want_one_place_are_pushed_apart_around_it_and_stay_within() {
        let heights = [10.0; 4];
        let centres = apart(&[50.0, 50.0, 200.0, 52.0], &heights, 0.0, 205.0);
        assert!((centres[2] - 200.0).abs() < 1e-9 && centres[0] < centres[1] && centres[1] < centres[3]);
        let mut sorted = centres.clone();
        sorted.sort_by(f64::total_cmp);
        assert!(sorted.windows(2).all(|pair| pair[1] - pair[0] >= 10.0 - 1e-9), "{centres:?}");
        assert!((centres[1] - 50.67).abs() < 0.1);
        let low = apart(&[0.0, 0.0, 1.0], &[10.0; 3], 0.0, 100.0);
        assert_eq!(low, [5.0, 15.0, 25.0]);
        assert_eq!(apart(&[], &[], 0.0, 1.0), Vec::<f64>::new());
    }

    #[test]
    fn a_label_goes_where_it_hides_nothing() {
        let mut obstacles = Obstacles::default();
        obstacles.add_line(&[(0.0, 10.0), (100.0, 10.0)]);
        let frame = |top: f64| Frame { left: 10.0, top, right: 50.0, bottom: top + 10.0 };
        let within = Frame { left: 0.0, top: 0.0, right: 100.0, bottom: 100.0 };
        let best = obstacles.best(&within, [5.0, 40.0, 95.0].map(|top| (frame(top), 0.0)).into_iter(), 5.0);
        assert_eq!(best, Some(frame(40.0)));
        obstacles.frames.push(within);
        assert_eq!(obstacles.best(&within, [(frame(40.0), 0.0)].into_iter(), 5.0), None);
    }

    #[test]
    fn text_is_broken_at_spaces_and_cut_where_it_must_be() {
        assert!(wrap("seconds of the kernel, medians", 80.0, false).len() > 1);
        assert_eq!(wrap("a\nb", 1000.0, false), ["a", "b"]);
        let cut = clipped(&"wide ".repeat(30), 60.0, false);
        assert!(cut.ends_with('…') && font::width(&cut, font::SIZE, false) <= 60.0);
    }
}
