//! What was counted on the emulated device, as a table.

use crate::show::{Grid, digits, ways};
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
    let mut lines: Vec<Vec<String>> = rows.iter().filter(is_largest).map(line).collect();
    let mut header = vec![
        "kernel",
        "n",
        "launches",
        "global bytes\na task",
        "in sectors\nof 32 B",
        "shared bytes\na task",
        "loads, ways\nof 32 banks",
        "loads, ways\nof 16 banks",
        "barriers\na block",
        "shared bytes\na block",
    ];
    if rows.iter().any(|row| row.unlike_plain.is_some()) {
        header.push("leave a matrix that\nthe plain one never has");
        for (line, row) in lines.iter_mut().zip(rows.iter().filter(is_largest)) {
            line.push(row.unlike_plain.map_or("-".to_string(), |launches| launches.to_string()));
        }
    }
    Grid::new("Counted on the emulated device; a task is one of the kernel's own", header, lines)
        .with_keys(2)
        .unless_empty()
}

fn line(row: &CountRow) -> Vec<String> {
    let CountRow { cell, kernel, counts, tasks, .. } = row;
    let name = match cell.params.as_str() {
        "" => format!("{} {kernel}", cell.implementation),
        params => format!("{} ({params}) {kernel}", cell.implementation),
    };
    let shared = counts.shared_load.bytes + counts.shared_store.bytes;
    // A kernel that prepares has none.
    let tasks = tasks.filter(|tasks| *tasks > 0);
    let a_task = |bytes: u64| tasks.map_or("-".to_string(), |tasks| digits(bytes as f64 / tasks as f64));
    vec![
        name,
        cell.n.to_string(),
        counts.launches.to_string(),
        a_task(counts.global_bytes()),
        a_task(counts.transferred_bytes()),
        a_task(shared),
        ways(counts.shared_load.banks_32),
        ways(counts.shared_load.banks_16),
        digits(counts.barriers as f64 / counts.blocks.max(1) as f64),
        (counts.shared_bytes + counts.dynamic_shared_bytes).to_string(),
    ]
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
            line(&CountRow::new(&cell, kernel, &counts, tasks))
        };
        assert_eq!(of("begin_64", None)[3..6], ["-", "-", "-"]);
        assert_eq!(of("begin_64", Some(0))[3..6], ["-", "-", "-"]);
        assert_eq!(of("solve_tiles_of_64", Some(9))[3..6], ["0", "0", "0"]);
    }
}
