//! Seconds and rates, in tables and against n.

mod bandwidth;
mod figure;
mod jumps;
mod rates;

pub use bandwidth::bandwidth;
pub use figure::{fastest_and_slowest, figure};
pub use rates::{allowed, limit_line, rate_axis, rates};

use super::host::UNDER_LOAD;
use crate::results::SummaryRow;
use crate::show::tables::ESTIMATE;
use crate::show::{Column, Context, Grid, RATE, digits, rate};
use crate::store::Status;

/// A table with more rows than this shows the sizes that are powers of two, and the largest.
const MOST_ROWS: usize = 40;

/// Seconds and rates of every column that is not swept.
pub fn tables(context: &Context) -> Vec<Grid> {
    let view = View { context, shown: context.plain() };
    [view.seconds(), view.rates()].into_iter().filter(|grid| !grid.rows.is_empty()).collect()
}

/// The sizes that a table shows: all, unless they are many.
pub fn shown_sizes(context: &Context) -> Vec<usize> {
    let all = context.sizes();
    let many = all.len() > MOST_ROWS;
    let last = all.last().copied();
    all.into_iter().filter(|n| !many || n.is_power_of_two() || Some(*n) == last).collect()
}

struct View<'a> {
    context: &'a Context<'a>,
    shown: Vec<&'a Column>,
}

impl View<'_> {
    fn grid(&self, title: &str, cell: impl Fn(&Column, usize, &str) -> String) -> Grid {
        let graphs = self.context.all_graphs();
        let several = graphs.len() > 1;
        let header = std::iter::once("n".to_string()).chain(several.then(|| "graph".to_string()));
        let sizes = shown_sizes(self.context);
        // A column of which nothing is known anywhere says nothing.
        let says_something = |column: &&&Column| {
            sizes.iter().any(|&n| graphs.iter().any(|graph| !cell(column, n, graph).is_empty()))
        };
        let shown: Vec<&&Column> = self.shown.iter().filter(says_something).collect();
        let titles = shown.iter().map(|column| column.title());
        let mut rows = Vec::new();
        for &n in &sizes {
            for graph in &graphs {
                let cells: Vec<String> = shown.iter().map(|column| cell(column, n, graph)).collect();
                if cells.iter().any(|cell| !cell.is_empty()) {
                    let first = std::iter::once(n.to_string()).chain(several.then(|| graph.to_string()));
                    rows.push(first.chain(cells).collect());
                }
            }
        }
        Grid::new(title, header.chain(titles), rows).with_keys(if several { 2 } else { 1 })
    }

    fn seconds(&self) -> Grid {
        let title = match self.context.table {
            Some(_) => "Seconds (scope kernel): paper / here",
            None => "Seconds (scope kernel), medians",
        };
        self.grid(title, |column, n, graph| {
            let here = self.context.row(column, n, graph).map(seconds_of).unwrap_or_default();
            let paper = self.context.table.and_then(|table| table.seconds(&column.implementation, n));
            match paper {
                Some(seconds) => format!("{seconds} / {}", if here.is_empty() { "-" } else { &here }),
                None => here,
            }
        })
    }

    fn rates(&self) -> Grid {
        self.grid(&format!("Here: {RATE} (effective GB/s)"), |column, n, graph| {
            let row = self.context.row(column, n, graph);
            match row.and_then(|row| Some((row.tasks_per_s?, row.effective_gbs?))) {
                Some((tasks, gbs)) => format!("{} ({})", rate(tasks), digits(gbs)),
                None => String::new(),
            }
        })
    }
}

/// A cell's median, marked where it is an estimate or was measured under load, or what became of it; nothing where it is said below the tables why
/// there is none, or where a program solved it, whose times are in a table of their own.
pub fn seconds_of(row: &SummaryRow) -> String {
    match row.median_s {
        Some(median) => {
            let estimated = row.iterations.map(|_| ESTIMATE.to_string());
            let under_load = row.under_load().map(|_| UNDER_LOAD.to_string());
            [estimated, Some(digits(median)), under_load].into_iter().flatten().collect::<Vec<_>>().join(" ")
        }
        None if matches!(row.status, Status::Skipped | Status::Counted | Status::Ok) => String::new(),
        None => row.status.to_string(),
    }
}
