//! When two distances count as equal.

/// How entries of two results are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Comparison {
    /// Bit for bit.
    Exact,
    Within(Tolerance),
}

/// The difference allowed around an expected distance d: `relative` max(|d|, `scale`) + `absolute`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tolerance {
    relative: f64,
    scale: f64,
    absolute: f64,
}

impl Tolerance {
    /// The error that `additions` roundings to `f32` can add up to, where partial sums are at most `scale`, or at
    /// most the whole sum where `scale` is 0.
    ///
    /// The bound is k u / (1 - k u) for k additions with unit roundoff u = 2^-24; see N. J. Higham, Accuracy and
    /// Stability of Numerical Algorithms, 2nd edition, section 4.2.
    pub fn after_additions(additions: f64, scale: f64) -> Self {
        let roundoff = f64::from(f32::EPSILON) / 2.0;
        // From 2^23 additions on the bound says nothing: half of the sum is then taken for it.
        let share = (additions * roundoff).min(1.0 / 3.0);
        let relative = share / (1.0 - share);
        Self { relative, scale, absolute: additions * f64::from(f32::MIN_POSITIVE) }
    }

    fn allows(&self, found: f32, expected: f32) -> bool {
        if expected == f32::INFINITY || found == f32::INFINITY {
            return found == expected;
        }
        let (found, expected) = (f64::from(found), f64::from(expected));
        // False for NaN, whichever of the two it is.
        (found - expected).abs() <= self.relative * expected.abs().max(self.scale) + self.absolute
    }
}

impl Comparison {
    /// The comparison of two values that may each be off as much as this one allows.
    pub fn doubled(self) -> Self {
        match self {
            Self::Exact => Self::Exact,
            Self::Within(one) => {
                Self::Within(Tolerance { relative: 2.0 * one.relative, absolute: 2.0 * one.absolute, ..one })
            }
        }
    }

    /// The first position at which two rows of equal length differ and the number of such positions, or `None`.
    pub fn differences(&self, found: &[f32], expected: &[f32]) -> Option<(usize, usize)> {
        let equal = |found: f32, expected: f32| match self {
            // Equal bits of two NaN are no equal distances.
            Self::Exact => found.to_bits() == expected.to_bits() && !found.is_nan(),
            Self::Within(tolerance) => tolerance.allows(found, expected),
        };
        // Nearly every row is right, and this pass over it does not branch.
        if found.iter().zip(expected).fold(true, |all, (f, e)| all & equal(*f, *e)) {
            return None;
        }
        let mut wrong = (0..found.len()).filter(|&at| !equal(found[at], expected[at]));
        let first = wrong.next()?;
        Some((first, 1 + wrong.count()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(comparison: Comparison, found: f32, expected: f32) -> bool {
        comparison.differences(&[found], &[expected]).is_none()
    }

    #[test]
    fn nan_equals_nothing_and_infinity_only_itself() {
        for comparison in [Comparison::Exact, Comparison::Within(Tolerance::after_additions(100.0, 1e9))] {
            assert!(!equal(comparison, f32::NAN, f32::NAN));
            assert!(!equal(comparison, f32::NAN, 1.0));
            assert!(!equal(comparison, 1.0, f32::NAN));
            assert!(!equal(comparison, f32::INFINITY, f32::MAX));
            assert!(!equal(comparison, f32::MAX, f32::INFINITY));
            assert!(!equal(comparison, f32::NEG_INFINITY, 1.0));
            assert!(equal(comparison, f32::INFINITY, f32::INFINITY));
        }
    }

    #[test]
    fn minus_zero_is_wrong_only_bit_for_bit() {
        assert!(!equal(Comparison::Exact, -0.0, 0.0));
        assert!(equal(Comparison::Within(Tolerance::after_additions(1.0, 0.0)), -0.0, 0.0));
    }

    #[test]
    fn the_tolerance_grows_with_additions_and_scale_and_is_no_larger() {
        let within = |additions, scale| Comparison::Within(Tolerance::after_additions(additions, scale));
        let off = |ulps: u32| f32::from_bits(1.0_f32.to_bits() + ulps);
        assert!(equal(within(2.0, 0.0), off(1), 1.0));
        assert!(!equal(within(2.0, 0.0), off(2), 1.0));
        assert!(equal(within(2.0, 0.0).doubled(), off(2), 1.0));
        assert!(equal(within(2.0, 9.0), off(9), 1.0));
        assert!(!equal(within(2.0, 9.0), off(10), 1.0));
    }

    #[test]
    fn the_first_difference_is_named_and_all_are_counted() {
        let found = Comparison::Exact.differences(&[1.0, 2.0, 3.0, 4.0], &[1.0, 0.0, 3.0, f32::NAN]);
        assert_eq!(found, Some((1, 2)));
    }
}
