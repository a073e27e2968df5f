//! What one change gains with all else equal, against n.

use super::context::Context;
use super::words::range;
use crate::report::plot::palette::{self, GREY};
use crate::report::plot::{Axis, Chart, Guide, Lines, Plot, Point, Quantity, Scale, Series, Stroke};
use crate::show::gains;

/// None where no experiment crosses changes, or at one size alone.
pub fn plot(context: &Context) -> Option<Plot> {
    let gains = gains(&context.columns, &context.run.results.facts);
    let series = gains.iter().enumerate().map(|(place, gain)| {
        let point = |&(n, low, high): &(usize, f64, f64)| Point {
            low: Some(low),
            high: Some(high),
            ..Point::at(n as f64, (low * high).sqrt())
        };
        Series::new(&gain.name, gain.by_size.iter().map(point).collect(), palette::look(place))
    });
    let series: Vec<Series> = series.filter(|one: &Series| one.points.len() > 1).collect();
    let last = series.first()?.points.last()?.x;
    let at_last = |one: &Series| {
        let point = one.points.last().filter(|point| point.x == last)?;
        Some((one.name.replace(',', ""), point.y, point.low?, point.high?))
    };
    let all: Vec<(String, f64, f64, f64)> = series.iter().filter_map(at_last).collect();
    let (name, middle, low, high) = all.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let most = range(*low, *high);
    let title = match *middle > 1.0 {
        true => format!("{name} gains most at n = {last}: {most}"),
        false => format!("No change gains at n = {last}; the best of them, {name}, is {most}"),
    };
    let said: Vec<String> =
        all.iter().map(|(name, _, low, high)| format!("{name} {low:.2} to {high:.2}")).collect();
    let caption = format!(
        "Times as fast at n = {last}: {}. One parameter is changed, or the implementation and no parameter. A bar is from the lowest to the highest interval over all settings of what else was changed, \
         and its mark the geometric middle.",
        said.join("; ")
    );
    Some(Plot {
        id: "gains".into(),
        title,
        shows: "Times as fast by one change, all else equal, by n".into(),
        alt: format!(
            "How many times as fast each change makes a solve, against n. At n = {last}: {}.",
            said.join("; ")
        ),
        caption,
        source: None,
        chart: Chart::Lines(Lines::new(
            Axis::vertices(),
            Axis::new("Time before over time after, scope kernel", Scale::Log, Quantity::Times),
            series,
            vec![Guide::new(1.0, "no gain", "no gain", GREY, Stroke::Solid)],
        )),
    })
}
