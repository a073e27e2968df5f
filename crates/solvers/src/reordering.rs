//! Loops of tasks in an order of our own, as a pass over compiled machine code. What the pass is: `docs/machine-code.md`.

use repro_device::cuda::Disassembler;
use repro_device::{DeviceError, MachineCodePass};
use repro_machine_code::reorder::{VERSION, check, reorder};

/// Reorders the loops of tasks. Needs a disassembler where it runs.
pub static REORDERING: MachineCodePass =
    MachineCodePass { name: "reordered", version: VERSION, apply: reordered_for };

fn reordered_for(
    file: &str,
    architecture: &str,
    compile: &mut dyn FnMut() -> Result<Vec<u8>, DeviceError>,
) -> Result<Vec<u8>, DeviceError> {
    if !architecture.starts_with(ORDERED) {
        return Err(DeviceError::other(format!(
            "the order of machine code is known for {ORDERED} alone, and this device is {architecture}: run it without"
        )));
    }
    in_both_orders(file, compile).map(|(_, after)| after)
}

/// The architecture of which it is known how long instructions take.
const ORDERED: &str = "sm_90";

/// How often code is compiled to be given another order.
const MOST_TRIED: usize = 4;

/// Machine code with its loops of tasks in another order, after that was listed again and found to compute the same. `file` is the kernel
/// file's name, for messages.
///
/// # Errors
/// When there is no disassembler, when no loop can have another order, and when one that has is not found to be right.
pub fn reordered(file: &str, image: &[u8]) -> Result<Vec<u8>, DeviceError> {
    in_order(file, image)?
}

/// What `compile` gives, and the same [`reordered`]. Code that the pass leaves alone is compiled again: NVRTC does not give the same each
/// time, now and then a loop that the pass does not take. Code that it made wrong is not.
///
/// # Errors
/// As [`reordered`], and when it does not compile.
pub fn in_both_orders(
    file: &str,
    compile: &mut dyn FnMut() -> Result<Vec<u8>, DeviceError>,
) -> Result<(Vec<u8>, Vec<u8>), DeviceError> {
    let mut tried = 1;
    loop {
        let before = compile()?;
        match in_order(file, &before)? {
            Err(_) if tried < MOST_TRIED => tried += 1,
            after => return after.map(|after| (before, after)),
        }
    }
}

/// As [`reordered`]; the inner error is about a loop that was left alone.
fn in_order(file: &str, image: &[u8]) -> Result<Result<Vec<u8>, DeviceError>, DeviceError> {
    let disassembler = Disassembler::find()?;
    let cannot = |problem: &str| {
        DeviceError::other(format!(
            "cannot give the machine code of {file} another order: {problem}: run it without"
        ))
    };
    let before = disassembler.kernels(file, image)?;
    let (image, outcomes) = reorder(image, &before).map_err(|problem| cannot(&problem))?;
    let none = outcomes.first().filter(|_| outcomes.iter().all(|outcome| outcome.left.is_some()));
    if let Some(missed) = outcomes.iter().find(|outcome| outcome.is_missed()).or(none) {
        let why = missed.left.as_deref().unwrap_or_default();
        return Ok(Err(cannot(&format!("of {} {why}", missed.kernel))));
    }
    let after = disassembler.kernels(file, &image)?;
    if before.len() != after.len() {
        return Err(cannot("it has other kernels than before"));
    }
    for (before, after) in before.iter().zip(&after) {
        check(before, after).map_err(|problem| cannot(&format!("in {} {problem}", before.name)))?;
    }
    Ok(Ok(image))
}
