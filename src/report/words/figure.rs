//! Measured figures with their units.

use crate::judge::{ClaimResult, ClaimRow, Point, Unit, unit_of};
use crate::lists::extremes;
use crate::show::{in_text, significant};
use crate::timing::Estimate;

/// What was measured: the figure, or the least and the most of several in one unit; empty where there is none.
pub fn measured(row: &ClaimRow, result: &ClaimResult) -> String {
    if let Some(shown) = result.shown {
        return with_unit(&in_text(written(shown, result.unit).value), result.unit);
    }
    let mut by_unit: Vec<(Unit, Vec<&Point>)> = Vec::new();
    for point in &result.points {
        let unit = row.tests.get(point.at.test).map_or(result.unit, unit_of);
        match by_unit.iter_mut().find(|(known, _)| *known == unit) {
            Some((_, points)) => points.push(point),
            None => by_unit.push((unit, vec![point])),
        }
    }
    by_unit.iter().map(|(unit, points)| figures(points, *unit)).collect::<Vec<_>>().join("; ")
}

/// The figure, or the least and the most of several.
pub(super) fn figures(points: &[&Point], unit: Unit) -> String {
    let all = points.iter().map(|point| written(point.measured, unit));
    let values: Vec<(Estimate, f64)> = all.map(|measured| (measured, measured.value)).collect();
    let of = |measured: Estimate| rounded(measured.value, measured);
    match extremes(&values) {
        Some(((low, _), (high, _))) if of(low) == of(high) => {
            let interval = match points.len() {
                1 if low.low < low.high => {
                    format!(" [{}, {}]", rounded(low.low, low), rounded(low.high, low))
                }
                _ => String::new(),
            };
            format!("{}{interval}", with_unit(&of(low), unit))
        }
        Some(((low, _), (high, _))) => with_unit(&format!("{} to {}", of(low), of(high)), unit),
        None => String::new(),
    }
}

/// `1 way`, `4 ways`, `66%`, `2.16 times`.
pub(super) fn with_unit(number: &str, unit: Unit) -> String {
    let is_one = number == "1";
    let (one, many) = match unit {
        Unit::None => return number.to_string(),
        Unit::Percent => return format!("{number}%"),
        Unit::PercentOfLimit => return format!("{number}% of what the measured copy allows"),
        Unit::Times => ("times", "times"),
        Unit::Bytes => ("byte", "bytes"),
        Unit::Blocks => ("block", "blocks"),
        Unit::Ways => ("way", "ways"),
        Unit::Threads => ("thread", "threads"),
        Unit::Launches => ("launch", "launches"),
        Unit::Kernels => ("kernel", "kernels"),
        Unit::OfBytesMoved => return format!("{number}% of the bytes that loads move are used"),
        Unit::OfAWave => ("of a wave", "of a wave"),
        Unit::WrongSamples => ("wrong sample", "wrong samples"),
        Unit::Seconds => ("s", "s"),
        Unit::TasksASecond => ("tasks/s", "tasks/s"),
        Unit::GigabytesASecond => ("GB/s", "GB/s"),
    };
    format!("{number} {}", if is_one { one } else { many })
}

/// Significant digits of what was measured, at most.
const MOST: i32 = 3;

/// A figure as its unit is written: shares as percent.
fn written(of: Estimate, unit: Unit) -> Estimate {
    let factor = if unit == Unit::OfBytesMoved { 100.0 } else { 1.0 };
    Estimate { value: of.value * factor, low: of.low * factor, high: of.high * factor }
}

/// `value` with as many decimals as the half-width of the interval of `measured` leaves meaning to, at most [`MOST`]
/// significant digits.
pub(super) fn rounded(value: f64, measured: Estimate) -> String {
    let half = measured.half_width();
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    // Of what it is rounded to: 0.9996 is 1.00.
    let rounded = value.abs() * (1.0 + 0.5 * 10f64.powi(-MOST));
    let magnitude = rounded.log10().floor() as i32;
    let most = (MOST - 1 - magnitude).max(0);
    let decimals = if half > 0.0 && half.is_finite() {
        // One digit more than the first that is in doubt.
        (1 - half.log10().floor() as i32).clamp(0, most)
    } else if (value - value.round()).abs() < 1e-9 {
        0
    } else {
        most
    };
    if value.abs() >= 1e6 { significant(value, MOST) } else { format!("{value:.*}", decimals as usize) }
}
