//! Counts that are left out, since they are not those of a whole solve.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a solve on devices that count has no counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhyNoCounts {
    /// It continued what another solve had left after so many vertices, and did the rest alone.
    Continued { vertices: usize },
    /// It paused to keep its state. The panels of the round after a pause are made without look-ahead, by other launches.
    Paused,
}

impl WhyNoCounts {
    /// None of a solve that was done whole, from vertex 0 on and in one go.
    pub fn of(start: usize, paused: bool) -> Option<Self> {
        match start {
            0 => paused.then_some(Self::Paused),
            vertices => Some(Self::Continued { vertices }),
        }
    }
}

impl fmt::Display for WhyNoCounts {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Continued { vertices } => {
                write!(f, "without counts: the solve continued from a checkpoint after {vertices} vertices")
            }
            Self::Paused => write!(
                f,
                "without counts: the solve paused for --checkpoint, which changes its launches; give a longer --every to \
                 have it counted"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_solve_from_its_beginning_without_a_pause_has_counts() {
        let of = WhyNoCounts::of;
        assert_eq!(of(0, false), None);
        assert_eq!(of(0, true), Some(WhyNoCounts::Paused));
        assert_eq!(of(64, false), Some(WhyNoCounts::Continued { vertices: 64 }));
        assert_eq!(of(64, true), Some(WhyNoCounts::Continued { vertices: 64 }));
    }
}
