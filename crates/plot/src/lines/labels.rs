//! Where the labels of a chart of lines stand: near their lines where that hides little, or else in a column beside the chart.

use super::super::font;
use super::super::label::{LINE, Obstacles, apart, clipped};
use super::super::model::Stroke;
use super::super::model::{Guide, Series};
use super::super::palette::Ink;
use super::super::scene::{Anchor, Frame, Part, Position, Scene, Text};
use super::{BESIDE, Beside, Inside, View, guide_label, guide_lines, label_of, label_width};

/// A label that would hide more than this, or be that far from its line, stands next to the chart.
const TOO_HIDDEN: f64 = 5.0;

/// No label comes nearer than this to a mark that has no line, px.
const LONE_MARK: f64 = 4.0;

/// A label next to the chart, with the place that it belongs to.
struct PlacedLabel {
    of: Part,
    lines: Vec<String>,
    from: Position,
    ink: Ink,
    bold: bool,
}

impl View<'_> {
    /// Labels that have a place within the chart, and what has to stand next to it.
    pub(super) fn place_inside(&self, heads: &[Frame]) -> (Vec<Inside>, Beside) {
        let mut obstacles = Obstacles { frames: heads.to_vec(), ..Obstacles::default() };
        for series in &self.chart.series {
            let places = self.places(series);
            obstacles.add_line(&places);
            // A mark without a line would be lost behind a label.
            if let [(x, y)] = places[..] {
                let mark = Frame { left: x, top: y, right: x, bottom: y };
                obstacles.frames.push(mark.grown(LONE_MARK));
            }
        }
        for guide in self.chart.guides.iter().filter(|guide| self.chart.y.holds(guide.at)) {
            let y = self.place(self.x.low, guide.at).1;
            obstacles.add_line(&[(self.plot.left, y), (self.plot.right, y)]);
        }
        let mut beside = self.beside.clone();
        let mut placed = self.columns_inside(&mut obstacles);
        let done: Vec<String> = placed.iter().map(|(name, _)| name.clone()).collect();
        let mut placed: Vec<Inside> = placed.drain(..).map(|(_, label)| label).collect();
        for (series, beside) in
            self.chart.series.iter().zip(&mut beside.series).filter(|(_, beside)| !**beside)
        {
            if done.contains(&series.name) {
                continue;
            }
            let lines = label_of(series, self.layout);
            let Some(frame) = self.near_end(series, &lines, &obstacles) else {
                *beside = !lines.is_empty() && !self.places(series).is_empty();
                continue;
            };
            obstacles.frames.push(frame);
            let (of, ink) = (self.part_of(series), series.ink);
            placed.push(Inside { of, frame, lines, ink, bold: !series.thin, leader: Vec::new() });
        }
        for (guide, beside) in
            self.chart.guides.iter().zip(&mut beside.guides).filter(|(_, beside)| !**beside)
        {
            match self.along(guide, &obstacles) {
                Some(frame) => {
                    obstacles.frames.push(frame);
                    let lines = vec![clipped(guide_label(guide, self.layout), frame.width() + 1.0, false)];
                    let (of, ink) = (Part::Axes, guide.ink);
                    placed.push(Inside { of, frame, lines, ink, bold: false, leader: Vec::new() });
                }
                None => *beside = self.chart.y.holds(guide.at),
            }
        }
        (placed, beside)
    }

    /// Where several lines end under each other within the chart, their labels stand in a column there, if that hides little. Each
    /// with its series' name.
    fn columns_inside(&self, obstacles: &mut Obstacles) -> Vec<(String, Inside)> {
        let ends: Vec<(&Series, Position)> = self
            .chart
            .series
            .iter()
            .zip(&self.beside.series)
            .filter(|(series, beside)| !**beside && !label_of(series, self.layout).is_empty())
            .filter_map(|(series, _)| Some((series, *self.places(series).last()?)))
            .collect();
        let mut all = Vec::new();
        for column in crowds(ends) {
            let x = column[0].1.0;
            let wanted: Vec<f64> = column.iter().map(|(_, end)| end.1).collect();
            let labels: Vec<Vec<String>> =
                column.iter().map(|(series, _)| label_of(series, self.layout)).collect();
            let heights: Vec<f64> = labels.iter().map(|lines| heights_of(lines)).collect();
            let centres = apart(&wanted, &heights, self.plot.top, self.plot.bottom);
            let left = x + BESIDE + 10.0;
            let frames: Vec<Frame> = labels
                .iter()
                .zip(centres.iter().zip(&heights))
                .map(|(lines, (centre, height))| Frame {
                    left,
                    top: centre - height / 2.0,
                    right: left + label_width(lines),
                    bottom: centre + height / 2.0,
                })
                .collect();
            let free =
                |frame: &Frame| obstacles.hidden(frame) < 2.0 * TOO_HIDDEN && self.plot.encloses(frame);
            if !frames.iter().all(free) {
                continue;
            }
            for (((series, end), lines), frame) in column.iter().zip(labels).zip(frames) {
                obstacles.frames.push(frame);
                let middle = (frame.top + frame.bottom) / 2.0;
                let leader = vec![(end.0 + 6.0, end.1), (left - 3.0, middle)];
                let of = self.part_of(series);
                let label = Inside { of, frame, lines, ink: series.ink, bold: !series.thin, leader };
                all.push((series.name.clone(), label));
            }
        }
        all
    }

    /// In a column to the right, with a leader to what each belongs to.
    pub(super) fn labels_beside(&self, scene: &mut Scene) {
        let series = self.chart.series.iter().zip(&self.beside.series).filter(|(_, beside)| **beside);
        let mut entries: Vec<PlacedLabel> = series
            .filter_map(|(series, _)| {
                let from = *self.places(series).last()?;
                Some(PlacedLabel {
                    of: self.part_of(series),
                    lines: label_of(series, self.layout),
                    from,
                    ink: series.ink,
                    bold: !series.thin,
                })
            })
            .filter(|entry| !entry.lines.is_empty())
            .collect();
        let guides = self.chart.guides.iter().zip(&self.beside.guides).filter(|(_, beside)| **beside);
        entries.extend(guides.map(|(guide, _)| {
            let from = (self.plot.right - 8.0, self.place(self.x.low, guide.at).1);
            PlacedLabel {
                of: Part::Axes,
                lines: guide_lines(guide, self.layout),
                from,
                ink: guide.ink,
                bold: false,
            }
        }));
        let wanted: Vec<f64> = entries.iter().map(|entry| entry.from.1).collect();
        let heights: Vec<f64> = entries.iter().map(|entry| entry.lines.len() as f64 * LINE).collect();
        let centres = apart(&wanted, &heights, self.plot.top - LINE / 2.0, self.plot.bottom + LINE / 2.0);
        let left = self.plot.right + BESIDE;
        for (entry, centre) in entries.into_iter().zip(centres) {
            let (x, y) = entry.from;
            let bend = (self.plot.right + 1.0).max(x + 7.0);
            let leader = vec![(x + 6.0, y), (bend, y), (left - 3.0, centre)];
            let half = heights_of(&entry.lines) / 2.0;
            let frame = Frame { left, top: centre - half, right: left, bottom: centre + half };
            scene.part(entry.of);
            let PlacedLabel { of, lines, ink, bold, .. } = entry;
            self.write(scene, &Inside { of, frame, lines, ink, bold, leader });
        }
    }

    /// The part that a series is: its place among all of the chart.
    fn part_of(&self, series: &Series) -> Part {
        let place = self.chart.series.iter().position(|one| std::ptr::eq(one, series));
        place.map_or(Part::Axes, Part::Series)
    }

    /// Writes the lines of a label under each other. All but the first say more of what the first names.
    pub(super) fn write(&self, scene: &mut Scene, label: &Inside) {
        scene.line(label.leader.clone(), label.ink, 0.8, Stroke::Solid);
        for (at, line) in label.lines.iter().enumerate() {
            let y = label.frame.top + (at as f64 + 0.5) * LINE;
            let text = Text::new(line, (label.frame.left, y), Anchor::Left, label.ink);
            scene.text(if label.bold && at == 0 { text.bold() } else { text });
        }
    }

    /// A place around the last point of a line that ends within the chart.
    fn near_end(&self, series: &Series, lines: &[String], obstacles: &Obstacles) -> Option<Frame> {
        let &(x, y) = self.places(series).last()?;
        if lines.is_empty() {
            return None;
        }
        let (width, height) = (label_width(lines), heights_of(lines));
        let around = |dx: f64, dy: f64| {
            let (left, top) = (x + dx, y + dy - height / 2.0);
            Frame { left, top, right: left + width, bottom: top + height }
        };
        let mut candidates = Vec::new();
        for step in 0..4 {
            let far = f64::from(step) * 5.0;
            let dy = height / 2.0 + 6.0 + far;
            candidates.push((around(9.0, -far), far * 0.3));
            candidates.push((around(9.0, far), far * 0.3));
            for share in [0.5, 0.25, 0.75, 0.0, 1.0] {
                candidates.push((around(-width * share, -dy), 0.5 + far * 0.3));
                candidates.push((around(-width * share, dy), 0.6 + far * 0.3));
            }
        }
        obstacles.best(&self.plot.grown(2.0), candidates.into_iter(), TOO_HIDDEN)
    }

    /// A place above or below a guide.
    fn along(&self, guide: &Guide, obstacles: &Obstacles) -> Option<Frame> {
        if !self.chart.y.holds(guide.at) {
            return None;
        }
        let label = clipped(guide_label(guide, self.layout), self.plot.width() - 8.0, false);
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
        obstacles.best(&within, candidates, TOO_HIDDEN)
    }
}

/// Ends under each other of which at least three are too close for labels of their own.
fn crowds(mut ends: Vec<(&Series, Position)>) -> Vec<Vec<(&Series, Position)>> {
    ends.sort_by(|(_, a), (_, b)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut crowds: Vec<Vec<(&Series, Position)>> = Vec::new();
    for end in ends {
        let joins = |last: &(&Series, Position)| end.1.0 - last.1.0 < 1.0 && end.1.1 - last.1.1 < 1.5 * LINE;
        match crowds.last_mut().filter(|crowd| crowd.last().is_some_and(joins)) {
            Some(crowd) => crowd.push(end),
            None => crowds.push(vec![end]),
        }
    }
    crowds.retain(|crowd| crowd.len() > 2);
    crowds
}

fn heights_of(lines: &[String]) -> f64 {
    lines.len() as f64 * LINE
}
