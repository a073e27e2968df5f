//! Makes the machine code in `kernels/machine-code/`, gives its loops another order, proves that it computes the same, and notes what was
//! solved with it. The README says how.

mod encoding;
#[cfg(test)]
mod index;
mod kernel;
mod model;
mod pass;
mod proof;
mod reordered_code;
#[cfg(test)]
mod tests;

use model::numbers::tasks_per_s;
use reordered_code::Tools;
use std::error::Error;
use std::process::ExitCode;

type ToolResult<T> = std::result::Result<T, Box<dyn Error>>;

const USAGE: &str = "usage: reorder [make | solved RUN... | explain FILE.cubin]
  (nothing)            make the stored machine code again, and fail where it comes out otherwise
  make                 make it anew and store it; what was solved with code that comes out as before is kept
  solved RUN...        add the repeated solves of these runs to the index
  explain FILE.cubin   what the innermost loop of each kernel costs, by the model";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match &arguments[..] {
        [] => index::compare(),
        ["make"] => index::make(),
        ["solved", runs @ ..] if !runs.is_empty() => index::solved(runs),
        ["explain", file] => explain(file),
        _ => Err(USAGE.into()),
    };
    if let Err(error) = done {
        eprintln!("error: {error}");
        return ExitCode::from(2);
    }
    ExitCode::SUCCESS
}

/// Warps of a scheduler, which registers limit to 16 at most.
const WARPS: [u64; 6] = [1, 2, 4, 6, 7, 8];

/// How long the model takes for the loops of a compiled file.
///
/// # Errors
/// When the file cannot be read or listed.
pub fn explain(path: &str) -> ToolResult<()> {
    let compiled = std::fs::read(path).map_err(|error| format!("cannot read {path}: {error}"))?;
    for kernel in Tools::find()?.kernels(path, &compiled)? {
        let found = kernel.task_loop()?;
        println!("{}: {:?}", kernel.name(), found.code);
        for estimate in WARPS.iter().filter_map(|&warps| found.estimate(warps)) {
            let all = estimate.of_two_tasks(estimate.clocks);
            let rate = tasks_per_s(all, 132, 1.98e9) / 1e12;
            print!(
                "  {} warps: {rate:.2}e12 tasks/s on an H200; {all:.3} clocks for two tasks",
                estimate.warps
            );
            for (lack, clocks) in &estimate.lacking {
                print!(", {lack:?} {:.3}", estimate.of_two_tasks(*clocks));
            }
            println!();
        }
    }
    Ok(())
}
