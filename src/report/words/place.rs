//! What a comparison is about, in words; the statement of a claim, and its published figure.

use super::comparison::{name, words};
use super::figure;
use crate::judge::Unit as MeasuredUnit;
use crate::judge::{ClaimRow, ComparisonSubject};
use crate::published::{ClaimKind, Figure, Relation, Test, Unit};
use crate::report::text::{RATE, exact, published_in_words};

/// The subject of a comparison and its n: `two-phase over katz-kider, n = 4096`.
pub fn place(at: &ComparisonSubject, tests: &[Test]) -> String {
    let subject = Some(subject(at, tests)).filter(|subject| !subject.is_empty());
    let parts: Vec<String> = subject.into_iter().chain(at.n.map(|n| format!("n = {n}"))).collect();
    if parts.is_empty() { "all".to_string() } else { parts.join(", ") }
}

/// The subject of a comparison without n: only what distinguishes it from the others of its claim.
fn subject(at: &ComparisonSubject, tests: &[Test]) -> String {
    let Some(test) = tests.get(at.test) else { return String::new() };
    let is_only = |test: &Test| test.pairs.len() + test.series.len() <= 1;
    let is_alike = |other: &Test| (&other.pairs, &other.series) == (&test.pairs, &test.series);
    let contenders = match (&at.of, &at.over) {
        _ if tests.iter().all(|other| is_only(other) && is_alike(other)) => None,
        (Some(first), Some(second)) => Some(format!("{} over {}", words(second), words(first))),
        (Some(of), None) => Some(words(of)),
        _ => None,
    };
    let differs = |of: fn(&Test) -> (Figure, String)| tests.iter().any(|other| of(other) != of(test));
    let figure = differs(|test| (test.figure, test.clock.to_string())).then(|| match test.figure {
        Figure::Seconds if test.relation != Relation::Clocks => test.clock.to_string(),
        _ => name(test),
    });
    [figure, contenders].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Which of `all` comparisons `some` are: everywhere, or a list in which neighbouring sizes form a range.
pub(super) fn places(some: &[&ComparisonSubject], all: &[&ComparisonSubject], tests: &[Test]) -> String {
    if let ([only], [_]) = (some, all) {
        let preposition = if only.n.is_some() { "at" } else { "for" };
        return format!("{preposition} {}", place(only, tests));
    }
    let of = |place: &ComparisonSubject| subject(place, tests);
    let is_in = |place: &ComparisonSubject| some.contains(&place);
    let runs = all.chunk_by(|a, b| is_in(a) && is_in(b) && of(a) == of(b)).filter(|run| is_in(run[0]));
    let mut known = None;
    let texts = runs.map(|run| {
        let (first, last) = (run[0], run[run.len() - 1]);
        // A subject is named once, before all its sizes.
        let is_known = known.replace(of(first)) == Some(of(first));
        let text = first.n.filter(|_| is_known).map_or_else(|| place(first, tests), |n| n.to_string());
        let end = last.n.filter(|_| first != last).map_or(String::new(), |n| format!(" to {n}"));
        format!("{text}{end}")
    });
    let texts: Vec<String> = texts.collect();
    let listed = match texts.len() {
        0..=4 => texts.join(", "),
        more => format!("{} and {} others", texts[..3].join(", "), more - 3),
    };
    let are_sizes = all.iter().all(|one| one.n.is_some() && of(one).is_empty());
    let things = if are_sizes { "sizes" } else { "comparisons" };
    match some.len() == all.len() {
        true => format!("at all {} {things}: {listed}", all.len()),
        false => format!("at {} of {} {things}: {listed}", some.len(), all.len()),
    }
}

/// The statement of a claim. A ratio names both of its sides; other statements about an implementation begin with its name.
pub fn statement(row: &ClaimRow) -> String {
    match &row.of {
        None => row.statement.clone(),
        Some(_) if row.kind == ClaimKind::Ratio => row.statement.clone(),
        Some(of) => format!("{of}: {}", row.statement),
    }
}

/// The figure with its unit, as the paper gives it. Empty if it gives none, and for a column of a table, whose order is compared.
pub fn published(row: &ClaimRow) -> String {
    row.unit.filter(|_| row.kind != ClaimKind::Table).map_or(String::new(), |unit| figure(row, unit))
}

fn figure(of: &ClaimRow, unit: Unit) -> String {
    // Rates have one unit everywhere, whatever their magnitude.
    let written = |value: f64| match unit {
        Unit::TasksASecond => exact(value / 1e9),
        _ => exact(value),
    };
    let number = published_in_words(of.value, of.low, of.high, of.bound, written).unwrap_or_default();
    match measured_in(unit) {
        Ok(MeasuredUnit::TasksASecond) => format!("{number} × {RATE}"),
        Ok(unit) => figure::with_unit(&number, unit),
        Err(unit) => format!("{number} {unit}"),
    }
}

/// The unit in which figures in this published unit are measured; or, if nothing is measured in it, its words.
pub(super) fn measured_in(unit: Unit) -> Result<MeasuredUnit, &'static str> {
    Ok(match unit {
        Unit::Seconds => MeasuredUnit::Seconds,
        Unit::TasksASecond => MeasuredUnit::TasksASecond,
        Unit::GigabytesASecond => MeasuredUnit::GigabytesASecond,
        Unit::Times => MeasuredUnit::Times,
        Unit::Percent => MeasuredUnit::Percent,
        Unit::Bytes => MeasuredUnit::Bytes,
        Unit::Blocks => MeasuredUnit::Blocks,
        Unit::Ways => MeasuredUnit::Ways,
        Unit::SecondsATask => return Err("s a task"),
        Unit::FlopsATask => return Err("FLOP a task"),
        Unit::Vertices => return Err("vertices"),
    })
}
