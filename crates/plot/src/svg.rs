//! A scene as an `<svg>` element, as short as it can be written: pages hold dozens of them.
//!
//! Shapes of one look that follow each other are one path of relative steps, and each part of a scene is a group that a page
//! can single out: plotters, which draws the images, writes one element a shape and knows no groups.

use super::font;
use super::model::Stroke;
use super::palette::PAPER;
use super::scene::{Anchor, Item, Part, Position, Scene, Text};

/// Whole numbers alone are written: so many units are a pixel.
pub const UNITS: f64 = 10.0;
/// Half way up the letters lies so much above their base line, as a share of the font's size.
const HALF_LETTER: f64 = 0.3;

/// What most elements have stands once, at the picture.
const INHERITED: &str =
    "fill=\"none\" stroke-width=\"10\" font-size=\"120\" stroke-linejoin=\"round\" stroke-linecap=\"round\"";

/// An `<svg>` element of the scene's size. With `alt` it is a picture of its own; without, one of a page that describes it and
/// fills what lies behind it.
pub fn svg(scene: &Scene, alt: Option<&str>) -> String {
    let (width, height) = (scene.width.round(), scene.height.round());
    let (across, down) = (unit(width), unit(height));
    let size = format!("viewBox=\"0 0 {across} {down}\" width=\"{width}\" height=\"{height}\"");
    let family = font::FAMILY;
    let mut svg = match alt {
        Some(alt) => format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" {size} role=\"img\" aria-label=\"{}\" font-family=\"{family}\" {INHERITED}>\n\
             <rect width=\"{across}\" height=\"{down}\" fill=\"{}\"/>\n",
            escaped(alt),
            PAPER.hex()
        ),
        None => format!("<svg {size} font-family=\"{family}\" {INHERITED}>\n"),
    };
    let mut open = false;
    for run in scene.items.chunk_by(joins) {
        if let Item::Part(part) = run[0] {
            // Two markers of one look never follow each other in one run.
            svg += if open { "</g>\n" } else { "" };
            open = part != Part::Fixed;
            svg += &match part {
                Part::Fixed => String::new(),
                Part::Axes => "<g data-axes=\"\">\n".to_string(),
                Part::Series(place) => format!("<g data-s=\"{place}\">\n"),
            };
            continue;
        }
        svg += &element(run);
    }
    svg + if open { "</g>\n</svg>\n" } else { "</svg>\n" }
}

/// Whether two shapes look alike, so that one path can hold both.
fn joins(a: &Item, b: &Item) -> bool {
    match (a, b) {
        (
            Item::Line { ink, width, stroke, opacity, .. },
            Item::Line { ink: ink_b, width: width_b, stroke: stroke_b, opacity: opacity_b, .. },
        ) => (ink, width, stroke, opacity) == (ink_b, width_b, stroke_b, opacity_b),
        (Item::Area { ink, opacity, .. }, Item::Area { ink: ink_b, opacity: opacity_b, .. }) => {
            (ink, opacity) == (ink_b, opacity_b)
        }
        (Item::Circle { ink, radius, .. }, Item::Circle { ink: ink_b, radius: radius_b, .. }) => {
            (ink, radius) == (ink_b, radius_b)
        }
        (Item::Text(a), Item::Text(b)) => look(a) == look(b),
        _ => false,
    }
}

/// Shapes that look alike.
fn element(run: &[Item]) -> String {
    let path: String = run
        .iter()
        .map(|item| match item {
            Item::Line { points, .. } => steps(points),
            Item::Area { points, .. } => steps(points) + "z",
            // A line of no length with round ends.
            Item::Circle { at, .. } => steps(&[*at]) + "h0",
            Item::Text(_) | Item::Part(_) | Item::Ends { .. } | Item::Value(_) => String::new(),
        })
        .collect();
    let faint = |opacity: f64| match opacity < 1.0 {
        true => format!(" opacity=\"{opacity}\""),
        false => String::new(),
    };
    match &run[0] {
        Item::Line { ink, width, stroke, opacity, .. } => {
            let width = match unit(*width) {
                10 => String::new(),
                width => format!(" stroke-width=\"{width}\""),
            };
            let dashes = stroke.dashes().map_or(String::new(), |(dash, gap)| {
                format!(" stroke-dasharray=\"{} {}\"", unit(dash), unit(gap))
            });
            format!("<path stroke=\"{}\"{width}{}{dashes} d=\"{path}\"/>\n", ink.hex(), faint(*opacity))
        }
        Item::Area { ink, opacity, .. } => {
            format!("<path fill=\"{}\"{} d=\"{path}\"/>\n", ink.hex(), faint(*opacity))
        }
        Item::Circle { ink, radius, .. } => {
            format!("<path stroke=\"{}\" stroke-width=\"{}\" d=\"{path}\"/>\n", ink.hex(), unit(radius * 2.0))
        }
        Item::Text(text) => {
            let texts: Vec<String> = run.iter().filter_map(Item::as_text).map(written).collect();
            match &texts[..] {
                [one] => one.replacen("<text", &format!("<text{}", look(text)), 1),
                all => format!("<g{}>\n{}</g>\n", look(text), all.concat()),
            }
        }
        Item::Part(_) | Item::Ends { .. } | Item::Value(_) => String::new(),
    }
}

/// A text in the look that it inherits.
fn written(text: &Text) -> String {
    let (x, y) = (unit(text.at.0), unit(text.at.1 + text.size * HALF_LETTER));
    format!("<text x=\"{x}\" y=\"{y}\">{}</text>\n", escaped(&text.text))
}

/// What a text looks like, as attributes.
fn look(text: &Text) -> String {
    let anchor = match text.anchor {
        Anchor::Left => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::Right => " text-anchor=\"end\"",
    };
    let size = match text.size == font::SIZE {
        true => String::new(),
        false => format!(" font-size=\"{}\"", unit(text.size)),
    };
    let weight = if text.bold { " font-weight=\"bold\"" } else { "" };
    format!(" fill=\"{}\"{anchor}{size}{weight}", text.ink.hex())
}

fn unit(pixels: f64) -> i64 {
    (pixels * UNITS).round() as i64
}

/// A path to the first of `points` and from each to the next.
fn steps(points: &[Position]) -> String {
    let places: Vec<(i64, i64)> = points.iter().map(|(x, y)| (unit(*x), unit(*y))).collect();
    let Some((first, _)) = places.split_first() else { return String::new() };
    let mut path = format!("M{}", pair(*first));
    // The command of the step before: one letter serves for several steps of its kind.
    let mut command = ' ';
    for two in places.windows(2) {
        let (dx, dy) = (two[1].0 - two[0].0, two[1].1 - two[0].1);
        let (next, numbers) = match (dx, dy) {
            (_, 0) => ('h', dx.to_string()),
            (0, _) => ('v', dy.to_string()),
            _ => ('l', pair((dx, dy))),
        };
        if next != command {
            path.push(next);
        } else if !numbers.starts_with('-') {
            path.push(' ');
        }
        path += &numbers;
        command = next;
    }
    path
}

/// Two numbers; a minus sign needs no space before it.
fn pair((x, y): (i64, i64)) -> String {
    if y < 0 { format!("{x}{y}") } else { format!("{x} {y}") }
}

/// `text` for XML, which has no way to write most control characters.
fn escaped(text: &str) -> String {
    let is_allowed = |one: &char| !one.is_control() && !matches!(one, '\u{fffe}' | '\u{ffff}');
    let text: String = text.chars().filter(is_allowed).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

impl Stroke {
    /// Lengths of dashes and of the gaps between them, px.
    pub(super) fn dashes(self) -> Option<(f64, f64)> {
        match self {
            Self::Dashed => Some((6.0, 4.5)),
            Self::Dotted => Some((0.6, 4.0)),
            Self::Solid | Self::None => None,
        }
    }
}
