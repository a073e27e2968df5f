//! Batches of small graphs: graphs a second of what solves them at once, beside what solves one after the other.

use crate::show::{Column, Context, Grid, digits};
use crate::timing::Scope;

/// A row a size and batch: graphs a second of each implementation, and how many times those of the last the first solves. None where no
/// graphs are solved in batches.
pub fn table(context: &Context) -> Option<Grid> {
    let mut rows = Vec::new();
    for graph in context.experiment.graphs.iter().filter(|graph| graph.source.graphs() > 1) {
        for n in context.sizes() {
            let rate = |column: &Column| {
                let seconds = context.time_on(column, n, Scope::Kernel, &[graph.name.as_str()])?.median;
                Some(graph.source.graphs() as f64 / seconds)
            };
            let rates: Vec<Option<f64>> = context.columns.iter().map(rate).collect();
            let (Some(first), Some(last)) =
                (rates.first().copied().flatten(), rates.last().copied().flatten())
            else {
                continue;
            };
            let of_each = rates.iter().map(|rate| rate.map_or(String::new(), |rate| digits(rate.round())));
            let (name, graphs) = (graph.element.to_string(), graph.source.graphs().to_string());
            let row = [name, n.to_string(), graphs].into_iter().chain(of_each);
            rows.push(row.chain([format!("{:.1}", first / last)]).collect());
        }
    }
    let names: Vec<String> = context.columns.iter().map(|column| context.name(column)).collect();
    let heads = ["", "n", "graphs"].into_iter().chain(names.iter().map(String::as_str));
    let heads: Vec<&str> = heads.chain(["times as\nmany"]).collect();
    Grid::new("Batches: graphs a second", heads, rows).unless_empty()
}
