//! The types that distances can have, when they are exact, and how an absent edge stays absent.
//!
//! An absent edge is +infinity in `f32` and `f64`: whatever is added to it leaves it what it is. Integers have no infinity. There an absent
//! edge is a large number, [`Element::ABSENT`], that a solver adds to as to any other: two of them do not overflow, and with negative
//! weights a sum may come out below it. So one rule serves every solver, without an instruction more in its inner loop: **a distance of at
//! least a type's limit (2^29 in `i32`, [`Element::ABSENT`] in others) is no path**, and whoever takes a result makes it
//! [`Element::ABSENT`] again ([`Element::canonical`]), outside of every clock; solvers leave that undone. The rule holds as long as no real
//! distance gets near: a graph of which one may is refused before anything is run ([`ElementType::most`]).

use crate::search::Label;
use repro_base::ElementType;
use std::fmt;

/// A number that distances can be.
pub trait Element: bytemuck::Pod + PartialOrd + Send + Sync + fmt::Debug + fmt::Display + 'static {
    const TYPE: ElementType;
    const ZERO: Self;
    /// The weight of an edge that is not there.
    const ABSENT: Self;
    /// What no right result holds: memory that a solver has to write is filled with it, so that what it leaves shows.
    const POISON: Self;
    /// What sums are kept in while a search runs: `u32` for integers, which is exact, and `f64` for floating point.
    #[doc(hidden)]
    type Label: Label;

    /// This weight, which must not be negative, as a label of the search.
    #[doc(hidden)]
    fn label(self) -> Self::Label;

    /// The distance with this label, rounded to the nearest; nothing if it is out of range.
    #[doc(hidden)]
    fn of_label(label: Self::Label) -> Option<Self>;

    /// The length of one path after another.
    fn plus(self, other: Self) -> Self;

    /// [`Element::ABSENT`] where this is no path, by the rule of this file. `u16` needs no change: without negative weights no sum with an
    /// absent edge is below `ABSENT`.
    #[inline]
    fn canonical(self) -> Self {
        self
    }

    /// This number as `f64`; +infinity where there is no path.
    fn to_f64(self) -> f64;

    /// The nearest; [`Element::ABSENT`] for +infinity.
    fn from_f64(number: f64) -> Self;

    /// The number of the other type that this is; none if it has no such number.
    fn convert<U: Element>(self) -> Option<U> {
        let number = U::from_f64(self.to_f64());
        (number.is_absent() == self.is_absent() && number.to_f64() == self.to_f64()).then_some(number)
    }

    /// In every bit: 0.0 is not -0.0.
    #[inline]
    fn bitwise_eq(self, other: Self) -> bool {
        bytemuck::bytes_of(&self) == bytemuck::bytes_of(&other)
    }

    /// The shorter of two lengths; `other` where they are not comparable.
    #[inline]
    fn shorter(self, other: Self) -> Self {
        if self < other { self } else { other }
    }

    #[inline]
    fn is_absent(self) -> bool {
        self.to_f64() == f64::INFINITY
    }
}

impl Element for f32 {
    const TYPE: ElementType = ElementType::F32;
    const ZERO: Self = 0.0;
    const ABSENT: Self = Self::INFINITY;
    const POISON: Self = Self::NAN;
    type Label = f64;

    #[inline]
    fn label(self) -> f64 {
        self.into()
    }

    #[inline]
    fn of_label(label: f64) -> Option<Self> {
        (label <= Self::MAX.into()).then_some(label as Self)
    }

    #[inline]
    fn plus(self, other: Self) -> Self {
        self + other
    }

    #[inline]
    fn to_f64(self) -> f64 {
        self.into()
    }

    #[inline]
    fn from_f64(number: f64) -> Self {
        number as Self
    }
}

impl Element for f64 {
    const TYPE: ElementType = ElementType::F64;
    const ZERO: Self = 0.0;
    const ABSENT: Self = Self::INFINITY;
    const POISON: Self = Self::NAN;
    type Label = Self;

    #[inline]
    fn label(self) -> Self {
        self
    }

    #[inline]
    fn of_label(label: Self) -> Option<Self> {
        (label <= Self::MAX).then_some(label)
    }

    #[inline]
    fn plus(self, other: Self) -> Self {
        self + other
    }

    #[inline]
    fn to_f64(self) -> f64 {
        self
    }

    #[inline]
    fn from_f64(number: f64) -> Self {
        number
    }
}

impl Element for i32 {
    const TYPE: ElementType = ElementType::I32;
    const ZERO: Self = 0;
    /// Twice this is an `i32`.
    const ABSENT: Self = (1 << 30) - 1;
    const POISON: Self = Self::MIN;
    type Label = u32;

    #[inline]
    fn label(self) -> u32 {
        self.cast_unsigned()
    }

    #[inline]
    fn of_label(label: u32) -> Option<Self> {
        (label < 1 << 28).then_some(label.cast_signed())
    }

    #[inline]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline]
    fn canonical(self) -> Self {
        if (1 << 29..=Self::ABSENT).contains(&self) { Self::ABSENT } else { self }
    }

    #[inline]
    fn to_f64(self) -> f64 {
        if self >= 1 << 29 { f64::INFINITY } else { self.into() }
    }

    #[inline]
    fn from_f64(number: f64) -> Self {
        if number == f64::INFINITY { Self::ABSENT } else { number.round() as Self }
    }
}

impl Element for u16 {
    const TYPE: ElementType = ElementType::U16;
    const ZERO: Self = 0;
    /// Twice this is a `u16`.
    const ABSENT: Self = (1 << 15) - 1;
    const POISON: Self = Self::MAX;
    type Label = u32;

    #[inline]
    fn label(self) -> u32 {
        self.into()
    }

    #[inline]
    fn of_label(label: u32) -> Option<Self> {
        Self::try_from(label).ok().filter(|distance| *distance < Self::ABSENT)
    }

    #[inline]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline]
    fn to_f64(self) -> f64 {
        if self >= Self::ABSENT { f64::INFINITY } else { self.into() }
    }

    #[inline]
    fn from_f64(number: f64) -> Self {
        if number == f64::INFINITY { Self::ABSENT } else { number.round() as Self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds_together<T: Element>() {
        assert_eq!(T::TYPE.bytes(), size_of::<T>());
        assert_eq!(T::TYPE.to_string().parse(), Ok(T::TYPE));
        assert!(T::ABSENT.is_absent() && !T::ZERO.is_absent());
        assert!(T::from_f64(f64::INFINITY).bitwise_eq(T::ABSENT));
        assert!(!T::POISON.canonical().bitwise_eq(T::ABSENT) || T::POISON.to_f64().is_nan());
        // The longest distance is no absent edge, and two absent edges are still one.
        assert!(!T::from_f64(T::TYPE.most()).is_absent());
        assert!(T::ABSENT.plus(T::ABSENT).is_absent());
        assert!(T::TYPE != ElementType::U16 || T::TYPE.most() + 1.0 == f64::from(u16::ABSENT));
        if T::TYPE.is_integer() && T::TYPE.is_signed() {
            let longest = T::from_f64(-T::TYPE.most());
            let between = longest.plus(T::ABSENT).plus(longest);
            assert!(between.is_absent() && between.canonical().bitwise_eq(T::ABSENT));
            assert!(!longest.plus(longest).is_absent());
        }
    }

    #[test]
    fn an_absent_edge_stays_absent_between_the_least_paths_in_every_type() {
        holds_together::<f32>();
        holds_together::<f64>();
        holds_together::<i32>();
        holds_together::<u16>();
    }
}
