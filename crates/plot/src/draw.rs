//! A scene as SVG and as PNG, by plotters.

use super::font;
use super::layout::{Layout, scene_of};
use super::model::Figure;
use super::model::{Plot, Stroke};
use super::palette::{Ink, PAPER};
use super::scene::{Anchor, Item, Place, Scene};
use super::values;
use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{RGBAColor, ShapeStyle, TextStyle};
use rayon::prelude::*;
use std::collections::HashMap;

/// plotters counts in whole units: so many of SVG's are a pixel.
const SVG_UNITS: f64 = 10.0;
/// Images have so many pixels for each of the layout's in either direction. They are drawn twice as large, since plotters smooths
/// no edges of areas.
const IMAGE_SCALE: usize = 2;

/// The figure of a plot: both layouts as SVG, the wide one as PNG, its values as CSV.
pub fn draw(plot: &Plot) -> Figure {
    let wide = scene_of(plot, Layout::Wide);
    Figure {
        id: plot.id.clone(),
        title: plot.title.clone(),
        caption: plot.caption.clone(),
        alt: plot.alt.clone(),
        wide: svg(&wide, &plot.alt),
        narrow: svg(&scene_of(plot, Layout::Narrow), &plot.alt),
        png: png(&wide),
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
    /// Draws dashes itself: SVG has an attribute for them.
    cuts_dashes: bool,
    /// plotters puts text lower in SVG than in images: by this share of its size.
    text_lower: f64,
}

impl<B: DrawingBackend> Canvas<B> {
    fn unit(&self, (x, y): Place) -> (i32, i32) {
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
                let parts = match dashes(*stroke).filter(|_| self.cuts_dashes) {
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
                let at = (text.at.0, text.at.1 + text.size * self.text_lower);
                let _ = self.backend.draw_text(&text.text, &style, self.unit(at));
            }
        }
    }
}

/// Lengths of dashes and of the gaps between them, px.
fn dashes(stroke: Stroke) -> Option<(f64, f64)> {
    match stroke {
        Stroke::Dashed => Some((6.0, 4.5)),
        Stroke::Dotted => Some((0.6, 4.0)),
        Stroke::Solid | Stroke::None => None,
    }
}

/// The dashes of a line.
fn cut(points: &[Place], (dash, gap): (f64, f64)) -> Vec<Vec<Place>> {
    let mut parts: Vec<Vec<Place>> = Vec::new();
    let (mut inked, mut left) = (true, dash);
    let mut part: Vec<Place> = points.first().copied().into_iter().collect();
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

/// An `<svg>` element of the scene's size that `alt` describes.
pub fn svg(scene: &Scene, alt: &str) -> String {
    let (width, height) = (scene.width.round(), scene.height.round());
    let size = ((width * SVG_UNITS) as u32, (height * SVG_UNITS) as u32);
    let mut text = String::new();
    {
        let backend = SVGBackend::with_string(&mut text, size);
        let mut canvas = Canvas { backend, scale: SVG_UNITS, cuts_dashes: false, text_lower: 0.0 };
        for item in &scene.items {
            canvas.item(item);
        }
        let _ = canvas.backend.present();
    }
    let mut lines = text.lines();
    // plotters' own opening, which knows neither alt text nor pixels.
    lines.next();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" aria-label=\"{}\" font-family=\"{}\"{INHERITED} stroke-linejoin=\"round\" stroke-linecap=\"round\">\n",
        size.0,
        size.1,
        escaped(alt),
        font::FAMILY
    );
    let (r, g, b) = PAPER.rgb();
    svg += &format!("<rect width=\"{}\" height=\"{}\" fill=\"#{r:02X}{g:02X}{b:02X}\"/>\n", size.0, size.1);
    // plotters writes one element an item, each on a line that it opens.
    let mut items = scene.items.iter();
    for line in lines {
        let opens = line.starts_with('<') && !line.starts_with("</");
        let pattern = match items.as_slice().first().filter(|_| opens) {
            Some(Item::Line { stroke, .. }) => dashes(*stroke),
            _ => None,
        };
        if opens {
            items.next();
        }
        let line = line
            .replace(" opacity=\"1\"", "")
            .replace(&format!(" font-family=\"{}\"", font::FAMILY), "")
            .replace(" stroke=\"none\" stroke-width=\"1\"", "")
            .replace(" \"/>", "\"/>");
        let line = without_inherited(with_whole_font_size(&line));
        match pattern {
            Some((dash, gap)) => {
                let array = format!(" stroke-dasharray=\"{} {}\"/>", dash * SVG_UNITS, gap * SVG_UNITS);
                svg += &line.replacen("/>", &array, 1);
            }
            None => svg += &line,
        }
        // Within a text, a line end would be a space.
        let within_text = line.starts_with("<text") || !line.starts_with('<');
        if !within_text {
            svg.push('\n');
        }
    }
    with_lines_joined(&svg)
}

/// Lines of one look that follow each other as one path: whiskers are many, and each would say again what it looks like.
fn with_lines_joined(svg: &str) -> String {
    // What comes before and behind the points of a line.
    let look = |line: &str| -> Option<(String, String, String)> {
        let (before, rest) = line.strip_prefix("<polyline")?.split_once(" points=\"")?;
        let (points, behind) = rest.split_once('"')?;
        Some((before.to_string(), points.to_string(), behind.to_string()))
    };
    let mut joined = String::with_capacity(svg.len());
    let mut lines = svg.lines().peekable();
    while let Some(line) = lines.next() {
        let mut more = String::new();
        if let Some((before, points, behind)) = look(line) {
            let same = |next: &(String, String, String)| (&next.0, &next.2) == (&before, &behind);
            while let Some((_, points, _)) = lines.peek().and_then(|next| look(next)).filter(same) {
                more += &format!("M{points}");
                lines.next();
            }
            if !more.is_empty() {
                joined += &format!("<path{before} d=\"M{points}{more}\"{behind}");
            }
        }
        if more.is_empty() {
            joined += line;
        }
        joined.push('\n');
    }
    joined
}

/// What most elements have is said once, of the whole picture.
const INHERITED: &str = " fill=\"none\" stroke-width=\"10\" font-size=\"120\" text-anchor=\"start\"";

fn without_inherited(line: String) -> String {
    let quotes = |text: &str| text.match_indices('"').nth(1).map_or(text.len(), |(at, _)| at + 1);
    let (mut line, mut rest) = (line, INHERITED);
    while !rest.is_empty() {
        let (attribute, after) = rest.split_at(quotes(rest));
        // What users name is escaped and holds no quote, so only attributes are found.
        line = line.replacen(attribute, "", 1);
        rest = after;
    }
    line
}

/// plotters multiplies and divides font sizes by a fraction: 120.00000000000001.
fn with_whole_font_size(line: &str) -> String {
    const ATTRIBUTE: &str = " font-size=\"";
    let found = line.split_once(ATTRIBUTE).and_then(|(before, rest)| {
        let (size, after) = rest.split_once('"')?;
        let size: f64 = size.parse().ok()?;
        Some(format!("{before}{ATTRIBUTE}{size:.0}\"{after}"))
    });
    found.unwrap_or_else(|| line.to_string())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The scene as an image. Empty when it cannot be written, which memory has no reason for.
pub fn png(scene: &Scene) -> Vec<u8> {
    let scale = IMAGE_SCALE * 2;
    let (width, height) = (scene.width.round() as usize, scene.height.round() as usize);
    let drawn = (width * scale, height * scale);
    let mut pixels = vec![0xFF; drawn.0 * drawn.1 * 3];
    {
        let backend = BitMapBackend::with_buffer(&mut pixels, (drawn.0 as u32, drawn.1 as u32));
        let mut canvas = Canvas { backend, scale: scale as f64, cuts_dashes: true, text_lower: 0.15 };
        for item in &scene.items {
            canvas.item(item);
        }
        let _ = canvas.backend.present();
    }
    let size = (width * IMAGE_SCALE, height * IMAGE_SCALE);
    let pixels = halved(&pixels, drawn.0);
    encoded(&pixels, size).unwrap_or_default()
}

/// Half as wide and half as high: each pixel the mean of four.
fn halved(pixels: &[u8], width: usize) -> Vec<u8> {
    let row = width * 3;
    let mut all = Vec::with_capacity(pixels.len() / 4);
    for two in pixels.chunks_exact(2 * row) {
        let (upper, lower) = two.split_at(row);
        for (above, below) in upper.chunks_exact(6).zip(lower.chunks_exact(6)) {
            for part in 0..3 {
                let of = |pixels: &[u8]| u16::from(pixels[part]) + u16::from(pixels[part + 3]);
                all.push(((of(above) + of(below)) / 4) as u8);
            }
        }
    }
    all
}

/// With a palette of the colours that are most frequent. Others, some pixels at edges, take the nearest of them.
fn encoded(pixels: &[u8], (width, height): (usize, usize)) -> Result<Vec<u8>, png::EncodingError> {
    // Most pixels are like the one before, and looking a colour up takes longer than comparing two.
    let runs = || pixels.as_chunks::<3>().0.chunk_by(|a, b| a == b);
    let mut counts: HashMap<[u8; 3], usize> = HashMap::new();
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
    let places: HashMap<[u8; 3], u8> = colours.iter().map(|(colour, _)| (*colour, nearest(colour))).collect();
    let indices: Vec<u8> = runs().flat_map(|run| std::iter::repeat_n(places[&run[0]], run.len())).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette.concat());
    encoder.set_compression(png::Compression::High);
    // Flat areas compress better as they are.
    encoder.set_filter(png::Filter::NoFilter);
    encoder.write_header()?.write_image_data(&indices)?;
    Ok(bytes)
}

/// The image of a layout, to look at.
pub fn png_of(plot: &Plot, layout: Layout) -> Vec<u8> {
    png(&scene_of(plot, layout))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_one_look_are_one_path_and_others_stay_apart() {
        let one = "<polyline stroke=\"#00795A\" points=\"1,2 3,4\"/>\n";
        let other = "<polyline stroke=\"#00795A\" points=\"5,6 7,8\"/>\n";
        let dashed = "<polyline stroke=\"#00795A\" points=\"5,6 7,8\" stroke-dasharray=\"4 4\"/>\n";
        let text = "<text>a\n</text>\n";
        let joined = "<path stroke=\"#00795A\" d=\"M1,2 3,4M5,6 7,8\"/>\n";
        assert_eq!(
            with_lines_joined(&[one, other, dashed, text, one].concat()),
            [joined, dashed, text, one].concat()
        );
    }
}
