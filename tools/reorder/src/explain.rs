//! How long the model takes for the loops of a compiled file.

use crate::ToolResult;
use crate::model::numbers::tasks_per_s;
use crate::reordered_code::Tools;

/// Warps of a scheduler, which registers limit to 16 at most.
const WARPS: [u64; 6] = [1, 2, 4, 6, 7, 8];

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
