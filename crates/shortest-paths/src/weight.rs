//! The four types of weights, and the numbers that a search adds them up in.

use repro_graph::Element;
use std::fmt::Debug;

/// A number that weights and distances can be: `f32`, `f64`, `i32` or `u16`, by the rules of [`Element`]. Not for other types.
pub trait Weight: Element + sealed::Sealed {
    /// What sums are kept in while a search runs: `u32` for integers, which is exact, and `f64` for floating point.
    #[doc(hidden)]
    type Label: Label;

    /// This weight, which is not negative.
    #[doc(hidden)]
    fn label(self) -> Self::Label;

    /// The distance with this label, rounded to the nearest; nothing if it is out of range.
    #[doc(hidden)]
    fn of_label(label: Self::Label) -> Option<Self>;
}

/// A length of a path, not negative.
#[doc(hidden)]
pub trait Label: Copy + PartialOrd + Debug + Send + Sync + sealed::Sealed + 'static {
    /// Of the empty path.
    const ZERO: Self;
    /// Where no path is known. Greater than any sum.
    const FAR: Self;
    /// A path that is longer than this is out of range. A weight more does not overflow.
    const MOST: Self;
    /// What a heap keeps: a label and its vertex.
    type HeapEntry: HeapEntry<Label = Self>;

    fn plus(self, other: Self) -> Self;
    fn to_f64(self) -> f64;
    /// The nearest; 0 for what is below.
    fn from_f64(number: f64) -> Self;
}

/// A vertex in a heap.
#[doc(hidden)]
pub trait HeapEntry: Copy + Debug + Send {
    type Label;
    fn new(label: Self::Label, vertex: u32) -> Self;
    fn label(self) -> Self::Label;
    fn vertex(self) -> u32;
    fn is_before(self, other: Self) -> bool;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
    impl Sealed for i32 {}
    impl Sealed for u16 {}
    impl Sealed for u32 {}
}

impl Weight for f32 {
    type Label = f64;
    #[inline]
    fn label(self) -> f64 {
        self.into()
    }
    #[inline]
    fn of_label(label: f64) -> Option<Self> {
        (label <= Self::MAX.into()).then_some(label as Self)
    }
}

impl Weight for f64 {
    type Label = Self;
    #[inline]
    fn label(self) -> Self {
        self
    }
    #[inline]
    fn of_label(label: Self) -> Option<Self> {
        (label <= Self::MAX).then_some(label)
    }
}

impl Weight for i32 {
    type Label = u32;
    #[inline]
    fn label(self) -> u32 {
        self.cast_unsigned()
    }
    #[inline]
    fn of_label(label: u32) -> Option<Self> {
        (label < 1 << 28).then_some(label.cast_signed())
    }
}

impl Weight for u16 {
    type Label = u32;
    #[inline]
    fn label(self) -> u32 {
        self.into()
    }
    #[inline]
    fn of_label(label: u32) -> Option<Self> {
        Self::try_from(label).ok().filter(|distance| *distance < Self::ABSENT)
    }
}

impl Label for u32 {
    const ZERO: Self = 0;
    const FAR: Self = Self::MAX;
    // A distance is below 2^28, and so is the difference of two potentials. A reduced weight is then at most 2^29.
    const MOST: Self = 1 << 29;
    type HeapEntry = u64;

    #[inline]
    fn plus(self, other: Self) -> Self {
        self + other
    }

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
    type HeapEntry = Far;

    #[inline]
    fn plus(self, other: Self) -> Self {
        self + other
    }

    #[inline]
    fn to_f64(self) -> Self {
        self
    }

    #[inline]
    fn from_f64(number: Self) -> Self {
        if number > 0.0 { number } else { 0.0 }
    }
}

/// Both in one number, the label above: comparing two of them takes one instruction.
impl HeapEntry for u64 {
    type Label = u32;

    #[inline]
    fn new(label: u32, vertex: u32) -> Self {
        Self::from(label) << 32 | Self::from(vertex)
    }

    #[inline]
    fn label(self) -> u32 {
        (self >> 32) as u32
    }

    #[inline]
    fn vertex(self) -> u32 {
        self as u32
    }

    #[inline]
    fn is_before(self, other: Self) -> bool {
        self < other
    }
}

/// A vertex at a distance in `f64`.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Far {
    label: f64,
    vertex: u32,
}

impl HeapEntry for Far {
    type Label = f64;

    #[inline]
    fn new(label: f64, vertex: u32) -> Self {
        Self { label, vertex }
    }

    #[inline]
    fn label(self) -> f64 {
        self.label
    }

    #[inline]
    fn vertex(self) -> u32 {
        self.vertex
    }

    #[inline]
    fn is_before(self, other: Self) -> bool {
        self.label < other.label
    }
}
