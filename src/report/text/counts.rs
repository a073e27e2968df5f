//! Counts of the kernels of one solve as tables.

use crate::device::emulated::Counts;
use crate::report::text::{Grid, digits, whole_or_digits};
use repro_emulator::{BANKS_16, BANKS_32};

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
    fn figures(self) -> &'static [repro_emulator::Figure] {
        match self {
            Self::Sixteen => &BANKS_16,
            Self::ThirtyTwo => &BANKS_32,
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

impl CountTables {
    /// A row a figure and a column a kernel.
    fn figures(&self, title: impl Into<String>, figures: &[(String, CounterColumn)]) -> Grid {
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
        let mut figures: Vec<_> = self.total.global_figures().iter().copied().map(counted).collect();
        if self.columns.iter().any(|(_, tasks, _)| *tasks > 0) {
            figures.push(figure("bytes a task", move |counts, tasks| per_task(counts.global_bytes(), tasks)));
            figures.push(figure("in sectors, bytes a task", move |counts, tasks| {
                per_task(counts.transferred_bytes(), tasks)
            }));
        }
        figures.extend(self.total.rare_figures().map(counted));
        self.figures(format!("Global memory, {}", self.of), &figures)
    }

    /// None where no shared memory was used.
    pub fn shared(&self) -> Option<Grid> {
        let of_memory = self.total.shared_figures();
        if of_memory.is_empty() {
            return None;
        }
        let of_banks =
            self.banks.map_or([&BANKS_16[..], &BANKS_32].concat(), |banks| banks.figures().to_vec());
        let figures: Vec<_> = of_memory.iter().copied().chain(of_banks).map(counted).collect();
        let title = "Shared memory; ways: worst and mean steps of a warp (32 banks) or half-warp (16)\n\
                     a GPU's compiler may merge loads of unrolled loops, and then loads less often";
        Some(self.figures(title, &figures))
    }
}

/// What is shown of a kernel's counts and its number of tasks.
type CounterColumn = Box<dyn Fn(&Counts, u64) -> String>;

fn figure(label: &str, show: impl Fn(&Counts, u64) -> String + 'static) -> (String, CounterColumn) {
    (label.to_string(), Box::new(show))
}

fn counted((label, read): repro_emulator::Figure) -> (String, CounterColumn) {
    figure(label, move |counts, _| read(counts).text(digits))
}

/// Barriers of an average block.
pub fn per_block(barriers: u64, counts: &Counts) -> String {
    whole_or_digits(barriers as f64 / counts.blocks.max(1) as f64)
}
