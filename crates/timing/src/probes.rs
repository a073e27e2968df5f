//! What a device reaches at best: arithmetic in registers when nothing is loaded or stored, the copy, and how long a load of global memory
//! takes, alone and with loads of all multiprocessors at the same time.

use super::ceilings::DeviceCeilings;
use repro_base::{ElementType, Estimate};
use repro_device::{Argument, Buffer, Device, DeviceError, Kernel, KernelSource, Launch, Queue};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Bytes of the copied buffer: far more than any cache holds.
const COPY_BYTES: usize = 4 << 30;
const REPETITIONS: usize = 5;
/// Rounds of a launch. With one block a multiprocessor a launch takes 1.3 ms on an H200, whose limit is 64 minima a clock.
pub(super) const ROUNDS: i32 = 20_000;
const THREADS: u32 = 256;

/// The instructions of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InstructionMix {
    /// An addition and a minimum.
    AddMin,
    /// Two additions and a three-input minimum for two tasks.
    TwoAddsMin3,
    /// One instruction that adds and compares.
    AddMinInOne,
    /// One of three tasks by [`InstructionMix::AddMinInOne`], two by [`InstructionMix::TwoAddsMin3`].
    Mixed,
}

impl fmt::Display for InstructionMix {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::AddMin => "add, minimum",
            Self::TwoAddsMin3 => "two adds, three-input minimum",
            Self::AddMinInOne => "add and minimum in one",
            Self::Mixed => "a mix of both pipes",
        })
    }
}

/// The fastest kernel of a type that works in registers alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArithmeticCeiling {
    /// The winner's instructions.
    pub mix: InstructionMix,
    pub tasks_per_s: f64,
}

/// A kernel of `ceilings.cu`.
struct RegisterKernel {
    name: &'static str,
    element: ElementType,
    mix: InstructionMix,
    /// Tasks of a thread in a round.
    tasks: f64,
}

impl RegisterKernel {
    const fn new(name: &'static str, element: ElementType, mix: InstructionMix, tasks: f64) -> Self {
        Self { name, element, mix, tasks }
    }
}

/// The last number is the tasks of a thread in a round: 2 x CHAINS or 2 x SIDE² of `ceilings.cu`, twice that with two numbers a register.
const KERNELS: [RegisterKernel; 7] = [
    RegisterKernel::new("add_min_registers", ElementType::F32, InstructionMix::AddMin, 32.0),
    RegisterKernel::new("f32_min3_registers", ElementType::F32, InstructionMix::TwoAddsMin3, 72.0),
    RegisterKernel::new("i32_min3_registers", ElementType::I32, InstructionMix::TwoAddsMin3, 72.0),
    RegisterKernel::new("i32_add_min_registers", ElementType::I32, InstructionMix::AddMinInOne, 72.0),
    RegisterKernel::new("i32_mixed_registers", ElementType::I32, InstructionMix::Mixed, 72.0),
    RegisterKernel::new("u16_add_min_registers", ElementType::U16, InstructionMix::AddMinInOne, 144.0),
    RegisterKernel::new("u16_mixed_registers", ElementType::U16, InstructionMix::Mixed, 144.0),
];

/// Measures the copy and the arithmetic of these types, but no loads; about 60 ms, and 20 ms a kernel, on an H200.
///
/// # Errors
/// When the device fails.
pub fn measure_device_ceilings(
    device: &dyn Device,
    elements: &[ElementType],
) -> Result<DeviceCeilings, DeviceError> {
    let (copy_gbs, copy_bytes) = copy_bandwidth(device)?;
    let mut arithmetic = BTreeMap::new();
    let mut add_min_tasks_per_s = 0.0;
    // The first kernel is measured whatever the types of the run.
    for (at, kernel) in KERNELS.iter().enumerate() {
        if at > 0 && !elements.contains(&kernel.element) {
            continue;
        }
        let tasks_per_s = rate_of(device, kernel)?;
        if at == 0 {
            add_min_tasks_per_s = tasks_per_s;
        }
        let known = arithmetic.get(&kernel.element);
        let is_best = known.is_none_or(|known: &ArithmeticCeiling| known.tasks_per_s < tasks_per_s);
        if elements.contains(&kernel.element) && is_best {
            arithmetic.insert(kernel.element, ArithmeticCeiling { mix: kernel.mix, tasks_per_s });
        }
    }
    Ok(DeviceCeilings {
        copy_gbs,
        copy_bytes: copy_bytes as u64,
        add_min_tasks_per_s,
        arithmetic,
        chained_load: None,
    })
}

fn copy_bandwidth(device: &dyn Device) -> Result<(f64, usize), DeviceError> {
    // Two buffers, and room left for others.
    let bytes = COPY_BYTES.min(device.memory()?.free as usize / 4);
    let from = device.allocate(bytes)?;
    let to = device.allocate(bytes)?;
    let seconds = fastest(device, |queue| queue.copy(from.whole(), to.whole()))?;
    Ok((2.0 * bytes as f64 / seconds * 1e-9, bytes))
}

/// A kernel of `ceilings.cu` on a device.
pub(super) struct LoadedKernel {
    kernel: Kernel,
    /// The word that it never writes.
    sink: Buffer,
    /// The kernel's `step` and `never`: no sum of its positive numbers is negative.
    numbers: [Argument<'static>; 2],
}

impl LoadedKernel {
    /// An addition and a minimum of `f32`, on whatever device.
    pub fn add_min(device: &dyn Device) -> Result<Self, DeviceError> {
        Self::measure(device, &KERNELS[0])
    }

    fn measure(device: &dyn Device, of: &RegisterKernel) -> Result<Self, DeviceError> {
        let kernel = device.load(&KernelSource::CEILINGS, &[of.name])?.remove(0);
        let numbers = match of.mix {
            InstructionMix::AddMin => [Argument::Float(1.0), Argument::Float(-1.0)],
            _ => [Argument::Int(1), Argument::Int(-1)],
        };
        Ok(Self { kernel, sink: device.allocate(size_of::<f32>())?, numbers })
    }

    /// Queues `rounds` rounds in each thread of `blocks` blocks. Whoever drops `self` has waited for them.
    pub fn launch(&self, queue: &dyn Queue, blocks: u32, rounds: i32) -> Result<(), DeviceError> {
        let [step, never] = self.numbers;
        let arguments = [Argument::Buffer(&self.sink), Argument::Int(rounds), step, never];
        // SAFETY: all kernels of the file take one word to write to, the rounds, a step and a number that never comes.
        unsafe { queue.launch(&self.kernel, Launch::new((blocks, 1, 1), (THREADS, 1, 1)), &arguments) }
    }
}

fn rate_of(device: &dyn Device, of: &RegisterKernel) -> Result<f64, DeviceError> {
    let loaded = LoadedKernel::measure(device, of)?;
    let blocks = device.info().multiprocessors * device.max_active_blocks(&loaded.kernel, THREADS, 0)?;
    let seconds = fastest(device, |queue| loaded.launch(queue, blocks, ROUNDS))?;
    let threads = f64::from(blocks) * f64::from(THREADS);
    Ok(threads * f64::from(ROUNDS) * of.tasks / seconds)
}

/// Seconds of the fastest of several runs after one that warms up.
fn fastest(
    device: &dyn Device,
    work: impl Fn(&dyn Queue) -> Result<(), DeviceError>,
) -> Result<f64, DeviceError> {
    let queue = device.queue();
    let (start, end) = (queue.event()?, queue.event()?);
    let mut best = f64::INFINITY;
    for repetition in 0..=REPETITIONS {
        queue.record(&start)?;
        work(queue)?;
        queue.record(&end)?;
        queue.synchronize()?;
        if repetition > 0 {
            best = best.min(device.seconds_between(&start, &end)?);
        }
    }
    Ok(best)
}

/// Lines of 128 bytes, a power of two: 4 GiB, far more than any L2 cache holds.
const LINES: u32 = 32 << 20;
const LINE_BYTES: usize = 128;
/// Distance in lines between the starts of two samples, so that none finds in a cache what another one left there.
const APART: u32 = 0x9e37_79b9;
/// The most threads of a block.
const LOADING_THREADS: u32 = 1024;
const STEPS: i32 = 256;
/// Stands for all blocks: no block has this number.
const ALL: i32 = -1;
const SAMPLES: usize = 9;

/// Seconds of a load that waits for the one before, in each of 1,024 threads a multiprocessor: medians of nine runs. A run on all
/// multiprocessors ends when the slowest does, and so is compared with the slowest of those that ran alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadLatency {
    /// The slowest multiprocessor, each alone: the highest of their medians.
    pub one_multiprocessor: Estimate,
    /// All multiprocessors at once.
    pub all_multiprocessors: Estimate,
}

/// Measures the latency of loads on one multiprocessor and on all; half a second on 132 multiprocessors.
///
/// # Errors
/// When the device fails.
pub fn measure_load_latency(device: &dyn Device) -> Result<LoadLatency, DeviceError> {
    // Room is left for others, as for the copy.
    let most = (device.memory()?.free as usize / 4 / LINE_BYTES).max(1).ilog2();
    measure_latency(device, LINES.min(1 << most.min(31)), STEPS)
}

fn measure_latency(device: &dyn Device, lines: u32, steps: i32) -> Result<LoadLatency, DeviceError> {
    let kernels = device.load(&KernelSource::LOAD_LATENCY, &["link_lines", "follow_lines"])?;
    let [link, follow] = &kernels[..] else {
        return Err(DeviceError::other("load_latency.cu has two kernels"));
    };
    let buffer = device.allocate(lines as usize * LINE_BYTES)?;
    let sink = device.allocate(size_of::<u32>())?;
    let queue = device.queue();
    let (start, end) = (queue.event()?, queue.event()?);
    let lines = Argument::Int(lines as i32);
    let blocks = device.info().multiprocessors;
    let launch = |blocks| Launch::new((blocks, 1, 1), (LOADING_THREADS, 1, 1));
    // SAFETY: takes a buffer of as many lines as it is told.
    unsafe { queue.launch(link, launch(blocks), &[Argument::Buffer(&buffer), lines])? };
    let mut first = 0_u32;
    let mut seconds = |alone: i32| -> Result<f64, DeviceError> {
        first = first.wrapping_add(APART);
        let [steps_each, first, alone] = [steps, first as i32, alone].map(Argument::Int);
        // No line has this number, the largest: the sink is never written.
        let never = Argument::Int(-1);
        let arguments =
            [Argument::Buffer(&sink), Argument::Buffer(&buffer), lines, steps_each, first, never, alone];
        queue.record(&start)?;
        // SAFETY: takes a word, a buffer of so many lines whose links lead from one of them to another, the steps and three numbers.
        unsafe { queue.launch(follow, launch(blocks), &arguments)? };
        queue.record(&end)?;
        queue.synchronize()?;
        Ok(device.seconds_between(&start, &end)? / f64::from(steps))
    };
    let (mut alone, mut all) = (vec![Vec::new(); blocks as usize], Vec::new());
    // The first warms up.
    for sample in 0..=SAMPLES {
        for (block, samples) in alone.iter_mut().enumerate() {
            samples.push(seconds(block as i32)?);
        }
        all.push(seconds(ALL)?);
        if sample == 0 {
            alone.iter_mut().chain([&mut all]).for_each(Vec::clear);
        }
    }
    let none = || DeviceError::other("no load was timed");
    let each = alone.iter().filter_map(|samples| Estimate::of_median(samples));
    let slowest = each.max_by(|a, b| a.value.total_cmp(&b.value));
    Ok(LoadLatency {
        one_multiprocessor: slowest.ok_or_else(none)?,
        all_multiprocessors: Estimate::of_median(&all).ok_or_else(none)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use repro_device::HostBuffer;
    use repro_device::emulated::{EmulatedDevice, Instruments};

    #[test]
    fn the_lines_are_one_cycle_and_are_followed_without_a_mistake() {
        let device = EmulatedDevice::open(Instruments::ALL).unwrap();
        let kernels = device.load(&KernelSource::LOAD_LATENCY, &["link_lines", "follow_lines"]).unwrap();
        let lines = 64;
        let buffer = device.allocate(lines * LINE_BYTES).unwrap();
        let sink = device.allocate(4).unwrap();
        let queue = device.queue();
        let [to, count] = [Argument::Buffer(&buffer), Argument::Int(lines as i32)];
        let launch = Launch::new((2, 1, 1), (32, 1, 1));
        // Of line 0, where thread 0 begins.
        let successor = 1_013_904_223 % lines as i32;
        // SAFETY: as where it is measured.
        unsafe { queue.launch(&kernels[0], launch, &[to, count]).unwrap() };
        let arguments = [
            Argument::Buffer(&sink),
            to,
            count,
            Argument::Int(1),
            Argument::Int(0),
            Argument::Int(successor),
            Argument::Int(0),
        ];
        // SAFETY: as where it is measured.
        unsafe { queue.launch(&kernels[1], launch, &arguments).unwrap() };
        let mut words = HostBuffer::pageable(lines * LINE_BYTES).unwrap();
        let mut reached = HostBuffer::pageable(4).unwrap();
        queue.download(buffer.whole(), &mut words).unwrap();
        queue.download(sink.whole(), &mut reached).unwrap();
        queue.synchronize().unwrap();
        assert_eq!(reached.numbers::<i32>(), [successor], "one link leads there");
        let words = words.numbers::<i32>();
        let (mut line, mut seen) = (0, std::collections::BTreeSet::new());
        while seen.insert(line) {
            line = words[line * LINE_BYTES / 4] as usize;
        }
        assert_eq!((line, seen.len()), (0, lines), "one cycle through all lines");
    }
}
