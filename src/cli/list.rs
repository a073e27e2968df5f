//! `repro list`

use crate::device::Selection;
use crate::implementation::{Implementation, Parameter, catalogue, find, names};
use crate::lists::grouped;
use crate::plan::{ConfigError, Overrides, available_experiments, known_names, load_experiment, resolve};
use repro_base::terminal::{Error, Exit, output, terminal_width, wrapped};
use std::collections::BTreeSet;

/// List experiments and implementations
#[derive(clap::Args)]
pub struct Arguments {
    /// Experiments or implementations, of which more is said: what a parameter means and which values it may have; without, all in
    /// a line each
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

pub fn run(arguments: &Arguments) -> Result<Exit, Error> {
    let text = match arguments.names.is_empty() {
        true => all(),
        false => arguments.names.iter().map(|name| one(name)).collect::<Result<_, _>>()?,
    };
    output::show(&text)?;
    Ok(Exit::Success)
}

fn all() -> String {
    let mut text = String::from("Experiments (repro run NAME):\n");
    for name in available_experiments() {
        match load_experiment(&name) {
            Ok(experiment) => text += &entry(&name, &experiment.title),
            // Nothing is wrong with it: it stands next to its files where those are.
            Err(ConfigError::NeedsClone { title, .. }) => {
                text += &entry(&name, &format!("{title} (in a clone of the repository)"));
            }
            Err(error) => text += &entry(&name, &format!("cannot be used: {error}")),
        }
    }
    text += "\nImplementations (--only NAME), with their parameters (repro list NAME says what they mean):\n";
    for implementation in catalogue() {
        let names: Vec<&str> = implementation.parameters.iter().map(|parameter| parameter.name).collect();
        let parameters = match names.is_empty() {
            true => String::new(),
            false => format!(" ({})", names.join(", ")),
        };
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
    let Some(implementation) = find(name) else {
        let experiments = available_experiments();
        if !experiments.iter().any(|known| known == name) {
            let known: Vec<String> = experiments.into_iter().chain(names()).collect();
            return Err(format!("nothing is called '{name}': {}", known_names(name, &known)).into());
        }
        let experiment = load_experiment(name)?;
        let mut text = entry(name, &experiment.title);
        let columns = resolve(&experiment, &Overrides::default(), Selection::Auto)?.columns;
        let named =
            columns.iter().map(|column| (format!("{} {}", column.implementation, column.parameters), column));
        for (variant, columns) in grouped(named) {
            let sizes: BTreeSet<usize> = columns.iter().flat_map(|column| &column.sizes).copied().collect();
            let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
            text += &entry("", &format!("{}: n = {}", variant.trim(), sizes.join(", ")));
        }
        return Ok(text);
    };
    let mut text = entry(&implementation.name, &implementation.summary);
    text += &entry("", implementation.source.as_ref());
    text += &origin(&implementation);
    for parameter in &*implementation.parameters {
        let description = format!(
            "parameter {}: {}, {}, default {}",
            parameter.name,
            parameter.meaning,
            range(parameter),
            parameter.default
        );
        text += &entry("", &description);
    }
    Ok(text)
}

/// Which file describes an implementation that is none of repro's own.
fn origin(implementation: &Implementation) -> String {
    let given = implementation.given.as_ref();
    given.map_or(String::new(), |given| {
        entry("", &format!("from the file {}, not one of repro's own", given.file))
    })
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
