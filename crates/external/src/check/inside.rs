//! The process that runs a kernel to check. It is held within limits by whoever started it: on the emulated device a kernel is code of the
//! host.

use super::{CheckArgs, KernelArgument, arguments};
use crate::inside::refuse_programs;
use crate::messages::CACHE;
use repro_emulator::{
    Arguments, Counts, Emulator, EmulatorError, Finding, Instruments, Launch, Options, Source,
};
use repro_graph::available_memory;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What it may answer at most of what a kernel printed, in bytes.
pub const MOST_PRINTED: usize = 64 << 10;

/// A kernel with the text that it stands in.
#[derive(Clone, Serialize, Deserialize)]
pub struct CheckJob {
    pub args: CheckArgs,
    /// The usual one where there is none.
    pub capability: Option<(u32, u32)>,
    /// The name of its file.
    pub file: String,
    pub text: String,
    /// Where what it includes is looked for.
    pub folders: Vec<PathBuf>,
    /// Bytes that the process may take.
    pub memory: u64,
}

/// What a launch came to.
#[derive(Serialize, Deserialize)]
pub struct LaunchReport {
    pub capability: (u32, u32),
    pub findings: Vec<Finding>,
    /// Where it was counted.
    pub counts: Option<Counts>,
    /// What it printed, up to [`MOST_PRINTED`].
    pub printed: String,
    /// Functions between which and the kernel nothing is seen that passes by value.
    pub unseen: Vec<String>,
}

/// What kernels printed since it was last asked for. Standard output is for answers.
static PRINTED: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn keep_printed(text: &[u8]) {
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    let room = MOST_PRINTED.saturating_sub(printed.len());
    printed.extend_from_slice(&text[..text.len().min(room)]);
}

/// Launches the kernel on a device of its own with fresh buffers.
///
/// # Errors
/// Why it cannot be compiled or launched, in words.
pub fn launch(job: &CheckJob, instruments: Instruments, order: u64) -> Result<LaunchReport, String> {
    let in_words = |error: EmulatorError| error.to_string();
    let args = &job.args;
    let usual = Options::new(instruments);
    let emulator = Emulator::open(Options {
        capability: job.capability.unwrap_or(usual.capability),
        seed: order,
        time_limit: Some(Duration::from_secs(args.time_limit)),
        print: keep_printed,
        cache: CACHE.into(),
        ..usual
    })
    .map_err(in_words)?;
    let bytes = args.arguments.iter().map(KernelArgument::buffer_bytes).fold(0, u64::saturating_add);
    let needed = bytes.saturating_mul(emulator.host_bytes_a_byte());
    let free = available_memory().unwrap_or(u64::MAX).min(job.memory);
    if needed > free {
        return Err(format!(
            "--args: buffers of {bytes} bytes need {needed} of the host's memory to be checked, and {free} are free: make them smaller"
        ));
    }
    let mut source = Source::new(&*job.file, &*job.text);
    source.folders.clone_from(&job.folders);
    source.architecture_specific = args.specific;
    source.plain_names = true;
    let kernels = emulator.load(&source, &[&args.kernel]).map_err(in_words)?;
    let stream = emulator.stream();
    if let [kernel] = &kernels[..] {
        for (number, (given, parameter)) in args.arguments.iter().zip(kernel.parameter_bytes()).enumerate() {
            given.check(number + 1, *parameter)?;
        }
        let fill = |number: usize| arguments::fill(order) + 2 * number as u64;
        let numbered = args.arguments.iter().enumerate();
        let buffers = numbered.map(|(number, given)| given.buffer(&emulator, &stream, fill(number)));
        let buffers = buffers.collect::<Result<Vec<_>, _>>().map_err(in_words)?;
        let pairs = args.arguments.iter().zip(&buffers);
        let packed: Vec<_> = pairs.map(|(given, memory)| given.packed(memory.as_ref())).collect();
        let launch = Launch {
            dynamic_shared_bytes: args.dynamic,
            cluster: args.cluster,
            ..Launch::of(args.grid, args.block)
        };
        refuse_programs();
        // SAFETY: whoever asks for the check wants this code to be run. What it does outside of its memory, the checker stops, and what
        // the checker does not see is within the limits of this process.
        unsafe { stream.launch(kernel, launch, &Arguments::new(&packed)).map_err(in_words)? };
    }
    let findings = emulator.take_findings();
    // What stopped a launch and is no finding.
    stream.synchronize().map_err(in_words)?;
    let printed = std::mem::take(&mut *PRINTED.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(LaunchReport {
        capability: emulator.capability(),
        findings,
        counts: emulator.take_counts().first().map(|launch| launch.counts),
        printed: String::from_utf8_lossy(&printed).into_owned(),
        unseen: kernels.iter().flat_map(|kernel| kernel.called().to_vec()).collect(),
    })
}
