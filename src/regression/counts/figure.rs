//! The figures: their names, which tool reports them, and which way is worse.

use crate::device::emulated::Counts;
use crate::store::counted;
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// The tool that reports a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tool {
    /// The emulated device, which needs a C++ compiler.
    Emulated,
    /// NVRTC, whose assembler says what a kernel takes.
    Nvrtc,
    /// The disassembler, of what NVRTC made.
    Disassembler,
}

impl Tool {
    pub const ALL: [Self; 3] = [Self::Emulated, Self::Nvrtc, Self::Disassembler];

    /// As the baseline names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Emulated => "c++-compiler",
            Self::Nvrtc => "nvrtc",
            Self::Disassembler => "disassembler",
        }
    }
}

/// What it means when a figure is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// More costs more.
    LessIsBetter,
    /// Neither is better. The other figures of the kernel are then those of another launch, and are not to be compared with
    /// the baseline's before somebody has looked: a change fails too.
    Neutral,
}

macro_rules! figures {
    ($($(#[$doc:meta])* $variant:ident $name:literal $tool:ident $sense:ident,)*) => {
        /// What is counted of a kernel, all its launches of one solve together where nothing else is said.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Figure {
            $($(#[$doc])* $variant,)*
        }

        impl Figure {
            /// All, in the order in which files and tables have them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// As files and messages name it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            pub fn tool(self) -> Tool {
                match self {
                    $(Self::$variant => Tool::$tool,)*
                }
            }

            pub fn sense(self) -> Sense {
                match self {
                    $(Self::$variant => Sense::$sense,)*
                }
            }
        }
    };
}

figures! {
    Launches "launches" Emulated LessIsBetter,
    Blocks "blocks" Emulated Neutral,
    /// Threads a block.
    BlockThreads "block_threads" Emulated Neutral,
    /// Barriers, each counted once a block.
    Barriers "barriers" Emulated LessIsBetter,
    /// Shuffles, votes and warp synchronizations.
    WarpOperations "warp_operations" Emulated LessIsBetter,
    Atomics "atomics" Emulated LessIsBetter,
    GlobalLoadRequests "global_load_requests" Emulated LessIsBetter,
    GlobalLoadBytes "global_load_bytes" Emulated LessIsBetter,
    GlobalLoadSectors "global_load_sectors" Emulated LessIsBetter,
    GlobalStoreRequests "global_store_requests" Emulated LessIsBetter,
    GlobalStoreBytes "global_store_bytes" Emulated LessIsBetter,
    GlobalStoreSectors "global_store_sectors" Emulated LessIsBetter,
    SharedLoadRequests "shared_load_requests" Emulated LessIsBetter,
    SharedLoadBytes "shared_load_bytes" Emulated LessIsBetter,
    /// Steps of warps over 32 banks, those of conflicts included.
    SharedLoadSteps32 "shared_load_steps_32" Emulated LessIsBetter,
    /// Steps of half-warps over 16 banks, those of conflicts included.
    SharedLoadSteps16 "shared_load_steps_16" Emulated LessIsBetter,
    SharedStoreRequests "shared_store_requests" Emulated LessIsBetter,
    SharedStoreBytes "shared_store_bytes" Emulated LessIsBetter,
    SharedStoreSteps32 "shared_store_steps_32" Emulated LessIsBetter,
    SharedStoreSteps16 "shared_store_steps_16" Emulated LessIsBetter,
    /// Shared memory a block, bytes.
    SharedBlockBytes "shared_block_bytes" Emulated LessIsBetter,
    /// Registers a thread.
    Registers "registers" Nvrtc LessIsBetter,
    /// Bytes of registers that a thread stores to local memory, store by store of the code.
    SpillStoreBytes "spill_store_bytes" Nvrtc LessIsBetter,
    /// Bytes of registers that a thread loads from local memory, load by load of the code.
    SpillLoadBytes "spill_load_bytes" Nvrtc LessIsBetter,
    /// Local memory a thread, bytes.
    StackBytes "stack_bytes" Nvrtc LessIsBetter,
    /// Shared memory of fixed size, bytes a block.
    CompiledSharedBytes "compiled_shared_bytes" Nvrtc LessIsBetter,
    /// Instructions of the innermost loop over its tasks.
    LoopInstructionsATask "loop_instructions_a_task" Disassembler LessIsBetter,
    /// Of those the additions and minima that do the tasks.
    LoopTaskInstructionsATask "loop_task_instructions_a_task" Disassembler LessIsBetter,
    /// Loads from shared memory in the innermost loop over its tasks.
    LoopSharedLoadsATask "loop_shared_loads_a_task" Disassembler LessIsBetter,
    /// Loads from and stores to local memory in the innermost loop over its tasks.
    LoopLocalAccessesATask "loop_local_accesses_a_task" Disassembler LessIsBetter,
    /// Bytes of the innermost loop that do not fit into the instruction cache, as its size is assumed.
    LoopUncachedBytes "loop_uncached_bytes" Disassembler LessIsBetter,
}

impl Figure {
    /// What `counts` of a kernel with so many `threads` a block say of it. None of what another tool reports.
    pub fn counted(self, counts: &Counts, threads: u64) -> Option<Value> {
        let amount = match self {
            Self::BlockThreads => threads,
            Self::SharedBlockBytes => counts.shared_bytes + counts.dynamic_shared_bytes,
            _ => counted(counts, self.name())?,
        };
        Some(Value::whole(amount))
    }

    /// The figure of this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|figure| figure.name() == name)
    }
}

impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A whole number, or one of something over one of something else, as in "188/64", which is kept as it was counted: exact,
/// and telling both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    amount: u64,
    /// 0 where the value is a whole number.
    over: u64,
}

impl Value {
    pub fn whole(amount: u64) -> Self {
        Self { amount, over: 0 }
    }

    /// `amount` over `over`; None when that is 0.
    pub fn ratio(amount: u64, over: u64) -> Option<Self> {
        (over > 0).then_some(Self { amount, over })
    }

    pub fn as_f64(self) -> f64 {
        self.amount as f64 / self.over.max(1) as f64
    }

    /// Which of both is more, exactly: 6/4 is as much as 3/2.
    pub fn compare(self, other: Self) -> Ordering {
        let cross = |one: Self, other: Self| u128::from(one.amount) * u128::from(other.over.max(1));
        cross(self, other).cmp(&cross(other, self))
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.over {
            0 => write!(f, "{}", self.amount),
            over => write!(f, "{}/{over}", self.amount),
        }
    }
}

impl FromStr for Value {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let number = |text: &str| text.parse().map_err(|_| ());
        match text.split_once('/') {
            None => Ok(Self::whole(number(text)?)),
            Some((amount, over)) => Self::ratio(number(amount)?, number(over)?).ok_or(()),
        }
    }
}

/// A number, or an object of both numbers.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.over == 0 {
            return serializer.serialize_u64(self.amount);
        }
        let mut both = serializer.serialize_struct("Value", 2)?;
        both.serialize_field("amount", &self.amount)?;
        both.serialize_field("over", &self.over)?;
        both.end()
    }
}

/// A kernel of an implementation with parameters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct KernelKey {
    pub implementation: String,
    /// As in records: "a=1;b=2", empty for the defaults.
    pub params: String,
    pub kernel: String,
}

impl fmt::Display for KernelKey {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { implementation, params, kernel } = self;
        match params.as_str() {
            "" => write!(f, "{implementation} {kernel}"),
            params => write!(f, "{implementation} ({params}) {kernel}"),
        }
    }
}

/// Figures by kernel.
pub type KernelFigures = BTreeMap<KernelKey, BTreeMap<Figure, Value>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared_by_what_they_are_worth() {
        let value = |text: &str| text.parse::<Value>().unwrap();
        assert_eq!(value("376/128").compare(value("188/64")), Ordering::Equal);
        assert_eq!(value("189/64").compare(value("188/64")), Ordering::Greater);
        assert_eq!(value("3").compare(value("7/2")), Ordering::Less);
        let most = value("18446744073709551615/18446744073709551614");
        assert_eq!(most.compare(value("1")), Ordering::Greater);
        for text in ["188/64", "0", "0/1"] {
            assert_eq!(value(text).to_string(), text);
        }
        let both = serde_json::to_string(&[value("7"), value("188/64")]).unwrap();
        assert_eq!(both, r#"[7,{"amount":188,"over":64}]"#);
        for wrong in ["", "x", "-1", "1/0", "1/", "1/2/3", "1.5"] {
            assert_eq!(wrong.parse::<Value>(), Err(()), "{wrong}");
        }
    }
}
