//! `repro list`

use super::{Error, Exit, output};
use crate::experiment::{available_experiments, load_experiment};
use crate::implementation::catalogue;
use std::fmt::Write;

pub fn run() -> Result<Exit, Error> {
    let mut text = String::from("Experiments (repro run NAME):\n");
    for name in available_experiments() {
        match load_experiment(&name) {
            Ok(experiment) => writeln!(text, "  {name:<22} {}", experiment.title)?,
            Err(error) => writeln!(text, "  {name:<22} cannot be used: {error}")?,
        }
    }
    text += "\nImplementations (--only NAME):\n";
    for implementation in catalogue() {
        writeln!(text, "  {:<22} {}", implementation.name, implementation.summary)?;
        writeln!(text, "  {:<22} {}", "", implementation.source)?;
        for parameter in &*implementation.parameters {
            writeln!(
                text,
                "  {:<22} parameter {}: {}, {} to {}, default {}",
                "", parameter.name, parameter.meaning, parameter.lowest, parameter.highest, parameter.default
            )?;
        }
    }
    output::print(&text)?;
    Ok(Exit::Success)
}
