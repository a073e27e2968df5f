//! Scenes as SVG, written as short as possible, since a page holds dozens of them: consecutive shapes of one look share an
//! element. Colours are attributes, spelled as in the palette, so that a page's style sheet can exchange them for dark ones.

use super::font;
use super::palette::{Ink, PAPER};
use super::scene::{Anchor, Item, Position, Scene, TEXT_LOWER, Text};

/// Coordinates are whole numbers: this many make a pixel.
const UNITS: f64 = 10.0;

/// A place, in whole coordinates of the SVG.
type Coordinates = (i32, i32);

/// An `<svg>` element of the scene's size. With a `label` it is a picture of its own, on paper; without, it is part of a page that
/// describes it and fills its background.
pub fn svg(scene: &Scene, label: Option<&str>) -> String {
    let (width, height) = (scene.width.round(), scene.height.round());
    let (across, down) = ((width * UNITS) as u32, (height * UNITS) as u32);
    let mut content = Content::default();
    content.draw(scene, (0.0, 0.0));
    content.close();
    let alone = label.map_or(String::new(), |label| {
        format!("xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"{}\" ", escape(label))
    });
    let ground = label.map_or(String::new(), |_| {
        format!("<path fill=\"{}\" d=\"M0 0H{across}V{down}H0z\"/>\n", PAPER.hex())
    });
    let (family, size, body) = (font::FAMILY, font::SIZE * UNITS, content.text);
    // Attributes that most elements share are written once. Elements without a text to tell ignore the pointer.
    format!(
        "<svg {alone}viewBox=\"0 0 {across} {down}\" width=\"{width}\" height=\"{height}\" font-family=\"{family}, sans-serif\" \
         font-size=\"{size}\" fill=\"none\" stroke-width=\"10\" stroke-linejoin=\"round\" stroke-linecap=\"round\" \
         pointer-events=\"none\">\n{ground}{body}</svg>\n"
    )
}

/// The inside of an `<svg>` element.
#[derive(Default)]
struct Content {
    text: String,
    /// Begin and end tags of the open element: a shape that needs the same begin tag is added to it.
    begin: String,
    end: &'static str,
}

impl Content {
    /// Draws all of `scene`, shifted by (`dx`, `dy`) pixels.
    fn draw(&mut self, scene: &Scene, (dx, dy): Position) {
        let place = |at: &Position| (units(at.0 + dx), units(at.1 + dy));
        for item in &scene.items {
            match item {
                Item::Line { points, ink, width, stroke } => {
                    let width = match units(*width).max(1) {
                        10 => String::new(),
                        width => format!(" stroke-width=\"{width}\""),
                    };
                    let dashes = stroke.dashes().map_or(String::new(), |(dash, gap)| {
                        format!(" stroke-dasharray=\"{} {}\"", dash * UNITS, gap * UNITS)
                    });
                    let begin = format!("<path stroke=\"{}\"{width}{dashes} d=\"", ink.hex());
                    self.push(begin, &path(points.iter().map(place)), "\"/>\n");
                }
                Item::Area { points, ink, opacity, told } => {
                    self.push_shape(*ink, *opacity, &(path(points.iter().map(place)) + "z"), told);
                }
                Item::Circle { at, radius, ink, told } => {
                    let ((x, y), radius) = (place(at), units(*radius));
                    // An arc that ends right beside its beginning.
                    let data = format!("M{x} {}a{radius} {radius} 0 1 0 1 0z", y - radius);
                    self.push_shape(*ink, 1.0, &data, told);
                }
                Item::Inset(at, inner) => self.draw(inner, (at.0 + dx, at.1 + dy)),
                Item::Text(text) => {
                    self.push_text(text, place(&(text.at.0, text.at.1 + text.size * TEXT_LOWER)))
                }
            }
        }
    }

    fn push(&mut self, begin: String, part: &str, end: &'static str) {
        if self.begin != begin {
            self.close();
            self.text += &begin;
            (self.begin, self.end) = (begin, end);
        }
        self.text += part;
    }

    fn close(&mut self) {
        self.text += std::mem::take(&mut self.end);
        self.begin.clear();
    }

    fn push_shape(&mut self, ink: Ink, opacity: f64, data: &str, told: &str) {
        let opacity = if opacity < 1.0 { format!(" opacity=\"{opacity}\"") } else { String::new() };
        let look = format!(" fill=\"{}\"{opacity}", ink.hex());
        if told.is_empty() {
            return self.push(format!("<path{look} d=\""), data, "\"/>\n");
        }
        // An invisible wide stroke makes a small mark easier to point at.
        let begin = format!("<g{look} pointer-events=\"all\" stroke-width=\"60\">\n");
        self.push(begin, &format!("<path d=\"{data}\"><title>{}</title></path>\n", escape(told)), "</g>\n");
    }

    fn push_text(&mut self, text: &Text, (x, y): Coordinates) {
        let anchor = match text.anchor {
            Anchor::Left => "",
            Anchor::Center => " text-anchor=\"middle\"",
            Anchor::Right => " text-anchor=\"end\"",
        };
        let is_usual = units(text.size) == units(font::SIZE);
        let size = if is_usual { String::new() } else { format!(" font-size=\"{}\"", units(text.size)) };
        let weight = if text.bold { " font-weight=\"600\"" } else { "" };
        // `y` is to be the base line, which is `TEXT_LOWER` of the size below what plotters takes for the middle of the letters.
        let y = y + units(text.size * TEXT_LOWER);
        let begin = format!("<g fill=\"{}\"{anchor}{size}{weight}>\n", text.ink.hex());
        self.push(begin, &format!("<text x=\"{x}\" y=\"{y}\">{}</text>\n", escape(&text.text)), "</g>\n");
    }
}

fn units(pixels: f64) -> i32 {
    (pixels * UNITS).round() as i32
}

/// The data of a path that moves to the first of `points` and draws lines to the others.
fn path(points: impl IntoIterator<Item = Coordinates>) -> String {
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
