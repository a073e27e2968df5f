//! An inspection as text.

use crate::graph::ElementType;
use crate::inspect::{Inspection, ResidencyOn};
use crate::judge::StructuralResult;
use crate::lists::{distinct, grouped};
use crate::plan::Variant;
use crate::report::text::range_in_words;
use crate::report::text::{Banks, CountTables, Grid, per_block, whole_or_digits};
use std::fmt::Write;

/// As narrow as the words of claims may stand: with it their table fits 80 columns.
const CLAIM_WORDS: usize = 18;

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
        let element =
            if of.element == ElementType::F32 { String::new() } else { format!(", {}", of.element) };
        let solved = Variant::new(&of.implementation, &of.parameters);
        let mut text = format!("{solved}, n = {}{element}, on the emulated device ({})\n", of.n, of.compiler);
        if let Some(given) = &of.given {
            let _ = writeln!(
                text,
                "a kernel from a file, not one of repro's own: {} ({}), hash {}",
                given.file, given.from, given.hash
            );
        }
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
        let counted = self.count_tables();
        let grids = std::iter::once(counted.global()).chain(counted.shared()).chain([self.launches()]);
        let drawn = |grid: Grid| match grid.rows.is_empty() {
            true => String::new(),
            false => format!("\n{}", grid.terminal(width)),
        };
        text.extend(grids.map(drawn));
        let residency = drawn(self.residency());
        text += &residency;
        if let (false, Some(why)) = (residency.is_empty(), &of.h200_registers_unknown) {
            let _ = writeln!(text, "H200: at most as many, since registers are not known ({why})");
        }
        text.extend(self.claims().into_iter().map(drawn));
        text
    }

    /// Each kernel and, where there are several, all together.
    fn count_tables(&self) -> CountTables {
        let kernels = &self.inspection.kernels;
        let mut columns: Vec<_> =
            kernels.iter().map(|kernel| (kernel.kernel.clone(), kernel.tasks, kernel.counts)).collect();
        if columns.len() > 1 {
            let n = self.inspection.n as u64;
            columns.push(("all, a task\nbeing one of n³".to_string(), n.pow(3), self.inspection.total));
        }
        let (total, banks) = (self.inspection.total, self.banks);
        CountTables { of: "all launches of one solve", columns, total, banks }
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
        let launches = self.inspection.launches.iter().enumerate().map(|(at, launch)| (launch, at));
        // Those of one kernel that did the same are together, wherever they come in the order.
        let runs = match self.every_launch {
            true => launches.map(|(launch, at)| (launch, vec![at])).collect(),
            false => grouped(launches),
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
        let cell = |on: &ResidencyOn| {
            let registers = on.registers.map(|count| format!("\n{count} regs")).unwrap_or_default();
            let by_shared = on.by_shared.map(|count| format!("\n{} B: {count}", on.shared_bytes));
            format!("{}{}{registers}", on.resident, by_shared.unwrap_or_default())
        };
        let rows = kernels.iter().map(|kernel| {
            let first = [kernel.kernel.clone(), kernel.threads.to_string()];
            first.into_iter().chain(kernel.residency.iter().map(cell)).collect()
        });
        Grid::new(
            "Resident blocks a multiprocessor, by threads, shared memory and registers; without registers, an upper bound.\nBelow: shared bytes a block there, and how many blocks they alone allow".to_string(),
            header,
            rows,
        )
    }

    fn claims(&self) -> Option<Grid> {
        let claims = &self.inspection.claims;
        let row = |result: &StructuralResult| {
            let published = range_in_words(result.low, result.high, |end| end.to_string());
            let verdict = match result.holds() {
                Some(true) => "holds",
                Some(false) => "differs",
                None => "not counted",
            };
            vec![
                result.id.clone(),
                result.place.clone(),
                result.statement.clone(),
                published.unwrap_or_default(),
                result.counted.map_or("-".to_string(), whole_or_digits),
                verdict.to_string(),
            ]
        };
        let header = ["claim", "place", "in words", "paper", "counted", ""];
        let papers = distinct(claims.iter().map(|result| result.paper.clone())).join(", ");
        let title = format!("What the paper says of its kernel ({papers})");
        Grid::new(title, header, claims.iter().map(row)).with_narrow_text(CLAIM_WORDS).unless_empty()
    }
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
