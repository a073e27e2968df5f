//! What the paper says of how many times faster one implementation is, beside its table and this machine.

use super::{Pair, pairs};
use crate::lists::extent;
use crate::plot::palette::{BAND, GREY, INK};
use crate::plot::{
    Axis, Band, Chart, Facts, Guide, Key, Mark, Plot, Published, Quantity, Row, RowPoint, Rows, Scale,
    Stroke, Trace, significant,
};
use crate::show::subjects::seconds::shown_sizes;
use crate::show::words::{of_these, part, range, so_many, span, times};
use crate::show::{Context, Time, look, over};
use crate::timing::Scope;
use std::collections::BTreeSet;

/// None of them when the paper compares nothing that was measured here. Where pairs with the CPU would leave the others no
/// room, they have a plot of their own.
pub fn figures(context: &Context) -> Vec<Plot> {
    let Some(paper) = context.paper else { return Vec::new() };
    let measured = |pair: &Pair| view_of(context, pair).is_some();
    let planned = |pair: &&Pair| context.of(pair.faster).is_some() && context.of(pair.slower).is_some();
    let planned = pairs(paper).iter().filter(planned).count();
    let pairs: Vec<Pair> = pairs(paper).into_iter().filter(measured).collect();
    let part = &part(pairs.len(), planned, "pairs");
    let on_cpu = |pair: &Pair| !context.run.is_on_device(pair.slower);
    let few = pairs.len() < 3;
    let (with_cpu, among_gpu): (Vec<Pair>, Vec<Pair>) =
        pairs.into_iter().partition(|pair| !few && on_cpu(pair));
    [
        plot(context, "speedups", "Speed-ups, published and here", &among_gpu, part),
        plot(context, "speedups-cpu", "Speed-ups over the CPU, published and here", &with_cpu, part),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Sizes of a pair at which both have a time, of those that tables show.
fn view_of(context: &Context, pair: &Pair) -> Option<Vec<(usize, Time)>> {
    let (fast, slow) = (context.of(pair.faster)?, context.of(pair.slower)?);
    let ratio = |n: usize| match pair.scope {
        Scope::Kernel => context.ratio(slow, fast, n, Scope::Kernel),
        scope => Some(over(context.at(slow, n, scope)?, context.at(fast, n, scope)?)),
    };
    let ratios: Vec<(usize, Time)> =
        shown_sizes(context).into_iter().filter_map(|n| Some((n, ratio(n)?))).collect();
    (!ratios.is_empty()).then_some(ratios)
}

fn plot(context: &Context, id: &str, shows: &str, pairs: &[Pair], part: &str) -> Option<Plot> {
    let views: Vec<(&Pair, Vec<(usize, Time)>)> =
        pairs.iter().filter_map(|pair| Some((pair, view_of(context, pair)?))).collect();
    let sizes = || views.iter().flat_map(|(_, view)| view.iter().map(|(n, _)| *n));
    let (first, last) = (sizes().min()?, sizes().max()?);
    let within = |n: usize| {
        let share = (n as f64 / first as f64).ln() / (last as f64 / first as f64).ln();
        if last > first { share } else { 0.5 }
    };
    let compared: Vec<(String, Meets)> =
        views.iter().filter_map(|(pair, view)| compared(pair, view)).collect();
    let outside: Vec<String> =
        compared.iter().filter(|(_, meets)| *meets == Meets::Nowhere).map(|(name, _)| name.clone()).collect();
    let everywhere = compared.iter().all(|(_, meets)| *meets == Meets::Everywhere);
    let (verb, what, some) = match outside.len() {
        0 if everywhere => (("meets", "meet"), "what the text states, at every n", compared.len()),
        0 => (("meets", "meet"), "what the text states, at some n alone", compared.len()),
        some => (("lies", "lie"), "outside what the text states, at every n", some),
    };
    let title = match &compared[..] {
        [] => "Nothing that the text states was measured".to_string(),
        [(only, _)] => format!("{only} {} {what}", verb.0),
        all => format!("{} {what}", so_many(some, all.len(), "pair", verb)),
    } + part;
    let finding = if compared.len() == 1 { String::new() } else { of_these("Outside: ", &outside, "") };
    let rows: Vec<Row> =
        views.iter().map(|(pair, view)| row(context, pair, view, &within, (first, last))).collect();
    let mut keys = vec![Key::area("the paper's text", BAND), Key::circles("here", true, INK, Stroke::Solid)];
    if context.table.is_some() {
        keys.insert(1, Key::circles("the paper's table", false, INK, Stroke::Dotted));
    }
    Some(Plot {
        id: id.into(),
        shows: shows.into(),
        alt: format!(
            "A row for each of {} pairs of implementations: what the paper's text states and the ratios here at each n. {title}.",
            rows.len()
        ),
        title,
        caption: format!(
            "{finding}Within each row n grows downwards from {first} to {last}; further right is faster. Ratios of medians, by \
             the clock that the paper names for a pair or else scope kernel; bars span what the intervals of both medians allow."
        ),
        source: None,
        chart: Chart::Rows(Rows {
            guides: vec![Guide::new(1.0, "equally fast", "equal", GREY, Stroke::Solid)],
            ..Rows::new(
                Axis::new(
                    "How many times faster; within a row n grows downwards",
                    Scale::Log,
                    Quantity::Times,
                ),
                rows,
                keys,
            )
        }),
    })
}

/// At which n a pair lies within what a text states.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meets {
    Everywhere,
    Somewhere,
    Nowhere,
}

/// The pair with what was measured of it, and where that is in the text's range. None where the text speaks of none of its sizes.
fn compared(pair: &Pair, view: &[(usize, Time)]) -> Option<(String, Meets)> {
    let spoken_of = view.iter().filter(|(n, _)| pair.from_n.is_none_or(|from| *n >= from));
    let medians: Vec<f64> = spoken_of.map(|(_, time)| time.median).collect();
    let (least, most) = extent(medians.iter().copied())?;
    let is_within =
        |median: &f64| (pair.up_to || *median >= pair.low) && pair.high.is_none_or(|upper| *median <= upper);
    let name = format!("{} over {} ({})", pair.faster, pair.slower, range(least, most));
    let meets = match medians.iter().filter(|median| is_within(median)).count() {
        0 => Meets::Nowhere,
        some if some == medians.len() => Meets::Everywhere,
        _ => Meets::Somewhere,
    };
    Some((name, meets))
}

fn row(
    context: &Context,
    pair: &Pair,
    view: &[(usize, Time)],
    within: &dyn Fn(usize) -> f64,
    (first, last): (usize, usize),
) -> Row {
    let table_ratio = |n: usize| Some(Published::value(context.table?.ratio(pair.faster, pair.slower, n)?));
    let points: Vec<RowPoint> = view
        .iter()
        .map(|&(n, Time { median, low, high, facts })| RowPoint {
            x: median,
            low,
            high,
            within: within(n),
            name: format!("n = {n}"),
            facts: Facts { published: table_ratio(n).or_else(|| pair.published(n)), ..facts },
        })
        .collect();
    let looks = look(pair.faster);
    let mut traces = Vec::new();
    if let Some(table) = context.table {
        let sizes: BTreeSet<usize> = table.columns.values().flatten().map(|(n, _)| *n).collect();
        let shown = sizes.into_iter().filter(|n| (first..=last).contains(n));
        let published = shown.filter_map(|n| {
            let x = table.ratio(pair.faster, pair.slower, n)?;
            Some(RowPoint::at(x, within(n), format!("n = {n}")))
        });
        let points: Vec<RowPoint> = published.collect();
        if !points.is_empty() {
            let mark = Mark { shape: looks.shape, filled: false };
            traces.push(Trace {
                name: "published".into(),
                points,
                ink: looks.ink,
                mark,
                stroke: Stroke::Dotted,
            });
        }
    }
    let mark = Mark { shape: looks.shape, filled: true };
    traces.push(Trace { name: "here".into(), points, ink: looks.ink, mark, stroke: Stroke::Solid });
    let mut text = match pair.high {
        Some(high) if pair.up_to => format!("up to {}", significant(high, 4)),
        Some(high) => span(pair.low, high, |value| significant(value, 4)),
        None if pair.low == 1.0 => "faster".into(),
        None => format!("over {}", significant(pair.low, 4)),
    };
    if let Some(n) = pair.from_n {
        text += &format!(" from {n}");
    }
    let clock = if pair.scope == Scope::Kernel { String::new() } else { format!(" ({})", pair.scope) };
    Row {
        label: format!("{}\nover {}{clock}", pair.faster, pair.slower),
        note: format!("text: {text}"),
        band: Some(Band {
            low: Some(pair.low).filter(|_| !pair.up_to),
            high: pair.high,
            text: "the paper's text".into(),
        }),
        traces,
        ends: Some((first.to_string(), last.to_string())),
        ..Row::default()
    }
}

/// A published ratio as a line to compare with.
pub fn published(pair: &Pair) -> Vec<Guide> {
    let guide = |at: f64, how: &str| {
        let (slower, ratio) = (pair.slower, times(at));
        let label = format!("published over {slower}: {how}{ratio}");
        Guide::new(at, label, format!("publ. {slower} {how}{ratio}"), look(slower).ink, Stroke::Dotted)
    };
    match pair.high {
        Some(high) if pair.up_to && high > pair.low => vec![guide(pair.low, "up to "), guide(high, "up to ")],
        Some(high) if pair.up_to => vec![guide(high, "up to ")],
        Some(high) if high == pair.low => vec![guide(high, "")],
        Some(high) => vec![guide(pair.low, ""), guide(high, "up to ")],
        None => vec![guide(pair.low, "at least ")],
    }
}
