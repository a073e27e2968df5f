//! Plots as data, and how they become pictures: what is drawn is decided before anything is, so that it can be checked.
//!
//! Each panel of a [`Plot`] is laid out into a scene of lines, shapes and texts in pixels. A scene is written as SVG, and painted by
//! plotters for images.

mod font;
mod label;
mod lines;
mod model;
pub mod palette;
mod panel;
mod picture;
mod png;
mod rows;
mod scale;
mod scene;
mod svg;
#[cfg(test)]
mod tests;

pub use model::{
    Band, Bar, Chart, Dot, Figure, Guide, LegendEntry, Lines, Mark, Panel, PanelSvg, Plot, Point, Row, Rows,
    Series, Shape, Stroke,
};
pub use palette::{Ink, SeriesStyle, dark_variants, look_unlike, series_style};
pub use picture::draw;
pub use scale::{Axis, Quantity, Scale};
