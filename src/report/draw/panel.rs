//! What panels of all kinds share: a width, a title and keys above the chart, and an axis below it.

use super::font;
use super::label::{LINE, clipped, wrap};
use super::model::{LegendEntry, Stroke};
use super::palette::{GRID, MUTED};
use super::scale::AxisRange;
use super::scene::{Anchor, Frame, MarkTip, Scene, Text};

/// The width of a panel, px: two fit next to each other on a screen, and the letters stay legible on a phone.
pub const WIDTH: f64 = 430.0;

/// Space at the borders, px.
pub const EDGE: f64 = 2.0;

/// Draws the title of an axis, and below it the keys; returns where they end.
pub fn draw_head(scene: &mut Scene, title: &str, keys: &[LegendEntry]) -> f64 {
    const BETWEEN: f64 = 14.0;
    let right = WIDTH - EDGE;
    let mut y = 2.0;
    for line in wrap(title, right - EDGE, font::SIZE, true) {
        scene.text(Text::new(&line, (EDGE, y + LINE / 2.0), Anchor::Left, MUTED).bold());
        y += LINE;
    }
    // Starts beyond the border, so that the first key begins a line.
    let mut x = WIDTH;
    for key in keys {
        let sign = if key.mark.is_some() { 24.0 } else { 14.0 };
        let text = clipped(key.text.clone(), right - EDGE - sign, font::SIZE, false);
        let width = sign + font::width(&text, font::SIZE, false);
        if x + width > right {
            x = EDGE;
            y += LINE + 2.0;
        }
        let middle = y - LINE / 2.0;
        draw_sign(scene, key, x, middle);
        scene.text(Text::new(&text, (x + sign, middle), Anchor::Left, MUTED));
        x += width + BETWEEN;
    }
    y
}

/// Draws the mark or colour that a key explains, from `x` on.
fn draw_sign(scene: &mut Scene, key: &LegendEntry, x: f64, middle: f64) {
    if let Some(mark) = key.mark {
        let spot = MarkTip { at: (x + 9.0, middle), told: "", single: key.hollow };
        scene.line(vec![(x, middle), (x + 18.0, middle)], key.ink, 1.2, Stroke::Solid);
        return scene.marks(&[spot], mark, 4.0, key.ink);
    }
    let frame = Frame { left: x, top: middle - 4.5, right: x + 9.0, bottom: middle + 4.5 };
    scene.area(frame, key.ink, 1.0, "");
}

/// Draws the horizontal axis below a chart, with as many numbers as fit; with a grid, each has a line through the chart.
pub fn draw_x_axis(scene: &mut Scene, range: &AxisRange, chart: &Frame, has_grid: bool) {
    let x_of = |tick: f64| chart.left + range.share(tick) * chart.width();
    let text_of =
        |tick: &f64| centred(Text::new(&range.text(*tick), (x_of(*tick), 0.0), Anchor::Center, MUTED));
    let gap = |pair: &[f64]| text_of(&pair[1]).frame().left - text_of(&pair[0]).frame().right;
    let ticks = range.ticks_that(|ticks| ticks.windows(2).all(|pair| gap(pair) > 9.0));
    let (ink, top, bottom) = match has_grid {
        true => (GRID, chart.top, chart.bottom),
        false => (MUTED, chart.bottom, chart.bottom + 4.0),
    };
    for tick in &ticks {
        scene.line(vec![(x_of(*tick), top), (x_of(*tick), bottom)], ink, 1.0, Stroke::Solid);
    }
    let ends = vec![(chart.left, chart.bottom), (chart.right, chart.bottom)];
    scene.line(ends, MUTED, 1.0, Stroke::Solid);
    for text in ticks.iter().map(text_of) {
        scene.text(Text { at: (text.at.0, bottom + 3.0 + LINE / 2.0), ..text });
    }
}

/// The text, centred at its place, or moved as far as needed to stay within the panel.
pub fn centred(mut text: Text) -> Text {
    text.text = clipped(text.text, WIDTH - 2.0 * EDGE, text.size, text.bold);
    let least = EDGE + text.frame().width() / 2.0;
    text.at.0 = text.at.0.clamp(least, (WIDTH - least).max(least));
    text
}
