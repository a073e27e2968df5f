//! A picture that stands alone: its title and what it shows above it, and below it where its values come from.

use super::font;
use super::label::{LINE, wrapped};
use super::layout::EDGE;
use super::model::Plot;
use super::palette::{INK, MUTED};
use super::scene::{Anchor, Part, Scene, Text};

/// Sizes of title, of what is shown, and of the source, px.
const TITLE: f64 = 16.0;
const SHOWS: f64 = 12.0;
const SOURCE: f64 = 11.0;

/// The scene of `plot` with its title on top, below that what it shows, and its source at the bottom, each on as many lines as it needs.
pub fn alone(plot: &Plot, scene: Scene) -> Scene {
    let width = scene.width;
    let source = plot.source.as_ref().map(ToString::to_string).unwrap_or_default();
    let (titles, below_title) = lines(&plot.title, 4.0, width, TITLE, true);
    let (shows, head) = lines(&plot.shows, below_title, width, SHOWS, false);
    let mut picture = scene.shifted(head + 4.0);
    picture.part(Part::Fixed);
    let (sources, bottom) = lines(&source, picture.height + 4.0, width, SOURCE, false);
    titles.into_iter().chain(shows).chain(sources).for_each(|text| picture.text(text));
    picture.height = (bottom + 4.0).round();
    picture
}

/// `text` from `top` downwards on as many lines as it needs, bold or lighter, and where its last line ends.
fn lines(text: &str, top: f64, width: f64, size: f64, bold: bool) -> (Vec<Text>, f64) {
    let height = size * LINE / font::SIZE;
    let ink = if bold { INK } else { MUTED };
    let line = |(at, text): (usize, String)| Text {
        size,
        bold,
        ..Text::new(&text, (EDGE, top + (at as f64 + 0.5) * height), Anchor::Left, ink)
    };
    let lines: Vec<Text> =
        wrapped(text, width - 2.0 * EDGE, size, bold).into_iter().enumerate().map(line).collect();
    let bottom = top + lines.len() as f64 * height;
    (lines, bottom)
}
