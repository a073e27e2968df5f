//! Counts of kernels as tables: global memory, and shared memory with its banks.

use crate::device::emulated::{BankCounts, Counts, SharedCounts};
use crate::show::{Grid, digits, whole_or_digits};

/// Whose rule counts bank conflicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Banks {
    /// Half-warps over 16 banks, one word broadcast a step: compute capability 1.x.
    #[value(name = "16", help = None)]
    Sixteen,
    /// Warps over 32 banks, any word to all who want it: compute capability 2.0 and newer.
    #[value(name = "32", help = None)]
    ThirtyTwo,
}

impl Banks {
    fn of(self, counts: &SharedCounts) -> BankCounts {
        match self {
            Self::Sixteen => counts.banks_16,
            Self::ThirtyTwo => counts.banks_32,
        }
    }

    fn number(self) -> u32 {
        match self {
            Self::Sixteen => 16,
            Self::ThirtyTwo => 32,
        }
    }
}

/// Tables with a column a kernel.
pub struct CountTables {
    /// Whose counts these are, for a title.
    pub of: &'static str,
    /// Name, tasks (0 where nothing is known of any) and counts.
    pub columns: Vec<(String, u64, Counts)>,
    pub total: Counts,
    /// None for both rules.
    pub banks: Option<Banks>,
}

/// A figure's name, and how it is read.
type Read = (&'static str, fn(&Counts) -> u64);

/// What is shown where there is any.
const RARE: [Read; 12] = [
    ("barriers of clusters", |counts| counts.cluster_barriers),
    ("named barriers", |counts| counts.named_barriers),
    ("phases of mbarriers", |counts| counts.mbarrier_phases),
    ("cp.async copies", |counts| counts.async_copies.copies),
    ("cp.async bytes", |counts| counts.async_copies.bytes),
    ("bulk and tensor loads", |counts| counts.bulk_copies.loads),
    ("bulk and tensor loaded bytes", |counts| counts.bulk_copies.loaded_bytes),
    ("bulk and tensor stores", |counts| counts.bulk_copies.stores),
    ("bulk and tensor stored bytes", |counts| counts.bulk_copies.stored_bytes),
    ("bulk copies to other blocks", |counts| counts.bulk_copies.moves),
    ("bytes copied to other blocks", |counts| counts.bulk_copies.moved_bytes),
    ("bytes in shared memory of other blocks", |counts| counts.remote_shared.bytes),
];

impl CountTables {
    /// A row a figure and a column a kernel.
    fn figures(&self, title: impl Into<String>, figures: &[(String, Figure)]) -> Grid {
        let names = self.columns.iter().map(|(name, ..)| name.clone());
        let rows = figures.iter().map(|(label, figure)| {
            let cells = self.columns.iter().map(|(_, tasks, counts)| figure(counts, *tasks));
            std::iter::once(label.clone()).chain(cells).collect()
        });
        Grid::new(title, std::iter::once(String::new()).chain(names), rows)
    }

    /// Launches, barriers and global memory.
    pub fn global(&self) -> Grid {
        let per_task = |bytes: u64, tasks: u64| digits(bytes as f64 / tasks.max(1) as f64);
        let mut figures = vec![
            figure("launches", |counts, _| counts.launches.to_string()),
            figure("blocks", |counts, _| counts.blocks.to_string()),
            figure("barriers a block", |counts, _| per_block(counts.barriers, counts)),
            figure("loaded bytes", |counts, _| counts.global_load.bytes.to_string()),
            figure("load sectors of 32 B", |counts, _| counts.global_load.sectors.to_string()),
            figure("stored bytes", |counts, _| counts.global_store.bytes.to_string()),
            figure("store sectors of 32 B", |counts, _| counts.global_store.sectors.to_string()),
        ];
        if self.columns.iter().any(|(_, tasks, _)| *tasks > 0) {
            figures.push(figure("bytes a task", move |counts, tasks| per_task(counts.global_bytes(), tasks)));
            figures.push(figure("in sectors, bytes a task", move |counts, tasks| {
                per_task(counts.transferred_bytes(), tasks)
            }));
        }
        // Few kernels have any.
        let total = &self.total;
        if total.atomics > 0 {
            figures.push(figure("atomic instructions", |counts, _| counts.atomics.to_string()));
        }
        if total.warp_operations > 0 {
            let show = |counts: &Counts, _| counts.warp_operations.to_string();
            figures.push(figure("shuffles, votes, warp barriers", show));
        }
        for (label, show) in RARE {
            if show(total) > 0 {
                figures.push(figure(label, move |counts, _| show(counts).to_string()));
            }
        }
        self.figures(format!("Global memory, {}", self.of), &figures)
    }

    /// None where no shared memory was used.
    pub fn shared(&self) -> Option<Grid> {
        let total = &self.total;
        if total.shared_load.requests + total.shared_store.requests == 0 {
            return None;
        }
        let mut figures = vec![
            figure("bytes a block", |counts, _| {
                (counts.shared_bytes + counts.dynamic_shared_bytes).to_string()
            }),
            figure("load instructions", |counts, _| counts.shared_load.requests.to_string()),
            figure("loaded bytes", |counts, _| counts.shared_load.bytes.to_string()),
            figure("store instructions", |counts, _| counts.shared_store.requests.to_string()),
            figure("stored bytes", |counts, _| counts.shared_store.bytes.to_string()),
        ];
        for banks in self.banks.map_or(vec![Banks::Sixteen, Banks::ThirtyTwo], |one| vec![one]) {
            let number = banks.number();
            figures.push(figure(&format!("loads, ways of {number} banks"), move |counts, _| {
                ways(banks.of(&counts.shared_load))
            }));
            figures.push(figure(&format!("stores, ways of {number} banks"), move |counts, _| {
                ways(banks.of(&counts.shared_store))
            }));
        }
        let title = "Shared memory; ways: worst and mean steps of a warp (32 banks) or half-warp (16)\n\
                     a GPU's compiler may merge loads of unrolled loops, and then loads less often";
        Some(self.figures(title, &figures))
    }
}

/// What is shown of a kernel's counts and its number of tasks.
type Figure = Box<dyn Fn(&Counts, u64) -> String>;

fn figure(label: &str, show: impl Fn(&Counts, u64) -> String + 'static) -> (String, Figure) {
    (label.to_string(), Box::new(show))
}

/// Barriers of an average block.
pub fn per_block(barriers: u64, counts: &Counts) -> String {
    whole_or_digits(barriers as f64 / counts.blocks.max(1) as f64)
}

/// The worst, and the mean where it differs.
pub fn ways(counts: BankCounts) -> String {
    match counts.mean() {
        None => "-".to_string(),
        Some(mean) if mean == counts.worst as f64 => counts.worst.to_string(),
        Some(mean) => format!("{}, mean {}", counts.worst, digits(mean)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conflicts_are_told_as_worst_and_mean() {
        assert_eq!(ways(BankCounts::default()), "-");
        assert_eq!(ways(BankCounts { parts: 4, steps: 4, worst: 1 }), "1");
        assert_eq!(ways(BankCounts { parts: 4, steps: 16, worst: 4 }), "4");
        assert_eq!(ways(BankCounts { parts: 4, steps: 6, worst: 2 }), "2, mean 1.500");
    }
}
