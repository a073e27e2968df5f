//! What is measured: one implementation with its parameters on one graph of one size. Parameters are whole numbers with a name, a default
//! and a range.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

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

/// Tasks of a solve of `n` vertices that does each pair of a symmetric matrix once, a vertex and itself included.
pub fn halved(n: usize) -> f64 {
    let n = n as f64;
    n * n * (n + 1.0) / 2.0
}

/// A parameter that an implementation takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    pub name: &'static str,
    pub meaning: &'static str,
    pub default: u32,
    pub lowest: u32,
    pub highest: u32,
    /// Those between the two that it may have; all where there are none.
    pub values: &'static [u32],
}

impl Parameter {
    /// One that may have each value of a range.
    pub const fn new(
        name: &'static str,
        meaning: &'static str,
        default: u32,
        range: RangeInclusive<u32>,
    ) -> Self {
        Self { name, meaning, default, lowest: *range.start(), highest: *range.end(), values: &[] }
    }
}

/// Values for some parameters of an implementation; the others have their defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Parameters(BTreeMap<String, u32>);

impl Parameters {
    /// The value of `parameter`.
    pub fn get(&self, parameter: &Parameter) -> u32 {
        self.0.get(parameter.name).copied().unwrap_or(parameter.default)
    }

    /// Checks every name and value against what `implementation` takes.
    ///
    /// # Errors
    /// The first name it does not take, or value out of range, in one line.
    pub fn check(&self, implementation: &str, takes: &[Parameter]) -> Result<(), String> {
        for (name, value) in &self.0 {
            let Some(Parameter { lowest, highest, values, .. }) = takes.iter().find(|one| one.name == name)
            else {
                let known: Vec<&str> = takes.iter().map(|parameter| parameter.name).collect();
                let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
                return Err(format!("{implementation} has no parameter '{name}': it takes {known}"));
            };
            if !values.is_empty() && !values.contains(value) {
                let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                let values = values.join(", ");
                return Err(format!("{implementation} has no parameter {name} = {value}: it takes {values}"));
            }
            if !(lowest..=highest).contains(&value) {
                return Err(format!(
                    "parameter {name} = {value} of {implementation} is out of range: expected {lowest} to {highest}"
                ));
            }
        }
        Ok(())
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
        self.iter().filter(|(name, value)| others.0.get(*name) != Some(value)).collect()
    }

    /// Those that `is_first` holds of, and the others.
    pub fn split(self, is_first: impl Fn(&str) -> bool) -> (Self, Self) {
        let (first, others) = self.0.into_iter().partition(|(name, _)| is_first(name));
        (Self(first), Self(others))
    }

    /// These parameters with `name` set to `value`.
    pub fn with(&self, name: &str, value: u32) -> Self {
        let mut all = self.0.clone();
        all.insert(name.to_string(), value);
        Self(all)
    }
}

/// Reads what [`fmt::Display`] writes.
impl std::str::FromStr for Parameters {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = |part: &str| {
            let read =
                part.split_once('=').and_then(|(name, value)| Some((name.to_string(), value.parse().ok()?)));
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

    const WIDTH: Parameter = Parameter::new("width", "", 32, 1..=64);

    #[test]
    fn what_is_not_set_has_its_default() {
        assert_eq!(Parameters::default().get(&WIDTH), 32);
        assert_eq!(Parameters::from([("width", 8)]).get(&WIDTH), 8);
    }

    #[test]
    fn unknown_names_and_values_out_of_range_are_refused() {
        let unknown = Parameters::from([("heigth", 8)]).check("x", &[WIDTH]).unwrap_err();
        assert_eq!(unknown, "x has no parameter 'heigth': it takes width");
        assert!(Parameters::from([("width", 65)]).check("x", &[WIDTH]).is_err());
        assert_eq!(Parameters::from([("width", 64)]).check("x", &[WIDTH]), Ok(()));
    }

    #[test]
    fn the_written_form_is_ordered_so_that_equal_parameters_look_equal() {
        assert_eq!(Parameters::from([("b", 2), ("a", 1)]).to_string(), "a=1;b=2");
        assert_eq!(Parameters::default().to_string(), "");
        assert_eq!("a=1;b=2".parse(), Ok(Parameters::from([("b", 2), ("a", 1)])));
        assert_eq!("".parse(), Ok(Parameters::default()));
        assert!("a=x".parse::<Parameters>().unwrap_err().contains("'a=x'"));
    }
}
