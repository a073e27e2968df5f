//! What stands in JSON for vertices and numbers.

use serde::{Serialize, Serializer};
use serde_json::Value;
use shortest_paths::read::Names;

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
        /// Up to here every integer is a number of `f64`.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if self.0.fract() == 0.0 && self.0.abs() <= EXACT {
            to.serialize_i64(self.0 as i64)
        } else {
            to.serialize_f64(self.0)
        }
    }
}
