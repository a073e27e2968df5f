//! The one font of all pictures, embedded: no font of the machine is looked for.

use plotters::style::{FontDesc, FontFamily, FontStyle, register_font};
use std::sync::Once;

/// The family under which pages embed the same font.
pub const FAMILY: &str = "Inter";

/// Font size of labels and numbers, px.
pub const SIZE: f64 = 12.0;

/// plotters divides by this where it writes a font size, and takes it for the height of a line where it draws one.
const LINE: f64 = 1.24;

static REGULAR: &[u8] = include_bytes!("../../../report/fonts/inter-regular.otf");
static SEMIBOLD: &[u8] = include_bytes!("../../../report/fonts/inter-semibold.otf");
static REGISTERED: Once = Once::new();

/// Inter so that its em is `pixels`.
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
    measured.map_or(text.chars().count() as f64 * pixels * 0.6, |((left, _), (right, _))| {
        f64::from(right - left) / MAGNIFIED
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_weights_are_read_and_every_sign_that_pictures_use_draws_something() {
        for bold in [false, true] {
            for sign in "aW0κ×⁹−→≥≤µ–·°³Яж".chars() {
                let mut inked = 0;
                let drawn = font(40.0, bold).draw(&sign.to_string(), (0, 0), |_, _, cover| {
                    inked += usize::from(cover > 0.5);
                    Ok::<(), ()>(())
                });
                assert!(drawn.is_ok() && inked > 4, "{sign}");
            }
        }
        assert!(width("WWW", 12.0, true) > width("iii", 12.0, true) * 2.0);
        assert!((20.0..60.0).contains(&width("8192 ms", 12.0, false)));
    }
}
