//! The process that runs a kernel to check. It is held within limits by whoever started it: on the emulated device a kernel is code of the
//! host.

use super::CheckError;
use super::messages::{Checked, Launched, MOST_PRINTED};
use crate::inside::refuse_programs;
use crate::messages::CACHE;
use repro_emulator::{Arguments, Emulator, Instruments, Options, Source};
use repro_graph::available_memory;
use std::sync::{Mutex, PoisonError};

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
pub fn launch(checked: &Checked, instruments: Instruments, order: u64) -> Result<Launched, String> {
    launch_now(checked, instruments, order).map_err(|error| error.to_string())
}

fn launch_now(checked: &Checked, instruments: Instruments, order: u64) -> Result<Launched, CheckError> {
    let plan = &checked.plan;
    let usual = Options::new(instruments);
    let emulator = Emulator::open(Options {
        capability: plan.capability.unwrap_or(usual.capability),
        seed: order,
        time_limit: Some(plan.time_limit),
        print: keep_printed,
        cache: CACHE.into(),
        ..usual
    })?;
    let all = |bytes: u64, one: &super::Given| bytes.saturating_add(one.buffer_bytes() as u64);
    let bytes = plan.arguments.iter().fold(0, all);
    let needed = bytes.saturating_mul(emulator.host_bytes_a_byte());
    let free = available_memory().unwrap_or(u64::MAX).min(checked.memory);
    if needed > free {
        return Err(CheckError::Memory { bytes, needed, free });
    }
    let mut source = Source::new(&*checked.file, &*checked.text);
    source.folders.clone_from(&checked.folders);
    source.architecture_specific = plan.architecture_specific;
    source.plain_names = true;
    let kernels = emulator.load(&source, &[&plan.kernel])?;
    let stream = emulator.stream();
    if let [kernel] = &kernels[..] {
        for (number, (given, parameter)) in plan.arguments.iter().zip(kernel.parameter_bytes()).enumerate() {
            given.check(number + 1, *parameter).map_err(CheckError::Argument)?;
        }
        let fill = |number: usize| plan.fill(order) + 2 * number as u64;
        let numbered = plan.arguments.iter().enumerate();
        let buffers = numbered.map(|(number, given)| given.buffer(&emulator, &stream, fill(number)));
        let buffers = buffers.collect::<Result<Vec<_>, _>>()?;
        let packed: Vec<_> = plan
            .arguments
            .iter()
            .zip(&buffers)
            .map(|(given, memory)| given.packed(memory.as_ref()))
            .collect();
        refuse_programs();
        // SAFETY: whoever asks for the check wants this code to be run. What it does outside of its memory, the checker stops, and what
        // the checker does not see is within the limits of this process.
        unsafe { stream.launch(kernel, plan.launch, &Arguments::new(&packed))? };
    }
    let findings = emulator.take_findings();
    // What stopped a launch and is no finding.
    stream.synchronize()?;
    let printed = std::mem::take(&mut *PRINTED.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(Launched {
        capability: emulator.capability(),
        findings,
        counts: emulator.take_counts().first().map(|launch| launch.counts),
        printed: String::from_utf8_lossy(&printed).into_owned(),
        unseen: kernels.iter().flat_map(|kernel| kernel.called().to_vec()).collect(),
    })
}
