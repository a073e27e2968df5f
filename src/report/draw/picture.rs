//! A plot as a figure: each panel for a page, and all of them in a picture that stands alone.

use super::font;
use super::label::{LINE, clipped, wrap};
use super::lines::{self, LinesLayout};
use super::model::{Chart, Figure, Panel, PanelSvg, Plot};
use super::palette::{INK, Ink, MUTED};
use super::panel::{EDGE, WIDTH};
use super::png::png;
use super::rows::{self, RowsLayout};
use super::scene::{Anchor, Item, Position, Scene, Text};
use super::svg::svg;

/// Sizes of title, headings and sources, px.
const TITLE: f64 = 17.0;
const HEADING: f64 = 14.0;
const SOURCE: f64 = 11.0;
/// How many panels are next to each other, and how far apart, px.
const COLUMNS: usize = 2;
const BETWEEN: f64 = 30.0;
/// The border of a picture, px.
const BORDER: f64 = 10.0;

/// The figure of `plot`.
pub fn draw(plot: &Plot) -> Figure {
    let scenes = scenes(&plot.panels);
    let panel = |(panel, scene): (&Panel, &Scene)| {
        let (heading, source) = (panel.heading.clone(), panel.source.clone());
        PanelSvg { heading, source, svg: svg(scene, None) }
    };
    let panels = plot.panels.iter().zip(&scenes).map(panel).collect();
    let picture = picture(plot, scenes);
    // Images with one panel and with two are about as wide: for more pixels there is the SVG.
    let scale = if plot.panels.len() > 1 { 2 } else { 4 };
    Figure { panels, svg: svg(&picture, Some(&plot.title)), png: png(&picture, scale) }
}

/// The scene of each panel; their axes have the same ends.
pub fn scenes(panels: &[Panel]) -> Vec<Scene> {
    let (mut lines, mut rows) = (Vec::new(), Vec::new());
    for panel in panels {
        match &panel.chart {
            Chart::Lines(chart) => lines.push(chart),
            Chart::Rows(chart) => rows.push(chart),
        }
    }
    let (lines_layout, rows_layout) = (LinesLayout::of(&lines), RowsLayout::of(&rows));
    let scene = |panel: &Panel| match &panel.chart {
        Chart::Lines(chart) => lines::scene(chart, &lines_layout),
        Chart::Rows(chart) => rows::scene(chart, &rows_layout),
    };
    panels.iter().map(scene).collect()
}

/// The scene of a whole plot: title on top, panels with headings next to each other, sources at the bottom.
pub fn picture(plot: &Plot, scenes: Vec<Scene>) -> Scene {
    let columns = scenes.len().clamp(1, COLUMNS);
    let width = WIDTH * columns as f64 + BETWEEN * (columns - 1) as f64;
    let mut picture = Scene::of_width(width + 2.0 * BORDER);
    let mut top = write(&mut picture, &plot.title, (BORDER, BORDER), width, TITLE, INK) + 6.0;
    let has_headings = plot.panels.iter().any(|panel| !panel.heading.is_empty());
    let head = if has_headings { HEADING * 1.2 + 2.0 } else { 0.0 };
    let mut scenes = scenes.into_iter();
    for row in plot.panels.chunks(columns) {
        let mut bottom = top;
        for (column, (panel, scene)) in row.iter().zip(scenes.by_ref()).enumerate() {
            let left = BORDER + column as f64 * (WIDTH + BETWEEN);
            let heading = clipped(panel.heading.clone(), WIDTH - 2.0 * EDGE, HEADING, true);
            write(&mut picture, &heading, (left, top), WIDTH, HEADING, INK);
            bottom = bottom.max(top + head + scene.height);
            picture.items.push(Item::Inset((left, top + head), scene));
        }
        top = bottom + 6.0;
    }
    let mut sources: Vec<&str> = plot.panels.iter().map(|panel| panel.source.as_str()).collect();
    sources.dedup();
    for source in sources {
        top = write(&mut picture, source, (BORDER, top), width, SOURCE, MUTED);
    }
    picture.height = (top + BORDER).round();
    picture
}

/// Writes `text` at a place, on as many lines as it needs, and returns the lower end of the last. Text above the usual size is bold.
fn write(scene: &mut Scene, text: &str, (left, top): Position, width: f64, size: f64, ink: Ink) -> f64 {
    let bold = size > font::SIZE;
    let height = size * LINE / font::SIZE;
    let mut bottom = top;
    for line in wrap(text, width - 2.0 * EDGE, size, bold) {
        let at = (left + EDGE, bottom + height / 2.0);
        scene.text(Text { size, bold, ..Text::new(&line, at, Anchor::Left, ink) });
        bottom += height;
    }
    bottom
}
