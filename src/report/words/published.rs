//! What a claim says and with which figure.

use super::figure;
use crate::judge::{ClaimRow, Published};
use crate::published::{Bound, ClaimKind, Unit, range_in_words};
use crate::show::RATE;

/// What a claim says. A ratio names both of its sides; other statements of an implementation begin with its name.
pub fn statement(row: &ClaimRow) -> String {
    match &row.of {
        None => row.statement.clone(),
        Some(_) if row.kind == ClaimKind::Ratio => row.statement.clone(),
        Some(of) => format!("{of}: {}", row.statement),
    }
}

/// The figure with its unit, as the paper gives it; empty where it gives none, and of a column, of which the order is compared.
pub fn published(row: &ClaimRow) -> String {
    row.published.filter(|_| row.kind != ClaimKind::Table).map_or(String::new(), figure)
}

fn figure(of: Published) -> String {
    // Rates have one unit everywhere, whatever their magnitude.
    let written = |value: f64| match of.unit {
        Unit::TasksASecond => figure::exact(value / 1e9),
        _ => figure::exact(value),
    };
    let number = match (of.value, of.bound) {
        (Some(value), None) => written(value),
        (Some(value), Some(Bound::Floor)) => format!("over {}", written(value)),
        (Some(value), Some(Bound::UpTo)) => format!("up to {}", written(value)),
        (None, _) => range_in_words(of.low, of.high, written).unwrap_or_default(),
    };
    match of.unit {
        Unit::TasksASecond => format!("{number} × {RATE}"),
        Unit::Percent => format!("{number}%"),
        Unit::Ways if number == "1" => "1 way".to_string(),
        Unit::Blocks if number == "1" => "1 block".to_string(),
        unit => format!("{number} {}", self::unit(unit)),
    }
}

fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Seconds => "s",
        Unit::SecondsATask => "s a task",
        Unit::TasksASecond => "tasks/s",
        Unit::GigabytesASecond => "GB/s",
        Unit::FlopsATask => "FLOP a task",
        Unit::Times => "times",
        Unit::Percent => "%",
        Unit::Bytes => "bytes",
        Unit::Vertices => "vertices",
        Unit::Blocks => "blocks",
        Unit::Ways => "ways",
    }
}
