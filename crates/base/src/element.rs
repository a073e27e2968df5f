//! The numbers that distances are: which ones they can be, and when they are exact.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString};

/// The type of a problem's distances.
#[derive(Serialize, Deserialize, Display, EnumString)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase", parse_err_ty = String, parse_err_fn = unknown)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementType {
    /// Exact where all sums are multiples of one power of two g and below 2^24 g; elsewhere rounded, within bounds.
    #[default]
    F32,
    /// Exact below 2^28; negative weights are allowed.
    I32,
    /// Exact below 2^15 - 1; no weight may be negative.
    U16,
    /// Exact as `f32` is, with 2^53 in place of 2^24; graphs whose sums are rounded are refused. On the CPU alone.
    F64,
}

impl ElementType {
    pub const ALL: [Self; 4] = [Self::F32, Self::I32, Self::U16, Self::F64];

    /// Bytes a distance.
    pub fn bytes(self) -> usize {
        match self {
            Self::F32 | Self::I32 => 4,
            Self::U16 => 2,
            Self::F64 => 8,
        }
    }

    /// The largest magnitude of a distance with which an absent edge stays absent and no sum overflows. Of integers: an absent
    /// edge between two paths of the least length is still absent.
    pub fn most(self) -> f64 {
        match self {
            Self::F32 => f64::from(f32::MAX),
            Self::F64 => f64::MAX,
            Self::I32 => f64::from((1 << 28) - 1),
            Self::U16 => f64::from((u16::MAX >> 1) - 1),
        }
    }

    /// Whether weights may be negative.
    pub fn is_signed(self) -> bool {
        self != Self::U16
    }

    /// Whether it holds integers alone.
    pub fn is_integer(self) -> bool {
        matches!(self, Self::I32 | Self::U16)
    }

    /// Whether a graph of `n` vertices fits whose weights have at most this magnitude, if its paths may have any number of edges
    /// (or one, where every edge exists and none is negative).
    ///
    /// # Errors
    /// The longest path that there may be, in one line with the remedy.
    pub fn holds(self, n: usize, weights: &WeightRange) -> Result<(), String> {
        if weights.negative && !self.is_signed() {
            return Err(format!("{self} holds no negative weights: choose i32, f32 or f64"));
        }
        let longest = weights.longest(n);
        if longest <= self.most() || !self.is_integer() {
            return Ok(());
        }
        Err(format!(
            "paths of {n} vertices may be as long as {longest}, and {self} holds distances up to {}: choose smaller weights, a \
             smaller n or another element type",
            self.most()
        ))
    }
}

fn unknown(text: &str) -> String {
    format!("unknown element type '{text}': expected f32, i32, u16 or f64")
}

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
    /// Whether each edge has as long a one back: the matrix is symmetric. Nobody believes it of weights that were not looked at.
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

    /// No distance between `n` vertices has a larger magnitude. Of a complete graph without negative weights no distance exceeds
    /// its largest weight; any other path may have an edge to every other vertex.
    pub fn longest(&self, n: usize) -> f64 {
        if self.complete && !self.negative { self.largest } else { self.largest * n.saturating_sub(1) as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphs_that_may_overflow_are_refused_with_the_bound() {
        let weights =
            WeightRange { largest: 1000.0, negative: false, complete: false, grain: 1.0, symmetric: false };
        assert_eq!(ElementType::F32.holds(1 << 20, &weights), Ok(()));
        assert_eq!(ElementType::I32.holds(268_436, &weights), Ok(()));
        let message = ElementType::I32.holds(268_437, &weights).unwrap_err();
        assert!(message.contains("as long as 268436000") && message.contains("up to 268435455"), "{message}");
        assert_eq!(ElementType::U16.holds(33, &weights), Ok(()));
        assert!(ElementType::U16.holds(34, &weights).unwrap_err().contains("as long as 33000"));
        // One edge is enough where there is one to everywhere.
        assert_eq!(ElementType::U16.holds(1 << 20, &WeightRange { complete: true, ..weights }), Ok(()));
        let negative = WeightRange { negative: true, ..weights };
        assert!(ElementType::U16.holds(2, &negative).unwrap_err().contains("no negative weights"));
    }
}
