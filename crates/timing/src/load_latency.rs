//! How long a load of global memory takes, alone and with loads of all multiprocessors at the same time.

use repro_base::Estimate;
use repro_device::{Argument, Device, DeviceError, KernelSource, Launch};
use serde::{Deserialize, Serialize};

/// Lines of 128 bytes, a power of two: 4 GiB, far more than any L2 cache holds.
const LINES: u32 = 32 << 20;
const LINE_BYTES: usize = 128;
/// Of the lines between where two samples begin, so that none finds in a cache what another one left there.
const APART: u32 = 0x9e37_79b9;
/// As many as a block has at most.
const THREADS: u32 = 1024;
const STEPS: i32 = 256;
/// No block has this number.
const ALL: i32 = -1;
const SAMPLES: usize = 9;

/// Seconds of a load that waits for the one before, in each of 1,024 threads a multiprocessor: medians of nine runs. All end when the
/// slowest does, so that it is the slowest of those that were alone, one after another, with which they are compared.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadLatency {
    /// The slowest multiprocessor, each alone: the highest of their medians.
    pub one_multiprocessor: Estimate,
    /// All multiprocessors at once.
    pub all_multiprocessors: Estimate,
}

/// Measures both; half a second on 132 multiprocessors.
///
/// # Errors
/// When the device fails.
pub fn measure_load_latency(device: &dyn Device) -> Result<LoadLatency, DeviceError> {
    // Room is left for others, as beside the copy.
    let most = (device.memory()?.free as usize / 4 / LINE_BYTES).max(1).ilog2();
    measure(device, LINES.min(1 << most.min(31)), STEPS)
}

fn measure(device: &dyn Device, lines: u32, steps: i32) -> Result<LoadLatency, DeviceError> {
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
    let launch = |blocks| Launch::of((blocks, 1, 1), (THREADS, 1, 1));
    // SAFETY: takes a buffer of as many lines as it is told.
    unsafe { queue.launch(link, launch(blocks), &[Argument::Buffer(&buffer), lines])? };
    let mut first = 0_u32;
    let mut seconds = |alone: i32| -> Result<f64, DeviceError> {
        first = first.wrapping_add(APART);
        let [steps_each, first, alone] = [steps, first as i32, alone].map(Argument::Int);
        // No line is the largest number.
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
        let launch = Launch::of((2, 1, 1), (32, 1, 1));
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
