//! What was counted on the emulated device: a table of all kernels, and figures of the one that does most tasks.

mod figure;
mod tables;

pub use figure::figures;
pub use tables::{Banks, CountTables, per_block, ways};

use crate::implementation::{self, Parameters, Target};
use crate::show::{Column, Grid, GridColumn, digits};
use crate::store::CountRow;
use std::collections::HashMap;

/// One row a kernel, at the largest n that was counted of its implementation. None when nothing was.
pub fn grid(rows: &[CountRow]) -> Option<Grid> {
    let mut largest: HashMap<(&str, &str), usize> = HashMap::new();
    for cell in rows.iter().map(|row| &row.cell) {
        let known = largest.entry(cell.variant()).or_default();
        *known = cell.n.max(*known);
    }
    let is_largest = |row: &&CountRow| largest.get(&row.cell.variant()) == Some(&row.cell.n);
    let mut columns: Vec<GridColumn<&CountRow>> = vec![
        ("kernel", &|row| format!("{} {}", Column::of(&row.cell).name(), row.kernel)),
        ("n", &|row| row.cell.n.to_string()),
        ("launches", &|row| row.counts.launches.to_string()),
        ("global bytes\na task", &|row| shown(row, row.counts.global_bytes())),
        ("in sectors\nof 32 B", &|row| shown(row, row.counts.transferred_bytes())),
        ("shared bytes\na task", &|row| {
            shown(row, row.counts.shared_load.bytes + row.counts.shared_store.bytes)
        }),
        ("loads, ways\nof 32 banks", &|row| ways(row.counts.shared_load.banks_32)),
        ("loads, ways\nof 16 banks", &|row| ways(row.counts.shared_load.banks_16)),
        ("barriers\na block", &|row| digits(row.counts.barriers as f64 / row.counts.blocks.max(1) as f64)),
        ("shared bytes\na block", &|row| {
            (row.counts.shared_bytes + row.counts.dynamic_shared_bytes).to_string()
        }),
    ];
    if rows.iter().any(|row| row.unlike_plain.is_some()) {
        columns.push(("leave a matrix that\nthe plain one never has", &|row| {
            row.unlike_plain.map_or("-".to_string(), |launches| launches.to_string())
        }));
    }
    let title = "Counted on the emulated device; a task is one of the kernel's own";
    Grid::of_columns(title, rows.iter().filter(is_largest), &columns).with_keys(2).unless_empty()
}

/// Of a kernel that prepares there are no tasks.
fn a_task(row: &CountRow, bytes: u64) -> Option<f64> {
    let tasks = row.tasks.filter(|tasks| *tasks > 0)?;
    Some(bytes as f64 / tasks as f64)
}

fn shown(row: &CountRow, bytes: u64) -> String {
    a_task(row, bytes).map_or("-".to_string(), digits)
}

/// A kernel as the emulated device counted it.
pub struct CountedKernel<'a> {
    pub row: &'a CountRow,
    /// Bytes of global memory that threads asked for, a task of the kernel.
    pub bytes_a_task: f64,
    /// Bytes of the sectors of 32 bytes that they lie in.
    pub sector_bytes_a_task: f64,
}

/// The kernel that an implementation launches last in a round, which does nearly all tasks, at the largest n that was counted.
pub fn counted_last_kernel<'a>(counts: &'a [CountRow], step: &str) -> Option<CountedKernel<'a>> {
    let found = implementation::find(step)?;
    let kernels = found.schedule()?.kernels(Target::default(), &Parameters::default());
    let last = kernels.last()?.name;
    let row = counts
        .iter()
        .filter(|row| row.cell.implementation == step && row.kernel == last)
        .max_by_key(|row| row.cell.n)?;
    Some(CountedKernel {
        row,
        bytes_a_task: a_task(row, row.counts.global_bytes())?,
        sector_bytes_a_task: a_task(row, row.counts.transferred_bytes())?,
    })
}
