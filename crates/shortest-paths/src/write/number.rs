//! Distances as text.

use crate::Weight;
use repro_graph::ElementType;
use std::fmt;

/// A distance as readers take it: the same bits come back, and no path is `inf`.
pub(super) struct Written<T>(pub T);

impl<T: Weight> fmt::Display for Written<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let number = self.0.to_f64();
        // From here on not every integer is one of the type, and the shortest text that gives the number may be another integer.
        let dense = match T::TYPE {
            ElementType::F32 => f64::from(1 << 24),
            ElementType::F64 => (1_u64 << 53) as f64,
            ElementType::I32 | ElementType::U16 => f64::INFINITY,
        };
        if number == f64::INFINITY {
            f.write_str("inf")
        } else if number.abs() > dense {
            write!(f, "{number:e}")
        } else {
            fmt::Display::fmt(&self.0, f)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use repro_graph::{Element, entries::parse_weight};

    #[test]
    fn large_numbers_are_not_written_as_integers_that_they_are_not() {
        assert_eq!(Written(0.1_f32).to_string(), "0.1");
        assert_eq!(Written(16_777_216.0_f32).to_string(), "16777216");
        assert_eq!(Written(123_456_790_528.0_f32).to_string(), "1.23456790528e11");
        assert_eq!(Written(-7).to_string(), "-7");
        assert_eq!(Written(i32::ABSENT).to_string(), "inf");
        for number in [f32::MAX, f32::MIN_POSITIVE, 16_777_218.0, 3e9] {
            assert_eq!(parse_weight::<f32>(Written(number).to_string().as_bytes()).unwrap(), number);
        }
        for number in [f64::MAX, 1e300, 1.0 / 3.0, 9_007_199_254_740_994.0] {
            assert_eq!(parse_weight::<f64>(Written(number).to_string().as_bytes()).unwrap(), number);
        }
    }
}
