//! What one change gains with all else equal, where an experiment crosses several.

use super::columns::{Column, Columns};
use crate::lists::{distinct, grouped};
use crate::show::grid::{Grid, digits};
use repro_types::Parameters;

/// Two columns that differ in one thing, the one without it first.
type Pair<'a> = (&'a Column, &'a Column);

/// A column for every change that was made with two or more settings of all else, a row a size: how many times as fast the
/// second of a pair is, from the least to the most of its intervals over all pairs. None where fewer than two things were
/// changed.
pub fn grid(columns: &Columns) -> Option<Grid> {
    let changes = changes(columns);
    let things = distinct(changes.iter().map(|(name, _)| name.split('=').next()));
    if things.len() < 2 {
        return None;
    }
    let cell = |(_, pairs): &&(String, Vec<Pair>), n| {
        let graphs = columns.graphs();
        let places = pairs.iter().flat_map(|pair| graphs.iter().map(move |graph| (pair, *graph)));
        let ratios: Vec<(f64, f64)> = places
            .filter_map(|((before, after), graph)| {
                let (before, after) = (columns.row(before, n, graph)?, columns.row(after, n, graph)?);
                Some((before.ci_low_s? / after.ci_high_s?, before.ci_high_s? / after.ci_low_s?))
            })
            .collect();
        let hull = ratios.into_iter().reduce(|(low, high), (least, most)| (low.min(least), high.max(most)));
        hull.map_or(String::new(), |(low, high)| format!("{} to {}", digits(low), digits(high)))
    };
    let title =
        "What one change gains, all else equal: times as fast, lowest to highest interval of all pairs";
    let shown: Vec<&(String, Vec<Pair>)> = changes.iter().collect();
    Grid::by_size(title, super::seconds::shown_sizes(columns), &shown, |(name, _)| name.clone(), cell)
}

/// Every change that two or more pairs differ in, in the order of the columns. A parameter that is swept has a table of its own.
fn changes<'a>(columns: &'a Columns) -> Vec<(String, Vec<Pair<'a>>)> {
    let swept = columns.swept();
    let known: Vec<(&Column, Parameters)> =
        columns.all.iter().filter_map(|column| Some((column, column.params.parse().ok()?))).collect();
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
            (settings == others && !settings.is_empty())
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
    use crate::show::tables::fixtures::{cell, experiment, measured};

    const SETTINGS: [&str; 4] = [
        "tile-place=0;unrolled=0",
        "tile-place=0;unrolled=1",
        "tile-place=1;unrolled=0",
        "tile-place=1;unrolled=1",
    ];

    #[test]
    fn a_change_is_told_over_every_setting_of_all_else() {
        let columns = SETTINGS.map(|params| ("two-phase", params));
        let experiment = experiment(&columns, &[""]);
        let seconds = [8.0, 4.0, 6.0, 1.0];
        let summary: Vec<_> = SETTINGS
            .iter()
            .zip(seconds)
            .map(|(params, s)| measured(cell("two-phase", params, 64), &[s; 3]))
            .collect();
        let shown = grid(&Columns::new(&experiment, &summary)).unwrap();
        assert_eq!(shown.header, ["n", "unrolled=1\nover 0", "tile-place=1\nover 0"]);
        assert_eq!(shown.rows, [["64", "2.000 to 6.000", "1.333 to 4.000"]]);
    }

    #[test]
    fn where_one_thing_alone_was_changed_there_is_no_such_table() {
        let columns = [("two-phase", "unrolled=0"), ("two-phase", "unrolled=1"), ("staged-load", "")];
        let experiment = experiment(&columns, &[""]);
        let summary = columns.map(|(name, params)| measured(cell(name, params, 64), &[1.0]));
        assert!(grid(&Columns::new(&experiment, &summary)).is_none());
    }
}
