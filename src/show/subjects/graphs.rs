//! Means over the graphs of an experiment, as papers give them, beside our medians.

use crate::lists::extent;
use crate::results::SummaryRow;
use crate::show::{Column, Context, Grid, digits};

/// A row a size, for implementations that ran on every graph. None where there is one graph.
pub fn table(context: &Context) -> Option<Grid> {
    let graphs = context.all_graphs();
    // One graph in several element types is no sample of graphs.
    if graphs.len() < 2 || context.experiment.elements().len() > 1 {
        return None;
    }
    let on_all = |n: usize, column: &Column| -> Option<String> {
        let rows: Vec<&SummaryRow> =
            graphs.iter().map(|graph| context.row(column, n, graph)).collect::<Option<_>>()?;
        let mean = |of: fn(&SummaryRow) -> Option<f64>| -> Option<f64> {
            Some(rows.iter().map(|row| of(row)).sum::<Option<f64>>()? / rows.len() as f64)
        };
        let medians = mean(|row| row.median_s)?;
        let means = mean(|row| row.mean_s)?;
        let (lowest, highest) = extent(rows.iter().filter_map(|row| row.median_s))?;
        Some(format!("{} / {} ({:.1}%)", digits(means), digits(medians), (highest / lowest - 1.0) * 100.0))
    };
    let on_any = |column: &&Column| context.sizes().iter().any(|&n| on_all(n, column).is_some());
    let shown: Vec<&Column> = context.columns.iter().filter(on_any).collect();
    let title = format!(
        "Seconds over the graphs {}: mean of means / mean of medians (spread of the medians)",
        graphs.join(", ")
    );
    let cell = |column: &&Column, n: usize| on_all(n, column).unwrap_or_default();
    Grid::by_size(title, context.sizes(), &shown, |column| column.title(), cell)
}
