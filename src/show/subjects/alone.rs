//! What one change gains with all else equal, where an experiment crosses several.

use super::seconds::shown_sizes;
use crate::lists::{distinct, grouped};
use crate::plot::palette;
use crate::plot::{Axis, Chart, Guide, Lines, Plot, Point, Quantity, Scale, Series};
use crate::show::words::range;
use crate::show::{Column, Context, Grid, digits};
use repro_types::Parameters;
use std::collections::BTreeMap;

/// Two columns that differ in one thing, the one without it first.
type Pair<'a> = (&'a Column, &'a Column);

/// A change that was made with two or more settings of all else.
struct Gain {
    /// `unrolled=1`, a line end, `over 0`.
    name: String,
    /// At each n, ascending, how many times as fast it is: from the least to the most of the intervals over all pairs.
    by_size: Vec<(usize, f64, f64)>,
}

/// What every change gains. Nothing where fewer than two things were changed.
fn gains(context: &Context) -> Vec<Gain> {
    let changes = changes(context);
    let things = distinct(changes.iter().map(|(name, _)| name.split('=').next()));
    if things.len() < 2 {
        return Vec::new();
    }
    let at = |pairs: &[Pair], n| {
        let graphs = context.all_graphs();
        let places = pairs.iter().flat_map(|pair| graphs.iter().map(move |graph| (pair, *graph)));
        let ratios = places.filter_map(|((before, after), graph)| {
            let (before, after) = (context.row(before, n, graph)?, context.row(after, n, graph)?);
            Some((before.ci_low_s? / after.ci_high_s?, before.ci_high_s? / after.ci_low_s?))
        });
        let hull = ratios.reduce(|(low, high), (least, most)| (low.min(least), high.max(most)));
        hull.map(|(low, high)| (n, low, high))
    };
    let gain = |(name, pairs): (String, Vec<Pair>)| {
        let by_size = shown_sizes(context).into_iter().filter_map(|n| at(&pairs, n)).collect();
        Gain { name, by_size }
    };
    changes.into_iter().map(gain).collect()
}

/// A column for every change, a row a size. None where there are none.
pub fn table(context: &Context) -> Option<Grid> {
    let gains = gains(context);
    let cell = |gain: &Gain, n| {
        let of_size = gain.by_size.iter().find(|(size, ..)| *size == n);
        of_size.map_or(String::new(), |(_, low, high)| format!("{} to {}", digits(*low), digits(*high)))
    };
    let title =
        "What one change gains, all else equal: times as fast, lowest to highest interval of all pairs";
    Grid::by_size(title, shown_sizes(context), &gains, |gain| gain.name.clone(), cell)
}

/// None where no experiment crosses changes, or at one size alone.
pub fn figure(context: &Context) -> Option<Plot> {
    let gains = gains(context);
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
        chart: Chart::Lines(Lines::by_n(
            Axis::new("Time before over time after, scope kernel", Scale::Log, Quantity::Times),
            series,
            vec![Guide::equal("no gain")],
        )),
    })
}

/// Every change that two or more pairs differ in, in the order of the columns. A parameter that is swept has a table of its own. Two
/// implementations are held against each other where the parameters that both have are the same, defaults included.
fn changes<'a>(context: &'a Context) -> Vec<(String, Vec<Pair<'a>>)> {
    let (swept, facts) = (context.swept(), &context.run.results.facts);
    let whole = |column: &Column, settings: &Parameters| -> BTreeMap<String, u32> {
        let defaults =
            facts.any(&column.implementation).map(|facts| facts.defaults.clone()).unwrap_or_default();
        let all = defaults.iter().chain(settings.iter());
        all.map(|(name, value)| (name.to_string(), value)).collect()
    };
    let known: Vec<(&Column, Parameters)> =
        context.columns.iter().filter_map(|column| Some((column, column.params.parse().ok()?))).collect();
    let pairs = known
        .iter()
        .enumerate()
        .flat_map(|(at, after)| known[..at].iter().map(move |before| (before, after)));
    let named = pairs.filter_map(|((before, settings), (after, others))| {
        let name = if before.implementation == after.implementation {
            let (parameter, from, to) = only_difference(settings, others)?;
            if swept.iter().any(|(name, swept)| *name == after.implementation && swept == parameter) {
                return None;
            }
            format!("{parameter}={to}\nover {from}")
        } else {
            let (own, other) = (whole(before, settings), whole(after, others));
            let is_alike = own.iter().all(|(name, value)| other.get(name).is_none_or(|it| it == value));
            (is_alike && settings == others && !settings.is_empty())
                .then(|| format!("{}\nover {}", after.implementation, before.implementation))?
        };
        Some((name, (*before, *after)))
    });
    grouped(named).into_iter().filter(|(_, pairs)| pairs.len() > 1).collect()
}

/// The one parameter that both have, with another value each.
fn only_difference<'a>(ones: &'a Parameters, others: &Parameters) -> Option<(&'a str, u32, u32)> {
    let of_others: Vec<(&str, u32)> = others.iter().collect();
    if ones.iter().count() != of_others.len() {
        return None;
    }
    let mut differing = ones.iter().filter(|one| !of_others.contains(one));
    let (name, value) = differing.next()?;
    let (_, other) = *of_others.iter().find(|(other, _)| *other == name)?;
    differing.next().is_none().then_some((name, value, other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::fixtures::{cell, experiment, measured, run};

    #[test]
    fn two_implementations_whose_defaults_differ_are_not_held_against_each_other() {
        let of = |settings: [&'static str; 2]| {
            let columns =
                ["katz-kider-1024", "two-phase"].map(|name| settings.map(|params| (name, params))).concat();
            let summary: Vec<_> =
                columns.iter().map(|(name, params)| measured(cell(name, params, 64), &[1.0; 3])).collect();
            gains(&Context::new(&run(experiment(&columns, &[""]), summary), &[]))
        };
        // A tile that nobody placed is in a register in one, and in shared memory in the other.
        assert_eq!(of(["unrolled=0", "unrolled=1"]).len(), 0);
        let placed = of(["tile-place=0;element-loop=0;unrolled=0", "tile-place=0;element-loop=0;unrolled=1"]);
        let names: Vec<&str> = placed.iter().map(|gain| gain.name.as_str()).collect();
        assert_eq!(names, ["unrolled=1\nover 0", "two-phase\nover katz-kider-1024"]);
    }
}
