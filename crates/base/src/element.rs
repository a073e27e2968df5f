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

    /// The largest magnitude of a distance with which an absent edge stays absent and no sum overflows. With integers, an absent
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
}

fn unknown(text: &str) -> String {
    format!("unknown element type '{text}': expected f32, i32, u16 or f64")
}
