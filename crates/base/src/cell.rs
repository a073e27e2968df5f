//! What is measured: one implementation with its parameters on one graph of one size.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Implementation, size, parameters and graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CellId {
    pub implementation: String,
    pub n: usize,
    /// As `Parameters` writes them; empty for defaults.
    pub params: String,
    /// The graph's name in the experiment; empty where the experiment has only one graph.
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

/// Tasks of a solve that updates one half of a symmetric matrix of `n` vertices, with its diagonal.
pub fn half_tasks(n: usize) -> f64 {
    let n = n as f64;
    n * n * (n + 1.0) / 2.0
}

/// Values for some parameters of an implementation; the others have their defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Parameters(BTreeMap<String, u32>);

impl Parameters {
    /// The value of a parameter, where it is set.
    pub fn get(&self, name: &str) -> Option<u32> {
        self.0.get(name).copied()
    }

    /// The values that are set, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u32)> {
        self.0.iter().map(|(name, &value)| (name.as_str(), value))
    }

    /// Whether all have their defaults.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those that `others` does not set to the same value.
    pub fn without(&self, others: &Self) -> Self {
        self.iter().filter(|(name, value)| others.get(name) != Some(*value)).collect()
    }

    /// These parameters with `name` set to `value`.
    pub fn with(&self, name: &str, value: u32) -> Self {
        self.iter().chain([(name, value)]).collect()
    }
}

/// Reads what [`fmt::Display`] writes.
impl std::str::FromStr for Parameters {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = |part: &str| {
            let pair = part.split_once('=');
            let read = pair.and_then(|(name, value)| Some((name.to_string(), value.parse().ok()?)));
            read.ok_or_else(|| format!("'{part}' is no parameter: expected name=number"))
        };
        text.split(';').filter(|part| !part.is_empty()).map(read).collect::<Result<_, _>>().map(Self)
    }
}

/// "a=1;b=2" in alphabetical order; empty when all are defaults. The form that records use.
impl fmt::Display for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let parts: Vec<String> = self.0.iter().map(|(name, value)| format!("{name}={value}")).collect();
        f.write_str(&parts.join(";"))
    }
}

impl<const N: usize> From<[(&str, u32); N]> for Parameters {
    fn from(values: [(&str, u32); N]) -> Self {
        values.into_iter().collect()
    }
}

impl<'a> FromIterator<(&'a str, u32)> for Parameters {
    fn from_iter<T: IntoIterator<Item = (&'a str, u32)>>(values: T) -> Self {
        Self(values.into_iter().map(|(name, value)| (name.to_string(), value)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_written_form_is_ordered_so_that_equal_parameters_look_equal() {
        assert_eq!(Parameters::from([("b", 2), ("a", 1)]).to_string(), "a=1;b=2");
        assert_eq!(Parameters::default().to_string(), "");
        assert_eq!("a=1;b=2".parse(), Ok(Parameters::from([("b", 2), ("a", 1)])));
        assert_eq!("".parse(), Ok(Parameters::default()));
        assert!("a=x".parse::<Parameters>().unwrap_err().contains("'a=x'"));
    }
}
