//! One kernel of any file on the emulated device, launched in several orders of its blocks and threads: what the checker finds, and
//! what is counted of it.

mod argument;
mod includes;
mod text;

pub use argument::{Contents, Given};

use crate::device::emulated::EmulatedDevice;
use crate::experiment::Observer;
use repro_emulator::{Arguments, Counts, Emulator, EmulatorError, Finding, Instruments, Launch, Source};
use serde::Serialize;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// What is to be checked.
pub struct KernelCheck {
    pub file: PathBuf,
    pub kernel: String,
    pub launch: Launch,
    pub arguments: Vec<Given>,
    /// The orders of blocks and threads, each by its number.
    pub orders: Vec<u64>,
    /// The usual one where there is none.
    pub capability: Option<(u32, u32)>,
    /// Whether it uses what one architecture alone has.
    pub architecture_specific: bool,
    /// Where else what it includes is looked for.
    pub folders: Vec<PathBuf>,
    /// Whether to count what it does to memory too.
    pub count: bool,
}

/// A finding and the orders in which it was made.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    pub orders: Vec<u64>,
    /// As it was first found.
    #[serde(flatten)]
    pub finding: Finding,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckedKernel {
    pub file: String,
    pub kernel: String,
    /// Major and minor.
    pub capability: (u32, u32),
    pub orders: Vec<u64>,
    pub findings: Vec<Found>,
    /// Where it was asked for, and nothing was found.
    pub counts: Option<Counts>,
}

#[derive(Debug, Error)]
pub enum CheckError {
    #[error("cannot read {}: {error}", .path.display())]
    File { path: PathBuf, error: std::io::Error },
    #[error("--include {}: {error}: give a folder that exists", .path.display())]
    Folder { path: PathBuf, error: std::io::Error },
    #[error(
        "--args: buffers of {bytes} bytes need {needed} of the host's memory to be checked, and {free} are free: make them smaller"
    )]
    Memory { bytes: u64, needed: u64, free: u64 },
    #[error("{0}")]
    Argument(String),
    #[error(transparent)]
    Emulator(#[from] EmulatorError),
}

/// Launches the kernel once in each order with fresh buffers, and once more to count.
///
/// # Errors
/// When the file cannot be read or compiled, lacks the kernel, or the kernel cannot be launched so.
pub fn check(plan: &KernelCheck, observer: &mut dyn Observer) -> Result<CheckedKernel, CheckError> {
    let source = source_of(plan)?;
    let passes = plan.orders.len() + usize::from(plan.count);
    let mut findings: Vec<Found> = Vec::new();
    let mut capability = (0, 0);
    for (done, &order) in plan.orders.iter().enumerate() {
        observer.progress(&format!("{}, order {order}", plan.kernel), done, passes, None);
        let emulator = launched(plan, &source, Instruments::CHECK, order)?;
        capability = emulator.capability();
        emulator.take_findings().into_iter().for_each(|finding| add(&mut findings, finding, order));
        // What stopped a launch and is no finding.
        emulator.stream().synchronize()?;
    }
    let mut counts = None;
    if plan.count && findings.is_empty() {
        observer.progress(&format!("{}, counting", plan.kernel), plan.orders.len(), passes, None);
        let emulator = launched(plan, &source, Instruments::COUNT, 0)?;
        emulator.stream().synchronize()?;
        counts = emulator.take_counts().first().map(|launch| launch.counts);
    }
    Ok(CheckedKernel {
        file: source.file.to_string(),
        kernel: plan.kernel.clone(),
        capability,
        orders: plan.orders.clone(),
        findings,
        counts,
    })
}

fn add(known: &mut Vec<Found>, finding: Finding, order: u64) {
    let same = |one: &&mut Found| (one.finding.kind, &one.finding.place) == (finding.kind, &finding.place);
    match known.iter_mut().find(same) {
        Some(one) if one.orders.last() == Some(&order) => {}
        Some(one) => one.orders.push(order),
        None => known.push(Found { orders: vec![order], finding }),
    }
}

/// The file with the folders in which its includes are looked for: its own, then those that were given.
fn source_of(plan: &KernelCheck) -> Result<Source<'static>, CheckError> {
    let unreadable = |error| CheckError::File { path: plan.file.clone(), error };
    let text = std::fs::read(&plan.file).map_err(unreadable)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let name = plan.file.file_name().unwrap_or_default().to_string_lossy();
    // It becomes part of a line of C++.
    let name = name.replace(|c: char| c.is_control() || c == '"' || c == '\\', "_");
    let given: Vec<PathBuf> = plan
        .folders
        .iter()
        .map(|path| path.canonicalize().map_err(|error| CheckError::Folder { path: path.clone(), error }))
        .collect::<Result<_, _>>()?;
    let mut source = Source::new(name, text);
    // Where nothing is included, what was compiled earlier need not be looked at again.
    if source.text.contains("include") {
        let file = plan.file.canonicalize().map_err(unreadable)?;
        source.folders.extend(file.parent().map(Path::to_path_buf));
        source.folders.extend(given);
        let text = std::mem::take(&mut source.text).into_owned();
        source.text = includes::with_embedded_headers(&source.file, text, &source.folders).into();
    }
    source.architecture_specific = plan.architecture_specific;
    source.plain_names = true;
    Ok(source)
}

/// A device of its own on which the kernel was launched with fresh buffers.
fn launched(
    plan: &KernelCheck,
    source: &Source,
    instruments: Instruments,
    order: u64,
) -> Result<Emulator, CheckError> {
    let mut options = EmulatedDevice::usual_options(instruments);
    options.capability = plan.capability.unwrap_or(options.capability);
    options.seed = order;
    let emulator = Emulator::open(options)?;
    let bytes = plan.arguments.iter().fold(0, |all: u64, one| all.saturating_add(one.buffer_bytes() as u64));
    let needed = bytes.saturating_mul(emulator.host_bytes_a_byte());
    let free = crate::graph::available_memory().unwrap_or(u64::MAX);
    if needed > free {
        return Err(CheckError::Memory { bytes, needed, free });
    }
    let kernels = emulator.load(source, &[&plan.kernel])?;
    let [kernel] = &kernels[..] else { return Ok(emulator) };
    for (number, (given, parameter)) in plan.arguments.iter().zip(kernel.parameter_bytes()).enumerate() {
        given.check(number + 1, *parameter).map_err(CheckError::Argument)?;
    }
    let stream = emulator.stream();
    let mut buffers = Vec::new();
    for given in &plan.arguments {
        buffers.push(match given {
            Given::Buffer(contents, bytes) => {
                let memory = emulator.allocate(*bytes)?;
                contents.fill(&memory, &stream);
                Some(memory)
            }
            _ => None,
        });
    }
    let packed: Vec<_> =
        plan.arguments.iter().zip(&buffers).map(|(given, memory)| given.packed(memory.as_ref())).collect();
    // SAFETY: whoever asks for the check wants this code to be run; what it does outside of its memory, the checker stops.
    unsafe { stream.launch(kernel, plan.launch, &Arguments::new(&packed))? };
    Ok(emulator)
}
