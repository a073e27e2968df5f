//! Effective GB/s against n, beside the bandwidth of a copy.

use super::figure::{keys, published};
use crate::plot::palette::MUTED;
use crate::plot::{Axis, Chart, Guide, Lines, Plot, Point, Quantity, Scale, Stroke, significant};
use crate::show::Context;
use crate::show::words::of_these;

/// None when no GPU implementation was timed at two sizes. The CPU's memory is another one.
pub fn bandwidth(context: &Context) -> Option<Plot> {
    let columns =
        context.timed_columns().into_iter().filter(|column| context.run.is_on_device(&column.implementation));
    let mut above: Vec<String> = Vec::new();
    let copy = context.device().map(|device| device.copy_gbs);
    let mut series: Vec<_> = columns
        .filter_map(|column| {
            let bytes = context.bytes_a_task(column)?;
            let series = context.series(column, |n| {
                let tasks = context.tasks(column, n, context.elements().0);
                context.point(column, n, |time| time.rate(tasks).times(bytes).times(1e-9))
            });
            let over: Vec<&Point> =
                series.points.iter().filter(|point| copy.is_some_and(|copy| point.y > copy)).collect();
            if let (Some(first), Some(last)) = (over.first(), over.last()) {
                let most = over.iter().map(|point| point.y).fold(0.0, f64::max);
                let sizes = if first.x == last.x {
                    format!("n = {}", first.x)
                } else {
                    format!("n = {} to {}", first.x, last.x)
                };
                above.push(format!(
                    "{} at {sizes} ({} GB/s at most)",
                    context.name(column),
                    significant(most, 4)
                ));
            }
            Some(series)
        })
        .collect();
    if series.iter().all(|one| one.points.len() < 2) {
        return None;
    }
    let guides: Vec<Guide> = copy
        .map(|at| {
            Guide::new(
                at,
                format!("measured copy bandwidth: {} GB/s", significant(at, 4)),
                format!("copy: {} GB/s", significant(at, 4)),
                MUTED,
                Stroke::Dashed,
            )
        })
        .into_iter()
        .collect();
    let since = ". No memory is that fast: caches serve part of the bytes that the model counts";
    let finding = of_these("Above what a copy reaches: ", &above, since);
    let marks = series.iter().flat_map(|one| one.points.iter().map(move |point| (&one.name, point.y)));
    let (name, most) = marks.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let share = copy.map(|copy| format!(", {}% of what a copy reaches", significant(most / copy * 100.0, 3)));
    let title =
        format!("{name} reaches {} GB/s by its model{}", significant(most, 4), share.unwrap_or_default());
    let names: Vec<String> = series.iter().map(|one| one.name.clone()).collect();
    let published = published(context, |name, n, seconds| {
        let column = context.of(name).filter(|_| context.run.is_on_device(name))?;
        Some((n as f64).powi(3) / seconds * context.bytes_a_task(column)? * 1e-9)
    });
    let keys = keys(!published.is_empty());
    series.splice(0..0, published);
    Some(Plot {
        id: "bandwidth".into(),
        title,
        shows: "Effective bandwidth by n, and that of a copy".into(),
        alt: format!(
            "Effective gigabytes a second of {} against n, with the copy bandwidth as a line.",
            names.join(", ")
        ),
        caption: format!(
            "{finding}Effective GB/s are tasks/s times the bytes that a task moves by the implementation's model."
        ),
        source: None,
        chart: Chart::Lines(Lines {
            keys,
            // The paper's GPU had a fortieth of the bandwidth.
            ..Lines::by_n(
                Axis::new("Effective GB/s, scope kernel", Scale::Log, Quantity::GigabytesPerSecond),
                series,
                guides,
            )
        }),
    })
}
