//! Measured figures with their units.

use super::comparison;
use super::place::measured_in;
use crate::device::gpus::named_gpus;
use crate::judge::extremes;
use crate::judge::{ClaimResult, ClaimRow, Comparison, Unit, unit_of};
use crate::lists::{distinct, grouped};
use crate::published::{Figure, Polynomial, Relation, Test};
use crate::report::text::{in_text, interval, rounded};
use crate::timing::Estimate;

/// What was measured: for each sort of figures one figure, or the least and the most of several. Empty if nothing was.
pub fn measured(row: &ClaimRow, result: &ClaimResult) -> String {
    sorts(row, result).into_iter().map(|(text, _)| text).collect::<Vec<_>>().join("; ")
}

/// Each sort of figures in words, and whether that sort was published. Several sorts are named, unless their units tell them apart.
pub(super) fn sorts(row: &ClaimRow, result: &ClaimResult) -> Vec<(String, bool)> {
    let is_published_in = |unit| row.unit.is_some_and(|of| measured_in(of) == Ok(unit));
    if let Some(shown) = result.shown {
        let text = with_unit(&in_text(written(shown, result.unit).value), result.unit);
        return vec![(text, is_published_in(result.unit))];
    }
    let test = |point: &Comparison| &row.tests[point.at.test];
    let sorts = grouped(result.points.iter().map(|point| (sort(test(point)), point)));
    let tests: Vec<&Test> = sorts.iter().map(|(_, points)| test(points[0])).collect();
    let of = |(one, (_, points)): (&&Test, &(_, Vec<&Comparison>))| {
        let (unit, name) = (unit_of(one), comparison::name(one));
        let in_unit = || tests.iter().filter(|other| unit_of(other) == unit);
        let namesakes = in_unit().filter(|other| comparison::name(other) == name).count();
        let name = match (in_unit().count(), namesakes) {
            _ if tests.len() == 1 => String::new(),
            (1, _) if says_what(unit) => String::new(),
            (_, 1) => format!(" ({name})"),
            _ if is_of_published(one) => format!(" ({}, against what is published)", comparison::test(one)),
            _ => format!(" ({}, against a number that is not published)", comparison::test(one)),
        };
        let asked = distinct(points.iter().map(|point| allowed(test(point)))).len();
        let each = if asked > 1 { ", each judged apart" } else { "" };
        let text = format!("{}{}{name}{each}", figures(points, unit), parameters(row, one));
        (text, is_published_in(unit) && (tests.len() == 1 || is_of_published(one)))
    };
    tests.iter().zip(&sorts).map(of).collect()
}

/// Figures of one sort are summed up by their least and most: they have the same meaning, and are all compared with what is published, with
/// a number of the test's own, or with a bound of its own on the same side.
pub(super) fn sort(of: &Test) -> impl PartialEq + use<> {
    let exactly = of.exactly.is_some() || of.polynomial.is_some();
    let own = (exactly, of.at_least.is_some(), of.at_most.is_some());
    (of.figure, of.relation, of.clock, of.over_clock, of.power, of.combine, own)
}

/// The bounds or number of a test itself; nothing where it accepts what is published.
fn allowed(of: &Test) -> (Option<f64>, Option<f64>, Option<f64>, Option<&Polynomial>) {
    (of.at_least, of.at_most, of.exactly, of.polynomial.as_ref())
}

fn is_of_published(of: &Test) -> bool {
    allowed(of) == Default::default()
}

/// Whether the unit alone says what a figure is, so that it needs no name.
fn says_what(unit: Unit) -> bool {
    matches!(
        unit,
        Unit::Blocks | Unit::Ways | Unit::Threads | Unit::Launches | Unit::Kernels | Unit::WrongSamples
    )
}

/// How many bytes of shared memory hold parameters on the paper's GPU: the paper counts them, and kernels do not declare them.
fn parameters(row: &ClaimRow, of: &Test) -> String {
    if (of.figure, of.relation) != (Figure::SharedBytesOfPaper, Relation::Value) {
        return String::new();
    }
    let gpu = named_gpus().into_iter().find(|gpu| row.published_on.ends_with(&gpu.name));
    match gpu.map_or(0, |gpu| gpu.beside_bytes) {
        0 => String::new(),
        bytes => format!(", {bytes} of them parameters that the paper's GPU keeps in shared memory"),
    }
}

/// The figure, or the least and the most of several.
pub(super) fn figures(points: &[&Comparison], unit: Unit) -> String {
    let all: Vec<Estimate> = points.iter().map(|point| written(point.measured, unit)).collect();
    let Some((low, high)) = extremes(&all) else { return String::new() };
    let [least, most] = [low, high].map(|measured| rounded(measured.value, measured.half_width()));
    if least != most {
        return with_unit(&format!("{least} to {most}"), unit);
    }
    let interval = (points.len() == 1 && low.low < low.high)
        .then(|| interval(low.low, low.high, |end| rounded(end, low.half_width())));
    std::iter::once(with_unit(&least, unit)).chain(interval).collect::<Vec<_>>().join(" ")
}

/// `1 way`, `4 ways`, `66%`, `2.16 times`.
pub(super) fn with_unit(number: &str, unit: Unit) -> String {
    let counted = |thing: &str| format!("{number} {thing}{}", if number == "1" { "" } else { "s" });
    match unit {
        Unit::None => number.to_string(),
        Unit::Percent => format!("{number}%"),
        Unit::PercentOfLimit => format!("{number}% of what the measured copy allows"),
        Unit::OfBytesMoved => format!("{number}% of the bytes that loads move are used"),
        Unit::Times => format!("{number} times"),
        Unit::OfAWave => format!("{number} of a wave"),
        Unit::Seconds => format!("{number} s"),
        Unit::TasksASecond => format!("{number} tasks/s"),
        Unit::GigabytesASecond => format!("{number} GB/s"),
        Unit::Launches if number == "1" => "1 launch".to_string(),
        Unit::Launches => format!("{number} launches"),
        Unit::Bytes => counted("byte"),
        Unit::Blocks => counted("block"),
        Unit::Ways => counted("way"),
        Unit::Threads => counted("thread"),
        Unit::Kernels => counted("kernel"),
        Unit::WrongSamples => counted("wrong sample"),
    }
}

/// A figure as its unit is written: shares as percent.
fn written(of: Estimate, unit: Unit) -> Estimate {
    let factor = if unit == Unit::OfBytesMoved { 100.0 } else { 1.0 };
    Estimate { value: of.value * factor, low: of.low * factor, high: of.high * factor }
}
