//! The statement of a claim, and its published figure.

use super::figure;
use crate::judge::{ClaimRow, Unit as MeasuredUnit};
use crate::published::{ClaimKind, Unit};
use crate::report::text::{RATE, exact, published_in_words};

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
