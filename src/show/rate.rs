//! The one unit that rates are told in: in tables, in sentences, on a terminal and in reports.

use crate::show::grid::digits;

/// What every rate is given in.
pub const RATE: &str = "10⁹ tasks/s";

/// A rate in tasks a second as a number of [`RATE`], with four digits.
pub fn rate(tasks_per_s: f64) -> String {
    digits(tasks_per_s * 1e-9)
}

/// A rate with its unit, for a sentence.
pub fn rate_with_unit(tasks_per_s: f64) -> String {
    format!("{} × {RATE}", rate(tasks_per_s))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_has_the_same_unit_however_large_it_is() {
        for (tasks_per_s, text) in [
            (8.07e12, "8070 × 10⁹ tasks/s"),
            (73.6e9, "73.60 × 10⁹ tasks/s"),
            (2.5e6, "0.002500 × 10⁹ tasks/s"),
        ] {
            assert_eq!(rate_with_unit(tasks_per_s), text);
        }
    }
}
