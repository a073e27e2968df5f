//! One timed sample, and what each clock enclosed.

use crate::device::{Device, DeviceError, Event, HostBuffer};
use crate::implementation::{Solver, WorkingMemory};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Instant;

/// What a clock enclosed. Only equal scopes are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// All launches of one solve, between two events of the device; on the CPU, the solve.
    Kernel,
    /// With the layout changes before and after.
    Device,
    /// With both copies between page-locked host memory and the device.
    Total,
    /// The host's monotonic clock around everything that `total` encloses, synchronized before and after.
    Host,
}

impl Scope {
    pub const ALL: [Scope; 4] = [Scope::Kernel, Scope::Device, Scope::Total, Scope::Host];
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Kernel => "kernel",
            Self::Device => "device",
            Self::Total => "total",
            Self::Host => "host",
        })
    }
}

/// One sample under every clock, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seconds {
    pub kernel: f64,
    pub device: f64,
    pub total: f64,
    pub host: f64,
}

impl Seconds {
    pub fn get(&self, scope: Scope) -> f64 {
        match scope {
            Scope::Kernel => self.kernel,
            Scope::Device => self.device,
            Scope::Total => self.total,
            Scope::Host => self.host,
        }
    }
}

/// The six events that bound the three device scopes.
pub struct EventClock {
    events: [Event; 6],
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
/// queued without waiting, so the device's own events enclose work and no host latency that the queue can hide.
///
/// # Errors
/// Whatever the device reports, at the latest when its queue is empty.
pub fn time_on_device(
    device: &dyn Device,
    clock: &EventClock,
    solver: &Solver,
    memory: &WorkingMemory,
    n: usize,
    input: &HostBuffer,
    output: &mut HostBuffer,
) -> Result<Seconds, DeviceError> {
    let [copied_in, packed, solving, solved, unpacked, copied_out] = &clock.events;
    device.synchronize()?;
    let start = Instant::now();
    device.record(copied_in)?;
    device.upload(input, &memory.matrix, n * n)?;
    device.record(packed)?;
    solver.pack(device, memory, n)?;
    device.record(solving)?;
    solver.solve(device, memory, n)?;
    device.record(solved)?;
    solver.unpack(device, memory, n)?;
    device.record(unpacked)?;
    device.download(&memory.matrix, output, n * n)?;
    device.record(copied_out)?;
    device.synchronize()?;
    let host = start.elapsed().as_secs_f64();
    Ok(Seconds {
        kernel: device.seconds_between(solving, solved)?,
        device: device.seconds_between(packed, unpacked)?,
        total: device.seconds_between(copied_in, copied_out)?,
        host,
    })
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
    let seconds = start.elapsed().as_secs_f64();
    Ok(Seconds { kernel: seconds, device: seconds, total: seconds, host: seconds })
}
