//! Seconds against n on two logarithmic axes, beside the paper's.

use super::context::Context;
use super::jumps;
use crate::lists::extremes;
use crate::report::figures::looks::{look, place};
use crate::report::plot::palette::INK;
use crate::report::plot::{
    Axis, Chart, Key, Lines, Mark, Plot, Point, Published, Quantity, Scale, Series, Shape, Stroke,
    seconds_text, significant,
};
use crate::show::TableColumn;

/// None when nothing was timed at two sizes, and where each implementation is a step of its own figure.
pub fn plot(context: &Context) -> Option<Plot> {
    if !context.run.manifest.experiment.steps.is_empty() {
        return None;
    }
    let mut series = published(context, |_, _, seconds| Some(seconds));
    let has_published = !series.is_empty();
    let columns = context.timed_columns();
    series.extend(columns.iter().map(|column| {
        let mut series = context.series(column, |n| point(context, column, n));
        jumps::mark(context, column, &mut series);
        series
    }));
    let measured = &series[series.len() - columns.len()..];
    if columns.is_empty() || measured.iter().all(|one| one.points.len() < 2) && !has_published {
        return None;
    }
    let keys = keys(has_published);
    let title = if has_published { "Seconds against n, published and here" } else { "Seconds against n" };
    Some(Plot {
        id: "seconds".into(),
        title: title.into(),
        caption: caption(context, has_published),
        alt: alt(context, has_published),
        source: None,
        chart: Chart::Lines(Lines {
            x: Axis::vertices(),
            y: Axis::new("Time of one solve, scope kernel", Scale::Log, Quantity::Seconds),
            series,
            guides: Vec::new(),
            keys,
        }),
    })
}

fn point(context: &Context, column: &TableColumn, n: usize) -> Option<Point> {
    let mut point = context.time(column, n)?.point(n);
    point.facts.published = context.published(column, n).map(Published::value);
    Some(point)
}

/// What filled and open marks are, where there are open ones.
pub(super) fn keys(has_published: bool) -> Vec<Key> {
    let key = |text: &str, filled, stroke| Key {
        text: text.to_string(),
        ink: INK,
        mark: Some(Mark { shape: Shape::Circle, filled }),
        stroke,
    };
    match has_published {
        true => vec![key("here", true, Stroke::Solid), key("published", false, Stroke::Dotted)],
        false => Vec::new(),
    }
}

/// The paper's columns, of whose seconds at n `value` makes what is drawn; nothing where that is unknown.
pub(super) fn published(context: &Context, value: impl Fn(&str, usize, f64) -> Option<f64>) -> Vec<Series> {
    let Some(table) = context.table else { return Vec::new() };
    let mut names: Vec<&String> = table.columns.keys().collect();
    names.sort_by_key(|name| place(name));
    let of = |name: &&String| {
        let cells = table.columns[*name].iter();
        let points =
            cells.filter_map(|(&n, &seconds)| Some(Point::at(n as f64, value(name, n, seconds)?))).collect();
        Series {
            short: None,
            mark: Some(Mark { shape: look(name).shape, filled: false }),
            stroke: Stroke::Dotted,
            thin: true,
            ..Series::new(&format!("{name}, published"), points, look(name))
        }
    };
    names.iter().map(of).filter(|series| !series.points.is_empty()).collect()
}

fn caption(context: &Context, has_published: bool) -> String {
    let mut said = String::new();
    if let (Some(paper), Some(table), true) = (context.paper, context.table, has_published) {
        let ratio = |name: &str, n: usize| {
            let here = context.time(context.columns.of(name)?, n)?;
            Some(table.seconds(name, n)? / here.median)
        };
        let mut all: Vec<((String, usize), f64)> = Vec::new();
        for (name, column) in &table.columns {
            all.extend(column.keys().filter_map(|&n| Some(((name.clone(), n), ratio(name, n)?))));
        }
        if let Some((least, most)) = extremes(&all) {
            said += &format!(
                "Published on {}{}, a cell takes {} ({}, n = {}) to {} ({}, n = {}) times as long as here. ",
                paper.gpu,
                paper.cpu.as_ref().map_or(String::new(), |cpu| format!(" (CPU: {cpu})")),
                significant(least.1, 3),
                least.0.0,
                least.0.1,
                significant(most.1, 3),
                most.0.0,
                most.0.1
            );
        }
        said += &format!("Solid lines are this machine's, dotted ones the paper's: {}. ", table.place);
    } else if let Some((n, fastest, slowest)) = fastest_and_slowest(context) {
        said += &format!(
            "At n = {n}, {} is the fastest with {} and {} the slowest with {}. ",
            fastest.0,
            seconds_text(fastest.1),
            slowest.0,
            seconds_text(slowest.1)
        );
    }
    said += &jumps::told(context, &context.timed_columns());
    if said.is_empty() {
        return "Medians of the launches of one solve.".to_string();
    }
    said.trim_end().to_string()
}

type Named = (String, f64);

/// At the largest n that most columns were timed at.
fn fastest_and_slowest(context: &Context) -> Option<(usize, Named, Named)> {
    let columns = context.timed_columns();
    let timed = |n: usize| -> Vec<Named> {
        columns
            .iter()
            .filter_map(|column| Some((context.name(column), context.time(column, n)?.median)))
            .collect()
    };
    let sizes = context.columns.sizes();
    let n = *sizes.iter().max_by_key(|&&n| (timed(n).len(), n))?;
    let (least, most) = extremes(&timed(n))?;
    Some((n, least, most))
}

fn alt(context: &Context, has_published: bool) -> String {
    let names: Vec<String> = context.timed_columns().iter().map(|column| context.name(column)).collect();
    let sizes = context.columns.sizes();
    let (first, last) = (sizes.first().copied().unwrap_or(0), sizes.last().copied().unwrap_or(0));
    let published = if has_published { " beside the published times" } else { "" };
    format!("Seconds of {} for n from {first} to {last}{published}, both axes logarithmic.", names.join(", "))
}
