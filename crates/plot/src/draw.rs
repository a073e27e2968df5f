//! A plot as a figure: its pictures, its values as CSV, and what a page asks of them. plotters draws the image.

use super::alone::alone;
use super::data;
use super::font;
use super::layout::{Layout, scene_of};
use super::model::{Figure, Plot};
use super::palette::Ink;
use super::scene::{Anchor, Item, Position, Scene};
use super::svg::svg;
use super::values;
use plotters::backend::{BitMapBackend, DrawingBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{RGBAColor, ShapeStyle, TextStyle};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Images are drawn with so many pixels for each of the layout's in either direction and then halved, since plotters smooths no edges
/// of areas: 1290 pixels for a wide chart. Four took nearly twice as long, and who needs more has the SVG.
const DRAWN_SCALE: usize = 3;

/// plotters puts text higher than half way up its letters: by this share of its size.
const TEXT_LOWER: f64 = 0.15;

/// The figure of a plot: both layouts as SVG, the wide one as SVG and PNG with title and source inside, its values as CSV.
pub fn draw(plot: &Plot) -> Figure {
    let [wide, narrow] = Layout::ALL.map(|layout| scene_of(plot, layout));
    let picture = alone(plot, wide.clone());
    Figure {
        id: plot.id.clone(),
        title: plot.title.clone(),
        shows: plot.shows.clone(),
        caption: plot.caption.clone(),
        alt: plot.alt.clone(),
        source: plot.source.as_ref().map(ToString::to_string).unwrap_or_default(),
        wide: svg(&wide, None),
        narrow: svg(&narrow, None),
        svg: svg(&picture, Some(&plot.alt)),
        png: png(&picture),
        data: data::json(plot, [&wide, &narrow]),
        csv: values::csv(plot),
    }
}

/// The figures of all `plots`, in their order, drawn on all cores.
pub fn draw_all(plots: &[Plot]) -> Vec<Figure> {
    plots.par_iter().map(draw).collect()
}

/// Something that plotters draws on, with the number of its units in a pixel of the layout.
struct Canvas<B> {
    backend: B,
    scale: f64,
}

impl<B: DrawingBackend> Canvas<B> {
    fn unit(&self, (x, y): Position) -> (i32, i32) {
        ((x * self.scale).round() as i32, (y * self.scale).round() as i32)
    }

    /// Draws one item. What cannot be drawn is left out: memory has no other errors.
    fn item(&mut self, item: &Item) {
        let color = |ink: Ink, opacity: f64| {
            let (r, g, b) = ink.rgb();
            RGBAColor(r, g, b, opacity)
        };
        match item {
            Item::Line { points, ink, width, stroke, opacity } => {
                let width = (width * self.scale).round().max(1.0) as u32;
                let style = ShapeStyle { color: color(*ink, *opacity), filled: false, stroke_width: width };
                let parts = match stroke.dashes() {
                    Some(pattern) => cut(points, pattern),
                    None => vec![points.clone()],
                };
                for part in parts {
                    let part: Vec<(i32, i32)> = part.into_iter().map(|place| self.unit(place)).collect();
                    let _ = self.backend.draw_path(part, &style);
                }
            }
            Item::Area { points, ink, opacity } => {
                let points: Vec<(i32, i32)> = points.iter().map(|place| self.unit(*place)).collect();
                let _ = self.backend.fill_polygon(points, &color(*ink, *opacity));
            }
            Item::Circle { at, radius, ink } => {
                let radius = (radius * self.scale).round() as u32;
                let _ = self.backend.draw_circle(self.unit(*at), radius, &color(*ink, 1.0), true);
            }
            Item::Text(text) => {
                let h_pos = match text.anchor {
                    Anchor::Left => HPos::Left,
                    Anchor::Middle => HPos::Center,
                    Anchor::Right => HPos::Right,
                };
                let ink = color(text.ink, 1.0);
                let style = TextStyle::from(font::font(text.size * self.scale, text.bold))
                    .color(&ink)
                    .pos(Pos::new(h_pos, VPos::Center));
                let at = (text.at.0, text.at.1 + text.size * TEXT_LOWER);
                let _ = self.backend.draw_text(&text.text, &style, self.unit(at));
            }
            Item::Part(_) | Item::Ends { .. } | Item::Value(_) => {}
        }
    }
}

/// The dashes of a line.
fn cut(points: &[Position], (dash, gap): (f64, f64)) -> Vec<Vec<Position>> {
    let mut parts: Vec<Vec<Position>> = Vec::new();
    let (mut inked, mut left) = (true, dash);
    let mut part: Vec<Position> = points.first().copied().into_iter().collect();
    for pair in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let length = (x1 - x0).hypot(y1 - y0);
        let mut done = 0.0;
        while length - done > left {
            done += left;
            let place = (x0 + (x1 - x0) * done / length, y0 + (y1 - y0) * done / length);
            if inked {
                part.push(place);
                parts.push(std::mem::take(&mut part));
            } else {
                part = vec![place];
            }
            inked = !inked;
            left = if inked { dash } else { gap };
        }
        left -= length - done;
        if inked {
            part.push((x1, y1));
        }
    }
    if inked && part.len() > 1 {
        parts.push(part);
    }
    parts
}

/// The scene as an image. Empty when it cannot be written, which memory has no reason for.
pub fn png(scene: &Scene) -> Vec<u8> {
    let pixels_of = |length: f64| length.round() as usize * DRAWN_SCALE / 2;
    let size = (pixels_of(scene.width), pixels_of(scene.height));
    let drawn = (size.0 * 2, size.1 * 2);
    let mut pixels = vec![0xFF; drawn.0 * drawn.1 * 3];
    {
        let backend = BitMapBackend::with_buffer(&mut pixels, (drawn.0 as u32, drawn.1 as u32));
        let mut canvas = Canvas { backend, scale: DRAWN_SCALE as f64 };
        for item in &scene.items {
            canvas.item(item);
        }
        let _ = canvas.backend.present();
    }
    let pixels = halved(&pixels, drawn.0);
    encoded(&pixels, size).unwrap_or_default()
}

/// Half as wide and half as high: each pixel the mean of four.
fn halved(pixels: &[u8], width: usize) -> Vec<[u8; 3]> {
    let mut all = Vec::with_capacity(pixels.len() / 12);
    for two in pixels.chunks_exact(2 * 3 * width) {
        let (upper, lower) = two.split_at(3 * width);
        for (above, below) in upper.as_chunks::<6>().0.iter().zip(lower.as_chunks::<6>().0) {
            let mean = |part: usize| {
                let of = |pixels: &[u8; 6]| u16::from(pixels[part]) + u16::from(pixels[part + 3]);
                ((of(above) + of(below)) / 4) as u8
            };
            all.push([mean(0), mean(1), mean(2)]);
        }
    }
    all
}

/// With a palette of the colours that are most frequent. Others, some pixels at edges, take the nearest of them.
fn encoded(pixels: &[[u8; 3]], (width, height): (usize, usize)) -> Result<Vec<u8>, png::EncodingError> {
    // Most pixels are like the one before, and looking a colour up takes longer than comparing two.
    let runs = || pixels.chunk_by(|a, b| a == b);
    let mut counts: FxHashMap<[u8; 3], usize> = FxHashMap::default();
    runs().for_each(|run| *counts.entry(run[0]).or_default() += run.len());
    let mut colours: Vec<([u8; 3], usize)> = counts.into_iter().collect();
    colours.sort_by_key(|(colour, count)| (std::cmp::Reverse(*count), *colour));
    let palette: Vec<[u8; 3]> = colours.iter().take(256).map(|(colour, _)| *colour).collect();
    let apart = |a: &[u8; 3], b: &[u8; 3]| -> u32 {
        (0..3).map(|part| u32::from(a[part].abs_diff(b[part])).pow(2)).sum()
    };
    let nearest = |colour: &[u8; 3]| {
        let places = palette.iter().enumerate();
        places.min_by_key(|(_, known)| apart(known, colour)).map_or(0, |(place, _)| place as u8)
    };
    let places: FxHashMap<[u8; 3], u8> =
        colours.iter().map(|(colour, _)| (*colour, nearest(colour))).collect();
    let mut indices = Vec::with_capacity(pixels.len());
    for run in runs() {
        indices.resize(indices.len() + run.len(), places[&run[0]]);
    }
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette.concat());
    encoder.set_compression(png::Compression::Balanced);
    // Flat areas compress better as they are.
    encoder.set_filter(png::Filter::NoFilter);
    encoder.write_header()?.write_image_data(&indices)?;
    Ok(bytes)
}
