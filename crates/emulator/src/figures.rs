//! What was counted, by name, in the order in which tables show it.

use crate::counts::{BankCounts, Counts};

/// What a figure is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CounterValue {
    /// How often, or bytes.
    Number(u64),
    /// An average over blocks.
    Mean(f64),
    /// Steps of accesses to banks of shared memory.
    Ways(BankCounts),
}

impl CounterValue {
    /// As text, with `mean` for what is no whole number: of ways the worst, and the mean where it differs.
    pub fn text(self, mean: impl Fn(f64) -> String) -> String {
        let ways = |banks: BankCounts| Some((banks.worst, banks.mean()?));
        match self {
            Self::Number(number) => number.to_string(),
            Self::Mean(of_blocks) if of_blocks.fract() == 0.0 => of_blocks.to_string(),
            Self::Mean(of_blocks) => mean(of_blocks),
            Self::Ways(banks) => match ways(banks) {
                None => "-".to_string(),
                Some((worst, of_parts)) if of_parts == worst as f64 => worst.to_string(),
                Some((worst, of_parts)) => format!("{worst}, mean {}", mean(of_parts)),
            },
        }
    }
}

/// A figure's name, and how it is read.
pub type CounterAccessor = (&'static str, fn(&Counts) -> CounterValue);

const GLOBAL: [CounterAccessor; 7] = [
    ("launches", |counts| CounterValue::Number(counts.launches)),
    ("blocks", |counts| CounterValue::Number(counts.blocks)),
    ("barriers a block", |counts| CounterValue::Mean(counts.barriers as f64 / counts.blocks.max(1) as f64)),
    ("loaded bytes", |counts| CounterValue::Number(counts.global_load.bytes)),
    ("load sectors of 32 B", |counts| CounterValue::Number(counts.global_load.sectors)),
    ("stored bytes", |counts| CounterValue::Number(counts.global_store.bytes)),
    ("store sectors of 32 B", |counts| CounterValue::Number(counts.global_store.sectors)),
];

/// What few kernels have any of.
const RARE: [CounterAccessor; 14] = [
    ("atomic instructions", |counts| CounterValue::Number(counts.atomics)),
    ("shuffles, votes, warp barriers", |counts| CounterValue::Number(counts.warp_operations)),
    ("barriers of clusters", |counts| CounterValue::Number(counts.cluster_barriers)),
    ("named barriers", |counts| CounterValue::Number(counts.named_barriers)),
    ("phases of mbarriers", |counts| CounterValue::Number(counts.mbarrier_phases)),
    ("cp.async copies", |counts| CounterValue::Number(counts.async_copies.copies)),
    ("cp.async bytes", |counts| CounterValue::Number(counts.async_copies.bytes)),
    ("bulk and tensor loads", |counts| CounterValue::Number(counts.bulk_copies.loads)),
    ("bulk and tensor loaded bytes", |counts| CounterValue::Number(counts.bulk_copies.loaded_bytes)),
    ("bulk and tensor stores", |counts| CounterValue::Number(counts.bulk_copies.stores)),
    ("bulk and tensor stored bytes", |counts| CounterValue::Number(counts.bulk_copies.stored_bytes)),
    ("bulk copies to other blocks", |counts| CounterValue::Number(counts.bulk_copies.moves)),
    ("bytes copied to other blocks", |counts| CounterValue::Number(counts.bulk_copies.moved_bytes)),
    ("bytes in shared memory of other blocks", |counts| CounterValue::Number(counts.remote_shared.bytes)),
];

const SHARED: [CounterAccessor; 5] = [
    ("bytes a block", |counts| CounterValue::Number(counts.shared_bytes + counts.dynamic_shared_bytes)),
    ("load instructions", |counts| CounterValue::Number(counts.shared_load.requests)),
    ("loaded bytes", |counts| CounterValue::Number(counts.shared_load.bytes)),
    ("store instructions", |counts| CounterValue::Number(counts.shared_store.requests)),
    ("stored bytes", |counts| CounterValue::Number(counts.shared_store.bytes)),
];

/// Half-warps over 16 banks, as compute capability 1.x has them.
pub const BANKS_16: [CounterAccessor; 2] = [
    ("loads, ways of 16 banks", |counts| CounterValue::Ways(counts.shared_load.banks_16)),
    ("stores, ways of 16 banks", |counts| CounterValue::Ways(counts.shared_store.banks_16)),
];

/// Warps over 32 banks, as newer ones have them.
pub const BANKS_32: [CounterAccessor; 2] = [
    ("loads, ways of 32 banks", |counts| CounterValue::Ways(counts.shared_load.banks_32)),
    ("stores, ways of 32 banks", |counts| CounterValue::Ways(counts.shared_store.banks_32)),
];

impl Counts {
    /// Launches, barriers and global memory.
    pub fn global_figures(&self) -> &'static [CounterAccessor] {
        &GLOBAL
    }

    /// What else there is any of.
    pub fn rare_figures(&self) -> impl Iterator<Item = CounterAccessor> {
        RARE.into_iter().filter(|(_, read)| read(self) != CounterValue::Number(0))
    }

    /// Shared memory without its banks; nothing where none was used.
    pub fn shared_figures(&self) -> &'static [CounterAccessor] {
        let is_used = self.shared_load.requests + self.shared_store.requests > 0;
        if is_used { &SHARED } else { &[] }
    }
}
