//! The timer pitfall: what every clock said of the same work, and the speed-up that each would have had one publish.

use super::context::{Context, Time, over};
use super::words::times;
use crate::published::Claim;
use crate::report::plot::palette::{BLUE, GREEN, GREY, MUTED, ORANGE, PURPLE, SKY, VERMILLION};
use crate::report::plot::{
    Axis, Chart, Guide, Ink, Lines, Mark, Plot, Point, Published, Quantity, Scale, Series, SeriesStyle,
    Shape, Stroke, seconds_text, significant,
};
use crate::results::{Pitfall, least as least_share};
use crate::show::TableColumn;
use crate::timing::{Estimate, Scope};

/// With what the paper compares: one core.
const BASELINE: &str = "cpu-naive";

/// By how much times differ that are drawn once.
const ALIKE: f64 = 0.2;

/// A clock: scope, wide label, narrow label, colour, shape. Clocks that wait for nothing are open and dashed.
const CLOCKS: [(Scope, &str, &str, Ink, Shape); 6] = [
    (Scope::Total, "events, with both copies", "with copies", ORANGE, Shape::Square),
    (Scope::HostSynced, "host, synchronized", "host, synced", SKY, Shape::Up),
    (Scope::Kernel, "events", "events", BLUE, Shape::Circle),
    (Scope::CudaGraph, "events, as a CUDA graph", "CUDA graph", GREEN, Shape::Diamond),
    (Scope::HostUnsynced, "host, not synchronized", "host, not synced", VERMILLION, Shape::Circle),
    (Scope::CudaGraphUnsynced, "host, not synced, CUDA graph", "graph, not synced", PURPLE, Shape::Down),
];

/// For each implementation that was read by the clock that does not wait: its times by all clocks, and the speed-ups.
pub fn plots(context: &Context) -> Vec<Plot> {
    let read = |column: &&TableColumn| sizes(context, column).len() > 1;
    let mut columns: Vec<&TableColumn> = context.timed_columns().into_iter().filter(read).collect();
    // What was read at most sizes comes first, and of several the one whose pitfall is deepest.
    let depth = |column: &TableColumn| deepest(context, column).map_or(1.0, |(_, share)| share);
    let count = |column: &TableColumn| std::cmp::Reverse(sizes(context, column).len());
    columns.sort_by(|a, b| count(a).cmp(&count(b)).then(depth(a).total_cmp(&depth(b))));
    // What reads alike is drawn once.
    let mut shown: Vec<(&TableColumn, Vec<String>)> = Vec::new();
    for column in columns {
        match shown.iter_mut().find(|(other, _)| alike(context, other, column)) {
            Some((_, alike)) => alike.push(context.name(column)),
            None => shown.push((column, Vec::new())),
        }
    }
    shown
        .iter()
        .flat_map(|(column, alike)| {
            [
                shares_of_truth(context, column),
                times_by_clock(context, column, alike),
                speedups(context, column),
            ]
        })
        .flatten()
        .collect()
}

/// Whether `other` takes about the time of `one` wherever it was read, launch by launch and as a graph.
fn alike(context: &Context, one: &TableColumn, other: &TableColumn) -> bool {
    let close = |n: &usize, scope| match (at(context, one, *n, scope), at(context, other, *n, scope)) {
        (Some(one), Some(other)) => (one.median / other.median - 1.0).abs() < ALIKE,
        (_, other) => other.is_none(),
    };
    let (all, of) = (sizes(context, one), sizes(context, other));
    of.iter().all(|n| all.contains(n) && close(n, Scope::Kernel) && close(n, Scope::CudaGraph))
}

pub fn at(context: &Context, column: &TableColumn, n: usize, scope: Scope) -> Option<Time> {
    context.time_on(column, n, scope, &context.graphs())
}

/// All sizes that the clock without synchronization was read at.
pub fn sizes(context: &Context, column: &TableColumn) -> Vec<usize> {
    let read = |n: &usize| at(context, column, *n, Scope::HostUnsynced).is_some();
    context.columns.sizes().into_iter().filter(read).collect()
}

/// What the clock that does not wait says at every n that it was read at.
fn pitfalls(context: &Context, column: &TableColumn) -> Vec<(usize, Pitfall)> {
    let of = |n: usize| {
        Pitfall::of(|scope| at(context, column, n, scope).map(|time| Estimate::exact(time.median)))
    };
    sizes(context, column).into_iter().filter_map(|n| Some((n, of(n)?))).collect()
}

/// Where the clock that does not wait reads least of the truth: n and its share of it.
fn deepest(context: &Context, column: &TableColumn) -> Option<(usize, f64)> {
    least_share(&pitfalls(context, column), |one| Some(one.share))
}

/// What that clock reads of solves that are queued as one CUDA graph.
fn deepest_of_graphs(context: &Context, column: &TableColumn) -> Option<(usize, f64)> {
    least_share(&pitfalls(context, column), |one| one.graph_share)
}

/// A line with its labels wide and narrow; one whose marks are open is dashed.
pub fn line(label: &str, short: &str, points: Vec<Point>, looks: SeriesStyle, filled: bool) -> Series {
    Series {
        short: Some(short.into()),
        mark: Some(Mark { shape: looks.shape, filled }),
        stroke: if filled { Stroke::Solid } else { Stroke::Dashed },
        ..Series::new(label, points, looks)
    }
}

fn series(
    context: &Context,
    column: &TableColumn,
    value: &dyn Fn(Scope, usize, Time) -> Option<Time>,
) -> Vec<Series> {
    CLOCKS
        .iter()
        .map(|&(scope, label, short, ink, shape)| {
            let lies = matches!(scope, Scope::HostUnsynced | Scope::CudaGraphUnsynced);
            let points = sizes(context, column).into_iter().filter_map(|n| {
                let time = value(scope, n, at(context, column, n, scope)?)?;
                Some(time.at(n as f64))
            });
            Series {
                name: format!("{label} ({scope})"),
                ..line(label, short, points.collect(), SeriesStyle { ink, shape }, !lies)
            }
        })
        .filter(|series| !series.points.is_empty())
        .collect()
}

fn times_by_clock(context: &Context, column: &TableColumn, alike: &[String]) -> Option<Plot> {
    let name = &column.implementation;
    let (n, share) = deepest(context, column)?;
    let graph = deepest_of_graphs(context, column).filter(|(_, of_graph)| *of_graph < share);
    let (n, truth, reads, how) = match graph {
        Some((n, _)) => (n, Scope::CudaGraph, Scope::CudaGraphUnsynced, ", as a CUDA graph"),
        None => (n, Scope::HostSynced, Scope::HostUnsynced, ""),
    };
    let seconds = |scope: Scope| Some(seconds_text(at(context, column, n, scope)?.median));
    let title = format!(
        "A solve of {} reads as {} on a clock that does not wait (n = {n}{how})",
        seconds(truth)?,
        seconds(reads)?
    );
    let mut caption = "Without synchronization the host's clock stops when the launches are queued. Dashed lines with open marks are no \
                       time of any solve."
        .to_string();
    if !alike.is_empty() {
        caption += &format!(
            " {} takes the same time to within {:.0}% at every n: its numbers are in the tables.",
            super::words::list(alike),
            ALIKE * 100.0
        );
    }
    Some(Plot {
        id: format!("clocks-{name}"),
        title,
        shows: format!("{name}: seconds of the same work by every clock, by n"),
        alt: format!(
            "Seconds of {name} against n by six clocks, both axes logarithmic; the two that wait for nothing stay far below."
        ),
        caption,
        source: None,
        chart: Chart::Lines(Lines::new(
            Axis::vertices(),
            Axis::new("What the clock says of one solve", Scale::Log, Quantity::Seconds),
            series(context, column, &|_, _, time| Some(time)),
            Vec::new(),
        )),
    })
}

/// What the clocks that wait for nothing read over the true time, which hides in eight decades of seconds.
fn shares_of_truth(context: &Context, column: &TableColumn) -> Option<Plot> {
    let name = &column.implementation;
    let share = |scope: Scope, truth: Scope| -> Vec<Point> {
        let all = sizes(context, column).into_iter();
        let of = |n| {
            let (reads, is) = (at(context, column, n, scope)?, at(context, column, n, truth)?);
            Some(over(reads, is).times(100.0).at(n as f64))
        };
        all.filter_map(of).collect()
    };
    let series: Vec<Series> = [
        ("launch by launch", Scope::HostUnsynced, Scope::HostSynced, VERMILLION, Shape::Circle),
        ("as one CUDA graph", Scope::CudaGraphUnsynced, Scope::CudaGraph, PURPLE, Shape::Down),
    ]
    .into_iter()
    .map(|(label, scope, truth, ink, shape)| {
        line(label, label, share(scope, truth), SeriesStyle { ink, shape }, scope == Scope::HostUnsynced)
    })
    .filter(|series| series.points.len() > 1)
    .collect();
    let percent = |share: f64| significant(share * 100.0, 2);
    let (n, least) = deepest(context, column)?;
    let graph = deepest_of_graphs(context, column);
    let title = match graph.map_or(least, |(_, of_graph)| of_graph.min(least)) < 1.0 {
        true => format!(
            "A clock that waits for nothing reads as little as {}% of the true time{}",
            percent(least),
            graph.map_or(String::new(), |(_, share)| format!(", as a CUDA graph {}%", percent(share)))
        ),
        false => "A clock that waits for nothing misses nothing of the true time".to_string(),
    };
    let of_graph = graph.map_or(String::new(), |(n, _)| format!(", as a CUDA graph at n = {n}"));
    (!series.is_empty()).then(|| Plot {
        id: format!("clock-shares-{name}"),
        title,
        shows: format!("{name}: what the host's clock reads without a wait, in % of the true time, by n"),
        alt: format!(
            "Percent of the true time of {name} that the host's clock reads without waiting, against n: least at n = {n}, {}%.",
            percent(least)
        ),
        caption: format!(
            "The true time is that of the same clock after a wait; of a CUDA graph it is that of its events. The least is at n = {n}{of_graph}."
        ),
        source: None,
        chart: Chart::Lines(Lines::new(
            Axis::vertices(),
            Axis::new("% of the true time", Scale::Linear, Quantity::Percent).including([0.0, 100.0]),
            series,
            vec![Guide::new(100.0, "the true time", "true time", GREY, Stroke::Solid)],
        )),
    })
}

fn speedups(context: &Context, column: &TableColumn) -> Option<Plot> {
    let name = &column.implementation;
    let baseline = context.columns.of(BASELINE)?;
    let speedup = |n: usize, time: Time| Some(over(context.time(baseline, n)?, time));
    let claims = context.paper.map(|paper| &paper.claims[..]).unwrap_or_default();
    let compares =
        |claim: &&Claim| (claim.faster.as_deref(), claim.slower.as_deref()) == (Some(name), Some(BASELINE));
    let stated: Vec<&Claim> = claims.iter().filter(compares).filter(|claim| claim.scope.is_some()).collect();
    let series = series(context, column, &|scope, n, time| {
        let mut time = speedup(n, time)?;
        time.facts.published = stated.iter().find_map(|claim| published(claim, scope, n));
        Some(time)
    });
    if series.iter().all(|one| one.points.len() < 2) {
        return None;
    }
    let n = *sizes(context, column).iter().rfind(|&&n| context.time(baseline, n).is_some())?;
    let of = |scope: Scope| Some(speedup(n, at(context, column, n, scope)?)?.median);
    let waiting_for_nothing = [Scope::HostUnsynced, Scope::CudaGraphUnsynced].into_iter().filter_map(of);
    let title = format!(
        "{} by events becomes {} by a clock that does not wait, at n = {n}",
        times(of(Scope::Kernel)?),
        times(waiting_for_nothing.reduce(f64::max)?)
    );
    let said: Vec<String> = [
        (Scope::Kernel, "by events"),
        (Scope::Total, "with both copies"),
        (Scope::HostUnsynced, "without synchronization"),
        (Scope::CudaGraphUnsynced, "without it as a CUDA graph"),
    ]
    .into_iter()
    .filter_map(|(scope, how)| Some(format!("{} {how}", times(of(scope)?))))
    .collect();
    let mut guides = vec![Guide::new(
        1.0,
        format!("as fast as {BASELINE}"),
        format!("as fast as {BASELINE}"),
        GREY,
        Stroke::Solid,
    )];
    for claim in stated {
        if let Some(value) = claim.value.or(claim.low) {
            guides.push(Guide::new(
                value,
                format!(
                    "published: {}{}",
                    times(value),
                    claim.from_n.map_or(String::new(), |n| format!(" from n = {n}"))
                ),
                format!("published {}", times(value)),
                MUTED,
                Stroke::Dotted,
            ));
        }
    }
    Some(Plot {
        id: format!("clock-speedups-{name}"),
        title,
        shows: format!("{name}: speed-up over {BASELINE} by each clock, by n"),
        caption: format!(
            "At n = {n}: {}. The same work, the same machine: only what the clock waits for differs.",
            super::words::list(&said)
        ),
        alt: format!(
            "Speed-up of {name} over {BASELINE} against n by six clocks, both axes logarithmic: at n = {n} {}.",
            said.join(", ")
        ),
        source: None,
        chart: Chart::Lines(Lines::new(
            Axis::vertices(),
            Axis::new(&format!("Time of {BASELINE} over what the clock says"), Scale::Log, Quantity::Times),
            series,
            guides,
        )),
    })
}

/// What a claim states of this clock and this n.
fn published(claim: &Claim, scope: Scope, n: usize) -> Option<Published> {
    let is_of = claim.scope == Some(scope) && claim.from_n.is_none_or(|from| n >= from);
    let low = claim.value.or(claim.low).filter(|_| is_of)?;
    Some(Published { low, high: claim.value.filter(|_| claim.bound.is_none()).or(claim.high) })
}
