//! Scenes as PNG.

use super::font;
use super::scene::{Item, Position, Scene, TEXT_LOWER};
use plotters::backend::BitMapBackend;
use plotters::element::{DashedPathElement, Drawable};
use plotters::style::text_anchor::{Pos, VPos};
use plotters::style::{ShapeStyle, TextStyle};
use plotters_backend::{BackendCoord, DrawingBackend};

/// `scene` as a PNG in which each of its pixels is `scale` / 2 wide and high. It is painted twice as large and halved, since plotters does
/// not smooth the edges of areas. Empty if encoding fails, for which memory gives no reason.
pub fn png(scene: &Scene, scale: usize) -> Vec<u8> {
    let pixels_of = |length: f64| length.round() as usize * scale / 2;
    let size = (pixels_of(scene.width), pixels_of(scene.height));
    let drawn = (size.0 * 2, size.1 * 2);
    let mut pixels = vec![0xFF; drawn.0 * drawn.1 * 3];
    let mut backend = BitMapBackend::with_buffer(&mut pixels, (drawn.0 as u32, drawn.1 as u32));
    paint(scene, (0.0, 0.0), &mut backend, scale as f64);
    let _ = backend.present();
    drop(backend);
    encoded(&halved(&pixels, drawn.0), size).unwrap_or_default()
}

/// Paints `scene`, shifted by (`dx`, `dy`) of its pixels and then enlarged `scale` times. What cannot be drawn is left out: memory has no
/// errors.
fn paint(scene: &Scene, (dx, dy): Position, image: &mut BitMapBackend, scale: f64) {
    let unit = |length: f64| (length * scale).round();
    let place = |at: &Position| (unit(at.0 + dx) as i32, unit(at.1 + dy) as i32);
    for item in &scene.items {
        match item {
            Item::Line { points, ink, width, stroke } => {
                let points: Vec<BackendCoord> = points.iter().map(place).collect();
                let stroke_width = unit(*width).max(1.0) as u32;
                let style = ShapeStyle { color: ink.color(1.0), filled: false, stroke_width };
                let _ = match stroke.dashes() {
                    None => image.draw_path(points, &style),
                    Some((dash, gap)) => {
                        DashedPathElement::new(points.clone(), dash * scale, gap * scale, style).draw(
                            points.into_iter(),
                            image,
                            (0, 0),
                        )
                    }
                };
            }
            Item::Area { points, ink, opacity, .. } => {
                let points: Vec<BackendCoord> = points.iter().map(place).collect();
                let _ = image.fill_polygon(points, &ink.color(*opacity));
            }
            Item::Circle { at, radius, ink, .. } => {
                let _ = image.draw_circle(place(at), unit(*radius) as u32, &ink.color(1.0), true);
            }
            Item::Inset(at, inner) => paint(inner, (at.0 + dx, at.1 + dy), image, scale),
            Item::Text(text) => {
                let ink = text.ink.color(1.0);
                let style = TextStyle::from(font::font(text.size * scale, text.bold)).color(&ink);
                let style = style.pos(Pos::new(text.anchor, VPos::Center));
                let at = (text.at.0, text.at.1 + text.size * TEXT_LOWER);
                let _ = image.draw_text(&text.text, &style, place(&at));
            }
        }
    }
}

/// The image at half its width and height: each pixel is the mean of four.
fn halved(pixels: &[u8], width: usize) -> Vec<[u8; 3]> {
    let mut all = Vec::with_capacity(pixels.len() / 12);
    for two in pixels.chunks_exact(2 * 3 * width) {
        let (upper, lower) = two.split_at(3 * width);
        for (above, below) in upper.as_chunks::<6>().0.iter().zip(lower.as_chunks::<6>().0) {
            let of = |pixels: &[u8; 6], part: usize| u16::from(pixels[part]) + u16::from(pixels[part + 3]);
            let mean = |part: usize| ((of(above, part) + of(below, part)) / 4) as u8;
            all.push([mean(0), mean(1), mean(2)]);
        }
    }
    all
}

/// The pixels as a PNG.
fn encoded(pixels: &[[u8; 3]], (width, height): (usize, usize)) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::Balanced);
    // Flat areas compress better as they are.
    encoder.set_filter(png::Filter::NoFilter);
    encoder.write_header()?.write_image_data(pixels.as_flattened())?;
    Ok(bytes)
}
