//! What a claim says and with which figure.

use super::figure;
use crate::claims::{ClaimRow, Published, PublishedUnit, Statement};
use crate::published::{Figure, Unit, range_in_words};
use crate::show::RATE;

pub fn statement(row: &ClaimRow) -> String {
    match &row.statement {
        Statement::Words { text, of: None } => text.clone(),
        Statement::Words { text, of: Some(of) } => format!("{of}: {text}"),
        Statement::Column { implementation, sizes, first, last } => {
            format!(
                "place of {implementation} in the table's order of seconds, {sizes} sizes from n = {first} to {last}"
            )
        }
        Statement::Speedup { faster, slower } => format!("{faster} over {slower}"),
    }
}

/// The figure with its unit, as the paper gives it; empty where it gives none.
pub fn published(row: &ClaimRow) -> String {
    row.published.map_or(String::new(), figure)
}

fn figure(of: Published) -> String {
    // Rates have one unit everywhere, whatever their magnitude.
    let written = |value: f64| match of.unit {
        PublishedUnit::Of(Unit::TasksASecond) => figure::exact(value / 1e9),
        _ => figure::exact(value),
    };
    let number = match of.value {
        Some(value) => written(value),
        None => range_in_words(of.low, of.high, written).unwrap_or_default(),
    };
    match of.unit {
        // A share that the paper does not state as a number.
        PublishedUnit::Counted(Figure::LoadSectorsUsed) => match of.low {
            None => "not coalesced".to_string(),
            Some(_) => "coalesced".to_string(),
        },
        PublishedUnit::Counted(figure) => figure::with_unit(&number, figure.into()),
        PublishedUnit::Of(Unit::TasksASecond) => format!("{number} × {RATE}"),
        PublishedUnit::Of(Unit::Percent) => format!("{number}%"),
        PublishedUnit::Of(unit) => format!("{number} {}", self::unit(unit)),
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
    }
}
