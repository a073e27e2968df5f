//! Words that captions share.

use crate::report::plot::significant;
pub use crate::report::words::{kernel, list};

/// What marks and bars are. Said once where several figures stand together, and not in their captions.
pub const MEDIANS: &str = "Marks in figures are medians; bars span the interval of the median, with 95% confidence where there are six samples or more; scope kernel is the launches of one solve, on the CPU the solve.";

/// A ratio with three digits.
pub fn times(ratio: f64) -> String {
    format!("×{}", significant(ratio, 3))
}

/// Lower-case letters, digits and hyphens, for ids.
pub fn id(text: &str) -> String {
    let letters = text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
    letters.collect()
}
