//! The timer pitfall: what every clock said of the same work, and the speed-up that each would have had one publish.

use super::{BASELINE, Clocks, line};
use crate::plot::palette::{BLUE, GREEN, GREY, MUTED, ORANGE, PURPLE, SKY, VERMILLION};
use crate::plot::{
    Axis, Chart, Guide, Ink, Lines, Plot, Point, Quantity, Scale, Series, SeriesStyle, Shape, Stroke,
    seconds_text,
};
use crate::show::subjects::speedups::{Pair, pairs};
use crate::show::words::{list, percent, times};
use crate::show::{Context, Time, over};
use crate::timing::Scope;

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
pub fn figures(context: &Context) -> Vec<Plot> {
    let read = context.timed_columns().into_iter().map(|column| Clocks::of(context, column));
    let mut read: Vec<Clocks> = read.filter(|clocks| clocks.sizes().len() > 1).collect();
    // What was read at most sizes comes first, and of several the one whose pitfall is deepest.
    let depth = |clocks: &Clocks| clocks.deepest().map_or(1.0, |(_, share)| share);
    let count = |clocks: &Clocks| std::cmp::Reverse(clocks.sizes().len());
    read.sort_by(|a, b| count(a).cmp(&count(b)).then(depth(a).total_cmp(&depth(b))));
    // What reads alike is drawn once.
    let mut shown: Vec<(Clocks, Vec<String>)> = Vec::new();
    for clocks in read {
        match shown.iter_mut().find(|(other, _)| alike(other, &clocks)) {
            Some((_, alike)) => alike.push(context.name(clocks.column)),
            None => shown.push((clocks, Vec::new())),
        }
    }
    let of = |(clocks, alike): &(Clocks, Vec<String>)| {
        [shares_of_truth(clocks), times_by_clock(clocks, alike), speedups(clocks)]
    };
    shown.iter().flat_map(of).flatten().collect()
}

/// Whether `other` takes about the time of `one` wherever it was read, launch by launch and as a graph.
fn alike(one: &Clocks, other: &Clocks) -> bool {
    let close = |n: &usize, scope| match (one.seconds(*n, scope), other.seconds(*n, scope)) {
        (Some(one), Some(other)) => (one / other - 1.0).abs() < ALIKE,
        (_, other) => other.is_none(),
    };
    let (all, of) = (one.sizes(), other.sizes());
    of.iter().all(|n| all.contains(n) && close(n, Scope::Kernel) && close(n, Scope::CudaGraph))
}

/// A line for each clock, of what `value` makes of it.
fn series(clocks: &Clocks, value: impl Fn(usize, Scope) -> Option<Time>) -> Vec<Series> {
    CLOCKS
        .iter()
        .map(|&(scope, label, short, ink, shape)| {
            let lies = matches!(scope, Scope::HostUnsynced | Scope::CudaGraphUnsynced);
            let points = clocks.sizes().into_iter().filter_map(|n| Some(value(n, scope)?.at(n as f64)));
            Series {
                name: format!("{label} ({scope})"),
                ..line(label, short, points.collect(), SeriesStyle { ink, shape }, !lies)
            }
        })
        .filter(|series| !series.points.is_empty())
        .collect()
}

fn times_by_clock(clocks: &Clocks, alike: &[String]) -> Option<Plot> {
    let name = clocks.name();
    let (n, share) = clocks.deepest()?;
    let graph = clocks.deepest_of_graphs().filter(|(_, of_graph)| *of_graph < share);
    let (n, truth, reads, how) = match graph {
        Some((n, _)) => (n, Scope::CudaGraph, Scope::CudaGraphUnsynced, ", as a CUDA graph"),
        None => (n, Scope::HostSynced, Scope::HostUnsynced, ""),
    };
    let seconds = |scope: Scope| Some(seconds_text(clocks.seconds(n, scope)?));
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
            list(alike),
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
        chart: Chart::Lines(Lines::by_n(
            Axis::new("What the clock says of one solve", Scale::Log, Quantity::Seconds),
            series(clocks, |n, scope| clocks.at(n, scope)),
            Vec::new(),
        )),
    })
}

/// What the clocks that wait for nothing read over the true time, which hides in eight decades of seconds.
fn shares_of_truth(clocks: &Clocks) -> Option<Plot> {
    let name = clocks.name();
    let share = |scope: Scope, truth: Scope| -> Vec<Point> {
        let of = |n| Some(over(clocks.at(n, scope)?, clocks.at(n, truth)?).times(100.0).at(n as f64));
        clocks.sizes().into_iter().filter_map(of).collect()
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
    let (n, least) = clocks.deepest()?;
    let graph = clocks.deepest_of_graphs();
    let title = match graph.map_or(least, |(_, of_graph)| of_graph.min(least)) < 1.0 {
        true => format!(
            "A clock that waits for nothing reads as little as {} of the true time{}",
            percent(least),
            graph.map_or(String::new(), |(_, share)| format!(", as a CUDA graph {}", percent(share)))
        ),
        false => "A clock that waits for nothing misses nothing of the true time".to_string(),
    };
    let of_graph = graph.map_or(String::new(), |(n, _)| format!(", as a CUDA graph at n = {n}"));
    (!series.is_empty()).then(|| Plot {
        id: format!("clock-shares-{name}"),
        title,
        shows: format!("{name}: what the host's clock reads without a wait, in % of the true time, by n"),
        alt: format!(
            "Percent of the true time of {name} that the host's clock reads without waiting, against n: least at n = {n}, {}.",
            percent(least)
        ),
        caption: format!(
            "The true time is that of the same clock after a wait; of a CUDA graph it is that of its events. The least is at n = {n}{of_graph}."
        ),
        source: None,
        chart: Chart::Lines(Lines::by_n(Axis::new("% of the true time", Scale::Linear, Quantity::Percent).including([0.0, 100.0]),
            series,
            vec![Guide::new(100.0, "the true time", "true time", GREY, Stroke::Solid)],
        )),
    })
}

fn speedups(clocks: &Clocks) -> Option<Plot> {
    let name = clocks.name();
    let is_stated = |pair: &Pair| pair.faster == name && pair.slower == BASELINE && pair.by_clock;
    let stated: Vec<Pair> = clocks.context.paper.map(pairs).unwrap_or_default();
    let stated: Vec<Pair> = stated.into_iter().filter(is_stated).collect();
    let series = series(clocks, |n, scope| {
        let mut time = clocks.speedup(n, scope)?;
        time.facts.published =
            stated.iter().filter(|pair| pair.scope == scope).find_map(|pair| pair.published(n));
        Some(time)
    });
    if series.iter().all(|one| one.points.len() < 2) {
        return None;
    }
    let n = *clocks.sizes().iter().rfind(|&&n| clocks.speedup(n, Scope::HostUnsynced).is_some())?;
    let of = |scope: Scope| Some(clocks.speedup(n, scope)?.median);
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
    let mut guides = vec![Guide::equal(&format!("as fast as {BASELINE}"))];
    guides.extend(stated.iter().map(|pair| {
        let ratio = times(pair.low);
        let from = pair.from_n.map_or(String::new(), |n| format!(" from n = {n}"));
        let label = format!("published: {ratio}{from}");
        Guide::new(pair.low, label, format!("published {ratio}"), MUTED, Stroke::Dotted)
    }));
    Some(Plot {
        id: format!("clock-speedups-{name}"),
        title,
        shows: format!("{name}: speed-up over {BASELINE} by each clock, by n"),
        caption: format!(
            "At n = {n}: {}. The same work, the same machine: only what the clock waits for differs.",
            list(&said)
        ),
        alt: format!(
            "Speed-up of {name} over {BASELINE} against n by six clocks, both axes logarithmic: at n = {n} {}.",
            said.join(", ")
        ),
        source: None,
        chart: Chart::Lines(Lines::by_n(
            Axis::new(&format!("Time of {BASELINE} over what the clock says"), Scale::Log, Quantity::Times),
            series,
            guides,
        )),
    })
}
