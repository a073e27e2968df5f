//! Statements about how a kernel uses memory, which the emulated device counts.

use super::{check_range, check_text};
use serde::{Deserialize, Serialize};

/// A statement about how a kernel uses memory, which can be counted without its GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StructuralClaim {
    pub id: String,
    /// In our words.
    pub statement: String,
    pub place: String,
    pub implementation: String,
    pub kernel: String,
    pub figure: Figure,
    /// What it is compared with, where the figure is a ratio.
    pub over: Option<KernelName>,
    /// The least and the most that the statement allows; equal where it names a number.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Which ends of the range are ours, where the paper leaves them open.
    pub reading: Option<String>,
}

/// A kernel of an implementation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelName {
    pub implementation: String,
    pub kernel: String,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// Bytes of global memory that threads load and store, a task of the kernel.
    GlobalBytesATask,
    /// That of `over`, divided by that of the kernel.
    GlobalBytesCut,
    /// Shared memory a block on the paper's GPU, with what that GPU adds, bytes.
    SharedBytes,
    /// Blocks a multiprocessor of the paper's GPU holds by shared memory alone.
    ResidentBlocksByShared,
    /// The most steps that a half-warp's load takes over 16 banks: 1 without conflicts.
    WorstLoadSteps16,
    /// Bytes loaded over bytes of the sectors they lie in: 1 when coalesced.
    LoadSectorsUsed,
}

impl StructuralClaim {
    /// What the types cannot express.
    pub(super) fn check(&self) -> Result<(), String> {
        let what = format!("structural claim '{}'", self.id);
        check_text(&what, &self.statement, &self.place)?;
        check_range(&what, self.low, self.high)?;
        if self.low.or(self.high).is_none() {
            return Err(format!("{what} has no number: give low or high, or make it one of the claims"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{accepted, refused};

    #[test]
    fn what_is_counted_is_compared_with_a_bound() {
        let text = "[[structural]]\nid = \"a\"\nstatement = \"S\"\nplace = \"P\"\nimplementation = \"i\"\n\
                    kernel = \"k\"\nfigure = \"shared-bytes\"\n";
        accepted(&format!("{text}high = 1\n"));
        assert!(refused(text).contains("structural claim 'a' has no number"));
        assert!(refused(&format!("{text}low = 2\nhigh = 1\n")).contains("low = 2 is above high = 1"));
    }
}
