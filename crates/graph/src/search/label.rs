//! The numbers that a search adds weights up in.

use std::fmt::Debug;
use std::ops::Add;

/// A length of a path, not negative.
#[doc(hidden)]
pub trait Label: Copy + PartialOrd + Add<Output = Self> + Debug + Send + Sync + 'static {
    /// Of the empty path.
    const ZERO: Self;
    /// Where no path is known. Greater than any sum.
    const FAR: Self;
    /// A path that is longer than this is out of range. A weight more does not overflow.
    const MOST: Self;

    fn to_f64(self) -> f64;
    /// The nearest; 0 for what is below.
    fn from_f64(number: f64) -> Self;
}

impl Label for u32 {
    const ZERO: Self = 0;
    const FAR: Self = Self::MAX;
    // A distance is below 2^28, and so is the difference of two potentials. A reduced weight is then at most 2^29.
    const MOST: Self = 1 << 29;

    #[inline]
    fn to_f64(self) -> f64 {
        if self == Self::FAR { f64::INFINITY } else { self.into() }
    }

    #[inline]
    fn from_f64(number: f64) -> Self {
        number as Self
    }
}

impl Label for f64 {
    const ZERO: Self = 0.0;
    const FAR: Self = Self::INFINITY;
    const MOST: Self = Self::MAX;

    #[inline]
    fn to_f64(self) -> Self {
        self
    }

    #[inline]
    fn from_f64(number: Self) -> Self {
        if number > 0.0 { number } else { 0.0 }
    }
}
