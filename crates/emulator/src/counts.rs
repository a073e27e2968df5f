//! Counters of what launches did to memory, and the names of figures in the order in which tables show them.

use crate::Extent;
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// Bytes a sector of global memory.
pub const SECTOR: u64 = 32;

/// Loads or stores of global memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GlobalCounts {
    /// Instructions of warps.
    pub requests: u64,
    /// Bytes that the threads asked for.
    pub bytes: u64,
    /// Bytes of global memory, with what several threads of an instruction asked for counted once.
    pub distinct_bytes: u64,
    /// Different sectors of 32 bytes of each instruction, added up.
    pub sectors: u64,
}

/// Loads or stores of shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedCounts {
    /// Instructions of warps.
    pub requests: u64,
    /// Bytes that the threads asked for.
    pub bytes: u64,
    /// Bytes of shared memory, with what several threads of an instruction asked for counted once.
    pub distinct_bytes: u64,
    /// Conflicts with 32 banks that serve a warp (compute capability 2.0 and newer).
    pub banks_32: BankCounts,
    /// Conflicts with 16 banks that serve half a warp (compute capability 1.x).
    pub banks_16: BankCounts,
}

/// How banks served requests. Each part of a request takes one step if nothing conflicts. A part is a warp with 32 banks, a
/// half-warp with 16, and fewer threads where each wants more than a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BankCounts {
    /// Parts that requests were served in.
    pub parts: u64,
    /// Steps it took: as many as parts when nothing conflicts.
    pub steps: u64,
    /// The most steps of one part.
    pub worst: u64,
}

impl BankCounts {
    /// Steps a part: 1 without conflicts. None without accesses.
    pub fn mean(&self) -> Option<f64> {
        (self.parts > 0).then(|| self.steps as f64 / self.parts as f64)
    }
}

/// Asynchronous copies by threads (`cp.async`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopyCounts {
    /// Instructions of threads.
    pub copies: u64,
    /// Bytes that they moved.
    pub bytes: u64,
}

/// Bulk and tensor copies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BulkCounts {
    /// Copies from global to shared memory: instructions of threads. A multicast to blocks of a cluster counts once.
    pub loads: u64,
    /// The bytes of these copies, those of a multicast counted once.
    pub loaded_bytes: u64,
    /// Copies from shared to global memory, reductions included.
    pub stores: u64,
    /// The bytes of these copies.
    pub stored_bytes: u64,
    /// Copies from shared memory to that of another block.
    pub moves: u64,
    /// The bytes of these copies.
    pub moved_bytes: u64,
}

/// Distributed shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteCounts {
    /// Instructions of warps that load.
    pub loads: u64,
    /// Instructions of warps that store.
    pub stores: u64,
    /// Bytes that the threads asked for.
    pub bytes: u64,
}

/// What one launch, or several of one kernel, did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Launches.
    pub launches: u64,
    /// Blocks that ran.
    pub blocks: u64,
    /// Threads that ran, in all blocks.
    pub threads: u64,
    /// Barriers of a whole block (`__syncthreads`), each counted once a block.
    pub barriers: u64,
    /// Warp synchronizations, shuffles and votes.
    pub warp_operations: u64,
    /// Atomic instructions of warps.
    pub atomics: u64,
    /// Loads of global memory.
    pub global_load: GlobalCounts,
    /// Stores to global memory.
    pub global_store: GlobalCounts,
    /// Loads of the block's own shared memory.
    pub shared_load: SharedCounts,
    /// Stores to the block's own shared memory.
    pub shared_store: SharedCounts,
    /// Barriers of clusters.
    #[serde(default)]
    pub cluster_barriers: u64,
    /// Named barriers, among all or some warps of a block.
    #[serde(default)]
    pub named_barriers: u64,
    /// Phases of mbarriers that ended.
    #[serde(default)]
    pub mbarrier_phases: u64,
    /// Copies by `cp.async`.
    #[serde(default)]
    pub async_copies: CopyCounts,
    /// Bulk copies and copies of tensors.
    #[serde(default)]
    pub bulk_copies: BulkCounts,
    /// Loads and stores of the shared memory of other blocks of a cluster.
    #[serde(default)]
    pub remote_shared: RemoteCounts,
    /// Bytes of fixed-size shared memory that a block used: all of each variable that a thread accessed, since a library does
    /// not show which kernel calls the function that declares a variable. A variable whose accesses the compiler removed is not
    /// counted; a GPU's compiler, which may keep others than this one, gives such a variable no room either.
    pub shared_bytes: u64,
    /// Shared memory whose size the launch gave, bytes.
    pub dynamic_shared_bytes: u64,
}

/// A counter's name in files, and an accessor of its value in [`Counts`].
pub type CounterField = (&'static str, fn(&mut Counts) -> &mut u64);

/// The counters that files have, in the order of their columns. This list alone knows their names: columns are written and read by it, and baselines of
/// counts take theirs from it.
pub const FIELDS: [CounterField; 34] = [
    ("launches", |counts| &mut counts.launches),
    ("blocks", |counts| &mut counts.blocks),
    ("threads", |counts| &mut counts.threads),
    ("barriers", |counts| &mut counts.barriers),
    ("warp_operations", |counts| &mut counts.warp_operations),
    ("atomics", |counts| &mut counts.atomics),
    ("global_load_requests", |counts| &mut counts.global_load.requests),
    ("global_load_bytes", |counts| &mut counts.global_load.bytes),
    ("global_load_distinct_bytes", |counts| &mut counts.global_load.distinct_bytes),
    ("global_load_sectors", |counts| &mut counts.global_load.sectors),
    ("global_store_requests", |counts| &mut counts.global_store.requests),
    ("global_store_bytes", |counts| &mut counts.global_store.bytes),
    ("global_store_distinct_bytes", |counts| &mut counts.global_store.distinct_bytes),
    ("global_store_sectors", |counts| &mut counts.global_store.sectors),
    ("shared_load_requests", |counts| &mut counts.shared_load.requests),
    ("shared_load_bytes", |counts| &mut counts.shared_load.bytes),
    ("shared_load_distinct_bytes", |counts| &mut counts.shared_load.distinct_bytes),
    ("shared_load_parts_32", |counts| &mut counts.shared_load.banks_32.parts),
    ("shared_load_steps_32", |counts| &mut counts.shared_load.banks_32.steps),
    ("shared_load_worst_32", |counts| &mut counts.shared_load.banks_32.worst),
    ("shared_load_parts_16", |counts| &mut counts.shared_load.banks_16.parts),
    ("shared_load_steps_16", |counts| &mut counts.shared_load.banks_16.steps),
    ("shared_load_worst_16", |counts| &mut counts.shared_load.banks_16.worst),
    ("shared_store_requests", |counts| &mut counts.shared_store.requests),
    ("shared_store_bytes", |counts| &mut counts.shared_store.bytes),
    ("shared_store_distinct_bytes", |counts| &mut counts.shared_store.distinct_bytes),
    ("shared_store_parts_32", |counts| &mut counts.shared_store.banks_32.parts),
    ("shared_store_steps_32", |counts| &mut counts.shared_store.banks_32.steps),
    ("shared_store_worst_32", |counts| &mut counts.shared_store.banks_32.worst),
    ("shared_store_parts_16", |counts| &mut counts.shared_store.banks_16.parts),
    ("shared_store_steps_16", |counts| &mut counts.shared_store.banks_16.steps),
    ("shared_store_worst_16", |counts| &mut counts.shared_store.banks_16.worst),
    ("shared_bytes", |counts| &mut counts.shared_bytes),
    ("dynamic_shared_bytes", |counts| &mut counts.dynamic_shared_bytes),
];

impl Counts {
    /// The counter that files call `name`. None where there is none of that name.
    pub fn field(mut self, name: &str) -> Option<u64> {
        let (_, place) = FIELDS.iter().find(|(known, _)| *known == name)?;
        Some(*place(&mut self))
    }

    /// Bytes of global memory that threads loaded and stored.
    pub fn global_bytes(&self) -> u64 {
        self.global_load.bytes + self.global_store.bytes
    }

    /// Bytes of the sectors that loads and stores of global memory touched.
    pub fn transferred_bytes(&self) -> u64 {
        (self.global_load.sectors + self.global_store.sectors) * SECTOR
    }
}

impl AddAssign for GlobalCounts {
    fn add_assign(&mut self, other: Self) {
        self.requests += other.requests;
        self.bytes += other.bytes;
        self.distinct_bytes += other.distinct_bytes;
        self.sectors += other.sectors;
    }
}

impl AddAssign for BankCounts {
    fn add_assign(&mut self, other: Self) {
        self.parts += other.parts;
        self.steps += other.steps;
        self.worst = self.worst.max(other.worst);
    }
}

impl AddAssign for SharedCounts {
    fn add_assign(&mut self, other: Self) {
        self.requests += other.requests;
        self.bytes += other.bytes;
        self.distinct_bytes += other.distinct_bytes;
        self.banks_32 += other.banks_32;
        self.banks_16 += other.banks_16;
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.launches += other.launches;
        self.blocks += other.blocks;
        self.threads += other.threads;
        self.barriers += other.barriers;
        self.warp_operations += other.warp_operations;
        self.atomics += other.atomics;
        self.global_load += other.global_load;
        self.global_store += other.global_store;
        self.shared_load += other.shared_load;
        self.shared_store += other.shared_store;
        self.cluster_barriers += other.cluster_barriers;
        self.named_barriers += other.named_barriers;
        self.mbarrier_phases += other.mbarrier_phases;
        self.async_copies.copies += other.async_copies.copies;
        self.async_copies.bytes += other.async_copies.bytes;
        self.bulk_copies.loads += other.bulk_copies.loads;
        self.bulk_copies.loaded_bytes += other.bulk_copies.loaded_bytes;
        self.bulk_copies.stores += other.bulk_copies.stores;
        self.bulk_copies.stored_bytes += other.bulk_copies.stored_bytes;
        self.bulk_copies.moves += other.bulk_copies.moves;
        self.bulk_copies.moved_bytes += other.bulk_copies.moved_bytes;
        self.remote_shared.loads += other.remote_shared.loads;
        self.remote_shared.stores += other.remote_shared.stores;
        self.remote_shared.bytes += other.remote_shared.bytes;
        self.shared_bytes = self.shared_bytes.max(other.shared_bytes);
        self.dynamic_shared_bytes = self.dynamic_shared_bytes.max(other.dynamic_shared_bytes);
    }
}

/// One launch and what it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchCounts {
    /// The kernel's name.
    pub kernel: String,
    /// Blocks.
    pub grid: Extent,
    /// Threads a block.
    pub block: Extent,
    /// What it did.
    pub counts: Counts,
}

impl LaunchCounts {
    /// Threads a block.
    pub fn threads(&self) -> u64 {
        let (x, y, z) = self.block;
        u64::from(x) * u64::from(y) * u64::from(z)
    }
}

/// The value of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CounterValue {
    /// A number of events or bytes.
    Number(u64),
    /// An average over blocks.
    Mean(f64),
    /// Steps that accesses to banks of shared memory took: n for an n-way conflict.
    Ways(BankCounts),
}

impl CounterValue {
    /// As text; `mean` writes numbers that are not whole. `Ways` gives the worst part, and the mean where it differs.
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

/// Figures that are 0 for most kernels.
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

/// Warps over 32 banks, as compute capability 2.0 and newer has them.
pub const BANKS_32: [CounterAccessor; 2] = [
    ("loads, ways of 32 banks", |counts| CounterValue::Ways(counts.shared_load.banks_32)),
    ("stores, ways of 32 banks", |counts| CounterValue::Ways(counts.shared_store.banks_32)),
];

impl Counts {
    /// Launches, barriers and global memory.
    pub fn global_figures(&self) -> &'static [CounterAccessor] {
        &GLOBAL
    }

    /// Figures that are 0 for most kernels, and not for this one.
    pub fn rare_figures(&self) -> impl Iterator<Item = CounterAccessor> {
        RARE.into_iter().filter(|(_, read)| read(self) != CounterValue::Number(0))
    }

    /// Shared memory without its banks; nothing where none was used.
    pub fn shared_figures(&self) -> &'static [CounterAccessor] {
        let is_used = self.shared_load.requests + self.shared_store.requests > 0;
        if is_used { &SHARED } else { &[] }
    }
}
