//! What is counted of kernels: the metrics, the tool that reports each, and their values.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::num::{NonZeroU64, ParseIntError};
use std::str::FromStr;
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// The tool that reports a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(into = "&'static str")]
#[derive(Display, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Tool {
    /// The emulated device, which needs a C++ compiler.
    #[strum(serialize = "c++-compiler")]
    Emulator,
    /// NVRTC, whose assembler says what a kernel takes.
    Nvrtc,
    /// The disassembler, of what NVRTC made.
    Disassembler,
}

/// What is counted of a kernel, all its launches of one solve together where nothing else is said. In the order in which files and
/// tables have them, which is tool by tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(into = "&'static str")]
#[derive(Display, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum CountMetric {
    Launches,
    Blocks,
    BlockThreads,
    /// Barriers, each counted once a block.
    Barriers,
    /// Shuffles, votes and warp synchronizations.
    WarpOperations,
    Atomics,
    GlobalLoadRequests,
    GlobalLoadBytes,
    GlobalLoadSectors,
    GlobalStoreRequests,
    GlobalStoreBytes,
    GlobalStoreSectors,
    SharedLoadRequests,
    SharedLoadBytes,
    /// Passes of warps over 32 banks, those of bank conflicts included.
    #[strum(serialize = "shared_load_steps_32")]
    SharedLoadSteps32,
    /// Steps of half-warps over 16 banks, those of conflicts included.
    #[strum(serialize = "shared_load_steps_16")]
    SharedLoadSteps16,
    SharedStoreRequests,
    SharedStoreBytes,
    #[strum(serialize = "shared_store_steps_32")]
    SharedStoreSteps32,
    #[strum(serialize = "shared_store_steps_16")]
    SharedStoreSteps16,
    /// Shared memory a block, bytes.
    SharedBlockBytes,
    /// Registers a thread.
    Registers,
    /// Bytes of registers that a thread stores to local memory, store by store of the code.
    SpillStoreBytes,
    /// Bytes of registers that a thread loads from local memory, load by load of the code.
    SpillLoadBytes,
    /// Local memory a thread, bytes.
    StackBytes,
    /// Shared memory of fixed size, bytes a block.
    CompiledSharedBytes,
    /// Instructions of the innermost loop over its tasks.
    LoopInstructionsATask,
    /// Of those the additions and minima that do the tasks.
    LoopTaskInstructionsATask,
    /// Loads from shared memory in the innermost loop over its tasks.
    LoopSharedLoadsATask,
    /// Loads from and stores to local memory in the innermost loop over its tasks.
    LoopLocalAccessesATask,
    /// Bytes of the innermost loop that do not fit into the instruction cache, as its size is assumed.
    LoopUncachedBytes,
}

impl CountMetric {
    pub fn tool(self) -> Tool {
        match self {
            metric if metric <= Self::SharedBlockBytes => Tool::Emulator,
            metric if metric <= Self::CompiledSharedBytes => Tool::Nvrtc,
            _ => Tool::Disassembler,
        }
    }
}

/// A whole number, or a ratio of two counts such as "188/64", kept unreduced, so that it is exact and shows both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Amount {
    Whole(u64),
    Ratio { amount: u64, over: NonZeroU64 },
}

impl Amount {
    /// Exact enough to compare: ratios that are worth the same give the same number, and no count is near 2^53.
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Whole(amount) => amount as f64,
            Self::Ratio { amount, over } => amount as f64 / over.get() as f64,
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Whole(amount) => write!(f, "{amount}"),
            Self::Ratio { amount, over } => write!(f, "{amount}/{over}"),
        }
    }
}

impl FromStr for Amount {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        Ok(match text.split_once('/') {
            None => Self::Whole(text.parse()?),
            Some((amount, over)) => Self::Ratio { amount: amount.parse()?, over: over.parse()? },
        })
    }
}

/// A kernel of an implementation with parameters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct KernelKey {
    pub implementation: String,
    /// As in records: "a=1;b=2", empty for the defaults.
    pub params: String,
    pub kernel: String,
}

/// What is known of one kernel.
pub type Figures = BTreeMap<CountMetric, Amount>;

/// What was counted of each kernel of an implementation.
pub type KernelFigures = BTreeMap<KernelKey, Figures>;

/// The figures that `keep` names, without kernels of which none are left.
pub(super) fn select(of: &KernelFigures, keep: impl Fn(&KernelKey, CountMetric) -> bool) -> KernelFigures {
    let mut selected = of.clone();
    selected.retain(|key, figures| {
        figures.retain(|metric, _| keep(key, *metric));
        !figures.is_empty()
    });
    selected
}

/// Adds figures to those that are there, and replaces those of the same metric.
pub(super) fn merge(into: &mut KernelFigures, figures: KernelFigures) {
    for (key, figures) in figures {
        into.entry(key).or_default().extend(figures);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared_by_what_they_are_worth() {
        let value = |text: &str| text.parse::<Amount>().unwrap();
        let worth = |text: &str| value(text).as_f64();
        assert_eq!(worth("376/128"), worth("188/64"));
        assert!(worth("189/64") > worth("188/64") && worth("3") < worth("7/2"));
        for text in ["188/64", "0", "0/1"] {
            assert_eq!(value(text).to_string(), text);
        }
        let both = serde_json::to_string(&[value("7"), value("188/64")]).unwrap();
        assert_eq!(both, r#"[7,{"amount":188,"over":64}]"#);
        for wrong in ["", "x", "-1", "1/0", "1/", "1/2/3", "1.5"] {
            assert!(wrong.parse::<Amount>().is_err(), "{wrong}");
        }
    }
}
