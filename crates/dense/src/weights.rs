//! Weights that lie on a device already: `kernels/weight_range.cu` puts them where a solve works on them and says what has to be known of them.

use crate::DenseError;
use repro_device::{Argument, Buffer, Device, DeviceError, Kernel, KernelSource, Launch, PitchedRows};
use repro_graph::{ElementType, NegativeCycle, WeightRange};

const THREADS: u32 = 256;
/// Blocks that look at rows: enough for any GPU.
const MOST_BLOCKS: usize = 1024;
/// A side of the squares that a block compares with those across the diagonal.
const SIDE: usize = 32;

/// The list of facts that the kernel leaves.
struct KernelFacts([u64; KernelFacts::COUNT]);

impl KernelFacts {
    const COUNT: usize = 6;
    const NONE: u64 = u64::MAX;
    /// The facts before any weight was looked at.
    const EMPTY: Self = Self([Self::NONE, Self::NONE, Self::NONE, 0, 0, Self::NONE]);

    /// The range of the weights, if none is negative.
    fn range(&self, element: ElementType, n: usize) -> WeightRange {
        let [_, _, _, arcs, largest, grain] = self.0;
        // In f32, `largest` is the bits of a number. `grain` is the exponent of a power of two, in f32 above that of the least number.
        let is_float = element == ElementType::F32;
        let largest = if is_float { f64::from(f32::from_bits(largest as u32)) } else { largest as f64 };
        let least = if is_float { f64::from(f32::from_bits(1)) } else { 1.0 };
        let grain = if grain == Self::NONE { f64::INFINITY } else { least * (grain as f64).exp2() };
        let complete = arcs == n as u64 * (n as u64 - 1);
        WeightRange { largest, negative: false, complete, grain, symmetric: false }
    }
}

/// The error for a number that is too large for a kernel.
pub fn too_large(error: std::num::TryFromIntError) -> DeviceError {
    DeviceError::other(format!("{error}: this is a defect of repro"))
}

fn kernel(device: &dyn Device, element: ElementType, at: usize) -> Result<Kernel, DeviceError> {
    let names = ["weight_range", "rows_side_by_side", "is_symmetric"];
    let kernels = device.load(&KernelSource::WEIGHTS.for_element(element), &names)?;
    kernels.into_iter().nth(at).ok_or_else(|| DeviceError::other("no kernel was loaded"))
}

/// Checks that both buffers hold n x n numbers where kernels look for them.
pub fn check(
    side_by_side: &Buffer,
    matrix: &Buffer,
    rows: PitchedRows,
    element: ElementType,
) -> Result<(), DeviceError> {
    let n = rows.count;
    let holds = n > 0
        && rows.bytes == n * element.bytes()
        && rows.pitch >= rows.bytes
        && rows.pitch.is_multiple_of(element.bytes())
        && rows.device_bytes() <= matrix.bytes()
        && rows.host_bytes() <= side_by_side.bytes();
    let what = || DeviceError::other(format!("no room for {rows:?} of {element}: this is a defect of repro"));
    holds.then_some(()).ok_or_else(what)
}

/// A number as an argument of a kernel.
pub fn int(value: usize) -> Result<Argument<'static>, DeviceError> {
    i32::try_from(value).map(Argument::Int).map_err(too_large)
}

/// Whether `weights`, n x n of this type, are the same both ways, whatever numbers stand for no arc. An entry that is no weight may or may
/// not count as the same as itself. Waits until it is known.
///
/// # Errors
/// What the device refuses.
pub fn weights_are_symmetric(
    device: &dyn Device,
    element: ElementType,
    weights: &Buffer,
    n: usize,
) -> Result<bool, DeviceError> {
    let row = n * element.bytes();
    check(weights, weights, PitchedRows { count: n, bytes: row, pitch: row }, element)?;
    let (kernel, queue) = (kernel(device, element, 2)?, device.queue());
    let bytes = size_of::<i32>();
    let (differs, mut host) = (device.allocate(bytes)?, device.allocate_host(bytes)?);
    host.numbers_mut::<i32>()[0] = 0;
    queue.upload(&host, differs.whole())?;
    let arguments = [Argument::Buffer(weights), int(n)?, Argument::Buffer(&differs)];
    let squares = n.div_ceil(SIDE).pow(2);
    // SAFETY: the arguments are the kernel's parameters. It reads n x n weights, for which there is room by `check`, and reads and
    // writes one number.
    unsafe { queue.launch(&kernel, Launch::rows_of(squares.min(MOST_BLOCKS), 1, THREADS), &arguments) }?;
    queue.download(differs.whole(), &mut host)?;
    queue.synchronize()?;
    Ok(host.numbers::<i32>()[0] == 0)
}

/// Puts `weights`, n x n of this type, into `matrix`, whose rows lie as `rows` has it: 0 on the diagonal, [`Element::ABSENT`](repro_graph::Element::ABSENT) wherever no
/// arc is, and where `zeros_absent`, for each 0 off the diagonal. Waits until it is done. The weights are only read. Returns what
/// [`repro_graph::WeightSurvey`] has of the matrix.
///
/// # Errors
/// What the device refuses, and weights that cannot be solved where they are: the first entry in order of rows that is no weight (NaN,
/// -infinity, or an integer beyond [`ElementType::most`] that stands for no absent edge); if there is none, the negative arc from the least
/// such vertex to itself; if there is none, the first negative weight.
pub fn place_weights(
    device: &dyn Device,
    element: ElementType,
    weights: &Buffer,
    zeros_absent: bool,
    matrix: &Buffer,
    rows: PitchedRows,
) -> Result<WeightRange, DenseError> {
    check(weights, matrix, rows, element)?;
    let (kernel, queue, n) = (kernel(device, element, 0)?, device.queue(), rows.count);
    let bytes = size_of::<[u64; KernelFacts::COUNT]>();
    let (facts, mut host) = (device.allocate(bytes)?, device.allocate_host(bytes)?);
    host.numbers_mut().copy_from_slice(&KernelFacts::EMPTY.0);
    queue.upload(&host, facts.whole())?;
    let arguments = [
        Argument::Buffer(weights),
        int(n)?,
        Argument::Int(zeros_absent.into()),
        Argument::Buffer(matrix),
        int(rows.pitch / element.bytes())?,
        Argument::Buffer(&facts),
    ];
    // SAFETY: the arguments are the kernel's parameters. It reads n x n weights, and writes n entries of each row and six facts, for which
    // there is room by `check`.
    unsafe { queue.launch(&kernel, Launch::rows_of(n.min(MOST_BLOCKS), 1, THREADS), &arguments) }?;
    queue.download(facts.whole(), &mut host)?;
    queue.synchronize()?;
    let mut found = KernelFacts::EMPTY;
    found.0.copy_from_slice(host.numbers());
    let weight_at = |row: usize, column: usize| {
        let start = row * rows.pitch + column * element.bytes();
        let mut host = device.allocate_host(element.bytes())?;
        queue.download(matrix.part(start..start + element.bytes()), &mut host)?;
        queue.synchronize()?;
        Ok::<f64, DeviceError>(match element {
            ElementType::F32 => host.numbers::<f32>()[0].into(),
            ElementType::I32 => host.numbers::<i32>()[0].into(),
            ElementType::U16 => host.numbers::<u16>()[0].into(),
            ElementType::F64 => host.numbers::<f64>()[0],
        })
    };
    let at = |place: u64| (place as usize / n, place as usize % n);
    let [refused, negative, looped, ..] = found.0;
    if refused != KernelFacts::NONE {
        let (row, column) = at(refused);
        return Err(DenseError::NotAWeight { row, column, weight: weight_at(row, column)?, element });
    }
    if looped != KernelFacts::NONE {
        let vertex = looped as usize;
        let cycle = NegativeCycle { vertex, cycle: vec![vertex], weight: weight_at(vertex, vertex)? };
        return Err(DenseError::NegativeCycle(cycle));
    }
    if negative != KernelFacts::NONE {
        let (row, column) = at(negative);
        return Err(DenseError::NegativeWeight { row, column, weight: weight_at(row, column)? });
    }
    Ok(found.range(element, n))
}

/// The n x n numbers of `matrix`, whose rows lie as `rows` has it, side by side in a buffer of their own. Waits until it is done.
///
/// # Errors
/// What the device refuses.
pub fn rows_side_by_side(
    device: &dyn Device,
    element: ElementType,
    matrix: &Buffer,
    rows: PitchedRows,
) -> Result<Buffer, DeviceError> {
    let (kernel, n) = (kernel(device, element, 1)?, rows.count);
    let own = device.allocate(rows.host_bytes())?;
    check(&own, matrix, rows, element)?;
    let pitch = int(rows.pitch / element.bytes())?;
    let arguments = [Argument::Buffer(matrix), pitch, int(n)?, Argument::Buffer(&own)];
    let launch = Launch::rows_of(n.min(MOST_BLOCKS), 1, THREADS);
    // SAFETY: the arguments are the kernel's parameters, and both buffers have room for n rows by `check`.
    unsafe { device.queue().launch(&kernel, launch, &arguments) }?;
    device.queue().synchronize()?;
    Ok(own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use repro_device::ForeignMemory;
    use repro_device::emulated::{EmulatedDevice, Instruments};
    use repro_graph::{DistanceMatrix, Element};
    use std::sync::Arc;

    fn device() -> EmulatedDevice {
        EmulatedDevice::open(Instruments::CHECK).unwrap_or_else(|error| panic!("{error}"))
    }

    /// What is found of these n x n weights, and where they are put with rows a few entries longer than n.
    fn placed<T: Element>(
        device: &EmulatedDevice,
        weights: &[T],
        zeros_absent: bool,
    ) -> (Result<WeightRange, DenseError>, Vec<T>) {
        let n = weights.len().isqrt();
        let owner = Arc::new(weights.to_vec());
        let bytes = size_of_val(weights);
        let adopted = device.import_memory(ForeignMemory::of_host(owner.clone())).unwrap();
        let rows = PitchedRows { count: n, bytes: n * T::TYPE.bytes(), pitch: (n + 3) * T::TYPE.bytes() };
        let matrix = device.allocate(rows.device_bytes()).unwrap();
        let range = place_weights(device, T::TYPE, &adopted, zeros_absent, &matrix, rows);
        assert!(device.queue().download(adopted.whole(), &mut host(device, bytes)).is_err());
        drop(adopted);
        assert_eq!(Arc::strong_count(&owner), 1);
        let compact = rows_side_by_side(device, T::TYPE, &matrix, rows).unwrap();
        let mut back = host(device, bytes);
        device.queue().download(compact.whole(), &mut back).unwrap();
        (range, back.numbers().to_vec())
    }

    fn host(device: &EmulatedDevice, bytes: usize) -> repro_device::HostBuffer {
        device.allocate_host(bytes).unwrap()
    }

    /// As the host has it: what is read of a matrix in memory.
    fn expected<T: Element>(weights: &[T], zeros_absent: bool) -> Vec<T> {
        let n = weights.len().isqrt();
        let clean = |(at, weight): (usize, &T)| match () {
            () if at / n == at % n => T::ZERO,
            () if weight.is_absent() || zeros_absent && *weight == T::ZERO => T::ABSENT,
            () => weight.plus(T::ZERO),
        };
        weights.iter().enumerate().map(clean).collect()
    }

    fn facts_are_those_of_the_host<T: Element>(device: &EmulatedDevice, n: usize, numbers: &[f64]) {
        let weights: Vec<T> =
            (0..n * n).map(|at| T::from_f64(numbers[(at * 7 + at / n) % numbers.len()])).collect();
        for zeros_absent in [false, true] {
            let (found, matrix) = placed(device, &weights, zeros_absent);
            let expected = expected(&weights, zeros_absent);
            assert!(
                matrix.iter().zip(&expected).all(|(one, two)| one.bitwise_eq(*two)),
                "{} of n = {n}",
                T::TYPE
            );
            let range = DistanceMatrix::from_row_major(n, expected).unwrap().survey().weights.range;
            assert_eq!(found.unwrap(), range, "n = {n}");
        }
    }

    #[test]
    fn a_device_finds_the_facts_that_the_host_finds_and_puts_weights_where_they_belong() {
        let (device, none) = (device(), f64::INFINITY);
        let reals = [0.75, 0.0, none, 3e38, -0.0, 24.0, f64::from(f32::MIN_POSITIVE), 1e-45, 1e-40];
        for n in [1, 2, 40] {
            facts_are_those_of_the_host::<f32>(&device, n, &reals);
            facts_are_those_of_the_host::<f32>(&device, n, &[12.0, 8.0, 5e6]);
            facts_are_those_of_the_host::<f32>(&device, n, &[none]);
            facts_are_those_of_the_host::<i32>(&device, n, &[12.0, 0.0, none, 268_435_455.0, 24.0]);
            facts_are_those_of_the_host::<i32>(&device, n, &[0.0]);
            facts_are_those_of_the_host::<u16>(&device, n, &[12.0, 32_766.0, none, 0.0, 8.0]);
        }
        // More rows than threads a block, and more than blocks would have at once on a small device.
        facts_are_those_of_the_host::<u16>(&device, 300, &[64.0, 8.0, 0.0, 4096.0, none]);
    }

    #[test]
    fn one_integer_stands_for_no_arc_and_larger_ones_are_no_weights() {
        fn check<T: Element>(device: &EmulatedDevice, larger: T) {
            let (range, matrix) = placed(device, &[T::ZERO, T::ABSENT, T::ABSENT, T::ABSENT], false);
            assert!(!range.unwrap().complete);
            assert!(matrix.iter().zip([T::ZERO, T::ABSENT]).all(|(one, two)| one.bitwise_eq(two)));
            let refused = placed(device, &[T::ZERO, T::ABSENT, larger, T::ZERO], false).0.unwrap_err();
            let expected = format!("the weight at [1, 0] is {larger}, which is no weight in {}", T::TYPE);
            assert!(refused.to_string().starts_with(&expected), "{refused}");
        }
        let device = device();
        for large in [1 << 29, 600_000_000, i32::ABSENT - 1, i32::ABSENT + 1, i32::MAX] {
            check(&device, large);
        }
        [32_768, u16::MAX].into_iter().for_each(|large| check::<u16>(&device, large));
    }

    #[test]
    fn the_first_entry_that_is_no_weight_is_named_before_any_negative_one() {
        fn refused<T: Element>(weights: &[T]) -> String {
            placed(&device(), weights, false).0.unwrap_err().to_string()
        }
        for (message, expected) in [
            (refused(&[0.0, -1.0, f32::NAN, f32::NEG_INFINITY]), "[1, 0] is NaN, which is no weight"),
            (refused(&[0.0, 1.0, 2.0, f32::NEG_INFINITY]), "[1, 1] is -inf, which is no weight"),
            (refused(&[0.0_f32, -2.0, 1.0, -3.0]), "negative cycle"),
            (refused(&[0.0_f32, -2.5, -1.0, 3.0]), "[0, 1] is -2.5, and"),
            (refused(&[0, 1, 1 << 28, 0]), "[1, 0] is 268435456, which is no weight"),
            (refused(&[0, 1, -1 << 28, 0]), "[1, 0] is -268435456, which is no weight"),
            (refused(&[i32::MIN, 1, 2, 0]), "[0, 0] is -2147483648, which is no weight"),
            (refused(&[0, 6, -4, 0]), "[1, 0] is -4, and"),
        ] {
            assert!(message.contains(expected), "{message}");
        }
    }

    fn one_entry_decides_of_symmetry<T: Element>(device: &EmulatedDevice, n: usize) {
        let weight = |i: usize, j: usize| T::from_f64(((i * j + i + j) % 17) as f64);
        let mut weights: Vec<T> = (0..n * n).map(|at| weight(at / n, at % n)).collect();
        let is_symmetric = |weights: &[T]| {
            let adopted = device.import_memory(ForeignMemory::of_host(Arc::new(weights.to_vec()))).unwrap();
            weights_are_symmetric(device, T::TYPE, &adopted, n).unwrap()
        };
        assert!(is_symmetric(&weights), "{} of n = {n}", T::TYPE);
        for (i, j) in [(0, n - 1), (n - 1, n - 2), (n / 2, 1)] {
            let usual = std::mem::replace(&mut weights[i * n + j], T::from_f64(20.0));
            assert!(!is_symmetric(&weights), "{} of n = {n}: [{i}, {j}]", T::TYPE);
            weights[i * n + j] = usual;
        }
        (weights[n - 1], weights[n * (n - 1)]) = (T::ABSENT, T::ABSENT);
        assert!(is_symmetric(&weights), "{}: no arc", T::TYPE);
    }

    #[test]
    fn symmetry_is_found_on_the_device() {
        let device = device();
        for n in [4, 65] {
            one_entry_decides_of_symmetry::<f32>(&device, n);
            one_entry_decides_of_symmetry::<i32>(&device, n);
            one_entry_decides_of_symmetry::<u16>(&device, n);
        }
        let findings = device.take_findings();
        assert!(findings.is_empty(), "{findings:?}");
        let short = device.allocate(15).unwrap();
        assert!(weights_are_symmetric(&device, ElementType::F32, &short, 2).is_err());
    }

    #[test]
    fn buffers_that_are_too_small_are_refused() {
        let device = device();
        let [small, large] = [15, 16].map(|bytes| device.allocate(bytes).unwrap());
        let rows = PitchedRows { count: 2, bytes: 8, pitch: 8 };
        let of = |weights, matrix| place_weights(&device, ElementType::F32, weights, false, matrix, rows);
        assert!(of(&small, &large).is_err() && of(&large, &small).is_err());
        assert!(rows_side_by_side(&device, ElementType::F32, &small, rows).is_err());
    }
}
