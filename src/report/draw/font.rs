//! The one font of all pictures. It is embedded, so that no font of the machine is used.

use plotters::style::{FontDesc, FontFamily, FontStyle, register_font};
use std::sync::Once;

/// The family under which pages embed the same font.
pub const FAMILY: &str = "Inter";

/// Font size of labels and numbers, px.
pub const SIZE: f64 = 12.5;

/// The size that plotters gives a font is this many times its em.
pub const LINE: f64 = 1.24;

static REGULAR: &[u8] = include_bytes!("../../../report/fonts/inter-regular.otf");
static SEMIBOLD: &[u8] = include_bytes!("../../../report/fonts/inter-semibold.otf");
static REGISTERED: Once = Once::new();

/// Inter at a size at which its em is `pixels`.
pub fn font(pixels: f64, bold: bool) -> FontDesc<'static> {
    REGISTERED.call_once(|| {
        // A test guards against fonts that cannot be read; without one, pictures have no letters.
        let _ = register_font(FAMILY, FontStyle::Normal, REGULAR);
        let _ = register_font(FAMILY, FontStyle::Bold, SEMIBOLD);
    });
    let style = if bold { FontStyle::Bold } else { FontStyle::Normal };
    FontDesc::new(FontFamily::Name(FAMILY), pixels * LINE, style)
}

/// How wide a line of text is, px.
pub fn width(text: &str, pixels: f64, bold: bool) -> f64 {
    // Measured large, since plotters rounds down to whole pixels.
    const MAGNIFIED: f64 = 16.0;
    let measured = font(pixels * MAGNIFIED, bold).layout_box(text);
    let Ok(((left, _), (right, _))) = measured else { return text.chars().count() as f64 * pixels * 0.6 };
    f64::from(right - left) / MAGNIFIED
}
