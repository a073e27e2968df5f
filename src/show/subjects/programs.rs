//! What foreign programs take: seconds by the clock of the host, in the figure beside those of kernels by the same clock, where the run
//! has them. They stand beside no time of a device's events.

use super::seconds::fastest_and_slowest;
use crate::graph::ElementType;
use crate::implementation::Named;
use crate::plot::{Axis, Chart, Lines, Plot, Point, Quantity, Scale, Series};
use crate::show::{Column, Context, Grid, digits, list};
use crate::timing::Scope;
use repro_types::CellId;

/// A row a cell that a program solved, seconds.
pub fn table(context: &Context) -> Option<Grid> {
    let times = &context.run.results.times;
    let seconds = |cell: &CellId, scope: Scope| {
        times.cell(cell).time(scope).map_or("-".to_string(), |time| digits(time.value))
    };
    let rows = context.summary.iter().filter_map(|row| {
        let cell = row.cell();
        let samples = times.cell(&cell).timed(Scope::Program)?.samples.len();
        let element = context.experiment.element_of(&cell.graph).to_string();
        let named = [cell.implementation.clone(), cell.n.to_string(), element, samples.to_string()];
        Some(named.into_iter().chain(Scope::PROGRAM.map(|scope| seconds(&cell, scope))).collect())
    });
    let header = ["program", "n", "type", "samples", "solve,\nits own clock", "solve,\nhost", "whole,\nhost"];
    Grid::new(
        "Foreign programs by the clock of the host, which is none of the events above: medians in seconds",
        header,
        rows,
    )
    .with_keys(3)
    .unless_empty()
}

/// None where no program was timed at two sizes.
pub fn figure(context: &Context) -> Option<Plot> {
    let columns = context.plain();
    let timed: Vec<Timed> = columns.into_iter().filter_map(|column| Timed::of(context, column)).collect();
    let usual = context.elements().0;
    let series: Vec<Series> = timed
        .iter()
        .map(|timed| {
            let time = |n| context.time_on(timed.column, n, timed.scope, &timed.graphs);
            let series = context.series(timed.column, |n| Some(time(n)?.at(n as f64)));
            if timed.element == usual {
                return series;
            }
            let in_type = |name: &str| format!("{name}, {}", timed.element);
            Series {
                label: series.label.as_deref().map(in_type),
                short: series.short.as_deref().map(in_type),
                ..series
            }
        })
        .collect();
    let programs = || timed.iter().zip(&series).filter(|(timed, _)| timed.is_program());
    if programs().all(|(_, series)| series.points.len() < 2) {
        return None;
    }
    let named = |wanted: &dyn Fn(&Timed) -> bool| -> Vec<String> {
        timed.iter().filter(|timed| wanted(timed)).map(|timed| context.name(timed.column)).collect()
    };
    let at_n = |n: usize| {
        let is_at = |one: &&Point| one.x == n as f64;
        let named = timed.iter().zip(&series);
        named
            .filter_map(|(timed, one)| Some((context.name(timed.column), one.points.iter().find(is_at)?.y)))
            .collect()
    };
    let (title, seconds) = fastest_and_slowest(&context.sizes(), at_n)?;
    let mut caption = seconds
        + "From the request to solve to the answer, by the clock of the host (scope program-solve): the start of the program, reading \
         and writing are in scope program alone.";
    let whole = named(&|timed| timed.scope == Scope::Program);
    if !whole.is_empty() {
        caption += &format!(" Of {} scope program, since no request is answered.", list(&whole));
    }
    caption += match &named(&|timed| !timed.is_program())[..] {
        [] => " No time of a kernel is beside them, since those are by another clock.".to_string(),
        own => format!(
            " Of {}: the solve by the same clock, with the matrix in its place before and after.",
            list(own)
        ),
    }
    .as_str();
    Some(Plot {
        id: "programs".into(),
        title,
        shows: "Seconds of programs by n".into(),
        caption,
        alt: format!("Seconds of {} programs for each n, both axes logarithmic.", programs().count()),
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

/// A program, or a kernel beside it, with what it is drawn by.
struct Timed<'a> {
    column: &'a Column,
    /// By the clock of the host: around the solve alone where there is such a time.
    scope: Scope,
    /// The first type of the experiment that it takes.
    element: ElementType,
    graphs: Vec<&'a str>,
}

impl<'a> Timed<'a> {
    /// None of what has no time by the clock of the host.
    fn of(context: &'a Context, column: &'a Column) -> Option<Self> {
        let (first, others) = context.elements();
        let elements = || std::iter::once(first).chain(others.iter().copied());
        let mut ways = vec![Scope::ProgramSolve, Scope::Program, Scope::HostSynced];
        let found = Named::find(&column.implementation);
        if found.known().is_some_and(|known| !known.needs_device()) {
            // On the CPU all clocks are the host's.
            ways.push(Scope::Kernel);
        }
        ways.into_iter().flat_map(|scope| elements().map(move |element| (scope, element))).find_map(
            |(scope, element)| {
                let graphs = context.graphs_of(element);
                let mut sizes = context.sizes().into_iter();
                let is_timed = sizes.any(|n| context.time_on(column, n, scope, &graphs).is_some());
                is_timed.then_some(Self { column, scope, element, graphs })
            },
        )
    }

    fn is_program(&self) -> bool {
        matches!(self.scope, Scope::ProgramSolve | Scope::Program)
    }
}
