//! An inspection as text.

use super::grid::{Grid, digits};
use super::inspection::{Inspection, KernelInspection};
use crate::device::emulated::{BankCounts, Counts, LaunchCounts, SharedCounts};
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
        let mut text =
            format!("{}, n = {}, on the emulated device ({})\n", of.implementation, of.n, of.compiler);
        let _ = match (&of.wrong, &of.verification) {
            (Some(wrong), _) => writeln!(text, "{wrong}"),
            (None, how) => writeln!(text, "right result ({})", how.as_deref().unwrap_or_default()),
        };
        if of.findings.is_empty() {
            text += "the checker found nothing\n";
        }
        for finding in &of.findings {
            let _ = writeln!(text, "checker: {finding}");
        }
        let mut grids = vec![self.global(), self.shared()];
        grids.extend([self.launches(), self.residency()]);
        grids.extend(self.claims());
        for grid in grids.into_iter().filter(|grid| !grid.rows.is_empty()) {
            let _ = write!(text, "\n{}", grid.terminal(width));
        }
        text
    }

    fn kernels_and_total(&self) -> Vec<(String, u64, Counts)> {
        let kernels = &self.inspection.kernels;
        let mut all: Vec<_> =
            kernels.iter().map(|kernel| (kernel.kernel.clone(), kernel.tasks, kernel.counts)).collect();
        if all.len() > 1 {
            let n = self.inspection.n as u64;
            all.push(("all, a task being one of n³".to_string(), n.pow(3), self.inspection.total));
        }
        all
    }

    fn global(&self) -> Grid {
        let header = [
            "kernel",
            "launches",
            "blocks",
            "barriers\na block",
            "loaded\nbytes",
            "load sectors\nof 32 B",
            "stored\nbytes",
            "store sectors\nof 32 B",
            "bytes\na task",
            "moved in sectors,\nbytes a task",
        ];
        let rows = self.kernels_and_total().into_iter().map(|(kernel, tasks, counts)| {
            let a_task = |bytes: u64| digits(bytes as f64 / tasks.max(1) as f64);
            vec![
                kernel,
                counts.launches.to_string(),
                counts.blocks.to_string(),
                per_block(counts.barriers, &counts),
                counts.global_load.bytes.to_string(),
                counts.global_load.sectors.to_string(),
                counts.global_store.bytes.to_string(),
                counts.global_store.sectors.to_string(),
                a_task(counts.global_bytes()),
                a_task(counts.transferred_bytes()),
            ]
        });
        Grid {
            title: "Global memory, all launches of one solve".to_string(),
            header: header.map(str::to_string).to_vec(),
            rows: rows.collect(),
        }
    }

    fn rules(&self) -> Vec<Banks> {
        self.banks.map_or(vec![Banks::Sixteen, Banks::ThirtyTwo], |one| vec![one])
    }

    fn shared(&self) -> Grid {
        let mut header: Vec<String> = [
            "kernel",
            "bytes\na block",
            "load\ninstructions",
            "loaded\nbytes",
            "store\ninstructions",
            "stored\nbytes",
        ]
        .map(str::to_string)
        .to_vec();
        for banks in self.rules() {
            header.push(format!("loads, ways\nof {} banks", banks.number()));
            header.push(format!("stores, ways\nof {} banks", banks.number()));
        }
        let rows = self
            .kernels_and_total()
            .into_iter()
            .filter(|(_, _, counts)| counts.shared_load.requests + counts.shared_store.requests > 0)
            .map(|(kernel, _, counts)| {
                let mut row = vec![
                    kernel,
                    (counts.shared_bytes + counts.dynamic_shared_bytes).to_string(),
                    counts.shared_load.requests.to_string(),
                    counts.shared_load.bytes.to_string(),
                    counts.shared_store.requests.to_string(),
                    counts.shared_store.bytes.to_string(),
                ];
                for banks in self.rules() {
                    row.push(ways(banks.of(&counts.shared_load)));
                    row.push(ways(banks.of(&counts.shared_store)));
                }
                row
            });
        Grid {
            title: "Shared memory: bank conflicts as worst and mean steps of a warp (32 banks) or half-warp (16), 1 without"
                .to_string(),
            header,
            rows: rows.collect(),
        }
    }

    fn launches(&self) -> Grid {
        let header = [
            "launch",
            "kernel",
            "blocks",
            "threads",
            "barriers\na block",
            "loaded\nbytes",
            "load\nsectors",
            "stored\nbytes",
            "store\nsectors",
            "shared load\ninstructions",
            "shared store\ninstructions",
        ];
        let runs = if self.every_launch {
            self.inspection.launches.iter().enumerate().map(|(at, launch)| (vec![at], launch)).collect()
        } else {
            equal_launches(&self.inspection.launches)
        };
        let rows = runs.into_iter().map(|(places, launch)| {
            let counts = &launch.counts;
            let extent = |(x, y): (u32, u32)| if y == 1 { x.to_string() } else { format!("{x} x {y}") };
            vec![
                numbers(&places),
                launch.kernel.clone(),
                extent(launch.grid),
                extent(launch.block),
                per_block(counts.barriers, counts),
                counts.global_load.bytes.to_string(),
                counts.global_load.sectors.to_string(),
                counts.global_store.bytes.to_string(),
                counts.global_store.sectors.to_string(),
                counts.shared_load.requests.to_string(),
                counts.shared_store.requests.to_string(),
            ]
        });
        Grid {
            title: "Launch by launch".to_string(),
            header: header.map(str::to_string).to_vec(),
            rows: rows.collect(),
        }
    }

    fn residency(&self) -> Grid {
        let kernels = &self.inspection.kernels;
        let gpus = kernels.first().map(|kernel| kernel.residency.as_slice()).unwrap_or_default();
        let header = ["kernel".to_string(), "threads\na block".to_string()]
            .into_iter()
            .chain(gpus.iter().map(|on| on.gpu.clone()));
        let cell = |kernel: &KernelInspection, at: usize| {
            let on = &kernel.residency[at];
            let registers = on.registers.map(|count| format!("\n{count} registers")).unwrap_or_default();
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
        Grid {
            title: "Resident blocks a multiprocessor, by threads, shared memory and, where given, registers; below, the shared\nbytes a block there and how many blocks fit by them alone"
                .to_string(),
            header: header.collect(),
            rows: rows.collect(),
        }
    }

    fn claims(&self) -> Option<Grid> {
        let claims = &self.inspection.claims;
        let rows: Vec<Vec<String>> = claims
            .iter()
            .map(|result| {
                let claim = &result.claim;
                let bound = |value: Option<f64>| value.map(|value| value.to_string());
                let published = match (bound(claim.low), bound(claim.high)) {
                    (Some(low), Some(high)) if low == high => low,
                    (Some(low), Some(high)) => format!("{low} to {high}"),
                    (Some(low), None) => format!("at least {low}"),
                    (None, Some(high)) => format!("at most {high}"),
                    (None, None) => String::new(),
                };
                vec![
                    claim.id.clone(),
                    format!("{}, {}", result.paper, claim.place),
                    claim.statement.clone(),
                    published,
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
        (!rows.is_empty()).then(|| Grid {
            title: "What the paper says of its kernel".to_string(),
            header: header.map(str::to_string).to_vec(),
            rows,
        })
    }
}

/// Launches of one kernel that did the same, wherever they come in the order, with the place of each.
fn equal_launches(launches: &[LaunchCounts]) -> Vec<(Vec<usize>, &LaunchCounts)> {
    let mut groups: Vec<(Vec<usize>, &LaunchCounts)> = Vec::new();
    for (at, launch) in launches.iter().enumerate() {
        match groups.iter_mut().find(|(_, known)| *known == launch) {
            Some((places, _)) => places.push(at),
            None => groups.push((vec![at], launch)),
        }
    }
    groups
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
            grid: (blocks, 1),
            block: (32, 1),
            counts: Counts::default(),
        };
        let launches = [launch("a", 1), launch("b", 2), launch("a", 1), launch("b", 3)];
        let places: Vec<Vec<usize>> =
            equal_launches(&launches).into_iter().map(|(places, _)| places).collect();
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
