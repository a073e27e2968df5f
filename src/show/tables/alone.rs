//! What one change gains with all else equal, where an experiment crosses several.

use super::columns::{Column, Columns};
use crate::lists::{distinct, grouped};
use crate::results::Facts;
use crate::show::{Grid, digits};
use repro_types::Parameters;
use std::collections::BTreeMap;

/// Two columns that differ in one thing, the one without it first.
type Pair<'a> = (&'a Column, &'a Column);

/// A change that was made with two or more settings of all else.
pub struct Gain {
    /// `unrolled=1`, a line end, `over 0`.
    pub name: String,
    /// At each n, ascending, how many times as fast it is: from the least to the most of the intervals over all pairs.
    pub by_size: Vec<(usize, f64, f64)>,
}

/// What every change gains. Nothing where fewer than two things were changed.
pub fn gains(columns: &Columns, facts: &Facts) -> Vec<Gain> {
    let changes = changes(columns, facts);
    let things = distinct(changes.iter().map(|(name, _)| name.split('=').next()));
    if things.len() < 2 {
        return Vec::new();
    }
    let at = |pairs: &[Pair], n| {
        let graphs = columns.graphs();
        let places = pairs.iter().flat_map(|pair| graphs.iter().map(move |graph| (pair, *graph)));
        let ratios = places.filter_map(|((before, after), graph)| {
            let (before, after) = (columns.row(before, n, graph)?, columns.row(after, n, graph)?);
            Some((before.ci_low_s? / after.ci_high_s?, before.ci_high_s? / after.ci_low_s?))
        });
        let hull = ratios.reduce(|(low, high), (least, most)| (low.min(least), high.max(most)));
        hull.map(|(low, high)| (n, low, high))
    };
    let gain = |(name, pairs): (String, Vec<Pair>)| {
        let by_size =
            super::seconds::shown_sizes(columns).into_iter().filter_map(|n| at(&pairs, n)).collect();
        Gain { name, by_size }
    };
    changes.into_iter().map(gain).collect()
}

/// A column for every change, a row a size. None where there are none.
pub fn grid(columns: &Columns, facts: &Facts) -> Option<Grid> {
    let gains = gains(columns, facts);
    if gains.is_empty() {
        return None;
    }
    let cell = |gain: &&Gain, n| {
        let of_size = gain.by_size.iter().find(|(size, ..)| *size == n);
        of_size.map_or(String::new(), |(_, low, high)| format!("{} to {}", digits(*low), digits(*high)))
    };
    let title =
        "What one change gains, all else equal: times as fast, lowest to highest interval of all pairs";
    let shown: Vec<&Gain> = gains.iter().collect();
    Grid::by_size(title, super::seconds::shown_sizes(columns), &shown, |gain| gain.name.clone(), cell)
}

/// Every change that two or more pairs differ in, in the order of the columns. A parameter that is swept has a table of its own. Two
/// implementations are held against each other where the parameters that both have are the same, defaults included.
fn changes<'a>(columns: &'a Columns, facts: &Facts) -> Vec<(String, Vec<Pair<'a>>)> {
    let swept = columns.swept();
    let whole = |column: &Column, settings: &Parameters| -> BTreeMap<String, u32> {
        let defaults =
            facts.any(&column.implementation).map(|facts| facts.defaults.clone()).unwrap_or_default();
        let all = defaults.iter().chain(settings.iter());
        all.map(|(name, value)| (name.to_string(), value)).collect()
    };
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
    use crate::show::tables::fixtures::{cell, experiment, facts_of, measured};

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
        let shown = grid(&Columns::new(&experiment, &summary), &facts_of(&summary)).unwrap();
        assert_eq!(shown.header, ["n", "unrolled=1\nover 0", "tile-place=1\nover 0"]);
        assert_eq!(shown.rows, [["64", "2.000 to 6.000", "1.333 to 4.000"]]);
    }

    #[test]
    fn where_one_thing_alone_was_changed_there_is_no_such_table() {
        let columns = [("two-phase", "unrolled=0"), ("two-phase", "unrolled=1"), ("staged-load", "")];
        let experiment = experiment(&columns, &[""]);
        let summary = columns.map(|(name, params)| measured(cell(name, params, 64), &[1.0]));
        assert!(grid(&Columns::new(&experiment, &summary), &facts_of(&summary)).is_none());
    }

    #[test]
    fn two_implementations_whose_defaults_differ_are_not_held_against_each_other() {
        let of = |settings: [&'static str; 2]| {
            let columns =
                ["katz-kider-1024", "two-phase"].map(|name| settings.map(|params| (name, params))).concat();
            let summary: Vec<_> =
                columns.iter().map(|(name, params)| measured(cell(name, params, 64), &[1.0; 3])).collect();
            gains(&Columns::new(&experiment(&columns, &[""]), &summary), &facts_of(&summary))
        };
        // A tile that nobody placed is in a register in one, and in shared memory in the other.
        assert_eq!(of(["unrolled=0", "unrolled=1"]).len(), 0);
        let placed = of(["tile-place=0;element-loop=0;unrolled=0", "tile-place=0;element-loop=0;unrolled=1"]);
        let names: Vec<&str> = placed.iter().map(|gain| gain.name.as_str()).collect();
        assert_eq!(names, ["unrolled=1\nover 0", "two-phase\nover katz-kider-1024"]);
    }
}
