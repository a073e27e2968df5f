//! What the device can do at best, measured in the same run, and the times that follow from it.

use repro_device::{Argument, Device, DeviceError, KernelSource, Launch};
use serde::{Deserialize, Serialize};

/// Clocks move by a percent or two between the measurement of a ceiling and a sample.
const TOLERANCE: f64 = 0.03;
/// How far a CPU's ceiling may have been beaten. Other tenants and the clock move it from minute to minute: right results at 1.14
/// times a ceiling measured in the same run were seen.
const CPU_TOLERANCE: f64 = 0.5;

/// Bytes of the copied buffer: far more than any cache holds.
const COPY_BYTES: usize = 4 << 30;
const REPETITIONS: usize = 5;
/// Tasks a thread and round of `add_min_registers`: 2 x CHAINS in `ceilings.cu`.
const TASKS_PER_ROUND: f64 = 32.0;
const ROUNDS: i32 = 20_000;
const THREADS: u32 = 256;

/// A device's ceilings; each the best of several measurements, since a ceiling is what was ever reached.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceCeilings {
    /// Device-to-device copy, bytes read plus bytes written, GB/s (10⁹ bytes).
    pub copy_gbs: f64,
    /// Size of that copy, bytes.
    pub copy_bytes: u64,
    /// Tasks as one f32 add and one f32 minimum in registers, tasks/s.
    pub add_min_tasks_per_s: f64,
}

/// What was measured of the machine beside the samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ceilings {
    pub device: Option<DeviceCeilings>,
    /// Add + min in registers on one core, tasks/s.
    pub cpu_core_tasks_per_s: Option<f64>,
    /// The same on all cores at once.
    pub cpu_tasks_per_s: Option<f64>,
}

impl Ceilings {
    /// The higher of each: a ceiling is the best that was ever reached.
    pub fn best_of(self, other: Self) -> Self {
        let higher = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).reduce(f64::max);
        let device = match (self.device, other.device) {
            (Some(a), Some(b)) => Some(DeviceCeilings {
                copy_gbs: a.copy_gbs.max(b.copy_gbs),
                copy_bytes: if a.copy_gbs >= b.copy_gbs { a.copy_bytes } else { b.copy_bytes },
                add_min_tasks_per_s: a.add_min_tasks_per_s.max(b.add_min_tasks_per_s),
            }),
            (one, other) => one.or(other),
        };
        Self {
            device,
            cpu_core_tasks_per_s: higher(self.cpu_core_tasks_per_s, other.cpu_core_tasks_per_s),
            cpu_tasks_per_s: higher(self.cpu_tasks_per_s, other.cpu_tasks_per_s),
        }
    }
}

/// The shortest time in which `n` vertices can be solved under `ceilings`: every task's add and minimum at the measured
/// rate, or reading and writing the matrix once at the measured bandwidth, whichever takes longer. Seconds.
pub fn floor_seconds(n: usize, ceilings: &DeviceCeilings) -> f64 {
    let n = n as f64;
    let arithmetic = n.powi(3) / ceilings.add_min_tasks_per_s;
    let traffic = 2.0 * n.powi(2) * size_of::<f32>() as f64 / (ceilings.copy_gbs * 1e9);
    arithmetic.max(traffic)
}

/// Whether a time beats the floor by more than clocks vary: then the model, the clock or the result is wrong.
pub fn is_impossible(seconds: f64, n: usize, ceilings: &DeviceCeilings) -> bool {
    seconds < floor_seconds(n, ceilings) * (1.0 - TOLERANCE)
}

/// The same of all cores of the host together, whose ceiling of memory is not measured. Seconds.
pub fn cpu_floor_seconds(n: usize, tasks_per_s: f64) -> f64 {
    (n as f64).powi(3) / tasks_per_s
}

/// Whether a time on the CPU beats the floor by more than a CPU's speed varies.
pub fn is_impossible_on_cpu(seconds: f64, n: usize, tasks_per_s: f64) -> bool {
    seconds < cpu_floor_seconds(n, tasks_per_s) * (1.0 - CPU_TOLERANCE)
}

/// Measures both ceilings; about 60 ms on an H200.
///
/// # Errors
/// When the device fails.
pub fn measure_device_ceilings(device: &dyn Device) -> Result<DeviceCeilings, DeviceError> {
    let (copy_gbs, copy_bytes) = copy_bandwidth(device)?;
    Ok(DeviceCeilings { copy_gbs, copy_bytes: copy_bytes as u64, add_min_tasks_per_s: add_min_rate(device)? })
}

fn copy_bandwidth(device: &dyn Device) -> Result<(f64, usize), DeviceError> {
    // Two buffers, and room left for others.
    let bytes = COPY_BYTES.min(device.memory()?.free as usize / 4);
    let from = device.allocate(bytes)?;
    let to = device.allocate(bytes)?;
    let seconds = fastest(device, || device.copy(&from, &to, bytes))?;
    Ok((2.0 * bytes as f64 / seconds * 1e-9, bytes))
}

fn add_min_rate(device: &dyn Device) -> Result<f64, DeviceError> {
    let kernel = &device.load(&KernelSource::CEILINGS, &["add_min_registers"])?[0];
    let resident = device.resources(kernel, THREADS, 0)?.resident_blocks;
    let blocks = device.info().multiprocessors * resident;
    let launch = Launch { grid: (blocks, 1), block: (THREADS, 1), dynamic_shared_bytes: 0 };
    let sink = device.allocate(size_of::<f32>())?;
    let arguments = [
        Argument::Buffer(&sink),
        Argument::Int(ROUNDS),
        Argument::Float(1.0),
        // No sum of the kernel's positive numbers.
        Argument::Float(-1.0),
    ];
    let seconds = fastest(device, || device.launch(kernel, launch, &arguments))?;
    let threads = f64::from(blocks) * f64::from(THREADS);
    Ok(threads * f64::from(ROUNDS) * TASKS_PER_ROUND / seconds)
}

/// Seconds of the fastest of several runs after one that warms up.
fn fastest(device: &dyn Device, work: impl Fn() -> Result<(), DeviceError>) -> Result<f64, DeviceError> {
    let (start, end) = (device.event()?, device.event()?);
    let mut best = f64::INFINITY;
    for repetition in 0..=REPETITIONS {
        device.record(&start)?;
        work()?;
        device.record(&end)?;
        device.synchronize()?;
        if repetition > 0 {
            best = best.min(device.seconds_between(&start, &end)?);
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    const H200: DeviceCeilings =
        DeviceCeilings { copy_gbs: 4000.0, copy_bytes: 4 << 30, add_min_tasks_per_s: 14e12 };

    #[test]
    fn large_graphs_are_bound_by_arithmetic_and_tiny_ones_by_traffic() {
        let cubed = 16384f64.powi(3);
        assert_eq!(floor_seconds(16384, &H200), cubed / 14e12);
        assert_eq!(floor_seconds(8, &H200), 2.0 * 64.0 * 4.0 / 4e12);
    }

    #[test]
    fn a_cpu_may_be_twice_as_fast_as_when_its_ceiling_was_measured_and_no_faster() {
        let floor = cpu_floor_seconds(512, 44.6e9);
        assert!(!is_impossible_on_cpu(floor / 1.9, 512, 44.6e9));
        assert!(is_impossible_on_cpu(floor / 2.1, 512, 44.6e9));
        // 90,909 G tasks/s.
        assert!(is_impossible_on_cpu(512f64.powi(3) / 90_909e9, 512, 44.6e9));
    }

    #[test]
    fn a_time_is_impossible_only_beyond_what_clocks_vary() {
        let floor = floor_seconds(4096, &H200);
        assert!(!is_impossible(floor * 0.98, 4096, &H200));
        assert!(is_impossible(floor * 0.96, 4096, &H200));
        assert!(is_impossible(0.0, 4096, &H200));
    }
}
