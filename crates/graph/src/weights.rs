//! What has to be known about a graph's weights before its distances can be searched or compared.

use rayon::prelude::*;

use crate::{Element, ElementType};
use serde::{Deserialize, Serialize};

/// What is declared of a graph's weights before there is a graph.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeightRange {
    /// The largest magnitude.
    pub largest: f64,
    pub negative: bool,
    /// Whether every ordered pair of vertices has an edge.
    pub complete: bool,
    /// A power of two that all weights are multiples of; 0 when none is known.
    #[serde(default)]
    pub grain: f64,
    /// Whether each edge has one back that is as long: the matrix is symmetric. It is believed only of weights that were looked at.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub symmetric: bool,
}

impl WeightRange {
    /// What holds of the weights of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            largest: self.largest.max(other.largest),
            negative: self.negative || other.negative,
            complete: self.complete && other.complete,
            // Both are powers of two, or 0.
            grain: self.grain.min(other.grain),
            symmetric: self.symmetric && other.symmetric,
        }
    }

    /// Whether `element` holds the distances of a graph of `n` vertices with such weights, if its paths may have any number of edges (or one,
    /// where every edge exists and none is negative).
    ///
    /// # Errors
    /// The longest path that there may be, in one line with the remedy.
    pub fn fits(&self, n: usize, element: ElementType) -> Result<(), String> {
        if self.negative && !element.is_signed() {
            return Err(format!("{element} holds no negative weights: choose i32, f32 or f64"));
        }
        let (longest, most) = (self.longest(n), element.most());
        if longest <= most || !element.is_integer() {
            return Ok(());
        }
        Err(format!(
            "paths of {n} vertices may be as long as {longest}, and {element} holds distances up to {most}: choose smaller weights, a \
             smaller n or another element type"
        ))
    }

    /// No distance between `n` vertices has a larger magnitude. Of a complete graph without negative weights no distance exceeds
    /// its largest weight; any other path may have an edge to every other vertex.
    pub fn longest(&self, n: usize) -> f64 {
        if self.complete && !self.negative { self.largest } else { self.largest * n.saturating_sub(1) as f64 }
    }
}

/// What has to be known of a graph's weights before it is searched, solved or compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightSummary {
    /// The largest magnitude, 0 when there is no arc; whether one is negative, and whether every ordered pair of vertices has an arc; and the grain: the
    /// largest power of two that all weights are multiples of, and so all sums that are not rounded, +infinity when all are 0.
    pub range: WeightRange,
    /// The least weight; at most 0, since to stay costs 0.
    pub least: f64,
    /// The smallest magnitude above 0, +infinity when there is none.
    pub smallest: f64,
}

/// Weights that are looked at side by side, so that the compiler uses vector instructions. With 8 or 16 it does so only at some levels of
/// optimization.
const LANES: usize = 32;

/// [`Extremes`] of a row of floating-point numbers, in their own type. Each running number is an array with one for each lane.
macro_rules! of_floats {
    ($row:expr, $float:ident) => {{
        // A mask of all bits of the fraction: one less than the bits of the least number that is not subnormal.
        let fraction = $float::MIN_POSITIVE.to_bits() - 1;
        let (chunks, rest) = bytemuck::cast_slice::<_, $float>($row).as_chunks::<LANES>();
        let (mut least, mut most) = ([$float::INFINITY; LANES], [$float::NEG_INFINITY; LANES]);
        let (mut largest, mut smallest) = ([0.0; LANES], [$float::INFINITY; LANES]);
        let mut grain = [$float::INFINITY; LANES];
        let min = |a: $float, b: $float| if a < b { a } else { b };
        let max = |a: $float, b: $float| if a > b { a } else { b };
        // To repeat a number changes no extreme, so the last lanes are padded with the first of the rest.
        let last = rest.first().map(|first| {
            let mut lanes = [*first; LANES];
            lanes[..rest.len()].copy_from_slice(rest);
            Self::of_row(&lanes)
        });
        for chunk in chunks {
            for lane in 0..LANES {
                let weight = chunk[lane];
                let size = weight.abs();
                let bits = size.to_bits();
                // The value of the lowest bit of the fraction, or, where the fraction is 0, the number itself.
                let without = $float::from_bits(bits & bits.wrapping_sub(1));
                let lowest = if bits & fraction == 0 { size } else { size - without };
                let is_some = size > 0.0;
                least[lane] = min(weight, least[lane]);
                most[lane] = max(weight, most[lane]);
                largest[lane] = max(if size < $float::INFINITY { size } else { 0.0 }, largest[lane]);
                smallest[lane] = min(if is_some { size } else { $float::INFINITY }, smallest[lane]);
                grain[lane] = min(if is_some { lowest } else { $float::INFINITY }, grain[lane]);
            }
        }
        let lanes = (0..LANES).map(|lane| Self {
            least: least[lane].into(),
            most: most[lane].into(),
            largest: largest[lane].into(),
            smallest: smallest[lane].into(),
            grain: grain[lane].into(),
        });
        lanes.chain(last).fold(Self::none(), Self::or)
    }};
}

/// [`Extremes`] of a row of integers: the grain is the lowest bit that any of them has.
macro_rules! of_integers {
    ($row:expr, $integer:ident) => {{
        let (mut least, mut most) = ($integer::ABSENT, $integer::MIN);
        let (mut largest, mut below_smallest, mut bits) = (0, u32::MAX, 0);
        for weight in bytemuck::cast_slice::<_, $integer>($row) {
            (least, most) = (least.min(*weight), most.max(*weight));
            // An absent weight counts as 0, and 0 does not count as the smallest.
            let size = if weight.is_absent() { 0 } else { i32::from(*weight).unsigned_abs() };
            largest = largest.max(size);
            below_smallest = below_smallest.min(size.wrapping_sub(1));
            bits |= size;
        }
        if $row.is_empty() {
            return Self::none();
        }
        Self {
            least: least.to_f64(),
            most: most.to_f64(),
            largest: largest.into(),
            smallest: if bits == 0 { f64::INFINITY } else { f64::from(below_smallest) + 1.0 },
            grain: if bits == 0 { f64::INFINITY } else { f64::from(1_u32 << bits.trailing_zeros()) },
        }
    }};
}

/// Up to this many arcs, the calling thread is done before other threads have woken up.
const FEW_ARCS: usize = 1 << 17;

impl WeightSummary {
    /// The summary of a list of all arcs, [`Element::ABSENT`] for one that is not there. `complete` says that there is one between every
    /// ordered pair of vertices. O(m).
    pub fn of_arcs<T: Element>(arcs: &[T], complete: bool) -> Self {
        let seen = if arcs.len() <= FEW_ARCS {
            arcs.chunks(1 << 14).map(Extremes::of_row).fold(Extremes::none(), Extremes::or)
        } else {
            arcs.par_chunks(1 << 14).map(Extremes::of_row).reduce(Extremes::none, Extremes::or)
        };
        let summary = seen.or(Extremes::of_weight(0.0)).summary();
        Self { range: WeightRange { complete, ..summary.range }, ..summary }
    }

    /// The summary of weights whose range the source of a graph promises.
    pub fn declared(range: WeightRange) -> Self {
        Self { range, least: if range.negative { -range.largest } else { 0.0 }, smallest: range.grain }
    }
}

/// The extremes of weights as running minima and maxima, which need no branches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extremes {
    least: f64,
    most: f64,
    largest: f64,
    smallest: f64,
    grain: f64,
}

impl Extremes {
    pub fn none() -> Self {
        Self {
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
            largest: 0.0,
            smallest: f64::INFINITY,
            grain: f64::INFINITY,
        }
    }

    pub fn of_row<T: Element>(row: &[T]) -> Self {
        match T::TYPE {
            ElementType::F32 => of_floats!(row, f32),
            ElementType::F64 => of_floats!(row, f64),
            ElementType::I32 => of_integers!(row, i32),
            ElementType::U16 => of_integers!(row, u16),
        }
    }

    pub fn of_weight(weight: f64) -> Self {
        Self::of_row(&[weight])
    }

    /// The summary, where weights of 0 on the diagonal were among those seen, and +infinity for each arc that is not there.
    pub fn summary(self) -> WeightSummary {
        let range = WeightRange {
            largest: self.largest,
            negative: self.least < 0.0,
            complete: self.most < f64::INFINITY,
            grain: self.grain,
            // Not known here: it takes another look at the weights.
            symmetric: false,
        };
        WeightSummary { range, least: self.least, smallest: self.smallest }
    }

    pub fn or(self, other: Self) -> Self {
        let max = |a: f64, b: f64| if a > b { a } else { b };
        let min = |a: f64, b: f64| if a < b { a } else { b };
        Self {
            least: min(self.least, other.least),
            most: max(self.most, other.most),
            largest: max(self.largest, other.largest),
            smallest: min(self.smallest, other.smallest),
            grain: min(self.grain, other.grain),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DistanceMatrix;

    fn of(weights: [f32; 4]) -> WeightSummary {
        DistanceMatrix::from_row_major(2, weights.to_vec()).unwrap().survey().weights
    }

    #[test]
    fn each_fact_is_seen_in_any_row() {
        let facts = |weights| {
            let WeightSummary { range, least, smallest } = of(weights);
            (range.largest, smallest, least, range.complete, range.grain)
        };
        let none = f64::INFINITY;
        assert_eq!(facts([0.0, 7.0, 2.0, 0.0]), (7.0, 2.0, 0.0, true, 1.0));
        assert_eq!(facts([0.0, 2.0, -7.0, 0.0]), (7.0, 2.0, -7.0, true, 1.0));
        assert_eq!(facts([0.0, 0.5, 7.0, 0.0]), (7.0, 0.5, 0.0, true, 0.5));
        assert_eq!(facts([0.0, 7.0, f32::INFINITY, 0.0]), (7.0, 7.0, 0.0, false, 1.0));
        assert_eq!(facts([0.0, f32::INFINITY, f32::INFINITY, 0.0]), (0.0, none, 0.0, false, none));
        assert!(of([0.0, 2.0, -7.0, 0.0]).range.negative && !of([0.0; 4]).range.negative);
    }

    #[test]
    fn what_is_known_of_two_holds_of_either() {
        let range = |largest, grain, holds| WeightRange {
            largest,
            negative: holds,
            complete: holds,
            grain,
            symmetric: holds,
        };
        let all = [range(7.0, 0.5, true), range(3.0, 2.0, false), range(0.0, 0.0, true)];
        for (one, other) in all.iter().flat_map(|one| all.iter().map(move |other| (*one, *other))) {
            let both = one.and(other);
            assert_eq!((both, one.and(one)), (other.and(one), one));
            for of in [one, other] {
                assert!(both.largest >= of.largest && both.grain <= of.grain, "{both:?} of {of:?}");
                assert!(both.negative || !of.negative);
                assert!(of.complete && of.symmetric || !(both.complete || both.symmetric));
            }
        }
    }

    #[test]
    fn the_grain_is_the_lowest_bit_of_all_weights_at_every_magnitude() {
        for (weight, grain) in [
            (1.0, 1.0),
            (3.0, 1.0),
            (12.0, 4.0),
            (16_777_215.0, 1.0),
            (33_554_436.0, 4.0),
            (-0.75, 0.25),
            (0.1, 2f32.powi(-27)),
            (f32::MAX, 2f32.powi(104)),
            (f32::MIN_POSITIVE, f32::MIN_POSITIVE),
            (f32::from_bits(1), f32::from_bits(1)),
            (f32::from_bits(6), f32::from_bits(2)),
        ] {
            assert_eq!(of([0.0, weight, 2f32.powi(120), 0.0]).range.grain, f64::from(grain), "{weight}");
            assert_eq!(of([0.0, 2f32.powi(120), weight, 0.0]).range.grain, f64::from(grain), "{weight}");
        }
    }

    #[test]
    fn a_row_of_every_type_has_the_extremes_of_its_weights() {
        fn check<T: Element>(numbers: &[f64]) {
            // Rows that end within and at the lanes.
            for length in [0, 1, 7, 8, 9, 40] {
                for start in 0..numbers.len() {
                    let row: Vec<T> =
                        numbers.iter().cycle().skip(start).take(length).map(|w| T::from_f64(*w)).collect();
                    let single = row.iter().map(|weight| Extremes::of_weight(weight.to_f64()));
                    let expected = single.fold(Extremes::none(), Extremes::or);
                    let found = Extremes::of_row(&row);
                    assert_eq!(found, expected, "{}: {row:?}", T::TYPE);
                }
            }
        }
        let none = f64::INFINITY;
        check::<u16>(&[12.0, 0.0, none, 32_766.0, 8.0, none, 24.0]);
        check::<i32>(&[-12.0, 0.0, none, 268_435_455.0, -268_435_455.0, 8.0, none, 24.0]);
        check::<i32>(&[none]);
        let reals = [-0.75, 0.0, none, 3e38, -3e38, 0.1, 1e-45, -1e-40, f64::from(f32::MIN_POSITIVE), 24.0];
        check::<f32>(&reals);
        check::<f64>(&reals);
        check::<f64>(&[f64::MAX, f64::from_bits(6), -f64::MIN_POSITIVE, 1.0 / 3.0]);
    }

    #[test]
    fn graphs_that_may_overflow_are_refused_with_the_bound() {
        let weights =
            WeightRange { largest: 1000.0, negative: false, complete: false, grain: 1.0, symmetric: false };
        assert_eq!(weights.fits(1 << 20, ElementType::F32), Ok(()));
        assert_eq!(weights.fits(268_436, ElementType::I32), Ok(()));
        let message = weights.fits(268_437, ElementType::I32).unwrap_err();
        assert!(message.contains("as long as 268436000") && message.contains("up to 268435455"), "{message}");
        assert_eq!(weights.fits(33, ElementType::U16), Ok(()));
        assert!(weights.fits(34, ElementType::U16).unwrap_err().contains("as long as 33000"));
        // One edge is enough where there is one to everywhere.
        assert_eq!(WeightRange { complete: true, ..weights }.fits(1 << 20, ElementType::U16), Ok(()));
        let negative = WeightRange { negative: true, ..weights };
        assert!(negative.fits(2, ElementType::U16).unwrap_err().contains("no negative weights"));
    }
}
