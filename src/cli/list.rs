//! `repro list`

use crate::device::Selection;
use crate::implementation::{Implementation, Parameter, catalogue, find, names};
use crate::lists::grouped;
use crate::plan::{ConfigError, Overrides, available_experiments, load_experiment, resolve, suggestion};
use repro_base::terminal::{Error, Exit, output, terminal_width, wrapped};
use std::collections::BTreeSet;

/// List experiments and implementations
#[derive(clap::Args)]
pub struct ListArgs {
    /// Experiments or implementations, of which more is said: what a parameter means and which values it may have; without, all in
    /// a line each
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

pub fn run(arguments: &ListArgs) -> Result<Exit, Error> {
    let some: String = arguments.names.iter().map(|name| one(name)).collect::<Result<_, _>>()?;
    output::show(&if some.is_empty() { all() } else { some })?;
    Ok(Exit::Success)
}

fn all() -> String {
    let mut text = String::from("Experiments (repro run NAME):\n");
    for name in available_experiments() {
        let described = match load_experiment(&name) {
            Ok(experiment) => experiment.title,
            // Nothing is wrong with it: it stands next to its files where those are.
            Err(ConfigError::NeedsClone { title, .. }) => format!("{title} (in a clone of the repository)"),
            Err(error) => format!("cannot be used: {error}"),
        };
        text += &entry(&name, &described);
    }
    text += "\nImplementations (--only NAME), with their parameters (repro list NAME explains them):\n";
    for implementation in catalogue() {
        let names: Vec<&str> = implementation.parameters.iter().map(|parameter| parameter.name).collect();
        let parameters = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
        text += &entry(&implementation.name, &format!("{}{parameters}", implementation.summary));
        text += &origin(&implementation);
    }
    text
}

/// All that is known of an experiment or an implementation.
///
/// # Errors
/// Where there is neither.
fn one(name: &str) -> Result<String, Error> {
    if let Some(implementation) = find(name) {
        let mut text = entry(&implementation.name, &implementation.summary);
        text += &entry("", implementation.source.as_ref());
        text += &origin(&implementation);
        for parameter in &*implementation.parameters {
            let Parameter { name, meaning, default, .. } = parameter;
            let range = range(parameter);
            text += &entry("", &format!("parameter {name}: {meaning}, {range}, default {default}"));
        }
        return Ok(text);
    }
    let mut known = available_experiments();
    if !known.iter().any(|known| known == name) {
        known.extend(names());
        return Err(format!("nothing is called '{name}': {}", suggestion(name, &known)).into());
    }
    let experiment = load_experiment(name)?;
    let mut text = entry(name, &experiment.title);
    let columns = resolve(&experiment, &Overrides::default(), Selection::Auto)?.columns;
    let sizes = columns.iter().map(|one| (format!("{} {}", one.implementation, one.parameters), &one.sizes));
    for (variant, sizes) in grouped(sizes) {
        let sizes: BTreeSet<&usize> = sizes.into_iter().flatten().collect();
        let sizes: Vec<String> = sizes.into_iter().map(usize::to_string).collect();
        text += &entry("", &format!("{}: n = {}", variant.trim(), sizes.join(", ")));
    }
    Ok(text)
}

/// Which file describes an implementation that is none of repro's own.
fn origin(implementation: &Implementation) -> String {
    let Some(given) = &implementation.given else { return String::new() };
    entry("", &format!("from the file {}, not one of repro's own", given.file))
}

/// A name and what it is, which stands in a column of its own.
fn entry(name: &str, description: &str) -> String {
    /// Longer than any name.
    const NAMES: usize = 24;
    let line = format!("  {name:<NAMES$} {description}");
    let indent = " ".repeat(NAMES + 3);
    format!("{}\n", wrapped(&line, terminal_width(), &indent))
}

/// Which values a parameter may have: those that are listed, or all between two.
fn range(parameter: &Parameter) -> String {
    if parameter.values.is_empty() {
        return format!("{} to {}", parameter.lowest, parameter.highest);
    }
    let values: Vec<String> = parameter.values.iter().map(u32::to_string).collect();
    format!("one of {}", values.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_listed_are_told_one_by_one() {
        let between = Parameter::new("side", "", 16, 16..=64);
        assert_eq!(range(&between), "16 to 64");
        assert_eq!(range(&Parameter { values: &[16, 32, 64], ..between }), "one of 16, 32, 64");
    }
}
