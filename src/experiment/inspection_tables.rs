//! An inspection as text.

use super::grid::{Grid, digits};
use super::inspection::{Inspection, KernelInspection};
use crate::device::emulated::{BankCounts, Counts, LaunchCounts, SharedCounts};
use crate::lists::grouped;
use crate::record::range_in_words;
use std::fmt::Write;

/// Whose rule counts bank conflicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Banks {
    /// Half-warps over 16 banks, one word broadcast a step: compute capability 1.x.
    Sixteen,
    /// Warps over 32 banks, any word to all who want it: compute capability 2.0 and newer.
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

/// How an inspection is shown.
pub struct InspectionView<'a> {
    pub inspection: &'a Inspection,
    /// None for both rules.
    pub banks: Option<Banks>,
    /// Every launch in a line of its own, and not runs of launches that did the same.
    pub every_launch: bool,
}

impl InspectionView<'_> {
    /// For a terminal of `width` columns, or as wide as need be.
    pub fn terminal(&self, width: Option<u16>) -> String {
        let of = self.inspection;
        let parameters = match of.parameters.to_string() {
            none if none.is_empty() => none,
            some => format!(" ({some})"),
        };
        let mut text = format!(
            "{}{parameters}, n = {}, on the emulated device ({})\n",
            of.implementation, of.n, of.compiler
        );
        let _ = match (&of.wrong, &of.verification) {
            (Some(wrong), _) => writeln!(text, "{wrong}"),
            (None, Some(how)) => writeln!(text, "right result ({how})"),
            (None, None) => Ok(()),
        };
        if of.findings.is_empty() {
            text += "the checker found nothing\n";
        }
        for finding in &of.findings {
            let _ = writeln!(text, "checker: {finding}");
        }
        let mut grids = vec![self.global()];
        grids.extend(self.shared());
        grids.extend([self.launches(), self.residency()]);
        grids.extend(self.claims());
        for grid in grids.into_iter().filter(|grid| !grid.rows.is_empty()) {
            let _ = write!(text, "\n{}", grid.terminal(width));
            if grid.title.starts_with(RESIDENT)
                && let Some(why) = &of.h200_registers_unknown
            {
                let _ = writeln!(text, "H200: at most as many, since registers are not known ({why})");
            }
        }
        text
    }

    /// Name, tasks and counts of each kernel and, where there are several, of all together.
    fn columns(&self) -> Vec<(String, u64, Counts)> {
        let kernels = &self.inspection.kernels;
        let mut all: Vec<_> =
            kernels.iter().map(|kernel| (kernel.kernel.clone(), kernel.tasks, kernel.counts)).collect();
        if all.len() > 1 {
            let n = self.inspection.n as u64;
            all.push(("all, a task\nbeing one of n³".to_string(), n.pow(3), self.inspection.total));
        }
        all
    }

    /// A row a figure and a column a kernel.
    fn figures(&self, title: &str, figures: &[(String, Figure)]) -> Grid {
        let columns = self.columns();
        let names = columns.iter().map(|(name, ..)| name.clone());
        Grid::new(
            title,
            std::iter::once(String::new()).chain(names),
            figures.iter().map(|(label, figure)| {
                let cells = columns.iter().map(|(_, tasks, counts)| figure(counts, *tasks));
                std::iter::once(label.clone()).chain(cells).collect()
            }),
        )
    }

    fn global(&self) -> Grid {
        let per_task = |bytes: u64, tasks: u64| digits(bytes as f64 / tasks.max(1) as f64);
        let mut figures = vec![
            figure("launches", |counts, _| counts.launches.to_string()),
            figure("blocks", |counts, _| counts.blocks.to_string()),
            figure("barriers a block", |counts, _| per_block(counts.barriers, counts)),
            figure("loaded bytes", |counts, _| counts.global_load.bytes.to_string()),
            figure("load sectors of 32 B", |counts, _| counts.global_load.sectors.to_string()),
            figure("stored bytes", |counts, _| counts.global_store.bytes.to_string()),
            figure("store sectors of 32 B", |counts, _| counts.global_store.sectors.to_string()),
            figure("bytes a task", move |counts, tasks| per_task(counts.global_bytes(), tasks)),
            figure("in sectors, bytes a task", move |counts, tasks| {
                per_task(counts.transferred_bytes(), tasks)
            }),
        ];
        // Few kernels have any.
        let total = &self.inspection.total;
        if total.atomics > 0 {
            figures.push(figure("atomic instructions", |counts, _| counts.atomics.to_string()));
        }
        if total.warp_operations > 0 {
            let show = |counts: &Counts, _| counts.warp_operations.to_string();
            figures.push(figure("shuffles, votes, warp barriers", show));
        }
        self.figures("Global memory, all launches of one solve", &figures)
    }

    fn rules(&self) -> Vec<Banks> {
        self.banks.map_or(vec![Banks::Sixteen, Banks::ThirtyTwo], |one| vec![one])
    }

    fn shared(&self) -> Option<Grid> {
        let total = &self.inspection.total;
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
        for banks in self.rules() {
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

    fn launches(&self) -> Grid {
        let header = [
            "launch",
            "kernel",
            "blocks of\nthreads",
            "barriers\na block",
            "loaded bytes\n(sectors)",
            "stored bytes\n(sectors)",
            "shared loads\n+ stores",
        ];
        let launches = &self.inspection.launches;
        let runs = if self.every_launch {
            launches.iter().enumerate().map(|(at, launch)| (launch, vec![at])).collect()
        } else {
            equal_launches(launches)
        };
        let rows = runs.into_iter().map(|(launch, places)| {
            let counts = &launch.counts;
            let extent = |extent: (u32, u32, u32)| match extent {
                (x, 1, 1) => x.to_string(),
                (x, y, 1) => format!("{x} x {y}"),
                (x, y, z) => format!("{x} x {y} x {z}"),
            };
            vec![
                numbers(&places),
                launch.kernel.clone(),
                format!("{} of {}", extent(launch.grid), extent(launch.block)),
                per_block(counts.barriers, counts),
                format!("{} ({})", counts.global_load.bytes, counts.global_load.sectors),
                format!("{} ({})", counts.global_store.bytes, counts.global_store.sectors),
                format!("{} + {}", counts.shared_load.requests, counts.shared_store.requests),
            ]
        });
        Grid::new("Launch by launch", header, rows)
    }

    fn residency(&self) -> Grid {
        let kernels = &self.inspection.kernels;
        let gpus = kernels.first().map(|kernel| kernel.residency.as_slice()).unwrap_or_default();
        let header = ["kernel".to_string(), "threads\na block".to_string()]
            .into_iter()
            .chain(gpus.iter().map(|on| on.gpu.clone()));
        let cell = |kernel: &KernelInspection, at: usize| {
            let on = &kernel.residency[at];
            let registers = on.registers.map(|count| format!("\n{count} regs")).unwrap_or_default();
            match on.by_shared {
                Some(by_shared) => {
                    format!("{}\n{} B: {by_shared}{registers}", on.resident, on.shared_bytes)
                }
                None => format!("{}{registers}", on.resident),
            }
        };
        let rows = kernels.iter().map(|kernel| {
            let first = [kernel.kernel.clone(), kernel.threads.to_string()];
            first.into_iter().chain((0..kernel.residency.len()).map(|at| cell(kernel, at))).collect()
        });
        Grid::new(
            format!(
                "{RESIDENT}, by threads, shared memory and registers; at most as many where no registers are given;\nbelow, the shared bytes a block there and how many blocks fit by them alone"
            ),
            header,
            rows,
        )
    }

    fn claims(&self) -> Option<Grid> {
        let claims = &self.inspection.claims;
        let rows: Vec<Vec<String>> = claims
            .iter()
            .map(|result| {
                let claim = &result.claim;
                let published = range_in_words(claim.low, claim.high, |end| end.to_string());
                vec![
                    claim.id.clone(),
                    format!("{}, {}", result.paper, claim.place),
                    claim.statement.clone(),
                    published.unwrap_or_default(),
                    result.counted.map_or("-".to_string(), |counted| {
                        if counted.fract() == 0.0 { counted.to_string() } else { digits(counted) }
                    }),
                    match result.holds() {
                        Some(true) => "holds".to_string(),
                        Some(false) => "differs".to_string(),
                        None => "not counted".to_string(),
                    },
                ]
            })
            .collect();
        let header = ["claim", "place", "in words", "paper", "counted", ""];
        Grid::new("What the paper says of its kernel", header, rows).unless_empty()
    }
}

const RESIDENT: &str = "Resident blocks a multiprocessor";

/// What is shown of a kernel's counts and its number of tasks.
type Figure = Box<dyn Fn(&Counts, u64) -> String>;

fn figure(label: &str, show: impl Fn(&Counts, u64) -> String + 'static) -> (String, Figure) {
    (label.to_string(), Box::new(show))
}

/// Launches of one kernel that did the same, wherever they come in the order, with the place of each.
fn equal_launches(launches: &[LaunchCounts]) -> Vec<(&LaunchCounts, Vec<usize>)> {
    grouped(launches.iter().enumerate().map(|(at, launch)| (launch, at)))
}

/// "1", "1 to 8", "1, 4, 7, 10", or "1, 4, ... 22 (8)", counted from 1.
fn numbers(places: &[usize]) -> String {
    let contiguous = places.windows(2).all(|pair| pair[1] == pair[0] + 1);
    match places {
        [] => String::new(),
        [only] => (only + 1).to_string(),
        [first, .., last] if contiguous => format!("{} to {}", first + 1, last + 1),
        [first, second, .., last] if places.len() > 4 => {
            format!("{}, {}, ... {} ({})", first + 1, second + 1, last + 1, places.len())
        }
        _ => places.iter().map(|place| (place + 1).to_string()).collect::<Vec<_>>().join(", "),
    }
}

fn per_block(barriers: u64, counts: &Counts) -> String {
    let each = barriers as f64 / counts.blocks.max(1) as f64;
    if each.fract() == 0.0 { each.to_string() } else { digits(each) }
}

/// The worst, and the mean where it differs.
pub fn ways(counts: BankCounts) -> String {
    match counts.mean() {
        None => "-".to_string(),
        Some(mean) if mean == f64::from(counts.worst) => counts.worst.to_string(),
        Some(mean) => format!("{}, mean {}", counts.worst, digits(mean)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_launches_are_told_in_short() {
        assert_eq!(numbers(&[0]), "1");
        assert_eq!(numbers(&[0, 1, 2]), "1 to 3");
        assert_eq!(numbers(&[0, 3, 6]), "1, 4, 7");
        assert_eq!(numbers(&[0, 3, 6, 9, 12]), "1, 4, ... 13 (5)");
    }

    #[test]
    fn equal_launches_are_gathered_across_others() {
        let launch = |kernel: &str, blocks| LaunchCounts {
            kernel: kernel.into(),
            grid: (blocks, 1, 1),
            block: (32, 1, 1),
            counts: Counts::default(),
        };
        let launches = [launch("a", 1), launch("b", 2), launch("a", 1), launch("b", 3)];
        let places: Vec<Vec<usize>> =
            equal_launches(&launches).into_iter().map(|(_, places)| places).collect();
        assert_eq!(places, [vec![0, 2], vec![1], vec![3]]);
    }

    #[test]
    fn conflicts_are_told_as_worst_and_mean() {
        assert_eq!(ways(BankCounts::default()), "-");
        assert_eq!(ways(BankCounts { parts: 4, steps: 4, worst: 1 }), "1");
        assert_eq!(ways(BankCounts { parts: 4, steps: 16, worst: 4 }), "4");
        assert_eq!(ways(BankCounts { parts: 4, steps: 6, worst: 2 }), "2, mean 1.500");
    }
}
