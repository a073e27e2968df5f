//! Counts of the kernels of one solve as tables.

use crate::device::emulated::Counts;
use crate::report::text::{Grid, digits, whole_or_digits};
use repro_emulator::{BANKS_16, BANKS_32, CounterAccessor};

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

impl CountTables {
    fn grid(&self, title: impl Into<String>, rows: Vec<Vec<String>>) -> Grid {
        let names = self.columns.iter().map(|(name, ..)| name.clone());
        Grid::new(title, std::iter::once(String::new()).chain(names), rows)
    }

    /// A row with what is shown of each kernel's counts and its number of tasks.
    fn row(&self, label: &str, show: impl Fn(&Counts, u64) -> String) -> Vec<String> {
        let cells = self.columns.iter().map(|(_, tasks, counts)| show(counts, *tasks));
        std::iter::once(label.to_string()).chain(cells).collect()
    }

    fn counted(&self, (label, read): CounterAccessor) -> Vec<String> {
        self.row(label, |counts, _| read(counts).text(digits))
    }

    /// Launches, barriers and global memory.
    pub fn global(&self) -> Grid {
        let per_task = |bytes: u64, tasks: u64| digits(bytes as f64 / tasks.max(1) as f64);
        let counted = |figure: &CounterAccessor| self.counted(*figure);
        let mut rows: Vec<Vec<String>> = self.total.global_figures().iter().map(counted).collect();
        if self.columns.iter().any(|(_, tasks, _)| *tasks > 0) {
            rows.push(self.row("bytes a task", |counts, tasks| per_task(counts.global_bytes(), tasks)));
            rows.push(self.row("in sectors, bytes a task", |counts, tasks| {
                per_task(counts.transferred_bytes(), tasks)
            }));
        }
        rows.extend(self.total.rare_figures().map(|figure| self.counted(figure)));
        self.grid(format!("Global memory, {}", self.of), rows)
    }

    /// None where no shared memory was used.
    pub fn shared(&self) -> Option<Grid> {
        let of_memory = self.total.shared_figures();
        if of_memory.is_empty() {
            return None;
        }
        let of_banks = match self.banks {
            None => [&BANKS_16[..], &BANKS_32].concat(),
            Some(Banks::Sixteen) => BANKS_16.to_vec(),
            Some(Banks::ThirtyTwo) => BANKS_32.to_vec(),
        };
        let rows = of_memory.iter().copied().chain(of_banks).map(|figure| self.counted(figure)).collect();
        let title = "Shared memory; ways: worst and mean steps of a warp (32 banks) or half-warp (16)\n\
                     a GPU's compiler may merge loads of unrolled loops, and then loads less often";
        Some(self.grid(title, rows))
    }
}

/// Barriers of an average block.
pub fn per_block(barriers: u64, counts: &Counts) -> String {
    whole_or_digits(barriers as f64 / counts.blocks.max(1) as f64)
}
