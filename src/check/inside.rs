//! The process that runs a kernel to check. It is held within limits by whoever started it: on the emulated device a kernel is code of the
//! host.

use super::CheckError;
use super::messages::{Answer, Ask, Checked, Launched, MOST_PRINTED};
use crate::graph::available_memory;
use crate::strangers::CACHE;
use repro_emulator::{Arguments, Emulator, Instruments, Options, Source};
use std::io::{self, BufRead, Write};
use std::sync::{Mutex, PoisonError};

/// The argument that makes this program such a process; no subcommand, since people have no use for it.
pub const CHECKER: &str = "run-check";

/// What kernels printed since it was last asked for. Standard output is for answers.
static PRINTED: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Answers until its input closes.
///
/// # Errors
/// When its input or output fails.
pub fn serve() -> io::Result<()> {
    let mut checked = None;
    for line in io::stdin().lock().lines() {
        let answer = match (serde_json::from_str(&line?)?, &checked) {
            (Ask::Begin(begun), _) => {
                checked = Some(begun);
                Answer::Begun
            }
            (Ask::Launch { .. }, None) => {
                Answer::Failed { message: "asked to launch before it was told what".to_string() }
            }
            (Ask::Launch { instruments, order }, Some(checked)) => {
                match launch(checked, instruments, order) {
                    Ok(launched) => Answer::Launched(Box::new(launched)),
                    Err(error) => Answer::Failed { message: error.to_string() },
                }
            }
        };
        let mut line = serde_json::to_vec(&answer)?;
        line.push(b'\n');
        let mut output = io::stdout().lock();
        output.write_all(&line)?;
        output.flush()?;
    }
    Ok(())
}

fn keep_printed(text: &[u8]) {
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    let room = MOST_PRINTED.saturating_sub(printed.len());
    printed.extend_from_slice(&text[..text.len().min(room)]);
}

/// Launches the kernel on a device of its own with fresh buffers.
fn launch(checked: &Checked, instruments: Instruments, order: u64) -> Result<Launched, CheckError> {
    let usual = Options::new(instruments);
    let emulator = Emulator::open(Options {
        capability: checked.capability.unwrap_or(usual.capability),
        seed: order,
        time_limit: Some(checked.time_limit),
        print: keep_printed,
        cache: CACHE.into(),
        ..usual
    })?;
    let all = |bytes: u64, one: &super::Given| bytes.saturating_add(one.buffer_bytes() as u64);
    let bytes = checked.arguments.iter().fold(0, all);
    let needed = bytes.saturating_mul(emulator.host_bytes_a_byte());
    let free = available_memory().unwrap_or(u64::MAX).min(checked.memory);
    if needed > free {
        return Err(CheckError::Memory { bytes, needed, free });
    }
    let mut source = Source::new(&*checked.file, &*checked.text);
    source.folders.clone_from(&checked.folders);
    source.architecture_specific = checked.architecture_specific;
    source.plain_names = true;
    let kernels = emulator.load(&source, &[&checked.kernel])?;
    let stream = emulator.stream();
    if let [kernel] = &kernels[..] {
        for (number, (given, parameter)) in checked.arguments.iter().zip(kernel.parameter_bytes()).enumerate()
        {
            given.check(number + 1, *parameter).map_err(CheckError::Argument)?;
        }
        let mut buffers = Vec::new();
        for given in &checked.arguments {
            buffers.push(given.buffer(&emulator, &stream)?);
        }
        let packed: Vec<_> = checked
            .arguments
            .iter()
            .zip(&buffers)
            .map(|(given, memory)| given.packed(memory.as_ref()))
            .collect();
        // SAFETY: whoever asks for the check wants this code to be run. What it does outside of its memory, the checker stops, and what
        // the checker does not see is within the limits of this process.
        unsafe { stream.launch(kernel, checked.launch, &Arguments::new(&packed))? };
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
    })
}
