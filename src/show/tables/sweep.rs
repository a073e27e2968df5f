//! A swept parameter: a row a value, a column a size and whatever other parameters there are.

use super::columns::{Column, Columns};
use crate::implementation::Parameters;
use crate::lists::distinct;
use crate::results::Times;
use crate::show::{Grid, digits};
use crate::timing::Scope;
use std::collections::BTreeSet;

/// Seconds launch by launch and, where they were measured, as one CUDA graph, each with how many times faster it is than the
/// lowest value of its column.
pub fn grids(columns: &Columns, times: &Times) -> Vec<Grid> {
    let kernel = |column: &Column, n: usize| columns.median_over_graphs(column, n);
    let graphs = columns.graphs();
    let as_graph = |column: &Column, n: usize| {
        times.first(column.variant(), n, &graphs, Scope::CudaGraph).map(|time| time.value)
    };
    columns
        .swept()
        .into_iter()
        .flat_map(|(implementation, parameter)| {
            let sweep = Sweep { columns, implementation, parameter };
            [
                sweep.grid("launch by launch (scope kernel)", &kernel),
                sweep.grid("as one CUDA graph (scope cuda-graph)", &as_graph),
            ]
        })
        .flatten()
        .collect()
}

/// What is swept, split into its value and the other parameters.
pub struct Sweep<'a> {
    columns: &'a Columns<'a>,
    implementation: String,
    parameter: String,
}

impl Sweep<'_> {
    fn grid(&self, how: &str, seconds: &dyn Fn(&Column, usize) -> Option<f64>) -> Option<Grid> {
        let cells = self.columns.values_of(&self.implementation, &self.parameter);
        let values: BTreeSet<u32> = cells.iter().map(|one| one.value).collect();
        let sizes = self.columns.sizes().into_iter();
        let timed = sizes.flat_map(|n| cells.iter().map(move |one| (n, one)));
        let timed = timed.filter(|(n, one)| seconds(one.column, *n).is_some());
        let families = distinct(timed.map(|(n, one)| (n, one.others.as_str())));
        let of = |value: u32, n: usize, others: &str| {
            let of = |one: &&SweptColumn| (one.value, one.others.as_str()) == (value, others);
            seconds(cells.iter().find(of)?.column, n)
        };
        let rows = values.iter().map(|&value| {
            let cells = families.iter().map(|&(n, others)| {
                let lowest = values.iter().find_map(|&value| of(value, n, others));
                match (of(value, n, others), lowest) {
                    (Some(here), Some(lowest)) => format!("{} ({:.3}x)", digits(here), lowest / here),
                    _ => String::new(),
                }
            });
            std::iter::once(value.to_string()).chain(cells).collect()
        });
        let titles = families.iter().map(|(n, others)| match *others {
            "" => format!("n = {n}"),
            others => format!("n = {n}\n{others}"),
        });
        let title = format!("{}: seconds by {}, {how}", self.implementation, self.parameter);
        let header = std::iter::once(self.parameter.clone()).chain(titles);
        (!families.is_empty()).then(|| Grid::new(title, header, rows))
    }
}

/// A column by the value of a swept parameter.
pub struct SweptColumn<'a> {
    pub value: u32,
    /// Its other parameters as records write them.
    pub others: String,
    pub column: &'a Column,
}

impl Columns<'_> {
    /// The columns of `implementation` that set `parameter`, in their order.
    pub fn values_of(&self, implementation: &str, parameter: &str) -> Vec<SweptColumn<'_>> {
        let of_it = self.all.iter().filter(|column| column.implementation == implementation);
        let swept = of_it.filter_map(|column| {
            let (value, others) = split(column, parameter)?;
            Some(SweptColumn { value, others, column })
        });
        swept.collect()
    }
}

/// The value of `parameter` of a column, and its other parameters. None when it does not set it.
pub(super) fn split(column: &Column, parameter: &str) -> Option<(u32, String)> {
    let (own, others) = column.params.parse::<Parameters>().ok()?.split(|name| name == parameter);
    let (_, value) = own.iter().next()?;
    Some((value, others.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::SummaryRow;
    use crate::show::tables::fixtures::{cell, experiment, measured};

    const NAME: &str = "generalized-blocked";
    const VALUES: [&str; 4] = ["kappa=1", "kappa=2", "kappa=3", "kappa=4"];

    #[test]
    fn every_value_has_its_seconds_and_how_many_times_faster_than_the_lowest_it_is() {
        let experiment = experiment(&VALUES.map(|params| (NAME, params)), &[""]);
        let seconds = VALUES.iter().zip([4.0, 2.0, 5.0, 3.0]);
        let summary: Vec<SummaryRow> =
            seconds.map(|(params, one)| measured(cell(NAME, params, 128), &[one])).collect();
        let grids = grids(&Columns::new(&experiment, &summary), &Times::default());
        assert_eq!(grids.len(), 1);
        assert_eq!(grids[0].rows[0], ["1", "4.000 (1.000x)"]);
        assert_eq!(grids[0].rows[1], ["2", "2.000 (2.000x)"]);
        assert_eq!(grids[0].rows[2], ["3", "5.000 (0.800x)"]);
    }
}
