//! What is measured: one implementation with its parameters on one graph of one size.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Implementation, size, parameters and graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CellId {
    pub implementation: String,
    pub n: usize,
    /// As `Parameters` writes them; empty for defaults.
    pub params: String,
    /// The graph's name in the experiment; empty where there is one.
    pub graph: String,
}

impl CellId {
    pub fn new(implementation: &str, n: usize, params: &str, graph: &str) -> Self {
        Self { implementation: implementation.into(), n, params: params.into(), graph: graph.into() }
    }

    /// The implementation with its parameters, whatever n and graph.
    pub fn variant(&self) -> (&str, &str) {
        (&self.implementation, &self.params)
    }
}

impl fmt::Display for CellId {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} n = {}", self.implementation, self.n)?;
        if !self.graph.is_empty() {
            write!(f, " {}", self.graph)?;
        }
        if self.params.is_empty() { Ok(()) } else { write!(f, " ({})", self.params) }
    }
}
