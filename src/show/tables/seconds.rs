//! Seconds, rates and the speed-ups of a published table.

use super::ESTIMATE;
use super::columns::{Column, Columns};
use super::host::UNDER_LOAD;
use super::ratios::{in_short, table_has};
use crate::published::{Claim, PublishedPaper, PublishedTable};
use crate::results::SummaryRow;
use crate::show::{Grid, RATE, digits, rate};
use crate::store::Status;

/// A table with more rows than this shows the sizes that are powers of two, and the largest.
const MOST_ROWS: usize = 40;

/// Seconds and rates of every column that is not swept, and the paper's speed-ups.
pub fn grids(
    columns: &Columns,
    published: Option<&PublishedTable>,
    paper: Option<&PublishedPaper>,
) -> Vec<Grid> {
    let view = View { columns, shown: columns.plain(), published };
    let mut grids: Vec<Grid> =
        [view.seconds(), view.rates()].into_iter().filter(|grid| !grid.rows.is_empty()).collect();
    if let (Some(paper), Some(published)) = (paper, published) {
        grids.extend(view.speedups(paper, published));
    }
    grids
}

/// The sizes that a table shows: all, unless they are many.
pub fn shown_sizes(columns: &Columns) -> Vec<usize> {
    let all = columns.sizes();
    let many = all.len() > MOST_ROWS;
    let last = all.last().copied();
    all.into_iter().filter(|n| !many || n.is_power_of_two() || Some(*n) == last).collect()
}

struct View<'a> {
    columns: &'a Columns<'a>,
    shown: Vec<&'a Column>,
    published: Option<&'a PublishedTable>,
}

impl View<'_> {
    fn grid(&self, title: &str, cell: impl Fn(&Column, usize, &str) -> String) -> Grid {
        let graphs = self.columns.graphs();
        let several = graphs.len() > 1;
        let header = std::iter::once("n".to_string()).chain(several.then(|| "graph".to_string()));
        let sizes = shown_sizes(self.columns);
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
        let title = match self.published {
            Some(_) => "Seconds (scope kernel): paper / here",
            None => "Seconds (scope kernel), medians",
        };
        self.grid(title, |column, n, graph| {
            let here = self.columns.row(column, n, graph).map(seconds_of).unwrap_or_default();
            let paper = self.published.and_then(|table| table.seconds(&column.implementation, n));
            match paper {
                Some(seconds) => format!("{seconds} / {}", if here.is_empty() { "-" } else { &here }),
                None => here,
            }
        })
    }

    fn rates(&self) -> Grid {
        self.grid(&format!("Here: {RATE} (effective GB/s)"), |column, n, graph| {
            let row = self.columns.row(column, n, graph);
            match row.and_then(|row| Some((row.tasks_per_s?, row.effective_gbs?))) {
                Some((tasks, gbs)) => format!("{} ({})", rate(tasks), digits(gbs)),
                None => String::new(),
            }
        })
    }

    /// One column for every speed-up that the paper's text states, its range in the title. None when nothing here bears
    /// on any.
    fn speedups(&self, paper: &PublishedPaper, published: &PublishedTable) -> Option<Grid> {
        let sizes = self.columns.sizes();
        let relevant = paper.claims.iter().filter_map(|claim| {
            let (faster, slower) = claim.speed_up()?;
            let is_here = sizes.iter().any(|&n| self.ratio(faster, slower, n).is_some());
            (is_here && table_has(published, faster, slower)).then_some((claim, faster, slower))
        });
        let relevant: Vec<(&Claim, &str, &str)> = relevant.collect();
        let name = |(claim, faster, slower): &(&Claim, &str, &str)| {
            format!("{faster}\nover {slower}\n{}", in_short(claim))
        };
        let shown = |ratio: Option<f64>| ratio.map_or("-".to_string(), |ratio| format!("{ratio:.2}"));
        let cell = |(_, faster, slower): &(&Claim, &str, &str), n: usize| match (
            published.ratio(faster, slower, n),
            self.ratio(faster, slower, n),
        ) {
            (None, None) => String::new(),
            (paper, here) => format!("{} / {}", shown(paper), shown(here)),
        };
        let title = "How many times faster: paper's table / here";
        Grid::by_size(title, sizes.iter().copied(), &relevant, name, cell)
    }

    fn ratio(&self, faster: &str, slower: &str, n: usize) -> Option<f64> {
        let median = |name: &str| {
            let column = Column { implementation: name.to_string(), params: String::new() };
            self.columns.median_over_graphs(&column, n)
        };
        Some(median(slower)? / median(faster)?)
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
