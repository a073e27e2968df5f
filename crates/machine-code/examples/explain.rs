//! What the innermost loop of each kernel costs, by the model: `explain LISTING CUBIN [WARPS]`, the listing from `nvdisasm -json CUBIN`.
//! Without a number of warps a scheduler it shows several.

use repro_machine_code::{Estimate, Kernel, Split, model, read};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (listing, compiled, warps) = match arguments.as_slice() {
        [listing, compiled] => (listing, compiled, vec![1, 2, 4, 6, 7, 8]),
        [listing, compiled, warps] => (listing, compiled, vec![warps.parse()?]),
        _ => return Err("expected: explain LISTING CUBIN [WARPS]".into()),
    };
    for kernel in read(&std::fs::read(listing)?, &std::fs::read(compiled)?)? {
        explain(&kernel, &warps)?;
    }
    Ok(())
}

fn explain(kernel: &Kernel, warps: &[u64]) -> Result<(), String> {
    let found = kernel.task_loop()?;
    let code = found.code;
    println!("{}{}", kernel.name, if found.repeats { "" } else { " (no loop)" });
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
