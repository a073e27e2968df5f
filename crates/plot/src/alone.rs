//! A picture that stands alone: its title above it, and below it where its values come from.

use super::font;
use super::label::{LINE, wrapped};
use super::layout::EDGE;
use super::model::Plot;
use super::palette::{INK, MUTED};
use super::scene::{Anchor, Part, Scene, Text};

/// Sizes of title and source, px.
const TITLE: f64 = 16.0;
const SOURCE: f64 = 11.0;

/// The scene of `plot` with its title on top and its source at the bottom, each on as many lines as it needs.
pub fn alone(plot: &Plot, scene: Scene) -> Scene {
    let width = scene.width - 2.0 * EDGE;
    let titles = wrapped(&plot.title, width, TITLE, true);
    let source = plot.source.as_ref().map(ToString::to_string).unwrap_or_default();
    let sources = wrapped(&source, width, SOURCE, false);
    let line = |size: f64| size * LINE / font::SIZE;
    let mut picture = scene.shifted(titles.len() as f64 * line(TITLE) + 8.0);
    picture.part(Part::Fixed);
    let add = |text: &str, y: f64, size, ink| Text { size, ..Text::new(text, (EDGE, y), Anchor::Left, ink) };
    for (at, title) in titles.iter().enumerate() {
        let y = 4.0 + (at as f64 + 0.5) * line(TITLE);
        picture.text(add(title, y, TITLE, INK).bold());
    }
    let bottom = picture.height + 4.0;
    for (at, text) in sources.iter().enumerate() {
        picture.text(add(text, bottom + (at as f64 + 0.5) * line(SOURCE), SOURCE, MUTED));
    }
    picture.height = (bottom + sources.len() as f64 * line(SOURCE) + 4.0).round();
    picture
}

#[cfg(test)]
mod tests {
    use super::super::layout::{Layout, scene_of};
    use super::super::model::{Chart, Lines, Point, Series};
    use super::super::palette::look;
    use super::super::scale::{Axis, Quantity, Scale};
    use super::super::source::Source;
    use super::*;

    #[test]
    fn title_and_source_stand_in_the_picture_and_move_everything_else_down() {
        let source = Source { sizes: Some((64, 128)), ..Source::default() };
        let series = Series::new("a", vec![Point::at(64.0, 1.0), Point::at(128.0, 2.0)], look(99));
        let y = Axis::new("seconds", Scale::Log, Quantity::Seconds);
        let plot = Plot {
            id: "a".into(),
            title: "A title that is so long that it needs two lines: ".repeat(3).trim().into(),
            caption: String::new(),
            alt: String::new(),
            source: Some(source),
            chart: Chart::Lines(Lines::new(Axis::vertices(), y, vec![series], Vec::new())),
        };
        let scene = scene_of(&plot, Layout::Wide);
        let picture = alone(&plot, scene.clone());
        let texts: Vec<&Text> = picture.texts().collect();
        assert_eq!(texts.last().unwrap().text, "n = 64 to 128 · repro");
        let titles: Vec<&&Text> = texts.iter().filter(|text| text.size == TITLE).collect();
        assert_eq!(titles.len(), 2);
        let lowest = titles.iter().map(|text| text.frame().bottom).fold(0.0, f64::max);
        let first = texts[0].frame().top;
        assert!(lowest < first && picture.height > scene.height + lowest, "{lowest} {first}");
        assert!(texts.iter().all(|text| picture.frame().encloses(&text.frame())));
    }
}
