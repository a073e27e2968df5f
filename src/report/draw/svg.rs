//! Scenes as SVG, as short as it can be written, since pages hold dozens of them: shapes of one look that follow each other are
//! one path. Colours are attributes with the palette's own writing, so that a page's style sheet can exchange them for dark ones.

use super::canvas::{Canvas, TEXT_LOWER, paint};
use super::font;
use super::palette::PAPER;
use super::scene::{Anchor, Scene};
use plotters::style::ShapeStyle;
use plotters_backend::{
    BackendColor, BackendCoord as Coord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontStyle,
};
use std::convert::Infallible;

/// Coordinates are whole numbers: so many of them are a pixel.
const UNITS: f64 = 10.0;

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

/// An `<svg>` element of the scene's size. With a `label` it is a picture of its own; without, a part of a page that describes it and
/// fills what lies behind it.
pub fn svg(scene: &Scene, label: Option<&str>) -> String {
    let (width, height) = (scene.width.round(), scene.height.round());
    let (across, down) = ((width * UNITS) as u32, (height * UNITS) as u32);
    let mut backend = SvgBackend { size: (across, down), ..SvgBackend::default() };
    paint(scene, (0.0, 0.0), &mut backend, UNITS);
    backend.close();
    let alone = label.map_or(String::new(), |label| {
        format!("xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"{}\" ", escape(label))
    });
    let ground = label.map_or(String::new(), |_| {
        format!("<path fill=\"{}\" d=\"M0 0H{across}V{down}H0z\"/>\n", PAPER.hex())
    });
    let (family, size, body) = (font::FAMILY, font::SIZE * UNITS, backend.body);
    // What most elements have stands once. What has nothing to tell lies in the way of no pointer.
    format!(
        "<svg {alone}viewBox=\"0 0 {across} {down}\" width=\"{width}\" height=\"{height}\" font-family=\"{family}, sans-serif\" \
         font-size=\"{size}\" fill=\"none\" stroke-width=\"10\" stroke-linejoin=\"round\" stroke-linecap=\"round\" \
         pointer-events=\"none\">\n{ground}{body}</svg>\n"
    )
}

/// A backend that writes the inside of an `<svg>` element.
#[derive(Default)]
struct SvgBackend {
    size: (u32, u32),
    body: String,
    /// Beginning and end of the element that is open: what follows with the same beginning goes into it.
    begin: String,
    end: &'static str,
    /// What the next area or circle tells.
    told: String,
}

impl SvgBackend {
    fn push(&mut self, begin: String, part: &str, end: &'static str) {
        if self.begin != begin {
            self.close();
            self.body += &begin;
            (self.begin, self.end) = (begin, end);
        }
        self.body += part;
    }

    fn close(&mut self) {
        self.body += std::mem::take(&mut self.end);
        self.begin.clear();
    }

    fn push_path(&mut self, look: &str, data: &str) {
        self.push(format!("<path{look} d=\""), data, "\"/>\n");
    }

    fn push_shape(&mut self, color: BackendColor, data: &str) {
        let look = color_look("fill", color);
        let told = escape(&std::mem::take(&mut self.told));
        if told.is_empty() {
            return self.push_path(&look, data);
        }
        // The stroke, which is not seen, makes a small mark easier to point at.
        let begin = format!("<g{look} pointer-events=\"all\" stroke-width=\"60\">\n");
        self.push(begin, &format!("<path d=\"{data}\"><title>{told}</title></path>\n"), "</g>\n");
    }
}

impl Canvas for SvgBackend {
    fn tell(&mut self, told: &str) {
        self.told = told.to_string();
    }

    fn draw_dashes(&mut self, points: Vec<Coord>, (dash, gap): (f64, f64), style: ShapeStyle) {
        let look = stroke_look(&style);
        self.push_path(&format!("{look} stroke-dasharray=\"{dash} {gap}\""), &path(points));
    }
}

impl DrawingBackend for SvgBackend {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): Coord, color: BackendColor) -> Drawn {
        self.fill_polygon([(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)], &color)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = Coord>>(&mut self, points: I, style: &S) -> Drawn {
        self.push_path(&stroke_look(style), &path(points));
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = Coord>>(&mut self, all: I, style: &S) -> Drawn {
        self.push_shape(style.color(), &(path(all) + "z"));
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(&mut self, (x, y): Coord, radius: u32, style: &S, _: bool) -> Drawn {
        // An arc that ends right beside its beginning.
        let top = y - radius as i32;
        self.push_shape(style.color(), &format!("M{x} {top}a{radius} {radius} 0 1 0 1 0z"));
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): Coord) -> Drawn {
        let pixels = style.size() / font::LINE;
        let anchor = match style.anchor().h_pos {
            Anchor::Left => "",
            Anchor::Center => " text-anchor=\"middle\"",
            Anchor::Right => " text-anchor=\"end\"",
        };
        let is_usual = (pixels - font::SIZE * UNITS).abs() < 0.5;
        let size = if is_usual { String::new() } else { format!(" font-size=\"{}\"", pixels.round()) };
        let weight = if matches!(style.style(), FontStyle::Bold) { " font-weight=\"600\"" } else { "" };
        // Their base line lies as far below what plotters takes for the middle of the letters as that does below their middle.
        let y = y + (pixels * TEXT_LOWER).round() as i32;
        let begin = format!("<g{}{anchor}{size}{weight}>\n", color_look("fill", style.color()));
        self.push(begin, &format!("<text x=\"{x}\" y=\"{y}\">{}</text>\n", escape(text)), "</g>\n");
        Ok(())
    }
}

fn color_look(attribute: &str, color: BackendColor) -> String {
    let (r, g, b) = color.rgb;
    let opacity = if color.alpha < 1.0 { format!(" opacity=\"{}\"", color.alpha) } else { String::new() };
    format!(" {attribute}=\"#{r:02X}{g:02X}{b:02X}\"{opacity}")
}

fn stroke_look(style: &impl BackendStyle) -> String {
    let width = style.stroke_width();
    let width = if width == 10 { String::new() } else { format!(" stroke-width=\"{width}\"") };
    color_look("stroke", style.color()) + &*width
}

/// A path to the first of `points` and from each to the next.
fn path(points: impl IntoIterator<Item = Coord>) -> String {
    let mut last = None;
    let step = |(x, y)| match last.replace((x, y)) {
        None => format!("M{x} {y}"),
        Some((_, y0)) if y0 == y => format!("H{x}"),
        Some((x0, _)) if x0 == x => format!("V{y}"),
        Some((x0, y0)) => format!("l{} {}", x - x0, y - y0),
    };
    points.into_iter().map(step).collect()
}

/// `text` for XML, which has no way to write most control characters.
fn escape(text: &str) -> String {
    let is_allowed = |one: &char| !one.is_control() && !matches!(one, '\u{fffe}' | '\u{ffff}');
    let text: String = text.chars().filter(is_allowed).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
