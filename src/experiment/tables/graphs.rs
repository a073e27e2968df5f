//! Means over the graphs of an experiment, as papers give them, beside our medians.

use super::columns::Columns;
use crate::experiment::grid::{Grid, digits};
use crate::lists::extent;

/// A row a size, for implementations that ran on every graph. None where there is one graph.
pub fn grid(columns: &Columns) -> Option<Grid> {
    let graphs = columns.graphs();
    if graphs.len() < 2 {
        return None;
    }
    let on_all = |n: usize, at: usize| -> Option<String> {
        let rows: Vec<_> =
            graphs.iter().map(|graph| columns.row(&columns.all[at], n, graph)).collect::<Option<_>>()?;
        let mean = |of: &dyn Fn(usize) -> Option<f64>| -> Option<f64> {
            let all: Vec<f64> = (0..rows.len()).map(of).collect::<Option<_>>()?;
            Some(all.iter().sum::<f64>() / all.len() as f64)
        };
        let medians = mean(&|row| rows[row].median_s)?;
        let means = mean(&|row| rows[row].mean_s)?;
        let (lowest, highest) = extent(rows.iter().filter_map(|row| row.median_s))?;
        Some(format!("{} / {} ({:.1}%)", digits(means), digits(medians), (highest / lowest - 1.0) * 100.0))
    };
    let shown: Vec<usize> = (0..columns.all.len())
        .filter(|&at| columns.sizes().iter().any(|&n| on_all(n, at).is_some()))
        .collect();
    let rows: Vec<Vec<String>> = columns
        .sizes()
        .into_iter()
        .map(|n| {
            let cells = shown.iter().map(|&at| on_all(n, at).unwrap_or_default());
            std::iter::once(n.to_string()).chain(cells).collect()
        })
        .filter(|row: &Vec<String>| row[1..].iter().any(|cell| !cell.is_empty()))
        .collect();
    let titles = shown.iter().map(|&at| columns.all[at].title());
    Grid::new(
        format!(
            "Seconds over the graphs {}: mean of means / mean of medians (spread of the medians)",
            graphs.join(", ")
        ),
        std::iter::once("n".to_string()).chain(titles),
        rows,
    )
    .unless_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::tables::fixtures::{cell, experiment, measured};
    use crate::record::{CellId, SummaryRow};

    fn on(graph: &str, implementation: &str, samples: &[f64]) -> SummaryRow {
        measured(CellId { graph: graph.into(), ..cell(implementation, "", 64) }, samples)
    }

    #[test]
    fn means_and_medians_are_averaged_over_graphs_for_what_ran_on_all_of_them() {
        let experiment = experiment(&[("two-phase", ""), ("katz-kider", "")], &["a", "b"]);
        let summary = [
            on("a", "two-phase", &[1.0, 1.0, 4.0]),
            on("b", "two-phase", &[3.0, 3.0, 3.0]),
            on("a", "katz-kider", &[1.0]),
        ];
        let grid = grid(&Columns::new(&experiment, &summary)).unwrap();
        assert_eq!(grid.header, ["n", "two-phase"]);
        assert_eq!(grid.rows, [["64", "2.500 / 2.000 (200.0%)"]]);
    }

    #[test]
    fn one_graph_has_no_mean() {
        let experiment = experiment(&[("two-phase", "")], &["a"]);
        assert!(grid(&Columns::new(&experiment, &[on("a", "two-phase", &[1.0])])).is_none());
    }
}
