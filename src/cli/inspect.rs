//! `repro inspect`

use super::parameter::parameter;
use crate::implementation::{self, Parameters};
use crate::inspect::{inspect, with_kernels};
use crate::plan::suggestion;
use crate::report::text::Banks;
use repro_base::terminal::{Error, Exit, Progress, output};

/// Show what an implementation's kernels do to memory, checked and counted on the emulated device
#[derive(clap::Args)]
pub struct InspectArgs {
    /// The implementation, for example register-blocked
    implementation: String,
    /// Number of vertices
    #[arg(long, value_name = "N", default_value_t = 128)]
    n: usize,
    /// Set a parameter of the implementation (see `repro list`)
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parameter)]
    parameters: Vec<(String, Vec<u32>)>,
    /// Count bank conflicts only of half-warps over 16 banks, as on compute capability 1.x, or only of warps over 32 banks
    #[arg(long, value_enum)]
    banks: Option<Banks>,
    /// Show every launch on a line of its own
    #[arg(long)]
    launches: bool,
    /// Print everything as JSON in place of tables
    #[arg(long)]
    json: bool,
}

pub fn run(given: &InspectArgs) -> Result<Exit, Error> {
    if given.n == 0 {
        return Err("--n: n = 0: a graph has at least 1 vertex".into());
    }
    let found = implementation::find(&given.implementation).ok_or_else(|| {
        let known = suggestion(&given.implementation, &with_kernels());
        format!("unknown implementation '{}': {known}", given.implementation)
    })?;
    let parameters = given.parameters.iter().try_fold(Parameters::default(), |all, (name, values)| {
        let [value] = values[..] else { return Err(format!("--param {name}: expected one value")) };
        Ok(all.with(name, value))
    })?;
    found.check(&parameters).map_err(|error| format!("--param: {error}"))?;
    let mut progress = Progress::new(false, "passes");
    let inspected = inspect(&found, &parameters, given.n, &mut progress);
    progress.finish();
    let inspection = inspected.map_err(|failure| failure.message)?;
    let shown = |width| inspection.terminal(given.banks, given.launches, width);
    output::print_value(given.json, &inspection, shown)?;
    let right = inspection.wrong.is_none() && inspection.findings.is_empty();
    Ok(if right { Exit::Success } else { Exit::Failed })
}
