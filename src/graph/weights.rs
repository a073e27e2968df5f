//! What has to be known about a graph's weights before its distances can be searched or compared.

use rayon::prelude::*;

use super::DistanceMatrix;

/// Facts about the finite weights of a graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Weights {
    /// The largest magnitude, 0 when there is no edge.
    pub largest: f32,
    /// Whether all are integers.
    pub integral: bool,
    /// Whether any is negative.
    pub negative: bool,
    /// Whether every ordered pair of vertices has an edge.
    pub complete: bool,
}

/// Weights that are looked at side by side, so that the compiler uses vector instructions.
const LANES: usize = 16;

/// From here on an `f32` has no fraction.
const NO_FRACTION: f32 = (1 << 23) as f32;

impl Weights {
    pub fn of(graph: &DistanceMatrix) -> Self {
        let seen =
            graph.as_slice().par_chunks(graph.n()).map(Extremes::of_row).reduce(Extremes::none, Extremes::or);
        Self {
            largest: seen.magnitude,
            integral: seen.fraction == 0.0,
            negative: seen.least < 0.0,
            complete: seen.most < f32::INFINITY,
        }
    }
}

/// The same facts as running minima and maxima, which need no branches.
#[derive(Clone, Copy)]
struct Extremes {
    least: f32,
    most: f32,
    /// The largest finite magnitude.
    magnitude: f32,
    /// The largest distance to an integer.
    fraction: f32,
}

impl Extremes {
    fn none() -> Self {
        Self { least: f32::INFINITY, most: f32::NEG_INFINITY, magnitude: 0.0, fraction: 0.0 }
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
        let size = weight.abs();
        // The nearest integer, for there is no room for a fraction in the sum; `round` would be a function call.
        let nearest = (size + NO_FRACTION) - NO_FRACTION;
        Self {
            least: weight,
            most: weight,
            magnitude: if size < f32::INFINITY { size } else { 0.0 },
            fraction: if size < NO_FRACTION { (size - nearest).abs() } else { 0.0 },
        }
    }

    fn or(self, other: Self) -> Self {
        let max = |a: f32, b: f32| if a > b { a } else { b };
        Self {
            least: -max(-self.least, -other.least),
            most: max(self.most, other.most),
            magnitude: max(self.magnitude, other.magnitude),
            fraction: max(self.fraction, other.fraction),
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
        let plain = Weights { largest: 7.0, integral: true, negative: false, complete: true };
        assert_eq!(of([0.0, 7.0, 2.0, 0.0]), plain);
        assert_eq!(of([0.0, 2.0, -7.0, 0.0]), Weights { negative: true, ..plain });
        assert_eq!(of([0.0, 0.5, 7.0, 0.0]), Weights { integral: false, ..plain });
        assert_eq!(of([0.0, 7.0, f32::INFINITY, 0.0]), Weights { complete: false, ..plain });
    }

    #[test]
    fn integers_are_told_from_fractions_at_every_magnitude() {
        for integer in [1.0, 3.0, 8_388_607.0, 8_388_609.0, 16_777_215.0, 33_554_434.0, f32::MAX] {
            assert!(of([0.0, integer, -integer, 0.0]).integral, "{integer}");
        }
        for fraction in [f32::MIN_POSITIVE, 0.5, 1.5, 4_194_303.5, f32::from_bits(1)] {
            assert!(!of([0.0, fraction, 1.0, 0.0]).integral, "{fraction}");
            assert!(!of([0.0, 1.0, -fraction, 0.0]).integral, "{fraction}");
        }
    }

    #[test]
    fn every_position_of_a_row_counts() {
        let n = 2 * LANES + 3;
        for column in 1..n {
            let mut graph = DistanceMatrix::without_edges(n).unwrap();
            graph.add_edge(0, column, -2.5);
            let expected = Weights { largest: 2.5, integral: false, negative: true, complete: false };
            assert_eq!(Weights::of(&graph), expected);
        }
    }
}
