//! What was counted on the emulated device, as a table.

use crate::show::{Grid, GridColumn, digits, ways};
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
        ("kernel", &|row| name(row)),
        ("n", &|row| row.cell.n.to_string()),
        ("launches", &|row| row.counts.launches.to_string()),
        ("global bytes\na task", &|row| a_task(row, row.counts.global_bytes())),
        ("in sectors\nof 32 B", &|row| a_task(row, row.counts.transferred_bytes())),
        ("shared bytes\na task", &|row| {
            a_task(row, row.counts.shared_load.bytes + row.counts.shared_store.bytes)
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

fn name(CountRow { cell, kernel, .. }: &CountRow) -> String {
    match cell.params.as_str() {
        "" => format!("{} {kernel}", cell.implementation),
        params => format!("{} ({params}) {kernel}", cell.implementation),
    }
}

/// Of a kernel that prepares there are no tasks.
fn a_task(row: &CountRow, bytes: u64) -> String {
    let tasks = row.tasks.filter(|tasks| *tasks > 0);
    tasks.map_or("-".to_string(), |tasks| digits(bytes as f64 / tasks as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::emulated::Counts;
    use repro_types::CellId;

    #[test]
    fn a_kernel_without_tasks_has_no_bytes_a_task() {
        let cell = CellId::new("register-blocked", 65, "", "");
        let of = |kernel: &str, tasks: Option<u64>| {
            let counts = Counts { blocks: 4, ..Counts::default() };
            grid(&[CountRow::new(&cell, kernel, &counts, tasks)]).unwrap().rows.remove(0)
        };
        assert_eq!(of("begin_64", None)[3..6], ["-", "-", "-"]);
        assert_eq!(of("begin_64", Some(0))[3..6], ["-", "-", "-"]);
        assert_eq!(of("solve_tiles_of_64", Some(9))[3..6], ["0", "0", "0"]);
    }
}
