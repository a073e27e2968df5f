//! A column of a published table of seconds: compared as its place among the columns, and the slowest by how it grows.

use super::ratio::{at_each, seconds};
use crate::claims::Point;
use crate::claims::evidence::Evidence;
use crate::claims::outcome::Outcome;
use crate::claims::said::{Comparison, Contender, FigureUnit, Remark, Sizes};
use crate::claims::settings::{Settings, Threshold};
use crate::claims::verdict::Range;
use crate::lists::extent;
use crate::published::{PublishedPaper, PublishedTable};
use crate::timing::Scope;

/// The column that is next to `implementation` in speed at the sizes that both have: the next slower one. None of the slowest.
fn next_slower<'a>(table: &'a PublishedTable, implementation: &str) -> Option<&'a str> {
    // At the largest n that two columns share, one of them is the slower; the number of columns that are is a rank.
    let slower = |a: &str, b: &str| {
        let shared = table.columns.get(a)?.keys().filter(|n| table.seconds(b, **n).is_some()).max()?;
        Some(table.seconds(a, *shared)? > table.seconds(b, *shared)?)
    };
    let slower_than =
        |name: &str| table.columns.keys().filter(|other| slower(other, name) == Some(true)).count();
    let mut names: Vec<&str> = table.columns.keys().map(String::as_str).collect();
    names.sort_by_key(|name| slower_than(name));
    let at = names.iter().position(|name| *name == implementation)?;
    at.checked_sub(1).map(|before| names[before])
}

/// Times of the paper's GPU are not comparable; whether one column is faster than the next is, and how the slowest grows.
pub fn column(
    paper: &PublishedPaper,
    table: &PublishedTable,
    implementation: &str,
    (evidence, settings): (&Evidence, &Settings),
) -> Outcome {
    let Some(other) = next_slower(table, implementation) else {
        return growth(paper, table, implementation, (evidence, settings));
    };
    let in_both = |n| table.seconds(implementation, n).is_some() && table.seconds(other, n).is_some();
    let pair = (implementation, other);
    let found = evidence.fullest(&paper.id, |run| {
        let is_solved = |n| in_both(n) && !run.is_estimated(implementation, n) && !run.is_estimated(other, n);
        evidence.ratios(run, pair, Scope::Kernel, is_solved)
    });
    let Some((run, ratios)) = found else {
        let both = [Contender::of(implementation), Contender::of(other)];
        return Outcome::lacking(evidence.lacking(&both, Sizes::OfTable));
    };
    let points = at_each(ratios, Range::at_least(1.0));
    Outcome::of(run.name(), seconds(Scope::Kernel, pair), FigureUnit::Times, points).remarking(times(
        paper,
        table,
        implementation,
        evidence,
    ))
}

/// How much its time grows from each size of the table to the next, over what the paper's does.
fn growth(
    paper: &PublishedPaper,
    table: &PublishedTable,
    implementation: &str,
    (evidence, settings): (&Evidence, &Settings),
) -> Outcome {
    let in_table = |n| table.seconds(implementation, n).is_some();
    let found = evidence.fullest(&paper.id, |run| {
        evidence.times(run, implementation, |n| in_table(n) && !run.is_estimated(implementation, n))
    });
    let Some((run, all)) = found else {
        return Outcome::lacking(evidence.lacking(&[Contender::of(implementation)], Sizes::OfTable));
    };
    let near = 1.0 + settings.get(Threshold::SameSize);
    let points = all.windows(2).filter_map(|two| {
        let [(before, then), (n, now)] = two else { return None };
        let published = table.seconds(implementation, *n)? / table.seconds(implementation, *before)?;
        Some(Point::at_n(*n, now.over(*then).times(1.0 / published), Range::new(1.0 / near, near)))
    });
    let comparison = Comparison::GrowthOverPublished { contender: Contender::of(implementation) };
    Outcome::of(run.name(), comparison, FigureUnit::Times, points.collect()).remarking(times(
        paper,
        table,
        implementation,
        evidence,
    ))
}

/// How far apart the times are, which depends more on the machines than on the paper.
fn times(
    paper: &PublishedPaper,
    table: &PublishedTable,
    implementation: &str,
    evidence: &Evidence,
) -> Option<Remark> {
    let (_, ratios) = evidence.fullest(&paper.id, |run| {
        let times = evidence.times(run, implementation, |n| !run.is_estimated(implementation, n)).into_iter();
        times.filter_map(|(n, here)| Some(table.seconds(implementation, n)? / here.value)).collect()
    })?;
    let (least, most) = extent(ratios)?;
    let machine = if table.is_on_cpu(implementation) { paper.cpu.as_ref()? } else { &paper.gpu };
    Some(Remark::FasterThanPublished { machine: machine.clone(), least, most })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::published_papers;

    #[test]
    fn each_column_of_table_1_is_set_against_the_next_slower() {
        let paper =
            published_papers().unwrap().into_iter().find(|paper| paper.id == "lund-smith-2010").unwrap();
        let table = paper.table("table1").unwrap();
        for (name, other) in [
            ("cpu-naive", None),
            ("harish-narayanan", Some("cpu-naive")),
            ("katz-kider", Some("harish-narayanan")),
            ("optimized-blocked", Some("katz-kider")),
            ("staged-load", Some("optimized-blocked")),
        ] {
            assert_eq!(next_slower(table, name), other, "{name}");
        }
    }
}
