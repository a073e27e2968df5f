//! One implementation against several that it is compared with: how many times faster, against n.

use super::figure::published;
use super::{Pair, pairs};
use crate::lists::{count_of, extent, geometric_mean};
use crate::plot::{Axis, Chart, Guide, Lines, Plot, Quantity, Scale, Series};
use crate::show::Context;
use crate::show::subjects::clocks::Clocks;
use crate::show::words::{list, range, times};
use crate::timing::Scope;

/// A caption names so many ratios at most.
const NAMED: usize = 4;

/// None where no implementation is compared with several, where a table has its own figure, and where clocks have theirs.
pub fn baselines(context: &Context) -> Option<Plot> {
    let paper = context.paper.filter(|_| context.table.is_none())?;
    let pairs = pairs(paper);
    let of = |name: &str| -> Vec<&Pair> {
        let measured = |pair: &&Pair| context.of(pair.slower).is_some();
        pairs
            .iter()
            .filter(|pair| pair.faster == name && pair.scope == Scope::Kernel)
            .filter(measured)
            .collect()
    };
    let several = |pair: &&Pair| of(pair.faster).len() > 1 && context.of(pair.faster).is_some();
    let faster = pairs.iter().find(several)?.faster;
    let fast = context.of(faster)?;
    if !Clocks::of(context, fast).sizes().is_empty() || !context.experiment.steps.is_empty() {
        return None;
    }
    let mut guides = vec![Guide::equal(&format!("as fast as {faster}"))];
    // One statement is one line, over however many variants of what it is about.
    for pair in of(faster) {
        guides.extend(published(pair));
    }
    let mut said: Vec<String> = Vec::new();
    let mut means: Vec<f64> = Vec::new();
    let mut series: Vec<Series> = Vec::new();
    for slow in context.timed_columns().into_iter().filter(|column| column.implementation != faster) {
        let ratio = |n: usize| context.ratio(slow, fast, n, Scope::Kernel);
        let pair = of(faster).into_iter().find(|pair| pair.slower == slow.implementation);
        let one = context.series(slow, |n| {
            let mut point = ratio(n)?.at(n as f64);
            point.facts.published = pair.and_then(|pair| pair.published(n));
            Some(point)
        });
        if one.points.is_empty() {
            continue;
        }
        if pair.is_some() {
            let mean = geometric_mean(one.points.iter().map(|point| point.y));
            means.push(mean);
            let last = one.points.last()?;
            let name = context.name(slow);
            said.push(format!("{} as fast as {name} ({} at n = {})", times(mean), times(last.y), last.x));
        }
        series.push(one);
    }
    if series.iter().all(|one| one.points.len() < 2) {
        return None;
    }
    let others = match said.len().saturating_sub(NAMED) {
        0 => String::new(),
        1 => " One other is in the table.".to_string(),
        many => format!(" {many} others are in the table."),
    };
    said.truncate(NAMED);
    let (least, most) = extent(means.iter().copied())?;
    let (slower, all) = (means.iter().filter(|mean| **mean > 1.0).count(), means.len());
    let how_many = match slower {
        _ if slower == all => String::new(),
        0 => ", faster than none of them".to_string(),
        some => format!(", faster than {some} of them"),
    };
    let baselines = count_of(all, "baseline");
    let title = format!("{faster} is {} as fast as its {baselines}{how_many}", range(least, most));
    Some(Plot {
        id: "baselines".into(),
        title,
        shows: format!("How many times as fast as each baseline {faster} is, by n"),
        caption: format!(
            "By geometric mean, {faster} is {}.{others} Dotted lines are what the paper states. Ratios of times of scope kernel on the graphs \
             that both were measured on.",
            list(&said)
        ),
        alt: format!(
            "Time of each baseline over that of {faster} against n, with the published ratios as lines: {}.",
            said.join("; ")
        ),
        source: None,
        chart: Chart::Lines(Lines::by_n(
            Axis::new(&format!("Time over that of {faster}, scope kernel"), Scale::Log, Quantity::Times),
            series,
            guides,
        )),
    })
}
