//! Plots as data, and how they become pictures: what is drawn is decided before anything is, so that it can be checked.
//!
//! A [`Plot`] is laid out into a [`scene`] of lines, shapes and texts in pixels, once for a wide screen and once for a phone;
//! the scene is then written as SVG, or drawn into an image by plotters. What a page's script answers questions from is JSON next to it.

mod alone;
mod data;
mod draw;
mod facts;
mod font;
mod heat;
mod label;
mod layout;
mod lines;
mod model;
pub mod palette;
mod rows;
mod scale;
mod scene;
mod source;
mod svg;
mod values;

pub use alone::alone;
pub use draw::{draw, draw_all};
pub use facts::{Facts, Published};
pub use heat::{Cell, Heat, HeatRow};
pub use layout::{Layout, scene_of};
pub use model::{
    Band, Bar, Chart, Figure, Guide, Key, Lines, Mark, Plot, Point, Row, RowPoint, Rows, Series, Shape,
    Stroke, Trace,
};
pub use palette::{Ink, SeriesStyle, dark_variants, look};
pub use scale::{Axis, Quantity, Scale};
pub use scale::{rate_text, seconds_text, significant};
pub use scene::{Frame, Scene, Text};
pub use source::Source;
