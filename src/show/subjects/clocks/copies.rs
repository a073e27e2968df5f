//! What stands beside the kernels: copies between host and device, and pairs that the paper compares by the same clocks.

use super::{Clocks, Compared, line};
use crate::lists::extremes;
use crate::plot::palette::{BLUE, GREY, MUTED, ORANGE, PURPLE, SKY};
use crate::plot::{
    Axis, Chart, Guide, Lines, Plot, Quantity, Scale, Series, SeriesStyle, Shape, Stroke, significant,
};
use crate::show::subjects::speedups::compared;
use crate::show::{Context, list};
use crate::timing::Scope;

/// Copies of the first implementation of which they were timed, and pairs of the paper.
pub fn figures(context: &Context) -> Vec<Plot> {
    let mut timed = context.timed_columns().into_iter().map(|column| Clocks::of(context, column));
    let first = timed.find(|clocks| clocks.sizes().len() > 1);
    let pairs = context.paper.map(compared).unwrap_or_default();
    let pairs = pairs.into_iter().filter_map(|(faster, slower)| pair(context, faster, slower));
    pairs.chain(first.and_then(|clocks| copies(&clocks))).collect()
}

fn copies(clocks: &Clocks) -> Option<Plot> {
    let name = clocks.name();
    let kinds = [
        (Scope::Kernel, name, name, GREY, Shape::Circle, true),
        (Scope::CopyInPageable, "copy in", "in", ORANGE, Shape::Down, false),
        (Scope::CopyOutPageable, "copy back", "back", PURPLE, Shape::Up, false),
    ];
    let series: Vec<Series> = kinds
        .into_iter()
        .map(|(scope, label, short, ink, shape, filled)| {
            let points = clocks.sizes().into_iter();
            let points = points.filter_map(|n| Some(clocks.at(n, scope)?.at(n as f64)));
            line(label, short, points.collect(), SeriesStyle { ink, shape }, filled)
        })
        .filter(|series| !series.points.is_empty())
        .collect();
    if series.len() < 2 {
        return None;
    }
    let n = *clocks.sizes().last()?;
    let bytes = 4.0 * (n as f64).powi(2);
    let rates: Vec<(&str, f64)> = [(Scope::CopyInPageable, "in"), (Scope::CopyOutPageable, "back")]
        .into_iter()
        .filter_map(|(scope, how)| Some((how, bytes / clocks.seconds(n, scope)? * 1e-9)))
        .collect();
    let told = |(how, rate): &(&str, f64)| format!("{} GB/s ({how})", significant(*rate, 3));
    let (least, most) = extremes(&rates)?;
    let said: Vec<String> = rates.iter().map(told).collect();
    Some(Plot {
        id: "copies".into(),
        title: format!("Copies of pageable memory run at {} to {} at n = {n}", told(&least), told(&most)),
        shows: "Seconds of copies between host and device by n".into(),
        caption: format!(
            "At n = {n} the matrix of 4n² bytes is copied from and to pageable memory at {}. {name} by events is there to compare with.",
            list(&said)
        ),
        alt: format!("Seconds of copies from and to pageable memory against n, beside those of {name}."),
        source: None,
        chart: Chart::Lines(Lines::by_n(
            Axis::new("Time of one copy of the matrix", Scale::Log, Quantity::Seconds),
            series,
            Vec::new(),
        )),
    })
}

/// Two that the paper compares, where both were read by these clocks.
fn pair(context: &Context, faster: &str, slower: &str) -> Option<Plot> {
    let of = |name: &str| Some(Clocks::of(context, context.of(name)?));
    let (fast, slow) = (of(faster)?, of(slower)?);
    let kinds = [
        (Scope::Kernel, "launch by launch", "by launch", BLUE, Shape::Circle),
        (Scope::CudaGraph, "as one CUDA graph", "CUDA graph", SKY, Shape::Diamond),
    ];
    let mut findings: Vec<String> = Vec::new();
    let mut title = String::new();
    let mut series = Vec::new();
    for (scope, label, short, ink, shape) in kinds {
        let compared = Compared::of(slow, fast, scope).filter(|compared| compared.ratios.len() > 1);
        let Some(compared) = compared else { continue };
        let longer = compared.longer();
        if title.is_empty() {
            let (least, most) = (compared.least.1, compared.most.1);
            title = format!("{slower} takes {least:.3} to {most:.3} of the time of {faster}, {longer}");
        }
        findings.push(format!("{label} {}, {longer}", compared.range()));
        let points = compared.ratios.iter().map(|(n, ratio)| ratio.at(*n as f64)).collect();
        series.push(line(label, short, points, SeriesStyle { ink, shape }, true));
    }
    if series.is_empty() {
        return None;
    }
    Some(Plot {
        id: format!("ratio-{slower}-{faster}"),
        title,
        shows: format!("Time of {slower} over that of {faster} by n"),
        alt: format!("Time of {slower} over that of {faster} against n: {}.", findings.join("; ")),
        caption: format!("Time over time: {}.", findings.join("; ")),
        source: None,
        chart: Chart::Lines(Lines::by_n(
            Axis::new(&format!("Time of {slower} over that of {faster}"), Scale::Linear, Quantity::Times),
            series,
            vec![Guide::new(1.0, "equally fast", "equally fast", MUTED, Stroke::Dashed)],
        )),
    })
}
