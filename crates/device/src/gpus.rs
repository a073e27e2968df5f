//! The GPUs of the papers and today's, as far as they limit how many blocks a multiprocessor holds at once.
//!
//! Limits from the CUDA C++ programming guide's table of compute capabilities and the occupancy calculator's allocation
//! units.

use super::DeviceInfo;

/// What one multiprocessor has.
#[derive(Clone, Debug, PartialEq)]
pub struct MultiprocessorLimits {
    pub name: String,
    pub shared_bytes: u64,
    /// Shared memory is handed out in multiples of this many bytes.
    pub shared_unit: u64,
    /// Bytes of shared memory that each block takes in addition to what its kernel declares: the launch's parameters where they lie
    /// there (compute capability 1.x), or what the system reserves (8.0 and newer).
    pub beside_bytes: u64,
    pub registers: u64,
    /// Registers are handed out to a warp in multiples of this many.
    pub register_unit: u64,
    pub threads: u64,
    pub blocks: u64,
}

/// What a block of a kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockResources {
    pub threads: u64,
    /// Declared and dynamic shared memory, bytes.
    pub shared_bytes: u64,
    /// Registers a thread, where they are known.
    pub registers: Option<u64>,
}

/// How many blocks of a kernel a multiprocessor holds, by two measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// By shared memory alone, as lund-smith-2010 divides: without allocation units. None when no shared memory is used.
    pub by_shared: Option<u64>,
    /// By shared memory with allocation units, threads, blocks and, where they are known, registers.
    pub resident: u64,
}

impl MultiprocessorLimits {
    /// How many blocks of these needs a multiprocessor holds.
    pub fn residency(&self, needs: BlockResources) -> Occupancy {
        let taken = needs.shared_bytes + self.beside_bytes;
        let by_shared = (needs.shared_bytes > 0).then(|| self.shared_bytes / taken);
        let by_unit = self.shared_bytes / taken.next_multiple_of(self.shared_unit).max(1);
        let warps = needs.threads.div_ceil(32).max(1);
        let by_threads = self.threads / 32 / warps;
        let by_registers = needs.registers.filter(|&registers| registers > 0).map(|registers| {
            let of_warp = (registers * 32).next_multiple_of(self.register_unit);
            self.registers / of_warp / warps
        });
        let resident = by_unit.min(by_threads).min(self.blocks).min(by_registers.unwrap_or(u64::MAX));
        Occupancy { by_shared, resident }
    }
}

/// lund-smith-2010, section 3.3, adds 32 bytes of parameters to what a kernel declares: 16 of the launch itself (extents of
/// grid and block, and the block's index) and four words of arguments, all in shared memory on this generation.
pub const PARAMETER_BYTES: u64 = 32;

/// The GPUs of the papers, oldest first, and the H200.
pub fn named_gpus() -> Vec<MultiprocessorLimits> {
    let old = |name: &str, registers, register_unit, threads| MultiprocessorLimits {
        name: name.to_string(),
        shared_bytes: 16 << 10,
        shared_unit: 512,
        beside_bytes: PARAMETER_BYTES,
        registers,
        register_unit,
        threads,
        blocks: 8,
    };
    let newer = |name: &str,
                 shared_kib: u64,
                 shared_unit,
                 beside_bytes,
                 registers,
                 register_unit,
                 threads,
                 blocks| MultiprocessorLimits {
        name: name.to_string(),
        shared_bytes: shared_kib << 10,
        shared_unit,
        beside_bytes,
        registers,
        register_unit,
        threads,
        blocks,
    };
    vec![
        old("8600 GT", 8 << 10, 256, 768),
        old("C1060", 16 << 10, 512, 1024),
        newer("C2075", 48, 128, 0, 32 << 10, 64, 1536, 8),
        newer("GTX 670", 48, 256, 0, 64 << 10, 256, 2048, 16),
        newer("H200", 228, 128, 1024, 64 << 10, 256, 2048, 32),
    ]
}

/// A device at hand, by its driver's description; what that lacks is as on the H200.
pub fn gpu_at_hand(info: &DeviceInfo) -> MultiprocessorLimits {
    MultiprocessorLimits {
        name: info.name.clone(),
        shared_bytes: info.shared_bytes_per_multiprocessor,
        shared_unit: 128,
        beside_bytes: 1024,
        registers: u64::from(info.registers_per_multiprocessor),
        register_unit: 256,
        threads: u64::from(info.threads_per_multiprocessor),
        blocks: 32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn residency(gpu: &str, threads: u64, shared_bytes: u64, registers: Option<u64>) -> (Option<u64>, u64) {
        let gpu = named_gpus().into_iter().find(|one| one.name == gpu).unwrap();
        let found = gpu.residency(BlockResources { threads, shared_bytes, registers });
        (found.by_shared, found.resident)
    }

    #[test]
    fn the_papers_three_figures_follow_from_16_kib_and_its_parameters() {
        // lund-smith-2010, sections 3.3 and 4.2: 12,320, 8,224 and 1,056 bytes.
        assert_eq!(residency("C1060", 256, 12_288, None).0, Some(1));
        assert_eq!(residency("C1060", 64, 8_192, None).0, Some(1));
        // And at most 8, whatever their shared memory.
        assert_eq!(residency("C1060", 64, 1_024, None), (Some(15), 8));
    }

    #[test]
    fn an_h200_holds_what_its_driver_says() {
        // Threads, shared bytes and registers of the three kernels of Table 1 for tiles outside the round's row and column (doubly
        // dependent), and what the driver of an H200 says of them (results/reference/h200-e117a75b/table1).
        assert_eq!(residency("H200", 256, 12_288, Some(24)).1, 8);
        assert_eq!(residency("H200", 256, 12_288, Some(62)).1, 4);
        assert_eq!(residency("H200", 64, 1_024, Some(56)).1, 18);
        assert_eq!(residency("H200", 256, 0, Some(18)).0, None);
    }
}
