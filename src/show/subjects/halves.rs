//! Undirected graphs: what it is worth to do half of the tasks, beside the same implementation that does all.

use crate::show::{Column, Context, Grid, RATE, digits, rate};
use crate::timing::Scope;
use repro_types::Parameters;

/// An implementation that does half of the tasks, and one that does all and differs from it by one parameter.
struct Pair<'a> {
    half: &'a Column,
    all: &'a Column,
}

impl<'a> Pair<'a> {
    fn find(context: &'a Context) -> Vec<Self> {
        let facts = &context.run.results.facts;
        let halves = |column: &&Column| facts.variant(column.variant()).is_some_and(|facts| facts.halves);
        let (half, all): (Vec<&Column>, Vec<&Column>) = context.columns.iter().partition(halves);
        let of = |half: &'a Column| {
            let is_like = |all: &&&Column| {
                let set = |column: &Column| column.params.parse::<Parameters>().ok();
                let differ = set(half).zip(set(all)).map(|(half, all)| half.without(&all).iter().count());
                all.implementation == half.implementation && differ == Some(1)
            };
            all.iter().find(is_like).map(|all| Self { half, all })
        };
        half.into_iter().filter_map(of).collect()
    }
}

/// A row a size, graph and pair. None where no graph is undirected.
pub fn table(context: &Context) -> Option<Grid> {
    let graphs: Vec<_> =
        context.experiment.graphs.iter().filter(|graph| graph.source.weights().symmetric).collect();
    let mut rows = Vec::new();
    for pair in Pair::find(context) {
        for graph in &graphs {
            let name = context.name(pair.half);
            let name = if graph.name.is_empty() { name } else { format!("{name}, {}", graph.name) };
            for n in context.sizes() {
                let median = |column: &Column| {
                    Some(context.time_on(column, n, Scope::Kernel, &[graph.name.as_str()])?.median)
                };
                let Some((all, half)) = median(pair.all).zip(median(pair.half)) else { continue };
                let tasks = context.tasks(pair.half, n, graph.element);
                let figures = [digits(all), digits(half), format!("{:.3}", half / all), rate(tasks / half)];
                rows.push([name.clone(), n.to_string()].into_iter().chain(figures).collect());
            }
        }
    }
    let rate = format!("{RATE}\nof half");
    Grid::new(
        "Undirected graphs: seconds of a solve that does all tasks, as of a directed graph, and of one that does half of them",
        ["", "n", "all, s", "half, s", "share of\nall", &rate],
        rows,
    )
    .unless_empty()
}
