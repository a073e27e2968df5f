//! One timed sample by the device's own clock, and on the CPU.

use super::scope::{Scope, Seconds};
use repro_device::{Device, DeviceError, Event, HostBuffer};
use repro_solvers::{Solver, WorkingMemory};
use std::time::Instant;

/// What a sample on a device works with.
#[derive(Clone, Copy)]
pub struct Bench<'a> {
    pub device: &'a dyn Device,
    pub clock: &'a EventClock,
    pub solver: &'a Solver,
    pub memory: &'a WorkingMemory,
    /// Vertices; host buffers hold n x n floats.
    pub n: usize,
}

/// The six events that bound the device scopes.
pub struct EventClock {
    pub(super) events: [Event; 6],
}

impl EventClock {
    /// # Errors
    /// When the device has no events left.
    pub fn new(device: &dyn Device) -> Result<Self, DeviceError> {
        let event = || device.event();
        Ok(Self { events: [event()?, event()?, event()?, event()?, event()?, event()?] })
    }
}

/// Solves once on a device: copies `input` in, changes the layout, launches, changes back, copies out. All of it is
/// queued without waiting, so the device's own events enclose work and no host latency that the queue can hide. Both buffers
/// are page-locked. The usual scopes, and those of the copies if `copies`.
///
/// # Errors
/// Whatever the device reports, at the latest when its queue is empty.
pub fn time_on_device(
    bench: Bench,
    input: &HostBuffer,
    output: &mut HostBuffer,
    copies: bool,
) -> Result<Seconds, DeviceError> {
    let Bench { device, clock, solver, memory, n } = bench;
    let [begun, copied_in, packed, solved, unpacked, copied_out] = &clock.events;
    device.synchronize()?;
    let start = Instant::now();
    device.record(begun)?;
    device.upload(input, &memory.matrix, n * n)?;
    device.record(copied_in)?;
    solver.pack(device, memory, n)?;
    device.record(packed)?;
    solver.solve(device, memory, n)?;
    device.record(solved)?;
    solver.unpack(device, memory, n)?;
    device.record(unpacked)?;
    device.download(&memory.matrix, output, n * n)?;
    device.record(copied_out)?;
    device.synchronize()?;
    let host = start.elapsed().as_secs_f64();
    let between = |start, end| device.seconds_between(start, end);
    let mut seconds = Seconds::from_iter([
        (Scope::Kernel, between(packed, solved)?),
        (Scope::Device, between(copied_in, unpacked)?),
        (Scope::Total, between(begun, copied_out)?),
        (Scope::Host, host),
    ]);
    if copies {
        seconds.extend([
            (Scope::CopyIn, between(begun, copied_in)?),
            (Scope::CopyOut, between(unpacked, copied_out)?),
        ]);
    }
    Ok(seconds)
}

/// The same with the launches as one CUDA graph, which is made and sent to the device before the window:
/// [`Scope::CudaGraph`] and, of the call alone, [`Scope::CudaGraphUnsynced`].
///
/// # Errors
/// Whatever the device reports.
pub fn time_as_cuda_graph(
    bench: Bench,
    input: &HostBuffer,
    output: &mut HostBuffer,
) -> Result<Seconds, DeviceError> {
    let Bench { device, clock, solver, memory, n } = bench;
    let [start, end, ..] = &clock.events;
    device.synchronize()?;
    let graph = device.capture(&mut || solver.solve(device, memory, n))?;
    device.upload(input, &memory.matrix, n * n)?;
    solver.pack(device, memory, n)?;
    device.synchronize()?;
    device.record(start)?;
    let called = Instant::now();
    device.replay(&graph)?;
    let unsynced = called.elapsed().as_secs_f64();
    device.record(end)?;
    solver.unpack(device, memory, n)?;
    device.download(&memory.matrix, output, n * n)?;
    device.synchronize()?;
    Ok(Seconds::from_iter([
        (Scope::CudaGraph, device.seconds_between(start, end)?),
        (Scope::CudaGraphUnsynced, unsynced),
    ]))
}

/// Solves `matrix` once on the CPU. There is nothing to copy and no layout to change that the solver does not change
/// itself, so every scope is the solve.
///
/// # Errors
/// Whatever the solver reports.
pub fn time_on_cpu(
    solve: fn(&mut [f32], usize) -> Result<(), DeviceError>,
    matrix: &mut [f32],
    n: usize,
) -> Result<Seconds, DeviceError> {
    let start = Instant::now();
    solve(matrix, n)?;
    Ok(Seconds::same(start.elapsed().as_secs_f64()))
}
