//! A swept parameter: a row a value, a column a size and whatever other parameters there are.

use super::columns::{Column, Columns};
use crate::experiment::grid::{Grid, digits};
use crate::implementation::Parameters;
use crate::record::{KernelTimeRow, ScopeRow};
use crate::timing::Scope;
use std::collections::BTreeSet;

/// Seconds launch by launch and, where they were measured, as one CUDA graph, each with how many times faster it is than the
/// lowest value of its column.
pub fn grids(columns: &Columns, scopes: &[ScopeRow]) -> Vec<Grid> {
    let kernel = |column: &Column, n: usize| columns.median_over_graphs(column, n);
    let as_graph = |column: &Column, n: usize| {
        let of = |row: &&ScopeRow| {
            row.scope == Scope::CudaGraph
                && row.implementation == column.implementation
                && row.params == column.params
                && row.n == n
        };
        scopes.iter().find(of).map(|row| row.median_s)
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

/// In sentences, of every column of the tables: which value is the fastest, which values beat the lowest, and what its kernels
/// gain and lose against it.
pub fn findings(columns: &Columns, scopes: &[ScopeRow], times: &[KernelTimeRow]) -> Vec<String> {
    let mut findings = Vec::new();
    for (implementation, parameter) in columns.swept() {
        let sweep = Sweep { columns, implementation, parameter };
        let others: BTreeSet<String> = sweep.cells().into_iter().map(|(_, others, _)| others).collect();
        for n in columns.sizes() {
            findings.extend(others.iter().filter_map(|others| sweep.finding(n, others, scopes, times)));
        }
    }
    findings
}

/// What is swept, split into its value and the other parameters.
pub struct Sweep<'a> {
    columns: &'a Columns<'a>,
    implementation: String,
    parameter: String,
}

impl Sweep<'_> {
    /// The columns of the implementation by the value of the parameter and the others as records write them.
    fn cells(&self) -> Vec<(u32, String, &Column)> {
        let of_implementation =
            self.columns.all.iter().filter(|column| column.implementation == self.implementation);
        of_implementation
            .filter_map(|column| Some((split(column, &self.parameter)?, column)))
            .map(|((value, others), column)| (value, others, column))
            .collect()
    }

    fn finding(
        &self,
        n: usize,
        others: &str,
        scopes: &[ScopeRow],
        times: &[KernelTimeRow],
    ) -> Option<String> {
        let cells = self.cells();
        let mut timed: Vec<(u32, f64, &Column)> = cells
            .iter()
            .filter(|(_, o, _)| o == others)
            .filter_map(|(value, _, column)| {
                Some((*value, self.columns.median_over_graphs(column, n)?, *column))
            })
            .collect();
        timed.sort_by_key(|(value, ..)| *value);
        let (first, rest) = timed.split_first()?;
        let best = rest.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
        let faster: Vec<String> =
            rest.iter().filter(|one| one.1 < first.1).map(|(value, ..)| value.to_string()).collect();
        let Self { implementation, parameter, .. } = self;
        let with = if others.is_empty() { String::new() } else { format!(", {others}") };
        let mut said = format!("{implementation}, n = {n}{with}: ");
        said += &if faster.is_empty() {
            format!(
                "{parameter} = {} is the fastest; next is {parameter} = {}, in {:.3} of its time.",
                first.0,
                best.0,
                best.1 / first.1
            )
        } else {
            format!(
                "{parameter} = {} is the fastest, in {:.3} of the time of {parameter} = {}; faster than that are {}.",
                best.0,
                best.1 / first.1,
                first.0,
                faster.join(", ")
            )
        };
        let milliseconds = |seconds: f64| format!("{:+.2} ms", seconds * 1e3);
        let of = |column: &Column| -> Vec<(&str, f64)> {
            let same = |row: &&KernelTimeRow| {
                row.implementation == column.implementation && row.params == column.params && row.n == n
            };
            times.iter().filter(same).map(|row| (row.kernel.as_str(), row.seconds)).collect()
        };
        let (here, there) = (of(best.2), of(first.2));
        if !here.is_empty() && !there.is_empty() {
            let at = |times: &[(&str, f64)], name: &str| {
                times.iter().find(|(kernel, _)| *kernel == name).map_or(0.0, |(_, seconds)| *seconds)
            };
            // Those that the best value does without are gains, too.
            let gone = there.iter().filter(|(name, _)| !here.iter().any(|(kernel, _)| kernel == name));
            let changes: Vec<String> = here
                .iter()
                .chain(gone)
                .map(|(kernel, _)| {
                    format!("{kernel} {}", milliseconds(at(&here, kernel) - at(&there, kernel)))
                })
                .collect();
            said += &format!(" By kernel: {}.", changes.join(", "));
        }
        let as_graph = |column: &Column| {
            let of_column = |row: &&ScopeRow| {
                row.scope == Scope::CudaGraph
                    && row.implementation == column.implementation
                    && row.params == column.params
                    && row.n == n
            };
            scopes.iter().find(of_column).map(|row| row.median_s)
        };
        if let (Some(best_graph), Some(first_graph)) = (as_graph(best.2), as_graph(first.2)) {
            said += &format!(
                " As a CUDA graph it changes by {}, and {parameter} = {} by {}.",
                milliseconds(best_graph - best.1),
                first.0,
                milliseconds(first_graph - first.1)
            );
        }
        Some(said)
    }

    fn grid(&self, how: &str, seconds: &dyn Fn(&Column, usize) -> Option<f64>) -> Option<Grid> {
        let cells = self.cells();
        let values: BTreeSet<u32> = cells.iter().map(|(value, ..)| *value).collect();
        let mut families: Vec<(usize, &str)> = Vec::new();
        for n in self.columns.sizes() {
            for (_, others, column) in &cells {
                if seconds(column, n).is_some() && !families.contains(&(n, others)) {
                    families.push((n, others));
                }
            }
        }
        let of = |value: u32, n: usize, others: &str| {
            let (.., column) = cells.iter().find(|(v, o, _)| (*v, o.as_str()) == (value, others))?;
            seconds(column, n)
        };
        let rows: Vec<Vec<String>> = values
            .iter()
            .map(|&value| {
                let cells = families.iter().map(|&(n, others)| {
                    let lowest = values.iter().find_map(|&value| of(value, n, others));
                    match (of(value, n, others), lowest) {
                        (Some(here), Some(lowest)) => format!("{} ({:.3}x)", digits(here), lowest / here),
                        _ => String::new(),
                    }
                });
                std::iter::once(value.to_string()).chain(cells).collect()
            })
            .collect();
        let titles = families.iter().map(|(n, others)| match *others {
            "" => format!("n = {n}"),
            others => format!("n = {n}\n{others}"),
        });
        (!families.is_empty()).then(|| Grid {
            title: format!("{}: seconds by {}, {how}", self.implementation, self.parameter),
            header: std::iter::once(self.parameter.clone()).chain(titles).collect(),
            rows,
        })
    }
}

/// The value of `parameter` of a column, and its other parameters. None when it does not set it.
pub fn split(column: &Column, parameter: &str) -> Option<(u32, String)> {
    let parameters: Parameters = column.params.parse().ok()?;
    let value = parameters.iter().find(|(name, _)| *name == parameter).map(|(_, value)| value)?;
    let others = parameters
        .iter()
        .filter(|(name, _)| *name != parameter)
        .fold(Parameters::default(), |all, (name, value)| all.with(name, value));
    Some((value, others.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::tables::fixtures::{cell, experiment, kernel_time, measured, scope};
    use crate::record::SummaryRow;

    const NAME: &str = "generalized-blocked";
    const VALUES: [&str; 4] = ["kappa=1", "kappa=2", "kappa=3", "kappa=4"];

    fn measured_at(seconds: [f64; 4]) -> Vec<SummaryRow> {
        VALUES.iter().zip(seconds).map(|(params, one)| measured(cell(NAME, params, 128), &[one])).collect()
    }

    fn findings_of(seconds: [f64; 4], scopes: &[ScopeRow], times: &[KernelTimeRow]) -> Vec<String> {
        let (experiment, summary) =
            (experiment(&VALUES.map(|params| (NAME, params)), &[""]), measured_at(seconds));
        findings(&Columns::new(&experiment, &summary), scopes, times)
    }

    #[test]
    fn the_best_value_and_all_that_beat_the_lowest_are_told() {
        let said = findings_of([4.0, 2.0, 5.0, 3.0], &[], &[]);
        let expected = "generalized-blocked, n = 128: kappa = 2 is the fastest, in 0.500 of the time of kappa = 1; \
                        faster than that are 2, 4.";
        assert_eq!(said, [expected]);
    }

    #[test]
    fn a_lowest_value_that_nothing_beats_is_told_with_the_next() {
        let said = findings_of([4.0, 9.0, 8.0, 6.0], &[], &[]);
        let expected = "generalized-blocked, n = 128: kappa = 1 is the fastest; next is kappa = 4, in 1.500 of its time.";
        assert_eq!(said, [expected]);
    }

    #[test]
    fn kernels_that_only_one_of_the_two_values_launches_gain_and_lose_all_of_their_time() {
        let (lowest, best) = (cell(NAME, "kappa=1", 128), cell(NAME, "kappa=2", 128));
        let times = [
            kernel_time(&lowest, "lead_block", 1e-3, None),
            kernel_time(&lowest, "rest_blocks", 3e-3, None),
            kernel_time(&best, "lead_block", 1.5e-3, None),
            kernel_time(&best, "reverse", 0.25e-3, None),
        ];
        let scopes = [scope(&lowest, Scope::CudaGraph, 3.5), scope(&best, Scope::CudaGraph, 1.75)];
        let said = findings_of([4.0, 2.0, 5.0, 3.0], &scopes, &times);
        let kernels = "By kernel: lead_block +0.50 ms, reverse +0.25 ms, rest_blocks -3.00 ms.";
        assert!(said[0].contains(kernels), "{said:?}");
        assert!(said[0].ends_with("changes by -250.00 ms, and kappa = 1 by -500.00 ms."), "{said:?}");
    }

    #[test]
    fn every_value_has_its_seconds_and_how_many_times_faster_than_the_lowest_it_is() {
        let experiment = experiment(&VALUES.map(|params| (NAME, params)), &[""]);
        let summary = measured_at([4.0, 2.0, 5.0, 3.0]);
        let grids = grids(&Columns::new(&experiment, &summary), &[]);
        assert_eq!(grids.len(), 1);
        assert_eq!(grids[0].rows[0], ["1", "4.000 (1.000x)"]);
        assert_eq!(grids[0].rows[1], ["2", "2.000 (2.000x)"]);
        assert_eq!(grids[0].rows[2], ["3", "5.000 (0.800x)"]);
    }
}
