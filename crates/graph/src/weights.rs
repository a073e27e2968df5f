//! What has to be known about a graph's weights before its distances can be searched or compared.

use rayon::prelude::*;

use super::DistanceMatrix;

/// Facts about the finite weights of a graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Weights {
    /// The largest magnitude, 0 when there is no edge.
    pub largest: f32,
    /// The smallest magnitude above 0, +infinity when there is none.
    pub smallest: f32,
    /// The least weight; at most 0, since the diagonal counts.
    pub least: f32,
    /// Whether every ordered pair of vertices has an edge.
    pub complete: bool,
    /// The largest power of two that all weights are multiples of, and so all sums that are not rounded; +infinity when all are 0.
    pub grain: f32,
}

/// Weights that are looked at side by side, so that the compiler uses vector instructions.
const LANES: usize = 16;

impl Weights {
    pub fn of(graph: &DistanceMatrix) -> Self {
        let seen =
            graph.as_slice().par_chunks(graph.n()).map(Extremes::of_row).reduce(Extremes::none, Extremes::or);
        Self {
            largest: seen.largest,
            smallest: seen.smallest,
            least: seen.least,
            complete: seen.most < f32::INFINITY,
            grain: seen.grain,
        }
    }

    /// Whether any weight is negative.
    pub fn negative(&self) -> bool {
        self.least < 0.0
    }
}

/// The same facts as running minima and maxima, which need no branches.
#[derive(Clone, Copy)]
struct Extremes {
    least: f32,
    most: f32,
    largest: f32,
    smallest: f32,
    grain: f32,
}

impl Extremes {
    fn none() -> Self {
        Self {
            least: f32::INFINITY,
            most: f32::NEG_INFINITY,
            largest: 0.0,
            smallest: f32::INFINITY,
            grain: f32::INFINITY,
        }
    }

    fn of_row(row: &[f32]) -> Self {
        let (chunks, rest) = row.as_chunks::<LANES>();
        let mut lanes = [Self::none(); LANES];
        for chunk in chunks {
            for (lane, weight) in lanes.iter_mut().zip(chunk) {
                *lane = lane.or(Self::of_weight(*weight));
            }
        }
        let rest = rest.iter().map(|weight| Self::of_weight(*weight));
        lanes.into_iter().chain(rest).fold(Self::none(), Self::or)
    }

    fn of_weight(weight: f32) -> Self {
        const FRACTION: u32 = (1 << (f32::MANTISSA_DIGITS - 1)) - 1;
        let size = weight.abs();
        let bits = size.to_bits();
        // What the lowest bit is worth: the fraction's, or, where that has none, the number itself.
        let without = f32::from_bits(bits & bits.wrapping_sub(1));
        let lowest = if bits & FRACTION == 0 { size } else { size - without };
        Self {
            least: weight,
            most: weight,
            largest: if size < f32::INFINITY { size } else { 0.0 },
            // Of 0 and of infinity, which are no weights: infinity.
            smallest: if size > 0.0 { size } else { f32::INFINITY },
            grain: if size > 0.0 { lowest } else { f32::INFINITY },
        }
    }

    fn or(self, other: Self) -> Self {
        let max = |a: f32, b: f32| if a > b { a } else { b };
        let min = |a: f32, b: f32| if a < b { a } else { b };
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

    fn of(weights: [f32; 4]) -> Weights {
        Weights::of(&DistanceMatrix::from_row_major(2, weights.to_vec()).unwrap())
    }

    #[test]
    fn each_fact_is_seen_in_any_row() {
        let plain = Weights { largest: 7.0, smallest: 2.0, least: 0.0, complete: true, grain: 1.0 };
        assert_eq!(of([0.0, 7.0, 2.0, 0.0]), plain);
        assert_eq!(of([0.0, 2.0, -7.0, 0.0]), Weights { least: -7.0, ..plain });
        assert_eq!(of([0.0, 0.5, 7.0, 0.0]), Weights { smallest: 0.5, grain: 0.5, ..plain });
        assert_eq!(of([0.0, 7.0, f32::INFINITY, 0.0]), Weights { smallest: 7.0, complete: false, ..plain });
        let empty =
            Weights { largest: 0.0, smallest: f32::INFINITY, grain: f32::INFINITY, complete: false, ..plain };
        assert_eq!(of([0.0, f32::INFINITY, f32::INFINITY, 0.0]), empty);
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
            assert_eq!(of([0.0, weight, 2f32.powi(120), 0.0]).grain, grain, "{weight}");
            assert_eq!(of([0.0, 2f32.powi(120), weight, 0.0]).grain, grain, "{weight}");
        }
    }

    #[test]
    fn every_position_of_a_row_counts() {
        for column in 1..35 {
            let mut graph = DistanceMatrix::without_edges(35).unwrap();
            graph.add_edge(0, column, -2.5);
            let expected = Weights { largest: 2.5, smallest: 2.5, least: -2.5, complete: false, grain: 0.5 };
            assert_eq!(Weights::of(&graph), expected);
        }
    }
}
