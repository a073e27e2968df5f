//! The command `check-kernel`, and `repro check`: one kernel of any CUDA C++ file, checked by the emulated device.

pub use repro_external::check::CheckArgs;

use repro_emulator::{BANKS_16, BANKS_32, Counts, Figure};
use repro_external::check::{CheckedKernel, KernelArgument, check};
use repro_terminal::{Error, Exit, Progress, output};
use repro_types::lists::count_of;
use repro_types::number::decimals;
use std::fmt::Write;

/// Checks the kernel and prints what was found.
///
/// # Errors
/// When the file cannot be read or compiled, lacks the kernel, or the kernel cannot be launched so.
pub fn run(args: &CheckArgs) -> Result<Exit, Error> {
    if !args.device.is_emulated() {
        let device = args.device;
        return Err(format!("--device {device}: a file is checked on emulated or emulated:C.C alone").into());
    }
    if args.orders == 0 {
        return Err("--orders 0: no order checks nothing, expected at least 1".into());
    }
    let mut progress = Progress::new(false, "launches");
    let checked = check(args, |doing, done, of| progress.progress(doing, done, of, None));
    progress.finish();
    let checked = checked?;
    warnings(args, &checked).iter().for_each(|warning| output::complain(warning));
    if args.json {
        output::print(&output::json(&checked)?)?;
    } else {
        output::print(&checked.printed)?;
        output::show(&in_lines(&checked))?;
    }
    if args.count && checked.counts.is_none() {
        output::complain("not counted: what a kernel with findings does would be counted with its mistakes");
    }
    Ok(if checked.findings.is_empty() { Exit::Success } else { Exit::Failed })
}

/// What limits what was found.
fn warnings(args: &CheckArgs, checked: &CheckedKernel) -> Vec<String> {
    let line = |text: &str| text.replace(char::is_control, " ");
    let any = |is: fn(&KernelArgument) -> bool| args.arguments.iter().any(is);
    let elements: Vec<String> = args.arguments.iter().filter_map(KernelArgument::element).collect();
    let (elements, unseen) = (elements.join(", "), line(&checked.unseen.join(", ")));
    let (why, could) = (checked.bounds_unseen.as_deref().map(line), checked.unconfined.join("; "));
    let is_plain = any(KernelArgument::is_plain) && !any(KernelArgument::is_varied);
    let plain = "all buffers hold one number or rising numbers, with which a kernel may not do what depends on its data: random:BYTES shows more";
    let all = [
        is_plain.then(|| plain.to_string()),
        (!elements.is_empty()).then(|| format!("value: was taken for {elements}; a float has a point, as in 1.0")),
        (!unseen.is_empty()).then(|| format!(
            "these functions are called and not inlined, so that structs which pass to or from them by value are not seen: {unseen}"
        )),
        why.map(|why| format!(
            "accesses beyond local arrays and tables of constants were not looked for to the end: {why}"
        )),
        (!could.is_empty()).then(|| format!("this system does not confine the kernel wholly: it could {could}")),
    ];
    all.into_iter().flatten().collect()
}

/// A line a finding, a summary, and what was counted.
fn in_lines(checked: &CheckedKernel) -> String {
    let mut text = String::new();
    for found in &checked.findings {
        let finding = found.finding.to_string().replace(char::is_control, " ");
        let (first, rest) = (found.orders[0], &found.orders[1..]);
        let also = if rest.is_empty() { String::new() } else { format!("; also in {}", orders(rest)) };
        let _ = writeln!(text, "order {first}: {finding}{also}");
    }
    let mut count = count_of(checked.orders.len(), "order");
    if !checked.seeds.is_empty() {
        let seeds: Vec<String> = checked.seeds.iter().map(ToString::to_string).collect();
        let _ = write!(count, " on random data of seed {}", seeds.join(", "));
        if !checked.refilled.is_empty() {
            let _ = write!(count, " (other data in {})", orders(&checked.refilled));
        }
    }
    let first = checked.findings.first().map_or(0, |found| found.orders[0]);
    let _ = match checked.findings.len() {
        0 => writeln!(text, "{count}, no findings"),
        1 => writeln!(text, "{count}, 1 finding; --order {first} repeats it"),
        more => writeln!(text, "{count}, {more} findings; --order {first} repeats the first"),
    };
    if let Some(counts) = &checked.counts {
        text += &counts_in_lines(counts);
    }
    text
}

/// "order 1" or "orders 1, 2".
fn orders(numbers: &[u64]) -> String {
    let all: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    let noun = if all.len() == 1 { "order" } else { "orders" };
    format!("{noun} {}", all.join(", "))
}

/// Two parts, of global and of shared memory; the second where shared memory was used.
fn counts_in_lines(counts: &Counts) -> String {
    let global = counts.global_figures().iter().copied().chain(counts.rare_figures()).collect();
    let mut text = part("Global memory, one launch", counts, global);
    let of_memory = counts.shared_figures();
    if !of_memory.is_empty() {
        let shared = [of_memory, &BANKS_16, &BANKS_32].concat();
        text += &part("Shared memory, one launch; ways: worst and mean steps of an access", counts, shared);
    }
    text
}

fn part(title: &str, counts: &Counts, figures: Vec<Figure>) -> String {
    let mut text = format!("\n{title}\n");
    let widest = figures.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, read) in figures {
        let _ = writeln!(text, "  {name:widest$}  {:>16}", read(counts).text(decimals));
    }
    text
}
