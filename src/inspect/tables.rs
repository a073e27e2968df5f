//! An inspection as text.

use crate::inspect::{GpuOccupancy, Inspection, KernelInspection, KernelOrigin};
use crate::judge::StructuralResult;
use crate::lists::{distinct, grouped};
use crate::plan::Variant;
use crate::report::text::{Banks, CountTables, Grid, per_block, range_in_words, whole_or_digits};

/// The least width of the words of claims: with it their table fits 80 columns.
const CLAIM_WORDS: usize = 18;

impl Inspection {
    /// The text for a terminal of `width` columns, or as wide as need be. Bank conflicts are by the rule `banks`, or by both rules; with
    /// `every_launch` each launch has a line of its own, without it launches that did the same share one.
    pub fn terminal(&self, banks: Option<Banks>, every_launch: bool, width: Option<u16>) -> String {
        let solved = Variant::new(&self.implementation, &self.parameters);
        let (n, element, compiler) = (self.n, self.element, &self.compiler);
        let mut lines = vec![format!("{solved}, n = {n}, {element}, on the emulated device ({compiler})")];
        lines.extend(self.given.as_ref().map(|KernelOrigin { file, from, hash }| {
            format!("a kernel from a file, not one of repro's own: {file} ({from}), hash {hash}")
        }));
        let right = self.verification.as_ref().map(|how| format!("right result ({how})"));
        lines.extend(self.wrong.clone().or(right));
        if self.findings.is_empty() {
            lines.push("the checker found nothing".to_string());
        }
        lines.extend(self.findings.iter().map(|finding| format!("checker: {finding}")));
        let counted = self.count_tables(banks);
        let mut grids = vec![counted.global()];
        grids.extend(counted.shared());
        grids.extend([self.launches(every_launch), self.residency(), self.claims()]);
        let grids = grids.into_iter().filter_map(Grid::unless_empty);
        lines.extend(grids.map(|grid| format!("\n{}", grid.terminal(width).trim_end())));
        lines.join("\n") + "\n"
    }

    /// Counts of each kernel and, where there are several, of all together.
    fn count_tables(&self, banks: Option<Banks>) -> CountTables {
        let of_kernel = |one: &KernelInspection| (one.kernel.clone(), one.tasks, one.counts);
        let mut columns: Vec<_> = self.kernels.iter().map(of_kernel).collect();
        if columns.len() > 1 {
            columns.push(("all, a task\nbeing one of n³".to_string(), (self.n as u64).pow(3), self.total));
        }
        CountTables { of: "all launches of one solve", columns, total: self.total, banks }
    }

    fn launches(&self, every_launch: bool) -> Grid {
        let header = [
            "launch",
            "kernel",
            "blocks of\nthreads",
            "barriers\na block",
            "loaded bytes\n(sectors)",
            "stored bytes\n(sectors)",
            "shared loads\n+ stores",
        ];
        // Launches of one kernel that did the same share a row, wherever they come in the order.
        let launches = self.launches.iter().enumerate();
        let runs = grouped(launches.map(|(at, launch)| ((launch, every_launch.then_some(at)), at)));
        let rows = runs.into_iter().map(|((launch, _), places)| {
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
        let first = self.kernels.iter().take(1);
        let gpus = first.flat_map(|kernel| &kernel.residency).map(|on| on.gpu.clone());
        let header = ["kernel", "threads\na block"].map(String::from).into_iter().chain(gpus);
        let cell = |on: &GpuOccupancy| {
            let registers = on.registers.map(|count| format!("\n{count} regs")).unwrap_or_default();
            let by_shared = on.by_shared.map(|count| format!("\n{} B: {count}", on.shared_bytes));
            format!("{}{}{registers}", on.resident, by_shared.unwrap_or_default())
        };
        let rows = self.kernels.iter().map(|kernel| {
            let first = [kernel.kernel.clone(), kernel.threads.to_string()];
            first.into_iter().chain(kernel.residency.iter().map(cell)).collect()
        });
        let mut title = "Resident blocks a multiprocessor, by threads, shared memory and registers; without registers, an upper bound.\nBelow: shared bytes a block there, and how many blocks they alone allow".to_string();
        if let Some(why) = &self.h200_registers_unknown {
            title += &format!("\nH200: at most as many, since registers are not known ({why})");
        }
        Grid::new(title, header, rows)
    }

    fn claims(&self) -> Grid {
        let claims = &self.claims;
        let row = |result: &StructuralResult| {
            let published = range_in_words(result.low, result.high, |end| end.to_string());
            let verdict = |holds| if holds { "holds" } else { "differs" };
            vec![
                result.id.clone(),
                result.place.clone(),
                result.statement.clone(),
                published.unwrap_or_default(),
                result.counted.map_or("-".to_string(), whole_or_digits),
                result.holds().map_or("not counted", verdict).to_string(),
            ]
        };
        let header = ["claim", "place", "in words", "paper", "counted", ""];
        let papers = distinct(claims.iter().map(|result| result.paper.clone())).join(", ");
        let title = format!("What the paper says of its kernel ({papers})");
        Grid::new(title, header, claims.iter().map(row)).with_narrow_text(CLAIM_WORDS)
    }
}

/// "1", "1 to 8", "1, 4, 7, 10", or "1, 4, ... 22 (8)", counted from 1.
fn numbers(places: &[usize]) -> String {
    let is_run = places.windows(2).all(|pair| pair[1] == pair[0] + 1);
    match places {
        [first, .., last] if is_run => format!("{} to {}", first + 1, last + 1),
        [first, second, .., last] if places.len() > 4 => {
            format!("{}, {}, ... {} ({})", first + 1, second + 1, last + 1, places.len())
        }
        _ => places.iter().map(|place| (place + 1).to_string()).collect::<Vec<_>>().join(", "),
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
}
