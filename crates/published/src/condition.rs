//! Numbers of a paper's own machine, and those that it cites: what its measurements were made under.

use super::check_text;
use serde::{Deserialize, Serialize};

/// A number that is no claim of the paper: of its hardware, or cited from elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// Unique within the paper, its claims included.
    pub id: String,
    /// In our words.
    pub statement: String,
    pub place: String,
    /// None where the statement has several.
    pub value: Option<f64>,
    /// As the paper writes it.
    pub unit: Option<String>,
}

impl Condition {
    /// What the types cannot express.
    pub(super) fn check(&self) -> Result<(), String> {
        let what = format!("condition '{}'", self.id);
        check_text(&what, &self.statement, &self.place)?;
        match (self.value, &self.unit) {
            (Some(value), Some(_)) if value.is_finite() => Ok(()),
            (None, None) => Ok(()),
            _ => Err(format!("{what} must have a number with a unit, or neither")),
        }
    }
}
