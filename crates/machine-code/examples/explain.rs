//! What the innermost loop of each kernel costs, by the model: `explain LISTING CUBIN [WARPS]`, the listing from `nvdisasm -json CUBIN`.
//! Without a number of warps a scheduler it shows several.

use repro_machine_code::{Estimate, Kernel, Split, model, read};
use std::error::Error;
use std::process::ExitCode;

fn main() -> ExitCode {
    match explain_all() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn explain_all() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (listing, compiled, warps) = match arguments.as_slice() {
        [listing, compiled] => (listing, compiled, vec![1, 2, 4, 6, 7, 8]),
        [listing, compiled, warps] => (listing, compiled, vec![few(warps)?]),
        _ => return Err("expected: explain LISTING CUBIN [WARPS]".into()),
    };
    let bytes = |path: &str| std::fs::read(path).map_err(|error| format!("cannot read {path}: {error}"));
    for kernel in read(&bytes(listing)?, &bytes(compiled)?)? {
        explain(&kernel, &warps)?;
    }
    Ok(())
}

/// Warps of a scheduler, of which there are 16 at most.
fn few(warps: &str) -> Result<u64, String> {
    let number = warps.parse().ok().filter(|warps| (1..=16).contains(warps));
    number.ok_or_else(|| format!("WARPS is {warps}: expected 1 to 16"))
}

fn explain(kernel: &Kernel, warps: &[u64]) -> Result<(), String> {
    let found = kernel.task_loop()?;
    let code = found.code;
    println!("{}{}", kernel.name, if found.repeats { "" } else { " (no loop with tasks: the whole kernel)" });
    println!(
        "  {} tasks, {} instructions: {} of tasks, {} shared loads, {} others; {} local accesses",
        code.tasks,
        code.instructions,
        code.task_instructions,
        code.shared_loads,
        code.other_instructions(),
        code.local_accesses,
    );
    let [even, odd] = code.register_reads;
    let fits = if code.uncached_bytes() == 0 { "fits" } else { "does not fit" };
    println!(
        "  {} B of code, which {fits} the instruction cache; {} operands kept, {even} reads of even and {odd} of odd registers",
        code.code_bytes(),
        code.kept_operands,
    );
    for estimate in warps.iter().filter_map(|&warps| found.estimate(warps)) {
        println!("  {}", line(&estimate));
    }
    Ok(())
}

fn line(estimate: &Estimate) -> String {
    let Split { issue, banks, minimum_pipe, other_pipes, shared_memory, waiting } = estimate.split;
    let all = estimate.of_two_tasks(estimate.clocks);
    let [issue, banks, minimum, other, shared, waiting] =
        [issue, banks, minimum_pipe, other_pipes, shared_memory, waiting]
            .map(|clocks| estimate.of_two_tasks(clocks));
    format!(
        "{} warps: {all:.3} clocks for two tasks: issue {issue:.3}, banks {banks:.3}, pipe of minima {minimum:.3}, other pipes \
         {other:.3}, shared memory {shared:.3}, waiting {waiting:.3}; {:.2}e12 tasks/s on an H200",
        estimate.warps,
        model::tasks_per_s(all, 132, 1.98e9) / 1e12,
    )
}
