//! The timer pitfall: what every clock said of the same work, and the speed-up that each would have had one publish.

use super::{BASELINE, Clocks, line};
use crate::plot::palette::{BLUE, GREEN, GREY, MUTED, ORANGE, SKY, VERMILLION};
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

/// A clock: scope, wide label, narrow label, colour, shape. The one that waits for nothing is open and dashed.
const CLOCKS: [(Scope, &str, &str, Ink, Shape); 5] = [
    (Scope::Total, "events, with both copies", "with copies", ORANGE, Shape::Square),
    (Scope::HostSynced, "host, synchronized", "host, synced", SKY, Shape::Up),
    (Scope::Kernel, "events", "events", BLUE, Shape::Circle),
    (Scope::CudaGraph, "events, as a CUDA graph", "CUDA graph", GREEN, Shape::Diamond),
    (Scope::HostUnsynced, "host, not synchronized", "host, not synced", VERMILLION, Shape::Circle),
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
            let points = clocks.sizes().into_iter().filter_map(|n| Some(value(n, scope)?.at(n as f64)));
            Series {
                name: format!("{label} ({scope})"),
                ..line(
                    label,
                    short,
                    points.collect(),
                    SeriesStyle { ink, shape },
                    scope != Scope::HostUnsynced,
                )
            }
        })
        .filter(|series| !series.points.is_empty())
        .collect()
}

fn times_by_clock(clocks: &Clocks, alike: &[String]) -> Option<Plot> {
    let name = clocks.name();
    let (n, _) = clocks.deepest()?;
    let seconds = |scope: Scope| Some(seconds_text(clocks.seconds(n, scope)?));
    let title = format!(
        "A solve of {} reads as {} on a clock that does not wait (n = {n})",
        seconds(Scope::HostSynced)?,
        seconds(Scope::HostUnsynced)?
    );
    let mut caption = "Without synchronization the host's clock stops when the launches are queued. The dashed line with open marks is no \
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
            "Seconds of {name} against n by five clocks, both axes logarithmic; the one that waits for nothing stays far below."
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

/// What the clock that waits for nothing reads over the true time, which hides in eight decades of seconds.
fn shares_of_truth(clocks: &Clocks) -> Option<Plot> {
    let name = clocks.name();
    let share = |n: usize| {
        let (read, truth) = (clocks.at(n, Scope::HostUnsynced)?, clocks.at(n, Scope::HostSynced)?);
        Some(over(read, truth).times(100.0).at(n as f64))
    };
    let points: Vec<Point> = clocks.sizes().into_iter().filter_map(share).collect();
    let (n, least) = clocks.deepest()?;
    let title = if least < 1.0 {
        format!("A clock that waits for nothing reads as little as {} of the true time", percent(least))
    } else {
        "A clock that waits for nothing misses nothing of the true time".to_string()
    };
    let label = "launch by launch";
    let style = SeriesStyle { ink: VERMILLION, shape: Shape::Circle };
    (points.len() > 1).then(|| Plot {
        id: format!("clock-shares-{name}"),
        title,
        shows: format!("{name}: what the host's clock reads without a wait, in % of the true time, by n"),
        alt: format!(
            "Percent of the true time of {name} that the host's clock reads without waiting, against n: least at n = {n}, {}.",
            percent(least)
        ),
        caption: format!("The true time is that of the same clock after a wait. The least is at n = {n}."),
        source: None,
        chart: Chart::Lines(Lines::by_n(Axis::new("% of the true time", Scale::Linear, Quantity::Percent).including([0.0, 100.0]),
            vec![line(label, label, points, style, true)],
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
    let title = format!(
        "{} by events becomes {} by a clock that does not wait, at n = {n}",
        times(of(Scope::Kernel)?),
        times(of(Scope::HostUnsynced)?)
    );
    let said: Vec<String> = [
        (Scope::Kernel, "by events"),
        (Scope::Total, "with both copies"),
        (Scope::HostUnsynced, "without synchronization"),
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
            "Speed-up of {name} over {BASELINE} against n by five clocks, both axes logarithmic: at n = {n} {}.",
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
