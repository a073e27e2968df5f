//! What a machine can do at best, measured in the same run, and the times that follow from it.

use super::probes::{ArithmeticCeiling, LoadLatency};
use repro_base::ElementType;
use repro_cpu::parallel::Simd;
use repro_cpu::peak;
use repro_device::DeviceInfo;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Clocks move by a percent or two between the measurement of a ceiling and a sample.
const TOLERANCE: f64 = 0.03;
/// How far a sample may beat a CPU's ceiling: others that run on the same cores can halve the rate that is measured as the ceiling.
const CPU_TOLERANCE: f64 = 0.5;

/// A device's ceilings; each the best of several measurements, since a ceiling is what was ever reached.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceCeilings {
    /// Device-to-device copy, bytes read plus bytes written, GB/s (10⁹ bytes).
    pub copy_gbs: f64,
    /// Size of that copy, bytes.
    pub copy_bytes: u64,
    /// Tasks as one f32 add and one f32 minimum in registers, tasks/s.
    pub add_min_tasks_per_s: f64,
    /// Tasks in registers by the fastest instructions of each type. Types that were not run have no entry.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arithmetic: BTreeMap<ElementType, ArithmeticCeiling>,
    /// How long a load takes that waits for the one before. None where the experiment does not ask for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chained_load: Option<LoadLatency>,
}

impl DeviceCeilings {
    /// Tasks/s of one device in this type: what was measured in registers, or what its issue slots allow at this clock in MHz,
    /// whichever is higher. None where neither is known.
    pub fn tasks_per_s(
        &self,
        element: ElementType,
        info: &DeviceInfo,
        clock_mhz: Option<u32>,
    ) -> Option<f64> {
        let measured = self.arithmetic.get(&element).map(|measured| measured.tasks_per_s);
        let plain = (element == ElementType::F32).then_some(self.add_min_tasks_per_s);
        let issued = issue_tasks_per_s(info, element, clock_mhz);
        [measured, plain, issued].into_iter().flatten().reduce(f64::max)
    }
}

/// Tasks/s of the CPU in registers, in one element type.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CpuCeiling {
    /// On one core, tasks/s.
    pub core_tasks_per_s: f64,
    /// On all cores at once.
    pub tasks_per_s: f64,
}

/// What was measured of the machine in addition to the samples.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ceilings {
    pub device: Option<DeviceCeilings>,
    /// Add + min of `f32` in registers on one core, tasks/s.
    pub cpu_core_tasks_per_s: Option<f64>,
    /// Add + min of `f32` in registers on all cores at once, tasks/s.
    pub cpu_tasks_per_s: Option<f64>,
    /// Ceilings of the CPU for other types.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cpu: BTreeMap<ElementType, CpuCeiling>,
}

impl Ceilings {
    /// The higher value of each ceiling: a ceiling is the best that was ever reached.
    pub fn best_of(self, other: Self) -> Self {
        let higher = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).reduce(f64::max);
        let device = match (self.device, other.device) {
            (Some(a), Some(b)) => Some(DeviceCeilings {
                copy_gbs: a.copy_gbs.max(b.copy_gbs),
                copy_bytes: if a.copy_gbs >= b.copy_gbs { a.copy_bytes } else { b.copy_bytes },
                add_min_tasks_per_s: a.add_min_tasks_per_s.max(b.add_min_tasks_per_s),
                arithmetic: best_of(a.arithmetic, b.arithmetic, |one| one.tasks_per_s),
                chained_load: a.chained_load.or(b.chained_load),
            }),
            (one, other) => one.or(other),
        };
        Self {
            device,
            cpu_core_tasks_per_s: higher(self.cpu_core_tasks_per_s, other.cpu_core_tasks_per_s),
            cpu_tasks_per_s: higher(self.cpu_tasks_per_s, other.cpu_tasks_per_s),
            cpu: best_of(self.cpu, other.cpu, |one| one.tasks_per_s),
        }
    }

    /// Tasks/s of all cores in this type, and no less than one core reached: on a loaded machine all cores at once can have done less.
    pub fn cpu_tasks_per_s(&self, element: ElementType) -> Option<f64> {
        let is_plain = element == ElementType::F32;
        let rates = |measured: &CpuCeiling| [measured.core_tasks_per_s, measured.tasks_per_s];
        let plain = [self.cpu_core_tasks_per_s, self.cpu_tasks_per_s].map(|rate| rate.filter(|_| is_plain));
        match plain[1] {
            Some(_) => plain.into_iter().flatten().reduce(f64::max),
            None => self.cpu.get(&element).map(rates).into_iter().flatten().reduce(f64::max),
        }
    }

    /// Tasks/s in this type that `threads` threads cannot pass: what one core did alone, times their number. All cores at once do less, and
    /// much less where others used them while they were measured; so no time is refused for beating their rate.
    pub fn most_cpu_tasks_per_s(&self, element: ElementType, threads: usize) -> Option<f64> {
        let plain = self.cpu_core_tasks_per_s.filter(|_| element == ElementType::F32);
        let core = plain.or_else(|| Some(self.cpu.get(&element)?.core_tasks_per_s))?;
        Some((core * threads as f64).max(self.cpu_tasks_per_s(element)?))
    }
}

/// For each type, the entry whose `rate` is higher.
fn best_of<T: Copy>(
    mut best: BTreeMap<ElementType, T>,
    other: BTreeMap<ElementType, T>,
    rate: impl Fn(&T) -> f64,
) -> BTreeMap<ElementType, T> {
    for (element, new) in other {
        let known = best.entry(element).or_insert(new);
        if rate(known) < rate(&new) {
            *known = new;
        }
    }
    best
}

/// Measures the CPU in one type; about 0.1 s.
pub fn measure_cpu_ceiling(element: ElementType) -> CpuCeiling {
    let simd = Simd::detect();
    CpuCeiling {
        core_tasks_per_s: peak::core_rate(element, simd),
        tasks_per_s: peak::add_min_rate(element, simd, rayon::current_num_threads()),
    }
}

/// The shortest time in which a problem can be solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeLowerBound {
    pub seconds: f64,
    /// Any shorter time beats it by more than clocks vary.
    least: f64,
}

impl TimeLowerBound {
    /// The bound on `devices` devices that copy `copy_gbs` each: the adds and minima of all tasks, which take one device `arithmetic`
    /// seconds, or reading and writing the matrix once, whichever takes longer.
    pub fn on_devices(
        n: usize,
        element: ElementType,
        devices: usize,
        arithmetic: Option<f64>,
        copy_gbs: f64,
    ) -> Self {
        let cells = (n as f64).powi(2);
        let arithmetic = arithmetic.unwrap_or(0.0);
        let traffic = 2.0 * cells * element.bytes() as f64 / (copy_gbs * 1e9);
        Self::new(arithmetic.max(traffic) / devices.max(1) as f64, TOLERANCE)
    }

    /// The bound of `tasks` on all cores of the host together, which reached `tasks_per_s` and cannot pass `most` tasks/s. The host's
    /// ceiling of memory is not measured.
    pub fn on_cpu(tasks: f64, tasks_per_s: f64, most: f64) -> Self {
        Self { seconds: tasks / tasks_per_s, ..Self::new(tasks / most, CPU_TOLERANCE) }
    }

    /// The bound where no ceiling is known.
    pub const NONE: Self = Self { seconds: 0.0, least: 0.0 };

    fn new(seconds: f64, tolerance: f64) -> Self {
        Self { seconds, least: seconds * (1.0 - tolerance) }
    }

    /// This bound raised to `seconds`, which an implementation knows in addition to the machine's ceilings. It is never lowered.
    #[must_use]
    pub fn raised_to(self, seconds: f64) -> Self {
        let raised = Self::new(seconds, TOLERANCE);
        Self { seconds: self.seconds.max(raised.seconds), least: self.least.max(raised.least) }
    }

    /// Whether a time beats it by more than clocks vary: then the model, the clock or the result is wrong.
    pub fn is_beaten_by(&self, seconds: f64) -> bool {
        seconds < self.least
    }
}

/// Lanes that all schedulers of a multiprocessor issue for in a clock.
const LANES: f64 = 128.0;

/// Issue slots a task of `f32`, `i32` and `u16`, at least. The first entry counts whose compute capability is at most the device's.
///
/// Every multiprocessor from compute capability 7.5 to 12.0 has four schedulers that issue one instruction of a warp a clock each:
/// 128 lanes (CUDA C++ Programming Guide, sections on compute capabilities). Of those, additions take up to 128 and minima 64 (its
/// table of the throughput of native arithmetic instructions, by compute capability); a three-input minimum is one instruction and
/// does two tasks. How many slots a task takes at least follows:
///
/// - `f32` before 9.0: FADD + FMNMX, 2. On 9.0: two FADD and one VIMNMX3 for two tasks, 3/2 (the minimum on bit patterns). From 10.0
///   on: one packed FADD2 and one FMNMX3 for two tasks, 1.
/// - `i32` before 9.0: IADD + IMNMX, 2. From 9.0 on VIADDMNMX does a task in one slot, 64 lanes a clock; with two thirds of the tasks as
///   IMAD on the other pipe and VIMNMX3, eight instructions for six tasks, 4/3.
/// - 16 bit: the same with two numbers a register, half of the slots.
///
/// An H200 was measured at 99% of the first (22.1 of 22.3e12 tasks/s) and 98% of the second, with registers chosen by hand.
const SLOTS: [((u32, u32), [f64; 3]); 3] = [
    ((10, 0), [1.0, 4.0 / 3.0, 2.0 / 3.0]),
    ((9, 0), [3.0 / 2.0, 4.0 / 3.0, 2.0 / 3.0]),
    ((7, 5), [2.0, 2.0, 1.0]),
];

/// Tasks/s of a device at this clock in MHz, or at the highest that its driver names. None for devices that are not in the table, and for
/// types that have no kernels.
pub fn issue_tasks_per_s(info: &DeviceInfo, element: ElementType, clock_mhz: Option<u32>) -> Option<f64> {
    let at = match element {
        ElementType::F32 => 0,
        ElementType::I32 => 1,
        ElementType::U16 => 2,
        ElementType::F64 => return None,
    };
    let (_, slots) = SLOTS.iter().find(|(from, _)| info.compute_capability >= *from)?;
    let clock = f64::from(clock_mhz.unwrap_or(info.clock_mhz)) * 1e6;
    (clock > 0.0).then(|| f64::from(info.multiprocessors) * LANES * clock / slots[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cubed(n: usize) -> f64 {
        (n as f64).powi(3)
    }

    fn on_h200(n: usize) -> TimeLowerBound {
        TimeLowerBound::on_devices(n, ElementType::F32, 1, Some(cubed(n) / 14e12), 4000.0)
    }

    #[test]
    fn large_graphs_are_bound_by_arithmetic_and_tiny_ones_by_traffic() {
        let arithmetic = cubed(16384) / 14e12;
        for (n, element, devices, tasks_s, expected) in [
            (16384, ElementType::F32, 1, Some(arithmetic), arithmetic),
            (16384, ElementType::F32, 2, Some(arithmetic), arithmetic / 2.0),
            (8, ElementType::F32, 1, Some(cubed(8) / 14e12), 2.0 * 64.0 * 4.0 / 4e12),
            (8, ElementType::U16, 1, Some(cubed(8) / 14e12), 64.0 * 4.0 / 4e12),
            // What does not do n³ tasks is bound by traffic alone.
            (16384, ElementType::F32, 1, None, 2.0 * 16384f64.powi(2) * 4.0 / 4e12),
        ] {
            let floor = TimeLowerBound::on_devices(n, element, devices, tasks_s, 4000.0);
            assert_eq!(floor.seconds, expected, "{n}, {element}, {devices}");
        }
    }

    /// Sixteen threads that had less than two cores to themselves while they were measured, or less than one.
    #[test]
    fn what_all_cores_did_on_a_loaded_host_refuses_nothing() {
        let of = |[core, all, core_of_i32, all_of_i32]: [f64; 4]| Ceilings {
            cpu_core_tasks_per_s: Some(core),
            cpu_tasks_per_s: Some(all),
            cpu: [(ElementType::I32, CpuCeiling { core_tasks_per_s: core_of_i32, tasks_per_s: all_of_i32 })]
                .into(),
            ..Ceilings::default()
        };
        let loaded = of([40e9, 60e9, 1e9, 30e9]);
        let most = |element| loaded.most_cpu_tasks_per_s(element, 16);
        let types = [ElementType::F32, ElementType::I32, ElementType::U16];
        assert_eq!(types.map(most), [Some(640e9), Some(30e9), None]);
        let floor = TimeLowerBound::on_cpu(cubed(4096), 60e9, 640e9);
        assert_eq!(floor.seconds, 4096f64.powi(3) / 60e9);
        // All cores, half a minute later, with nobody else.
        assert!(!floor.is_beaten_by(4096f64.powi(3) / 400e9) && floor.is_beaten_by(4096f64.powi(3) / 1400e9));
        // All cores are no slower than one was, and of two measurements the higher one is kept.
        let slower = of([5e9, 4e9, 3e9, 2e9]);
        let tasks = |of: &Ceilings| types.map(|element| of.cpu_tasks_per_s(element));
        assert_eq!(tasks(&slower), [Some(5e9), Some(3e9), None]);
        let best = slower.best_of(loaded.clone()).best_of(Ceilings::default());
        assert_eq!(tasks(&best), [Some(60e9), Some(30e9), None]);
    }

    /// By the few percent that clocks vary; on a CPU by half of the time as when its ceiling was measured.
    #[test]
    fn a_time_is_impossible_only_beyond_what_the_machine_varies_and_what_an_implementation_knows_is_exact() {
        let (h200, cpu) = (on_h200(4096), TimeLowerBound::on_cpu(cubed(512), 44.6e9, 44.6e9));
        let raised = cpu.raised_to(1.0);
        for (floor, share, is_impossible) in [
            (h200, 0.98, false),
            (h200, 0.96, true),
            (h200, 0.0, true),
            (cpu, 1.0 / 1.9, false),
            (cpu, 1.0 / 2.1, true),
            (raised, 0.9, true),
        ] {
            assert_eq!(floor.is_beaten_by(floor.seconds * share), is_impossible, "{floor:?} {share}");
        }
        assert_eq!((h200.raised_to(0.0), raised.seconds), (h200, 1.0));
    }

    fn device(compute_capability: (u32, u32), clock_mhz: u32) -> DeviceInfo {
        let info = serde_json::json!({
            "ordinal": 0, "name": "", "uuid": "", "compute_capability": compute_capability, "multiprocessors": 132,
            "memory_bytes": 0, "l2_bytes": 0, "shared_bytes_per_multiprocessor": 0, "shared_bytes_per_block": 0,
            "registers_per_multiprocessor": 0, "threads_per_multiprocessor": 0, "clock_mhz": clock_mhz,
            "driver_cuda": "", "emulated": false,
        });
        serde_json::from_value(info).unwrap()
    }

    #[test]
    fn an_h200_issues_22_tera_tasks_lower_clocks_fewer_and_of_what_the_table_lacks_nothing_is_said() {
        let h200 = device((9, 0), 1980);
        let of = |element, clock| issue_tasks_per_s(&h200, element, clock).unwrap();
        assert!((of(ElementType::F32, None) - 22.3e12).abs() < 0.1e12);
        assert!((of(ElementType::I32, None) - 25.1e12).abs() < 0.1e12);
        assert_eq!(of(ElementType::U16, None), 2.0 * of(ElementType::I32, None));
        assert_eq!(of(ElementType::F32, Some(990)), of(ElementType::F32, None) / 2.0);
        for (capability, clock, element, is_known) in [
            ((7, 0), 1980, ElementType::F32, false),
            ((9, 0), 0, ElementType::F32, false),
            ((9, 0), 1980, ElementType::F64, false),
            ((12, 1), 1980, ElementType::F32, true),
        ] {
            let found = issue_tasks_per_s(&device(capability, clock), element, None);
            assert_eq!(found.is_some(), is_known, "{capability:?} {clock} {element}");
        }
    }
}
