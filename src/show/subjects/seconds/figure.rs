//! Seconds against n on two logarithmic axes, beside the paper's.

use super::jumps;
use crate::lists::extremes;
use crate::plot::palette::INK;
use crate::plot::{
    Axis, Chart, Key, Lines, Mark, Plot, Point, Quantity, Scale, Series, Stroke, seconds_text,
};
use crate::show::words::{part, range, times};
use crate::show::{Column, Context, look, place};
use std::collections::BTreeSet;

/// None when nothing was timed at two sizes, and where each implementation is a step of its own figure.
pub fn figure(context: &Context) -> Option<Plot> {
    if !context.experiment.steps.is_empty() {
        return None;
    }
    let mut series = published(context, |_, _, seconds| Some(seconds));
    let has_published = !series.is_empty();
    let columns = context.timed_columns();
    series.extend(columns.iter().map(|column| {
        let mut series = context.series(column, |n| context.point(column, n, |time| time));
        jumps::mark(context, column, &mut series);
        series
    }));
    let measured = &series[series.len() - columns.len()..];
    if columns.is_empty() || measured.iter().all(|one| one.points.len() < 2) && !has_published {
        return None;
    }
    let keys = keys(has_published);
    let (title, caption) = words(context, has_published);
    Some(Plot {
        id: "seconds".into(),
        title,
        shows: if has_published { "Seconds by n, published and here" } else { "Seconds by n" }.into(),
        caption,
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

/// What filled and open marks are, where there are open ones.
pub(super) fn keys(has_published: bool) -> Vec<Key> {
    match has_published {
        true => {
            vec![
                Key::circles("here", true, INK, Stroke::Solid),
                Key::circles("published", false, INK, Stroke::Dotted),
            ]
        }
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
            cells.filter_map(|&(n, seconds)| Some(Point::at(n as f64, value(name, n, seconds)?))).collect();
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

/// The finding, and what readers need besides.
fn words(context: &Context, has_published: bool) -> (String, String) {
    let mut title = "None of the published times was measured here".to_string();
    let mut said = String::new();
    if let (Some(paper), Some(table), true) = (context.paper, context.table, has_published) {
        let ratio = |name: &str, n: usize| {
            let here = context.time(context.of(name)?, n)?;
            Some(table.seconds(name, n)? / here.median)
        };
        let mut all: Vec<((String, usize), f64)> = Vec::new();
        for (name, column) in &table.columns {
            all.extend(column.iter().filter_map(|&(n, _)| Some(((name.clone(), n), ratio(name, n)?))));
        }
        let on_cpu = paper.cpu.as_ref().map_or(String::new(), |cpu| format!(" (CPU: {cpu})"));
        said += &format!("Published on {}{on_cpu}. ", paper.gpu);
        if let Some((least, most)) = extremes(&all) {
            let beaten = all.iter().filter(|(_, ratio)| *ratio > 1.0).count();
            let range = range(least.1, most.1);
            let published = table.columns.values().map(|column| column.len()).sum();
            title = match all.len() - beaten {
                0 if all.len() == published => format!("Every published time is beaten, by {range}"),
                _ => format!(
                    "{beaten} of {} published times are beaten: they are {range} of those here",
                    all.len()
                ),
            };
            title += &part(all.len(), published, "published times");
            let at = |(name, n): (String, usize)| format!("of {name} at n = {n}");
            said += &format!("The least is {}, the most {}. ", at(least.0), at(most.0));
        }
        said += &format!("Solid lines are this machine's, dotted ones the paper's: {}. ", table.place);
    } else {
        let timed = |column: &&Column, n| Some((context.name(column), context.time(column, n)?.median));
        let columns = context.timed_columns();
        let of_n = |n| columns.iter().filter_map(|column| timed(column, n)).collect();
        if let Some(found) = fastest_and_slowest(&context.sizes(), of_n) {
            (title, said) = found;
        }
    }
    said += &jumps::told(context, &context.timed_columns());
    if said.is_empty() {
        said += "Medians of the launches of one solve.";
    }
    (title, said.trim_end().to_string())
}

/// Who is fastest and who slowest at the largest n that most were timed at, and their seconds with a space behind.
pub fn fastest_and_slowest(
    sizes: &BTreeSet<usize>,
    timed: impl Fn(usize) -> Vec<(String, f64)>,
) -> Option<(String, String)> {
    let n = *sizes.iter().max_by_key(|&&n| (timed(n).len(), n))?;
    let (fast, slow) = extremes(&timed(n))?;
    let takes = |(name, seconds): &(String, f64)| format!("{name} takes {}", seconds_text(*seconds));
    if timed(n).len() == 1 {
        return Some((format!("{} at n = {n}", takes(&fast)), String::new()));
    }
    let title = format!("{} is {} as fast as {} at n = {n}", fast.0, times(slow.1 / fast.1), slow.0);
    Some((title, format!("There {} and {}. ", takes(&fast), takes(&slow))))
}

fn alt(context: &Context, has_published: bool) -> String {
    let names: Vec<String> = context.timed_columns().iter().map(|column| context.name(column)).collect();
    let sizes = context.sizes();
    let (first, last) = (sizes.first().copied().unwrap_or(0), sizes.last().copied().unwrap_or(0));
    let published = if has_published { " beside the published times" } else { "" };
    format!("Seconds of {} for n from {first} to {last}{published}, both axes logarithmic.", names.join(", "))
}
