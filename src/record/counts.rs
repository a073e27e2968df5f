//! `counts.csv`: what the kernels of a cell did to memory on the emulated device, one row a kernel.

use super::sample::CellId;
use crate::device::emulated::{BankCounts, Counts, GlobalCounts, SharedCounts};
use serde::{Deserialize, Serialize};

/// All launches of one kernel in one solve. The names are those of [`Counts`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountRow {
    pub implementation: String,
    pub n: usize,
    pub params: String,
    pub kernel: String,
    pub launches: u64,
    pub blocks: u64,
    pub threads: u64,
    pub barriers: u64,
    pub warp_operations: u64,
    pub atomics: u64,
    pub global_load_requests: u64,
    pub global_load_bytes: u64,
    pub global_load_distinct_bytes: u64,
    pub global_load_sectors: u64,
    pub global_store_requests: u64,
    pub global_store_bytes: u64,
    pub global_store_distinct_bytes: u64,
    pub global_store_sectors: u64,
    pub shared_load_requests: u64,
    pub shared_load_bytes: u64,
    pub shared_load_distinct_bytes: u64,
    pub shared_load_parts_32: u64,
    pub shared_load_steps_32: u64,
    pub shared_load_worst_32: u32,
    pub shared_load_parts_16: u64,
    pub shared_load_steps_16: u64,
    pub shared_load_worst_16: u32,
    pub shared_store_requests: u64,
    pub shared_store_bytes: u64,
    pub shared_store_distinct_bytes: u64,
    pub shared_store_parts_32: u64,
    pub shared_store_steps_32: u64,
    pub shared_store_worst_32: u32,
    pub shared_store_parts_16: u64,
    pub shared_store_steps_16: u64,
    pub shared_store_worst_16: u32,
    pub shared_bytes: u64,
    pub dynamic_shared_bytes: u64,
    /// The graph's name in the experiment; empty where there is one.
    #[serde(default)]
    pub graph: String,
}

impl CountRow {
    pub fn new(cell: &CellId, kernel: &str, counts: &Counts) -> Self {
        let Counts { global_load, global_store, shared_load, shared_store, .. } = counts;
        Self {
            implementation: cell.implementation.clone(),
            n: cell.n,
            params: cell.params.clone(),
            kernel: kernel.to_string(),
            launches: counts.launches,
            blocks: counts.blocks,
            threads: counts.threads,
            barriers: counts.barriers,
            warp_operations: counts.warp_operations,
            atomics: counts.atomics,
            global_load_requests: global_load.requests,
            global_load_bytes: global_load.bytes,
            global_load_distinct_bytes: global_load.distinct_bytes,
            global_load_sectors: global_load.sectors,
            global_store_requests: global_store.requests,
            global_store_bytes: global_store.bytes,
            global_store_distinct_bytes: global_store.distinct_bytes,
            global_store_sectors: global_store.sectors,
            shared_load_requests: shared_load.requests,
            shared_load_bytes: shared_load.bytes,
            shared_load_distinct_bytes: shared_load.distinct_bytes,
            shared_load_parts_32: shared_load.banks_32.parts,
            shared_load_steps_32: shared_load.banks_32.steps,
            shared_load_worst_32: shared_load.banks_32.worst,
            shared_load_parts_16: shared_load.banks_16.parts,
            shared_load_steps_16: shared_load.banks_16.steps,
            shared_load_worst_16: shared_load.banks_16.worst,
            shared_store_requests: shared_store.requests,
            shared_store_bytes: shared_store.bytes,
            shared_store_distinct_bytes: shared_store.distinct_bytes,
            shared_store_parts_32: shared_store.banks_32.parts,
            shared_store_steps_32: shared_store.banks_32.steps,
            shared_store_worst_32: shared_store.banks_32.worst,
            shared_store_parts_16: shared_store.banks_16.parts,
            shared_store_steps_16: shared_store.banks_16.steps,
            shared_store_worst_16: shared_store.banks_16.worst,
            shared_bytes: counts.shared_bytes,
            dynamic_shared_bytes: counts.dynamic_shared_bytes,
            graph: cell.graph.clone(),
        }
    }

    pub fn counts(&self) -> Counts {
        let banks = |parts, steps, worst| BankCounts { parts, steps, worst };
        let global = |requests, bytes, distinct_bytes, sectors| GlobalCounts {
            requests,
            bytes,
            distinct_bytes,
            sectors,
        };
        Counts {
            launches: self.launches,
            blocks: self.blocks,
            threads: self.threads,
            barriers: self.barriers,
            warp_operations: self.warp_operations,
            atomics: self.atomics,
            global_load: global(
                self.global_load_requests,
                self.global_load_bytes,
                self.global_load_distinct_bytes,
                self.global_load_sectors,
            ),
            global_store: global(
                self.global_store_requests,
                self.global_store_bytes,
                self.global_store_distinct_bytes,
                self.global_store_sectors,
            ),
            shared_load: SharedCounts {
                requests: self.shared_load_requests,
                bytes: self.shared_load_bytes,
                distinct_bytes: self.shared_load_distinct_bytes,
                banks_32: banks(
                    self.shared_load_parts_32,
                    self.shared_load_steps_32,
                    self.shared_load_worst_32,
                ),
                banks_16: banks(
                    self.shared_load_parts_16,
                    self.shared_load_steps_16,
                    self.shared_load_worst_16,
                ),
            },
            shared_store: SharedCounts {
                requests: self.shared_store_requests,
                bytes: self.shared_store_bytes,
                distinct_bytes: self.shared_store_distinct_bytes,
                banks_32: banks(
                    self.shared_store_parts_32,
                    self.shared_store_steps_32,
                    self.shared_store_worst_32,
                ),
                banks_16: banks(
                    self.shared_store_parts_16,
                    self.shared_store_steps_16,
                    self.shared_store_worst_16,
                ),
            },
            shared_bytes: self.shared_bytes,
            dynamic_shared_bytes: self.dynamic_shared_bytes,
        }
    }

    /// Whether it is about the same kernel of the same cell.
    pub fn is_of(&self, other: &Self) -> bool {
        (&self.implementation, self.n, &self.params, &self.graph, &self.kernel)
            == (&other.implementation, other.n, &other.params, &other.graph, &other.kernel)
    }
}

#[cfg(test)]
mod tests {
    use super::super::files::{read_rows, write_atomically};
    use super::super::sample::write_rows;
    use super::*;

    #[test]
    fn every_figure_survives_being_written_and_read() {
        // Every number another one, so that no two can change places.
        let mut next = 0;
        let mut number = || {
            next += 1;
            next
        };
        let mut global = || GlobalCounts {
            requests: number(),
            bytes: number(),
            distinct_bytes: number(),
            sectors: number(),
        };
        let (global_load, global_store) = (global(), global());
        let mut next = 100;
        let mut number = || {
            next += 1;
            next
        };
        let mut banks = || BankCounts { parts: number(), steps: number(), worst: number() as u32 };
        let all = [banks(), banks(), banks(), banks()];
        let shared = |requests, bytes, at: usize| SharedCounts {
            requests,
            bytes,
            distinct_bytes: requests + 1000,
            banks_32: all[at],
            banks_16: all[at + 1],
        };
        let counts = Counts {
            launches: 200,
            blocks: 201,
            threads: 202,
            barriers: 203,
            warp_operations: 204,
            atomics: 205,
            global_load,
            global_store,
            shared_load: shared(206, 207, 0),
            shared_store: shared(208, 209, 2),
            shared_bytes: 210,
            dynamic_shared_bytes: 211,
        };
        let cell = CellId { implementation: "a".into(), n: 64, params: "x=1".into(), graph: "g".into() };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("counts.csv");
        assert_eq!(read_rows::<CountRow>(&path).unwrap(), []);
        let row = CountRow::new(&cell, "k", &counts);
        write_atomically(&path, &write_rows(std::slice::from_ref(&row), true)).unwrap();
        let read = read_rows::<CountRow>(&path).unwrap();
        assert_eq!(read, [row]);
        assert_eq!(read[0].counts(), counts);
        std::fs::write(&path, "implementation,n\na,b\n").unwrap();
        assert!(read_rows::<CountRow>(&path).unwrap_err().to_string().contains("counts.csv"));
    }
}
