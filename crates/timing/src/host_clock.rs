//! Samples by the host's clock, as pogorilyy-cuda took them: once as one must not, and once as one may.

use super::clock::Bench;
use super::scope::{Scope, Seconds};
use repro_device::{DeviceError, HostBuffer};
use std::time::Instant;

/// The pitfall. The host's clock stops as soon as the last launch is queued, and the copy that follows waits for the work:
/// [`Scope::HostUnsynced`] and [`Scope::CopyOutUnsynced`]. Both buffers are pageable.
///
/// # Errors
/// Whatever the device reports.
pub fn time_unsynchronized(
    bench: Bench,
    input: &HostBuffer,
    output: &mut HostBuffer,
) -> Result<Seconds, DeviceError> {
    let Bench { device, solver, memory, n, .. } = bench;
    device.upload(input, &memory.matrix, n * n)?;
    solver.pack(device, memory, n)?;
    device.synchronize()?;
    let start = Instant::now();
    solver.solve(device, memory, n)?;
    let launched = start.elapsed();
    let start = Instant::now();
    solver.unpack(device, memory, n)?;
    device.download(&memory.matrix, output, n * n)?;
    device.synchronize()?;
    let copied = start.elapsed();
    Ok(Seconds::from_iter([
        (Scope::HostUnsynced, launched.as_secs_f64()),
        (Scope::CopyOutUnsynced, copied.as_secs_f64()),
    ]))
}

/// The cure: the host's clock, with the device idle whenever it is read. [`Scope::HostSynced`], both copies of pageable
/// memory, and [`Scope::TotalPageable`].
///
/// # Errors
/// Whatever the device reports.
pub fn time_synchronized(
    bench: Bench,
    input: &HostBuffer,
    output: &mut HostBuffer,
) -> Result<Seconds, DeviceError> {
    let Bench { device, solver, memory, n, .. } = bench;
    device.synchronize()?;
    let start = Instant::now();
    let now = || -> Result<f64, DeviceError> {
        device.synchronize()?;
        Ok(start.elapsed().as_secs_f64())
    };
    device.upload(input, &memory.matrix, n * n)?;
    let copied_in = now()?;
    solver.pack(device, memory, n)?;
    let packed = now()?;
    solver.solve(device, memory, n)?;
    let solved = now()?;
    solver.unpack(device, memory, n)?;
    let unpacked = now()?;
    device.download(&memory.matrix, output, n * n)?;
    let copied_out = now()?;
    Ok(Seconds::from_iter([
        (Scope::HostSynced, solved - packed),
        (Scope::CopyInPageable, copied_in),
        (Scope::CopyOutPageable, copied_out - unpacked),
        (Scope::TotalPageable, copied_out),
    ]))
}

/// The first solve of a process, by the host's clock and by events at once: [`Scope::FirstHost`] and [`Scope::FirstKernel`].
///
/// # Errors
/// Whatever the device reports.
pub fn time_first(bench: Bench, input: &HostBuffer, output: &mut HostBuffer) -> Result<Seconds, DeviceError> {
    let Bench { device, clock, solver, memory, n } = bench;
    let [start, end, ..] = &clock.events;
    device.upload(input, &memory.matrix, n * n)?;
    solver.pack(device, memory, n)?;
    device.synchronize()?;
    let begun = Instant::now();
    device.record(start)?;
    solver.solve(device, memory, n)?;
    device.record(end)?;
    device.synchronize()?;
    let host = begun.elapsed().as_secs_f64();
    solver.unpack(device, memory, n)?;
    device.download(&memory.matrix, output, n * n)?;
    device.synchronize()?;
    Ok(Seconds::from_iter([
        (Scope::FirstHost, host),
        (Scope::FirstKernel, device.seconds_between(start, end)?),
    ]))
}
