//! One kernel of any file on the emulated device, launched in several orders of its blocks and threads: what the checker finds, and
//! what is counted of it. It runs in a process of its own, within the limits that kernels of `--with` have.

mod argument;
mod arguments;
mod includes;
mod inside;

pub use argument::KernelArgument;
pub use arguments::CheckArgs;
pub(crate) use inside::{CheckJob, launch};

use crate::messages::Ask;
use crate::process::{Started, printable, short};
use inside::{LaunchReport, MOST_PRINTED};
use repro_emulator::{Counts, Finding, FindingKind, Instruments};
use repro_types::foreign_text::without_controls;
use serde::Serialize;
use std::path::Path;
use std::time::Duration;
use std::{io, thread};

/// How long it may take to compile a kernel, and to look through what its threads did, in addition to the time of the launch.
const TIME_BESIDE: Duration = Duration::from_secs(150);

/// A finding and the orders in which it was made.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FindingInOrders {
    pub orders: Vec<u64>,
    /// As it was first found.
    #[serde(flatten)]
    pub finding: Finding,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CheckedKernel {
    pub file: String,
    pub kernel: String,
    /// Major and minor.
    pub capability: (u32, u32),
    pub orders: Vec<u64>,
    /// Those of them that ran on a second filling of random buffers.
    pub refilled: Vec<u64>,
    /// The seeds of random buffers.
    pub seeds: Vec<u64>,
    pub findings: Vec<FindingInOrders>,
    /// Where it was asked for, and nothing was found.
    pub counts: Option<Counts>,
    /// What it printed, of each launch no more than 64 KiB.
    pub printed: String,
    /// Functions that are called and not inlined: of what they take or return by value, no access is seen.
    pub unseen: Vec<String>,
    /// Why accesses beyond local arrays and tables of constants were not looked for to the end, where they were not.
    pub bounds_unseen: Option<String>,
    /// What this system could not keep the kernel from, each as the end of the sentence "it could"; nothing where it was kept from
    /// everything.
    pub unconfined: Vec<String>,
}

/// Launches the kernel once in each order with fresh buffers, and once more to count, in a process of its own; meanwhile another looks for
/// accesses beyond local arrays and tables of constants, in the first of the orders. Before each launch `progress` gets what is launched,
/// how many launches are done, and of how many.
///
/// # Errors
/// When the file cannot be read or compiled, lacks the kernel, the kernel cannot be launched so, or its process cannot be started or ends.
pub fn check(args: &CheckArgs, progress: impl FnMut(&str, usize, usize)) -> Result<CheckedKernel, String> {
    let mut job = read(args)?;
    let process = start(&job)?;
    job.memory = process.memory;
    let orders = args.order.map_or_else(|| (0..args.orders).collect(), |order| vec![order]);
    let mut seeds: Vec<u64> = args.arguments.iter().filter_map(KernelArgument::seed).collect();
    seeds.dedup();
    let is_refilled = |order: &u64| !seeds.is_empty() && arguments::fill(*order) > 0;
    let mut checked = CheckedKernel {
        file: job.file.clone(),
        kernel: args.kernel.clone(),
        refilled: orders.iter().copied().filter(is_refilled).collect(),
        orders,
        seeds,
        unconfined: process.process.protections.lacks(),
        ..CheckedKernel::default()
    };
    let order = checked.orders.first().copied().unwrap_or(0);
    let (ended, bounds) = thread::scope(|scope| {
        let bounds = scope.spawn(|| ask(&mut start(&job)?, &job, Instruments::BOUNDS, order));
        (in_orders(&job, process, &mut checked, progress), bounds.join())
    });
    let why = match bounds {
        Ok(Ok(launched)) => {
            checked.capability = launched.capability;
            let (beyond, ends): (Vec<_>, Vec<_>) =
                launched.findings.into_iter().partition(|it| it.kind == FindingKind::OutOfBounds);
            beyond.into_iter().for_each(|finding| add(&mut checked.findings, finding, order));
            ends.first().map(ToString::to_string)
        }
        Ok(Err(error)) => Some(error),
        Err(_) => Some("its thread ended".to_string()),
    };
    if checked.findings.is_empty() {
        ended?;
        checked.bounds_unseen = why;
    } else {
        // Whatever ended the others, as a store beyond a local array may, is among them.
        checked.counts = None;
    }
    Ok(checked)
}

fn start(job: &CheckJob) -> Result<Started, String> {
    Started::new().map_err(|reason| format!("{} cannot be run apart: {reason}", job.file))
}

/// Has the kernel launched by a process that was started for it.
fn ask(
    process: &mut Started,
    job: &CheckJob,
    instruments: Instruments,
    order: u64,
) -> Result<LaunchReport, String> {
    let ask = Ask::Check { job: Box::new(job.clone()), instruments, order };
    let within = TIME_BESIDE.saturating_add(Duration::from_secs(job.args.time_limit));
    let answer: Result<LaunchReport, String> = process.ask(&ask, within).map_err(|end| {
        format!("the process in which {} is checked {end}: what its kernel does ended it, and no finding says where", job.file)
    })?;
    let report = answer.map_err(|message| short(&message))?;
    let printed: String = report.printed.chars().take(MOST_PRINTED).collect();
    Ok(LaunchReport {
        findings: report.findings.into_iter().map(printable).collect(),
        printed: without_controls(&printed),
        ..report
    })
}

/// What is found in each order, and counted.
fn in_orders(
    job: &CheckJob,
    mut process: Started,
    checked: &mut CheckedKernel,
    mut progress: impl FnMut(&str, usize, usize),
) -> Result<(), String> {
    // In one that ran a kernel nothing is compiled, and no mangled name spelled.
    let is_compiled_once = job.folders.is_empty() && !job.args.kernel.starts_with("_Z");
    let checking = checked.orders.iter().map(|order| (Instruments::CHECK, *order, format!("order {order}")));
    let counting = job.args.count.then(|| (Instruments::COUNT, 0, "counting".to_string()));
    let passes: Vec<_> = checking.chain(counting).collect();
    for (done, (instruments, order, name)) in passes.iter().enumerate() {
        if *instruments == Instruments::COUNT && !checked.findings.is_empty() {
            break;
        }
        if done > 0 && !(is_compiled_once && *instruments == passes[done - 1].0) {
            process = start(job)?;
        }
        progress(&format!("{}, {name}", job.args.kernel), done, passes.len());
        let launched = ask(&mut process, job, *instruments, *order)?;
        checked.capability = launched.capability;
        // What ends a launch, such as its time, is found where it is counted too.
        launched.findings.into_iter().for_each(|finding| add(&mut checked.findings, finding, *order));
        checked.counts = launched.counts;
        checked.printed += &launched.printed;
        checked.unseen = launched.unseen;
    }
    Ok(())
}

fn add(known: &mut Vec<FindingInOrders>, finding: Finding, order: u64) {
    let same =
        |one: &&mut FindingInOrders| (one.finding.kind, &one.finding.place) == (finding.kind, &finding.place);
    match known.iter_mut().find(same) {
        Some(one) if one.orders.last() == Some(&order) => {}
        Some(one) => one.orders.push(order),
        None => known.push(FindingInOrders { orders: vec![order], finding }),
    }
}

/// The file with the folders in which its includes are looked for: its own, then those that were given.
fn read(args: &CheckArgs) -> Result<CheckJob, String> {
    let unreadable = |error: io::Error| format!("cannot read {}: {error}", args.file.display());
    let text = repro_files::read_at_most(&args.file, 4 << 20).map_err(unreadable)?;
    let mut text = String::from_utf8_lossy(&text).into_owned();
    let file = args.file.file_name().unwrap_or_default().to_string_lossy();
    // It becomes part of a line of C++.
    let file = file.replace(|c: char| c.is_control() || c == '"' || c == '\\', "_");
    let missing = |path: &Path, error: io::Error| {
        format!("--include {}: {error}: give a folder that exists", path.display())
    };
    let given = args.include.iter().map(|path| path.canonicalize().map_err(|error| missing(path, error)));
    let given = given.collect::<Result<Vec<_>, _>>()?;
    let mut folders = Vec::new();
    // Where nothing is included, what was compiled for an earlier order need not be looked at again.
    if text.contains("include") {
        let own = args.file.canonicalize().map_err(unreadable)?;
        folders.extend(own.parent().map(Path::to_path_buf));
        folders.extend(given);
        text = includes::with_embedded_headers(&file, text, &folders);
    }
    Ok(CheckJob { args: args.clone(), capability: args.device.capability(), file, text, folders, memory: 0 })
}
