//! What has to be known about a graph's weights before its distances can be searched or compared.

use rayon::prelude::*;

use super::{DistanceMatrix, Element, WeightRange};

/// Facts about the finite weights of a graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Weights {
    /// The largest magnitude, 0 when there is no edge.
    pub largest: f64,
    /// The smallest magnitude above 0, +infinity when there is none.
    pub smallest: f64,
    /// The least weight; at most 0, since the diagonal counts.
    pub least: f64,
    /// Whether every ordered pair of vertices has an edge.
    pub complete: bool,
    /// The largest power of two that all weights are multiples of, and so all sums that are not rounded; +infinity when all are 0.
    pub grain: f64,
}

/// Weights that are looked at side by side, so that the compiler uses vector instructions.
const LANES: usize = 16;

impl Weights {
    pub fn of<T: Element>(graph: &DistanceMatrix<T>) -> Self {
        let rows = graph.as_slice().par_chunks(graph.n()).map(Extremes::of_row);
        rows.reduce(Extremes::none, Extremes::or).weights()
    }

    /// As its source promises them.
    pub fn promised(weights: &WeightRange) -> Self {
        Self {
            largest: weights.largest,
            smallest: weights.grain,
            least: if weights.negative { -weights.largest } else { 0.0 },
            complete: weights.complete,
            grain: weights.grain,
        }
    }

    /// What solvers learn of them.
    pub fn range(&self) -> WeightRange {
        WeightRange {
            largest: self.largest,
            negative: self.negative(),
            complete: self.complete,
            grain: self.grain,
        }
    }

    /// Whether any weight is negative.
    pub fn negative(&self) -> bool {
        self.least < 0.0
    }
}

/// The same facts as running minima and maxima, which need no branches.
#[derive(Clone, Copy)]
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
        let (chunks, rest) = row.as_chunks::<LANES>();
        let mut lanes = [Self::none(); LANES];
        for chunk in chunks {
            for (lane, weight) in lanes.iter_mut().zip(chunk) {
                *lane = lane.or(Self::of_weight(weight.to_f64()));
            }
        }
        let rest = rest.iter().map(|weight| Self::of_weight(weight.to_f64()));
        lanes.into_iter().chain(rest).fold(Self::none(), Self::or)
    }

    pub fn of_weight(weight: f64) -> Self {
        const FRACTION: u64 = (1 << (f64::MANTISSA_DIGITS - 1)) - 1;
        let size = weight.abs();
        let bits = size.to_bits();
        // What the lowest bit is worth: the fraction's, or, where that has none, the number itself.
        let without = f64::from_bits(bits & bits.wrapping_sub(1));
        let lowest = if bits & FRACTION == 0 { size } else { size - without };
        Self {
            least: weight,
            most: weight,
            largest: if size < f64::INFINITY { size } else { 0.0 },
            // Of 0 and of infinity, which are no weights: infinity.
            smallest: if size > 0.0 { size } else { f64::INFINITY },
            grain: if size > 0.0 { lowest } else { f64::INFINITY },
        }
    }

    /// The facts, where weights of 0 on the diagonal were among those seen, and +infinity for each edge that is not there.
    pub fn weights(self) -> Weights {
        Weights {
            largest: self.largest,
            smallest: self.smallest,
            least: self.least,
            complete: self.most < f64::INFINITY,
            grain: self.grain,
        }
    }

    /// The least weight seen.
    pub fn least(&self) -> f64 {
        self.least
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

/// What is declared of the weights of a list of edges, [`Element::ABSENT`] for one that is not there, and the least of them and 0.
/// The edges are all there are: `complete` when there is one between every ordered pair of vertices.
pub fn weight_range_of_edges<T: Element>(edges: &[T], complete: bool) -> (WeightRange, f64) {
    let seen = edges.par_chunks(1 << 14).map(Extremes::of_row).reduce(Extremes::none, Extremes::or);
    let weights = Weights { complete, ..seen.or(Extremes::of_weight(0.0)).weights() };
    (weights.range(), weights.least)
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
            Weights { largest: 0.0, smallest: f64::INFINITY, grain: f64::INFINITY, complete: false, ..plain };
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
            assert_eq!(of([0.0, weight, 2f32.powi(120), 0.0]).grain, f64::from(grain), "{weight}");
            assert_eq!(of([0.0, 2f32.powi(120), weight, 0.0]).grain, f64::from(grain), "{weight}");
        }
    }

    #[test]
    fn a_list_of_edges_has_the_facts_of_its_matrix() {
        let graph = DistanceMatrix::from_row_major(2, vec![0.0_f32, -7.5, f32::INFINITY, 0.0]).unwrap();
        let edges = weight_range_of_edges(&[-7.5_f32], false);
        assert_eq!(edges, (Weights::of(&graph).range(), -7.5));
        assert_eq!(weight_range_of_edges(&[2.0_f32, 3.0], true).1, 0.0);
    }

    #[test]
    fn every_position_of_a_row_counts() {
        for column in 1..35 {
            let mut graph = DistanceMatrix::<f32>::without_edges(35).unwrap();
            graph.add_edge(0, column, -2.5);
            let expected = Weights { largest: 2.5, smallest: 2.5, least: -2.5, complete: false, grain: 0.5 };
            assert_eq!(Weights::of(&graph), expected);
        }
    }
}
