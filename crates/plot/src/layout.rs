//! For which screen a picture is laid out, and what all pictures share: titles of axes, keys, ticks.

use super::facts::Facts;
use super::font;
use super::label::{LINE, wrap};
use super::model::{Chart, Key, Plot, Shape, Stroke};
use super::palette::MUTED;
use super::scene::{Anchor, Frame, Scene, Text};
use super::{heat, lines, rows};

/// For which screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    Wide,
    /// Of 390 px, at its natural size.
    Narrow,
}

/// Space at the borders, px.
pub const EDGE: f64 = 6.0;

impl Layout {
    pub const ALL: [Layout; 2] = [Layout::Wide, Layout::Narrow];

    /// How wide a picture is, px.
    pub fn width(self) -> f64 {
        match self {
            Self::Wide => 860.0,
            Self::Narrow => 370.0,
        }
    }

    /// How high a chart of lines is, px.
    pub fn height(self) -> f64 {
        match self {
            Self::Wide => 470.0,
            Self::Narrow => 400.0,
        }
    }
}

/// The picture for a screen.
pub fn scene_of(plot: &Plot, layout: Layout) -> Scene {
    match &plot.chart {
        Chart::Lines(chart) => lines::scene(chart, layout),
        Chart::Rows(chart) => rows::scene(chart, layout),
        Chart::Heat(chart) => heat::scene(chart, layout),
    }
}

/// What marks an estimate, here as in tables.
pub const ESTIMATE: &str = "≈";

/// Something that is explained above a chart.
pub enum Sign<'a> {
    Key(&'a Key),
    /// The mark of a single sample.
    Single,
    /// What stands above an estimate.
    Estimate,
}

impl<'a> Sign<'a> {
    /// Keys, and what marks of values with these facts mean beside them: only what there is.
    pub fn of(keys: &'a [Key], facts: impl Iterator<Item = Facts>) -> Vec<Self> {
        let (single, estimated) = facts.fold((false, false), |(single, estimated), facts| {
            (single || facts.is_single(), estimated || facts.estimated)
        });
        let single = single.then_some(Self::Single);
        let estimate = estimated.then_some(Self::Estimate);
        keys.iter().map(Self::Key).chain(single).chain(estimate).collect()
    }

    fn text(&self) -> &str {
        match self {
            Self::Key(key) => &key.text,
            Self::Single => "one sample, so no interval",
            Self::Estimate => "estimate from a part of the work",
        }
    }

    /// How wide the sign before the text is, px.
    fn width(&self) -> f64 {
        match self {
            Self::Key(Key { mark: Some(_), .. }) => 24.0,
            Self::Key(key) if key.stroke != Stroke::None => 24.0,
            _ => 14.0,
        }
    }

    /// Draws the sign from `x` on.
    fn draw(&self, scene: &mut Scene, x: f64, middle: f64) {
        match self {
            Self::Key(key) if key.mark.is_none() && key.stroke == Stroke::None => {
                let half = 4.5;
                let frame = Frame { left: x, top: middle - half, right: x + 9.0, bottom: middle + half };
                scene.area(frame, key.ink, 1.0);
            }
            Self::Key(key) => {
                scene.line(vec![(x, middle), (x + 18.0, middle)], key.ink, 2.0, key.stroke);
                if let Some(mark) = key.mark {
                    scene.mark((x + 9.0, middle), mark, 4.0, key.ink);
                }
            }
            Self::Single => scene.single_marks(&[(x + 5.0, middle)], Shape::Circle, 3.8, MUTED),
            Self::Estimate => scene.text(Text::new(ESTIMATE, (x, middle), Anchor::Left, MUTED).bold()),
        }
    }
}

impl<'a> From<&'a Key> for Sign<'a> {
    fn from(key: &'a Key) -> Self {
        Self::Key(key)
    }
}

/// Draws a title and then signs with what they mean from `top` down; returns where they end.
pub fn head<'a, S: Into<Sign<'a>>>(
    scene: &mut Scene,
    title: &str,
    signs: impl IntoIterator<Item = S>,
    top: f64,
) -> f64 {
    let signs: Vec<Sign> = signs.into_iter().map(Into::into).collect();
    let width = scene.width - 2.0 * EDGE;
    let mut y = top;
    for line in wrap(title, width, true) {
        scene.text(Text::new(&line, (EDGE, y + LINE / 2.0), Anchor::Left, MUTED).bold());
        y += LINE + 1.0;
    }
    if signs.is_empty() {
        return y;
    }
    const BETWEEN: f64 = 16.0;
    y += 3.0;
    let mut x = EDGE;
    for sign in &signs {
        let needed = sign.width() + font::width(sign.text(), font::SIZE, false);
        if x > EDGE && x + needed > scene.width - EDGE {
            x = EDGE;
            y += LINE + 2.0;
        }
        let middle = y + LINE / 2.0;
        sign.draw(scene, x, middle);
        scene.text(Text::new(sign.text(), (x + sign.width(), middle), Anchor::Left, MUTED));
        x += needed + BETWEEN;
    }
    y + LINE + 1.0
}
