//! For which screen a picture is laid out, and what all pictures share: titles of axes, keys, ticks.

use super::font;
use super::label::{LINE, wrap};
use super::model::{Chart, Key, Plot, Stroke};
use super::palette::MUTED;
use super::scene::{Anchor, Frame, Scene, Text};
use super::{lines, rows};

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
    }
}

/// Draws a title and then keys from `top` down; returns where they end.
pub fn head(scene: &mut Scene, title: &str, keys: &[Key], top: f64) -> f64 {
    let width = scene.width - 2.0 * EDGE;
    let mut y = top;
    for line in wrap(title, width, true) {
        scene.text(Text::new(&line, (EDGE, y + LINE / 2.0), Anchor::Left, MUTED).bold());
        y += LINE + 1.0;
    }
    if keys.is_empty() {
        return y;
    }
    const SIGN: f64 = 24.0;
    const BETWEEN: f64 = 16.0;
    y += 3.0;
    let mut x = EDGE;
    for key in keys {
        let sign = if key.mark.is_none() && key.stroke == Stroke::None { 14.0 } else { SIGN };
        let needed = sign + font::width(&key.text, font::SIZE, false);
        if x > EDGE && x + needed > scene.width - EDGE {
            x = EDGE;
            y += LINE + 2.0;
        }
        let middle = y + LINE / 2.0;
        if sign < SIGN {
            let (left, half) = (x, 4.5);
            let frame = Frame { left, top: middle - half, right: left + 9.0, bottom: middle + half };
            scene.area(frame, key.ink, 1.0);
        } else {
            scene.line(vec![(x, middle), (x + 18.0, middle)], key.ink, 2.0, key.stroke);
            if let Some(mark) = key.mark {
                scene.mark((x + 9.0, middle), mark, 4.0, key.ink);
            }
        }
        scene.text(Text::new(&key.text, (x + sign, middle), Anchor::Left, MUTED));
        x += needed + BETWEEN;
    }
    y + LINE + 1.0
}
