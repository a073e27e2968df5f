//! `[[cells]]`: one implementation, its parameters and its sizes.

use repro_solvers::Parameters;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// The most cells of an experiment, and so the most sizes of a range. The largest table of the papers has 55 cells; as many as
/// these, at a tenth of a second each, are a quarter of an hour. Plans are compared cell by cell, which stays within a second.
pub const MOST_CELLS: usize = 10_000;

/// One implementation at several sizes, with every combination of the parameters' values.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellsFile {
    pub implementation: Spanned<String>,
    /// Numbers of vertices, and ranges of them.
    pub sizes: Vec<Spanned<Sizes>>,
    /// Numbers of vertices that the emulated device counts, in place of those of `[emulated]`.
    #[serde(default)]
    pub emulated: Option<Vec<Spanned<usize>>>,
    /// A number, or a list of them, for a parameter.
    #[serde(default)]
    pub parameters: Option<Spanned<BTreeMap<String, OneOrMany>>>,
    /// Names of the graphs that it runs on; all when left out.
    #[serde(default)]
    pub graphs: Option<Spanned<Vec<String>>>,
}

impl CellsFile {
    /// The values of each parameter that has some.
    pub(super) fn given(&self) -> impl Iterator<Item = (&str, &[u32])> {
        let given = self.parameters.iter().flat_map(|given| given.get_ref());
        given.map(|(name, values)| (name.as_str(), values.values()))
    }

    /// Every number of vertices. What is wrong was reported when the file was checked.
    pub fn all_sizes(&self) -> Vec<usize> {
        self.sizes.iter().flat_map(|sizes| sizes.get_ref().all().unwrap_or_default()).collect()
    }

    /// The numbers of vertices that the emulated device counts: its own, or else those of the `experiment`.
    pub fn emulated_sizes<'a>(&'a self, experiment: &'a [Spanned<usize>]) -> &'a [Spanned<usize>] {
        self.emulated.as_deref().unwrap_or(experiment)
    }

    /// How many combinations of the parameters' values there are.
    pub fn parameter_set_count(&self) -> usize {
        self.given().map(|(_, values)| values.len()).fold(1, usize::saturating_mul)
    }

    /// Every combination of the parameters' values, the last parameter changing fastest.
    pub fn parameter_sets(&self) -> Vec<Parameters> {
        self.given().fold(vec![Parameters::default()], |sets, (name, values)| {
            let each = |set| values.iter().map(move |&value| Parameters::with(set, name, value));
            sets.iter().flat_map(each).collect()
        })
    }
}

/// A number or several.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged, expecting = "expected a whole number or a list of whole numbers")]
pub enum OneOrMany {
    One(u32),
    Many(Vec<u32>),
}

impl OneOrMany {
    fn values(&self) -> &[u32] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Many(values) => values,
        }
    }
}

/// A number of vertices, or evenly spaced ones.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged, expecting = "expected a number of vertices or { from, to, step }")]
pub enum Sizes {
    One(usize),
    Range { from: usize, to: usize, step: usize },
}

impl Sizes {
    /// The numbers, or what is wrong with them.
    ///
    /// # Errors
    /// When there is none, one is 0, or there are more than [`MOST_CELLS`].
    pub fn all(&self) -> Result<Vec<usize>, String> {
        let (from, to, step) = match *self {
            Self::One(n) => (n, n, 1),
            Self::Range { from, to, step } => (from, to, step),
        };
        if from == 0 {
            return Err("n = 0: a graph has at least 1 vertex".to_string());
        }
        let given = format!("from {from} to {to} in steps of {step}");
        if step == 0 || to < from {
            return Err(format!("{given}: expected from <= to and a step of at least 1"));
        }
        match (to - from) / step + 1 {
            ..=MOST_CELLS => Ok((from..=to).step_by(step).collect()),
            count => Err(format!("{given} are {count} sizes, more than {MOST_CELLS}: take larger steps")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_numbers_and_ranges_with_both_ends() {
        let text = "implementation = \"x\"\nsizes = [8, { from = 16, to = 48, step = 16 }, 64]\n";
        let cells: CellsFile = toml::from_str(text).unwrap();
        assert_eq!(cells.all_sizes(), [8, 16, 32, 48, 64]);
        assert!(Sizes::Range { from: 16, to: 8, step: 1 }.all().is_err());
        assert!(Sizes::Range { from: 1, to: 8, step: 0 }.all().is_err());
        for to in [10_001, 400_000_000, usize::MAX] {
            let message = Sizes::Range { from: 1, to, step: 1 }.all().unwrap_err();
            assert!(message.contains(&format!("are {to} sizes, more than 10000: take larger")), "{message}");
        }
        assert_eq!(Sizes::Range { from: 1, to: usize::MAX, step: usize::MAX / 2 }.all().unwrap().len(), 3);
        assert!(Sizes::One(0).all().unwrap_err().starts_with("n = 0"));
    }

    #[test]
    fn lists_of_values_give_every_combination_in_order() {
        let text = "implementation = \"x\"\nsizes = [1]\nparameters = { b = [1, 2], a = 7, c = [3, 4] }\n";
        let cells: CellsFile = toml::from_str(text).unwrap();
        let written: Vec<String> = cells.parameter_sets().iter().map(ToString::to_string).collect();
        assert_eq!(written, ["a=7;b=1;c=3", "a=7;b=1;c=4", "a=7;b=2;c=3", "a=7;b=2;c=4"]);
        assert_eq!(cells.parameter_set_count(), 4);
        let none: CellsFile = toml::from_str("implementation = \"x\"\nsizes = [1]\n").unwrap();
        assert_eq!(none.parameter_sets(), [Parameters::default()]);
    }
}
