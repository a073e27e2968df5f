//! `repro list`

use super::width::{terminal_width, wrapped};
use super::with::With;
use super::{Error, Exit, output};
use crate::implementation::catalogue;
use crate::plan::{ConfigError, available_experiments, load_experiment};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    pub with: With,
}

pub fn run() -> Result<Exit, Error> {
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
    text += "\nImplementations (--only NAME):\n";
    for implementation in catalogue() {
        text += &entry(&implementation.name, &implementation.summary);
        text += &entry("", implementation.source.as_ref());
        if let Some(given) = implementation.method.given() {
            text += &entry("", &format!("from the file {}, not one of repro's own", given.file));
        }
        for parameter in &*implementation.parameters {
            let listed = implementation.method.values(parameter);
            let description = format!(
                "parameter {}: {}, {}, default {}",
                parameter.name,
                parameter.meaning,
                range(listed, parameter.lowest, parameter.highest),
                parameter.default
            );
            text += &entry("", &description);
        }
    }
    output::show(&text)?;
    Ok(Exit::Success)
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
fn range(listed: Option<Vec<u32>>, lowest: u32, highest: u32) -> String {
    let values = listed.map(|listed| listed.iter().map(u32::to_string).collect::<Vec<_>>());
    values.map_or_else(|| format!("{lowest} to {highest}"), |values| format!("one of {}", values.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_listed_are_told_one_by_one() {
        assert_eq!(range(None, 16, 64), "16 to 64");
        assert_eq!(range(Some(vec![16, 32, 64]), 16, 64), "one of 16, 32, 64");
    }
}
