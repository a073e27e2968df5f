//! What stands beside the kernels: copies between host and device, and pairs that the paper compares by the same clocks.

use super::clocks::{at, line, sizes};
use super::context::{Context, over};
use crate::lists::{distinct, extremes};
use crate::published::Claim;
use crate::report::plot::palette::{BLUE, GREEN, GREY, MUTED, ORANGE, PURPLE, SKY};
use crate::report::plot::{
    Axis, Chart, Guide, Lines, Plot, Quantity, Scale, Series, SeriesStyle, Shape, Stroke, significant,
};
use crate::show::TableColumn;
use crate::timing::Scope;

/// Copies of the first implementation of which they were timed, and pairs of the paper.
pub fn plots(context: &Context) -> Vec<Plot> {
    let timed = context.timed_columns();
    let first = timed.into_iter().find(|column| sizes(context, column).len() > 1);
    pairs(context).into_iter().chain(first.and_then(|column| copies(context, column))).collect()
}

fn copies(context: &Context, column: &TableColumn) -> Option<Plot> {
    let name = &column.implementation;
    let kinds = [
        (Scope::Kernel, name.as_str(), name.as_str(), GREY, Shape::Circle, true),
        (Scope::CopyInPageable, "copy in, pageable", "in, pageable", ORANGE, Shape::Down, false),
        (Scope::CopyOutPageable, "copy back, pageable", "back, pageable", PURPLE, Shape::Up, false),
        (Scope::CopyIn, "copy in, page-locked", "in, locked", BLUE, Shape::Down, true),
        (Scope::CopyOut, "copy back, page-locked", "back, locked", GREEN, Shape::Up, true),
    ];
    let series: Vec<Series> = kinds
        .into_iter()
        .map(|(scope, label, short, ink, shape, filled)| {
            let points = sizes(context, column).into_iter();
            let points = points.filter_map(|n| Some(at(context, column, n, scope)?.at(n as f64))).collect();
            line(label, short, points, SeriesStyle { ink, shape }, filled)
        })
        .filter(|series| !series.points.is_empty())
        .collect();
    if series.len() < 2 {
        return None;
    }
    let n = *sizes(context, column).last()?;
    let of = |scope: Scope| Some(at(context, column, n, scope)?.median);
    let bytes = 4.0 * (n as f64).powi(2);
    let rates: Vec<(&str, f64)> = [
        (Scope::CopyIn, "in, page-locked"),
        (Scope::CopyInPageable, "in, pageable"),
        (Scope::CopyOut, "back, page-locked"),
        (Scope::CopyOutPageable, "back, pageable"),
    ]
    .into_iter()
    .filter_map(|(scope, how)| Some((how, bytes / of(scope)? * 1e-9)))
    .collect();
    let told = |(how, rate): &(&str, f64)| format!("{} GB/s ({how})", significant(*rate, 3));
    let (least, most) = extremes(&rates)?;
    let said: Vec<String> = rates.iter().map(told).collect();
    Some(Plot {
        id: "copies".into(),
        title: format!("Copies run at {} to {} at n = {n}", told(&least), told(&most)),
        shows: "Seconds of copies between host and device by n".into(),
        caption: format!(
            "At n = {n} the matrix of 4n² bytes is copied at {}. {name} by events is there to compare with.",
            super::words::list(&said)
        ),
        alt: format!(
            "Seconds of copies from and to pageable and page-locked memory against n, beside those of {name}."
        ),
        source: None,
        chart: Chart::Lines(Lines::new(
            Axis::vertices(),
            Axis::new("Time of one copy of the matrix", Scale::Log, Quantity::Seconds),
            series,
            Vec::new(),
        )),
    })
}

/// Pairs that the paper compares and of which both were read by these clocks.
fn pairs(context: &Context) -> Vec<Plot> {
    let claims = context.paper.map(|paper| &paper.claims[..]).unwrap_or_default();
    let pairs = claims.iter().filter_map(Claim::speed_up);
    distinct(pairs).into_iter().filter_map(|(faster, slower)| pair(context, faster, slower)).collect()
}

fn pair(context: &Context, faster: &str, slower: &str) -> Option<Plot> {
    let (fast, slow) = (context.columns.of(faster)?, context.columns.of(slower)?);
    let sizes = sizes(context, slow);
    let ratio = |n: usize, scope| Some(over(at(context, slow, n, scope)?, at(context, fast, n, scope)?));
    let kinds = [
        (Scope::Kernel, "launch by launch", "by launch", BLUE, Shape::Circle),
        (Scope::CudaGraph, "as one CUDA graph", "CUDA graph", SKY, Shape::Diamond),
    ];
    let mut findings: Vec<String> = Vec::new();
    let mut title = String::new();
    let mut series = Vec::new();
    for (scope, label, short, ink, shape) in kinds {
        let ratios: Vec<(usize, f64)> =
            sizes.iter().filter_map(|&n| Some((n, ratio(n, scope)?.median))).collect();
        if ratios.len() < 2 {
            continue;
        }
        if let Some((least, most)) = extremes(&ratios) {
            let longer = ratios.iter().filter(|(_, ratio)| *ratio > 1.0).count();
            let longer = format!("longer at {longer} of {} sizes", ratios.len());
            if title.is_empty() {
                title = format!(
                    "{slower} takes {:.3} to {:.3} of the time of {faster}, {longer}",
                    least.1, most.1
                );
            }
            findings.push(format!(
                "{label} {:.3} (n = {}) to {:.3} (n = {}), {longer}",
                least.1, least.0, most.1, most.0
            ));
        }
        let points = sizes.iter().filter_map(|&n| Some(ratio(n, scope)?.at(n as f64))).collect();
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
        chart: Chart::Lines(Lines::new(
            Axis::vertices(),
            Axis::new(&format!("Time of {slower} over that of {faster}"), Scale::Linear, Quantity::Times),
            series,
            vec![Guide::new(1.0, "equally fast", "equally fast", MUTED, Stroke::Dashed)],
        )),
    })
}
