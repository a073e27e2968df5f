//! Seconds of programs against n. They are by a clock of the host and stand beside no time of a kernel.

use super::context::Context;
use crate::experiment::TableColumn;
use crate::report::plot::{Axis, Chart, Lines, Plot, Quantity, Scale, Series};
use crate::timing::Scope;

/// None where no program was timed at two sizes.
pub fn plot(context: &Context) -> Option<Plot> {
    let timed: Vec<(&TableColumn, Scope)> = context
        .columns
        .plain()
        .into_iter()
        .filter_map(|column| Some((column, scope(context, column)?)))
        .collect();
    let series: Vec<Series> = timed
        .iter()
        .map(|&(column, scope)| {
            let time = |n| context.time_on(column, n, scope, &context.graphs());
            context.series(column, |n| Some(time(n)?.point(n)))
        })
        .collect();
    if series.iter().all(|one| one.points.len() < 2) {
        return None;
    }
    let whole: Vec<String> = timed
        .iter()
        .filter(|(_, scope)| *scope == Scope::Program)
        .map(|(column, _)| context.name(column))
        .collect();
    let mut caption = "From the request to solve to the answer, by the clock of the host (scope program-solve): the start of the program, reading \
         and writing are in scope program alone. No time of a kernel is beside them, since those are by another clock."
        .to_string();
    if !whole.is_empty() {
        caption += &format!(" Of {} scope program, since no request is answered.", super::list(&whole));
    }
    Some(Plot {
        id: "programs".into(),
        title: "Seconds of programs against n".into(),
        caption,
        alt: format!("Seconds of {} programs for each n, both axes logarithmic.", series.len()),
        source: None,
        chart: Chart::Lines(Lines {
            x: Axis::vertices(),
            y: Axis::new("Time of one solve, the host's clock", Scale::Log, Quantity::Seconds),
            series,
            guides: Vec::new(),
            keys: Vec::new(),
        }),
    })
}

/// The clock that a program is drawn by: around the solve alone where it answers requests. None of what is no program.
fn scope(context: &Context, column: &TableColumn) -> Option<Scope> {
    let has = |scope: &Scope| {
        let sizes = context.columns.sizes();
        sizes.into_iter().any(|n| context.time_on(column, n, *scope, &context.graphs()).is_some())
    };
    [Scope::ProgramSolve, Scope::Program].into_iter().find(has)
}
