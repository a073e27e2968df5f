//! Scenes, painted on backends of plotters.

use super::font;
use super::model::Stroke;
use super::scene::{Item, Position, Scene};
use plotters::element::{DashedPathElement, Drawable};
use plotters::style::text_anchor::{Pos, VPos};
use plotters::style::{ShapeStyle, TextStyle};
use plotters_backend::{BackendCoord, DrawingBackend};

/// plotters puts text higher than half way up its letters: by this share of its size.
pub const TEXT_LOWER: f64 = 0.15;

/// A backend, with what pictures need besides.
pub trait Canvas: DrawingBackend {
    /// Shown when a reader points at the next area or circle.
    fn tell(&mut self, _told: &str) {}

    /// A line of dashes and gaps that are so long.
    fn draw_dashes(&mut self, points: Vec<BackendCoord>, (dash, gap): (f64, f64), style: ShapeStyle) {
        let line = DashedPathElement::new(points.clone(), dash, gap, style);
        let _ = line.draw(points.into_iter(), self, (0, 0));
    }
}

/// Paints `scene`, so many pixels further right and down, with so many units of the canvas for each pixel. What cannot be drawn is left
/// out: memory has no errors.
pub fn paint(scene: &Scene, (dx, dy): Position, canvas: &mut impl Canvas, scale: f64) {
    let unit = |length: f64| (length * scale).round();
    let place = |at: &Position| (unit(at.0 + dx) as i32, unit(at.1 + dy) as i32);
    for item in &scene.items {
        match item {
            Item::Line { points, ink, width, stroke } => {
                let points: Vec<BackendCoord> = points.iter().map(place).collect();
                let stroke_width = unit(*width).max(1.0) as u32;
                let style = ShapeStyle { color: ink.color(1.0), filled: false, stroke_width };
                // Lengths of dashes and of the gaps between them, px.
                let (dash, gap) = match stroke {
                    Stroke::Dashed => (6.0, 4.5),
                    Stroke::Dotted => (0.6, 4.0),
                    _ => {
                        let _ = canvas.draw_path(points, &style);
                        continue;
                    }
                };
                canvas.draw_dashes(points, (dash * scale, gap * scale), style);
            }
            Item::Area { points, ink, opacity, told } => {
                canvas.tell(told);
                let points: Vec<BackendCoord> = points.iter().map(place).collect();
                let _ = canvas.fill_polygon(points, &ink.color(*opacity));
            }
            Item::Circle { at, radius, ink, told } => {
                canvas.tell(told);
                let _ = canvas.draw_circle(place(at), unit(*radius) as u32, &ink.color(1.0), true);
            }
            Item::Inset(at, inner) => paint(inner, (at.0 + dx, at.1 + dy), canvas, scale),
            Item::Text(text) => {
                let ink = text.ink.color(1.0);
                let style = TextStyle::from(font::font(text.size * scale, text.bold)).color(&ink);
                let style = style.pos(Pos::new(text.anchor, VPos::Center));
                let at = (text.at.0, text.at.1 + text.size * TEXT_LOWER);
                let _ = canvas.draw_text(&text.text, &style, place(&at));
            }
        }
    }
}
