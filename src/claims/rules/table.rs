//! A column of a published table of seconds: compared as its place among the columns.

use crate::claims::Point;
use crate::claims::evidence::Evidence;
use crate::claims::outcome::{Outcome, measured};
use crate::claims::verdict::Range;
use crate::lists::extent;
use crate::record::{PublishedPaper, PublishedTable};
use crate::timing::Scope;

/// The column that is next to `implementation` in speed at the sizes that both have: the next slower one, or of the slowest
/// the next faster one. With whether that one is slower.
fn neighbour<'a>(table: &'a PublishedTable, implementation: &str) -> Option<(&'a str, bool)> {
    // At the largest n that two columns share, one of them is the slower; the number of columns that are is a rank.
    let slower = |a: &str, b: &str| {
        let shared = table.columns.get(a)?.keys().filter(|n| table.seconds(b, **n).is_some()).max()?;
        Some(table.seconds(a, *shared)? > table.seconds(b, *shared)?)
    };
    let mut names: Vec<&str> = table.columns.keys().map(String::as_str).collect();
    names.sort_by_key(|name| names_slower_than(table, name, &slower));
    let at = names.iter().position(|name| *name == implementation)?;
    match at {
        0 => Some((names.get(1)?, false)),
        at => Some((names[at - 1], true)),
    }
}

fn names_slower_than(
    table: &PublishedTable,
    name: &str,
    slower: &impl Fn(&str, &str) -> Option<bool>,
) -> usize {
    table.columns.keys().filter(|other| slower(other, name) == Some(true)).count()
}

/// Times of the paper's GPU are not comparable; whether one column is faster than the next is.
pub fn column(
    paper: &PublishedPaper,
    table: &PublishedTable,
    implementation: &str,
    evidence: &Evidence,
) -> Outcome {
    let Some((other, other_is_slower)) = neighbour(table, implementation) else {
        return Outcome::missing("The table has no other column to compare this one with.");
    };
    if !other_is_slower {
        return Outcome {
            compared_as: "nothing: times of another machine, and no column is slower".to_string(),
            missing: format!("The slowest column: the row of {other} compares the two."),
            remarks: times(paper, table, implementation, evidence).into_iter().collect(),
            ..Outcome::default()
        };
    }
    let in_both = |n| table.seconds(implementation, n).is_some() && table.seconds(other, n).is_some();
    let found = evidence
        .fullest(&paper.id, |run| evidence.ratios(run, (implementation, other), Scope::Kernel, in_both));
    let Some((run, ratios)) = found else {
        return Outcome::missing(format!(
            "No run has both {implementation} and {other} at a size of the table."
        ));
    };
    let points: Vec<Point> =
        ratios.into_iter().map(|(n, ratio)| Point::at_n(n, ratio, Range::at_least(1.0))).collect();
    Outcome {
        compared_as: format!("its place among the columns: faster than {other} at every size"),
        shown: measured(&points, &format!("times as fast as {other}")),
        points,
        runs: vec![run.name()],
        remarks: times(paper, table, implementation, evidence).into_iter().collect(),
        ..Outcome::default()
    }
}

/// How far apart the times are, which says more of the machines than of the paper.
fn times(
    paper: &PublishedPaper,
    table: &PublishedTable,
    implementation: &str,
    evidence: &Evidence,
) -> Option<String> {
    let (_, ratios) = evidence.fullest(&paper.id, |run| {
        let times = evidence.times(run, implementation, |_| true).into_iter();
        times.filter_map(|(n, here)| Some(table.seconds(implementation, n)? / here.value)).collect()
    })?;
    let (lowest, highest) = extent(ratios)?;
    let machine = if implementation.starts_with("cpu") { paper.cpu.as_ref()? } else { &paper.gpu };
    Some(format!(
        "As times they are of another machine: here {lowest:.1} to {highest:.1} times as fast as on {machine}."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::published_papers;

    #[test]
    fn each_column_of_table_1_is_set_against_the_next_slower_and_the_slowest_against_the_next_faster() {
        let paper =
            published_papers().unwrap().into_iter().find(|paper| paper.id == "lund-smith-2010").unwrap();
        let table = paper.table("table1").unwrap();
        for (name, other) in [
            ("cpu-naive", ("harish-narayanan", false)),
            ("harish-narayanan", ("cpu-naive", true)),
            ("katz-kider", ("harish-narayanan", true)),
            ("optimized-blocked", ("katz-kider", true)),
            ("staged-load", ("optimized-blocked", true)),
        ] {
            assert_eq!(neighbour(table, name), Some(other), "{name}");
        }
    }
}
