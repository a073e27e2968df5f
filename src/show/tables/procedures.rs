//! The time of each kernel beside what a model says that it moves.

use super::columns::Columns;
use crate::lists::distinct;
use crate::show::{Grid, OneN, digits};
use crate::store::{KernelTimeRow, spelled};
use std::collections::BTreeSet;

/// A table for each implementation and n, a row a set of parameters.
pub fn grids(columns: &Columns, times: &[KernelTimeRow]) -> Vec<Grid> {
    let tables: BTreeSet<(&str, usize)> =
        times.iter().map(|row| (row.implementation.as_str(), row.n)).collect();
    tables.into_iter().filter_map(|(implementation, n)| grid(columns, times, implementation, n)).collect()
}

fn grid(columns: &Columns, times: &[KernelTimeRow], implementation: &str, n: usize) -> Option<Grid> {
    let of_table = || times.iter().filter(|row| row.implementation == implementation && row.n == n);
    let kernels = distinct(of_table().map(|row| row.kernel.as_str()));
    let of_implementation = columns.all.iter().filter(|column| column.implementation == implementation);
    let rows = of_implementation.filter_map(|column| {
        let of_column: Vec<&KernelTimeRow> = of_table().filter(|row| row.params == column.params).collect();
        if of_column.is_empty() {
            return None;
        }
        let gigabytes = |bytes: &dyn Fn(&KernelTimeRow) -> Option<u64>| -> String {
            let sum: Option<u64> = of_column.iter().map(|row| bytes(row)).sum();
            sum.map_or("-".to_string(), |sum| digits(sum as f64 * 1e-9))
        };
        let launches: u64 = of_column.iter().map(|row| row.launches).sum();
        let total: f64 = of_column.iter().map(|row| row.seconds).sum();
        let mut cells = vec![
            column.params.clone(),
            launches.to_string(),
            gigabytes(&|row| row.loaded_bytes),
            gigabytes(&|row| row.stored_bytes),
            digits(total),
        ];
        cells.extend(kernels.iter().map(|kernel| {
            let row = of_column.iter().find(|row| row.kernel == *kernel);
            row.map_or(String::new(), |row| digits(row.seconds))
        }));
        Some(cells)
    });
    let header = ["parameters", "launches", "GB loaded\n(model)", "GB stored\n(model)", "seconds"];
    let of = OneN {
        implementation: implementation.to_string(),
        n,
        what: "launches, global memory, and seconds by kernel with an event before each launch",
    };
    let header = header.map(str::to_string).into_iter().chain(kernels.iter().map(|kernel| spelled(kernel)));
    Grid::of_n(of, header, rows).unless_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show::tables::fixtures::{cell, experiment, kernel_time};

    #[test]
    fn launches_modelled_bytes_and_seconds_of_all_kernels_are_summed() {
        let name = "generalized-blocked";
        let experiment = experiment(&[(name, "kappa=1"), (name, "kappa=2"), (name, "kappa=3")], &[""]);
        let (one, two) = (cell(name, "kappa=1", 64), cell(name, "kappa=2", 64));
        let times = [
            kernel_time(&one, "lead_block", 0.5, Some((1_000_000_000, 250_000_000))),
            kernel_time(&one, "rest_blocks", 1.0, Some((2_000_000_000, 500_000_000))),
            // A sum with a part that is not known is not known.
            kernel_time(&two, "lead_block", 0.25, Some((1_000_000_000, 250_000_000))),
            kernel_time(&two, "reverse", 0.5, None),
        ];
        let grids = grids(&Columns::new(&experiment, &[]), &times);
        assert_eq!(grids.len(), 1);
        assert_eq!(grids[0].header[5..], ["lead block", "rest blocks", "reverse"]);
        assert_eq!(
            grids[0].rows,
            [
                ["kappa=1", "6", "3.000", "0.7500", "1.500", "0.5000", "1.000", ""],
                ["kappa=2", "6", "-", "-", "0.7500", "0.2500", "", "0.5000"],
            ]
        );
    }
}
