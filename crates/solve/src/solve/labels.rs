//! Lines for people, one below the other: a word and its explanation.
//! Also vertices and numbers as values of JSON.

use serde::{Serialize, Serializer};
use serde_json::Value;
use shortest_paths::read::Names;

pub(super) use repro_base::text::grouped;

/// A word and its explanation.
pub(super) type LabeledLine = (&'static str, String);

/// The lines, aligned.
pub(super) fn text(lines: &[LabeledLine]) -> String {
    lines.iter().map(|(word, text)| format!("{word:<15} {text}\n")).collect()
}

/// A count with its noun, in the singular or plural.
pub(super) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count as u128), if count == 1 { one } else { many })
}

/// A number for people: integers with commas, very large ones with an exponent.
pub(super) fn number(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        let sign = if number < 0.0 { "-" } else { "" };
        format!("{sign}{}", grouped(number.abs() as u128))
    } else if number.abs() < 1e15 {
        number.to_string()
    } else {
        format!("{number:e}")
    }
}

pub(super) fn bytes(bytes: u128) -> String {
    let units = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    match units.iter().find(|(_, size)| bytes as f64 >= *size) {
        Some((unit, size)) => {
            let many = bytes as f64 / size;
            format!("{many:.*} {unit}", usize::from(many < 10.0))
        }
        None => format!("{bytes} bytes"),
    }
}

/// Seconds in a fitting unit, with about two significant digits.
pub(super) fn seconds(seconds: f64) -> String {
    match seconds {
        _ if seconds < 0.000_000_5 => "under 1 us".to_string(),
        _ if seconds < 0.000_95 => format!("{:.0} us", seconds * 1e6),
        _ if seconds < 0.95 => format!("{:.*} ms", usize::from(seconds < 0.0095), seconds * 1e3),
        _ if seconds < 95.0 => format!("{seconds:.*} s", usize::from(seconds < 9.5)),
        _ if seconds < 5700.0 => format!("{:.*} min", usize::from(seconds < 570.0), seconds / 60.0),
        _ => format!("{:.*} h", usize::from(seconds < 34_200.0), seconds / 3600.0),
    }
}

/// A vertex, counted from 0, as the graph's file has it: a number, or a word where vertices are named.
pub(crate) fn vertex(vertex: usize, names: &Names) -> Value {
    match names {
        Names::FromZero => vertex.into(),
        Names::FromOne => (vertex + 1).into(),
        Names::Given(_) => names.name(vertex).into(),
    }
}

/// A number. One that is an integer is written as such, whatever type held it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct JsonNumber(pub f64);

impl Serialize for JsonNumber {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        /// Up to here `f64` holds every integer.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if self.0.fract() == 0.0 && self.0.abs() <= EXACT {
            to.serialize_i64(self.0 as i64)
        } else {
            to.serialize_f64(self.0)
        }
    }
}
