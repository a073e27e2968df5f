//! What tables and figures have a column or a line for.

use repro_types::CellId;

/// An implementation with its parameters as records write them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub implementation: String,
    pub params: String,
}

impl Column {
    pub fn of(cell: &CellId) -> Self {
        Self { implementation: cell.implementation.clone(), params: cell.params.clone() }
    }

    pub fn variant(&self) -> (&str, &str) {
        (&self.implementation, &self.params)
    }

    /// Its name in a sentence: `register-blocked (omit=4)`.
    pub fn name(&self) -> String {
        if self.params.is_empty() {
            return self.implementation.clone();
        }
        format!("{} ({})", self.implementation, self.params)
    }

    /// Its name over a column of a table.
    pub fn title(&self) -> String {
        if self.params.is_empty() {
            return self.implementation.clone();
        }
        format!("{}\n{}", self.implementation, self.params)
    }
}
