//! What kernels may use of CUDA C++ gives on the emulated device what it gives on a GPU, whatever is being watched, and is
//! counted for what it is.

use crate::common::emulated;
use crate::common::planted::words;
use repro::device::emulated::{Counts, EmulatedDevice, Instruments};
use repro::device::{Argument, Device, KernelSource, Launch};

static SOURCE: KernelSource = KernelSource::embedded("features.cu", include_str!("../kernels/features.cu"));
const ONE_BLOCK: Launch = Launch::of((1, 1, 1), (64, 1, 1));

/// A launch of a kernel whose parameters are the input, if there is one, the output, and numbers. Memory is given as bits.
#[derive(Clone)]
struct Case {
    kernel: &'static str,
    launch: Launch,
    input: Option<Vec<u32>>,
    /// What the output holds before.
    output: Vec<u32>,
    numbers: Vec<i32>,
}

impl Case {
    fn new(kernel: &'static str, launch: Launch) -> Self {
        Self { kernel, launch, input: None, output: Vec::new(), numbers: Vec::new() }
    }

    /// What the output holds afterwards.
    fn run(&self, device: &EmulatedDevice) -> Vec<u32> {
        let buffer_of = |words: &[u32]| {
            let mut host = device.allocate_host(words.len() * 4).unwrap();
            host.numbers_mut()[..words.len()].copy_from_slice(words);
            let buffer = device.allocate(words.len() * 4).unwrap();
            device.queue().upload(&host, buffer.whole()).unwrap();
            buffer
        };
        let [input, output] = [self.input.as_deref().unwrap_or(&[]), &self.output].map(buffer_of);
        let mut arguments = vec![Argument::Buffer(&input), Argument::Buffer(&output)];
        arguments.extend(self.numbers.iter().map(|&number| Argument::Int(number)));
        let given = if self.input.is_some() { &arguments } else { &arguments[1..] };
        let kernels = device.load(&SOURCE, &[self.kernel]).unwrap();
        // SAFETY: each case gives its kernel what it takes.
        unsafe { device.queue().launch(&kernels[0], self.launch, given) }.unwrap();
        device.queue().synchronize().unwrap();
        words(device, &output)
    }

    /// Asserts that the launch leaves `expected`, and that it does so with every instrument.
    fn assert_leaves(mut self, expected: &[u32]) {
        self.output.resize(expected.len(), 0);
        for instruments in [Instruments::NONE, Instruments::CHECK, Instruments::ALL] {
            let device = emulated(instruments);
            assert_eq!(
                self.run(&device),
                expected,
                "{} with {instruments:?}, {:?}",
                self.kernel,
                self.numbers
            );
        }
    }

    /// What is counted of the launch, which leaves `entries` words.
    fn counts(mut self, entries: usize) -> Counts {
        self.output.resize(entries, 0);
        let device = emulated(Instruments::ALL);
        self.run(&device);
        let [launch] = &device.take_counts()[..] else { panic!("one launch was counted") };
        assert_eq!(
            (launch.kernel.as_str(), launch.grid, launch.block),
            (self.kernel, self.launch.grid, self.launch.block)
        );
        launch.counts
    }
}

/// `results` of every thread, one result after the other.
fn of_threads<const N: usize>(threads: u32, results: impl Fn(u32) -> [u32; N]) -> Vec<u32> {
    (0..N)
        .flat_map(|at| (0..threads).map(move |thread| (at, thread)))
        .map(|(at, thread)| results(thread)[at])
        .collect()
}

fn bits(floats: impl IntoIterator<Item = f32>) -> Vec<u32> {
    floats.into_iter().map(f32::to_bits).collect()
}

#[test]
fn shuffles_stay_within_their_part_of_the_warp() {
    for (by, width) in [(1, 32), (5, 32), (31, 32), (0, 16), (3, 8), (9, 8), (2, 4), (16, 16), (1, 1)] {
        let expected = of_threads(64, |thread| {
            let (warp, lane) = (thread / 32 * 32, thread % 32);
            let (first, within) = (lane / width * width, lane % width);
            let up = if within < by { lane } else { lane - by };
            let down = if within + by < width { lane + by } else { lane };
            // A lane of an earlier part may be read, one of a later part not.
            let xor = if (lane ^ by) / width > lane / width { lane } else { lane ^ by };
            [first + by % width, up, down, xor].map(|source| 100 + warp + source)
        });
        let numbers = vec![by as i32, width as i32];
        Case { numbers, ..Case::new("shuffles", ONE_BLOCK) }.assert_leaves(&expected);
    }
}

#[test]
fn a_warp_sums_by_shuffles_and_moves_eight_bytes() {
    let expected = of_threads(64, |thread| {
        let sum = if thread < 32 { 31 * 16 } else { 31 * 16 + 32 * 32 };
        let next = if thread % 32 == 31 { thread } else { thread + 1 };
        [sum, next].map(|value| (value as f32).to_bits())
    });
    Case::new("warp_sums", ONE_BLOCK).assert_leaves(&expected);
}

#[test]
fn votes_are_those_of_the_named_lanes() {
    for below in [0, 1, 20, 32] {
        let ballot = ((1u64 << below) - 1) as u32;
        let expected = of_threads(64, |thread| {
            let of_half = if thread % 32 < 16 { 0b1001_0010_0100_1001 } else { 0 };
            [ballot, u32::from(below > 0), u32::from(below == 32), of_half]
        });
        Case { numbers: vec![below], ..Case::new("votes", ONE_BLOCK) }.assert_leaves(&expected);
    }
}

#[test]
fn a_warps_barrier_shows_what_its_lanes_wrote() {
    let expected = of_threads(64, |thread| [((thread ^ 4) as f32 * 2.0).to_bits()]);
    Case::new("warp_barrier", ONE_BLOCK).assert_leaves(&expected);
}

#[test]
fn a_block_of_no_whole_number_of_warps_has_shuffles_and_votes_too() {
    let launch = Launch { block: (40, 1, 1), ..ONE_BLOCK };
    let expected = of_threads(40, |thread| {
        let ballot = if thread < 32 { 0x000f_ffff } else { 0xff };
        let of_half = if thread % 32 >= 16 {
            0
        } else {
            0b1001_0010_0100_1001 & if thread < 32 { 0xffff } else { 0xff }
        };
        [ballot, 1, u32::from(thread >= 32), of_half]
    });
    Case { numbers: vec![20], ..Case::new("votes", launch) }.assert_leaves(&expected);
}

#[test]
fn tables_of_constants_are_read_with_every_instrument() {
    let primes = [2.0f32, 3.0, 5.0, 7.0, 11.0];
    let expected = of_threads(64, |thread| [primes[thread as usize % 5].to_bits()]);
    Case::new("constants", ONE_BLOCK).assert_leaves(&expected);
}

#[test]
fn variables_of_device_memory_keep_their_values_and_their_races_are_found() {
    for declared in ["__device__ float total[4];", "static __device__ float total[4] = {1.0f};"] {
        let kernel = "extern \"C\" __global__ void sums(float *d) { total[threadIdx.x % 4] += d[threadIdx.x]; d[0] = total[0]; }";
        let text = format!("{declared}\n{kernel}\n").into();
        let source = KernelSource { text, ..KernelSource::embedded("sums.cu", "") };
        let device = emulated(Instruments::CHECK);
        let kernels = device.load(&source, &["sums"]).unwrap();
        let buffer = device.allocate(256).unwrap();
        device.queue().upload(&device.allocate_host(256).unwrap(), buffer.whole()).unwrap();
        for (threads, races) in [(1, false), (1, false), (8, true)] {
            let launch = Launch::rows_of((1, 1), threads);
            // SAFETY: the kernel takes a buffer of as many floats.
            unsafe { device.queue().launch(&kernels[0], launch, &[Argument::Buffer(&buffer)]).unwrap() };
            let findings = device.take_findings();
            assert_eq!(
                findings.iter().any(|it| it.to_string().contains("the variable total")),
                races,
                "{findings:#?}"
            );
        }
    }
}

#[test]
fn fences_run_with_every_instrument() {
    Case::new("fences", ONE_BLOCK).assert_leaves(&of_threads(64, |thread| [thread + 3]));
}

#[test]
fn a_name_that_nothing_defines_is_told_when_the_kernels_are_compiled() {
    let source = KernelSource::embedded(
        "missing.cu",
        "extern \"C\" float defined_nowhere(float);\n\
               extern \"C\" __global__ void missing(float *out) { out[0] = defined_nowhere(1.0f); }\n",
    );
    for instruments in [Instruments::NONE, Instruments::CHECK, Instruments::ALL] {
        let device = emulated(instruments);
        let message = device.load(&source, &["missing"]).err().unwrap().message;
        assert!(message.contains("missing.cu calls defined_nowhere, which no device has"), "{message}");
    }
}

#[test]
fn atomics_lose_nothing() {
    let launch = Launch { grid: (5, 1, 1), ..ONE_BLOCK };
    let last = 5 * 64 - 1u32;
    let sum = last * (last + 1) / 2;
    let output = vec![0, 0, 0, 0, u32::MAX, 0, 1000, 0];
    let expected = [
        sum,
        last.wrapping_neg(),
        last - 50,
        sum, // 320 times 2^31 is 0.
        0xffff_fff0 - last,
        0x7fff_fff0 + last,
        1000u32.wrapping_sub(2 * (last + 1)),
        0x7fff_ffff,
    ];
    Case { output, ..Case::new("integer_atomics", launch) }.assert_leaves(&expected);

    let sums = bits([160.0, 320.0, 1.0, 319.0]).into_iter();
    let expected: Vec<u32> = sums.chain([320]).chain(bits([1.0; 320])).collect();
    Case::new("float_atomics", launch).assert_leaves(&expected);
}

#[test]
fn shared_memory_of_the_launchs_size_belongs_to_a_block() {
    let launch = Launch { dynamic_shared_bytes: 48 * 4, ..Launch::of((3, 2, 1), (16, 3, 1)) };
    let input = bits((0..288).map(|entry| entry as f32));
    let expected = of_threads(288, |thread| [((thread / 48 * 48 + 47 - thread % 48) as f32).to_bits()]);
    Case { input: Some(input), ..Case::new("dynamic_shared", launch) }.assert_leaves(&expected);

    let launch = Launch { dynamic_shared_bytes: 64 * 20, ..ONE_BLOCK };
    let input = bits((0..256).map(|entry| entry as f32));
    let expected = of_threads(64, |thread| {
        let next = (thread + 1) % 64;
        [((16 * next + 6 + 63 - thread) as f32).to_bits()]
    });
    Case { input: Some(input), ..Case::new("dynamic_shared_parts", launch) }.assert_leaves(&expected);
}

#[test]
fn an_access_beyond_the_launchs_shared_memory_is_found() {
    let device = emulated(Instruments::CHECK);
    let launch = Launch { dynamic_shared_bytes: 63 * 4, ..ONE_BLOCK };
    let [input, output] = [(); 2].map(|()| device.allocate(256).unwrap());
    device.queue().upload(&device.allocate_host(256).unwrap(), input.whole()).unwrap();
    let kernels = device.load(&SOURCE, &["dynamic_shared"]).unwrap();
    let arguments = [Argument::Buffer(&input), Argument::Buffer(&output)];
    // SAFETY: the kernel takes two buffers; that there is less shared memory than it uses is to be found.
    unsafe { device.queue().launch(&kernels[0], launch, &arguments) }.unwrap();
    let findings = device.take_findings();
    assert!(matches!(&findings[..], [only] if only.thread == (63, 0, 0)), "{findings:?}");
}

#[test]
fn more_shared_memory_than_a_kernel_may_declare_is_refused() {
    let source = KernelSource::embedded(
        "large.cu",
        "extern \"C\" __global__ void own(float *out) {\n\
                   __shared__ float c[12289];\n\
                   c[threadIdx.x * 192] = threadIdx.x;\n\
                   __syncthreads();\n\
                   out[threadIdx.x] = c[(63 - threadIdx.x) * 192];\n\
               }\n\
               template <int COUNT> __device__ __noinline__ float *room() { __shared__ float c[COUNT]; return c; }\n\
               extern \"C\" __global__ void called(float *out) {\n\
                   float *c = room<12289>();\n\
                   c[threadIdx.x * 192] = threadIdx.x;\n\
                   __syncthreads();\n\
                   out[threadIdx.x] = c[(63 - threadIdx.x) * 192];\n\
               }\n\
               extern \"C\" __global__ void fits(float *out) {\n\
                   float *c = room<12288>();\n\
                   c[threadIdx.x * 192] = threadIdx.x;\n\
                   __syncthreads();\n\
                   out[threadIdx.x] = c[(63 - threadIdx.x) * 192];\n\
               }\n",
    );
    for instruments in [Instruments::NONE, Instruments::CHECK, Instruments::ALL] {
        let device = emulated(instruments);
        let out = device.allocate(256).unwrap();
        let kernels = device.load(&source, &["own", "called", "fits"]).unwrap();
        let arguments = [Argument::Buffer(&out)];
        // SAFETY: all three take a buffer of 64 floats.
        let launched = |at: usize| unsafe { device.queue().launch(&kernels[at], ONE_BLOCK, &arguments) };
        let refused = launched(0).unwrap_err().message;
        let words = "launching own: 49156 bytes of __shared__ variables: at most 49152 fit";
        assert!(refused.contains(words), "{refused}");
        // What a function that it calls declares shows where accesses are watched.
        assert_eq!(launched(1).is_err(), instruments != Instruments::NONE);
        launched(2).unwrap();
        device.queue().synchronize().unwrap();
    }
}

#[test]
fn vectors_are_moved_and_computed_with_by_element() {
    let input = bits((0..256).map(|entry| entry as f32));
    Case { input: Some(input.clone()), ..Case::new("float4_copy", ONE_BLOCK) }.assert_leaves(&input);

    let expected = bits((0..64).flat_map(|thread| {
        let first = (4 * thread) as f32;
        let sum = 2.0 * first + 1.0;
        [sum, sum + 4.0, 2.0 * sum + first, first + 3.0]
    }));
    Case { input: Some(input), ..Case::new("vectors", ONE_BLOCK) }.assert_leaves(&expected);

    let input: Vec<u32> = (0..256).map(|entry| entry * 77).collect();
    let expected: Vec<u32> =
        input.chunks(4).flat_map(|four| [four[0] ^ four[3], four[1].wrapping_sub(four[2])]).collect();
    Case { input: Some(input), ..Case::new("integer_vectors", ONE_BLOCK) }.assert_leaves(&expected);
}

#[test]
fn minimums_pass_over_nan_and_know_that_minus_zero_is_less() {
    let values = [f32::NAN, f32::NEG_INFINITY, -2.5, -0.0, 0.0, 1.0e-40, 7.0, f32::INFINITY];
    let mut pairs: Vec<(f32, f32)> = values.iter().flat_map(|&a| values.map(|b| (a, b))).collect();
    // Which NaN comes of two is nobody's business.
    pairs.retain(|(a, b)| !(a.is_nan() && b.is_nan()));
    let input = bits(pairs.iter().flat_map(|&(a, b)| [a, b]));
    let chosen = |thread: u32, least: bool| {
        let (a, b) = pairs[thread as usize];
        let first = if a.is_nan() != b.is_nan() { b.is_nan() } else { a.total_cmp(&b).is_lt() == least };
        (if first { a } else { b }).to_bits()
    };
    let expected = of_threads(63, |thread| [true, false, true, false].map(|least| chosen(thread, least)));
    let launch = Launch { block: (63, 1, 1), ..ONE_BLOCK };
    Case { input: Some(input), ..Case::new("minimums", launch) }.assert_leaves(&expected);
}

#[test]
fn integer_arithmetic_is_that_of_32_bits() {
    let launch = Launch { block: (32, 1, 1), ..ONE_BLOCK };
    let expected = of_threads(32, |thread| {
        let own = thread.cast_signed() - 16;
        let counted = own.count_ones() * 10_000 + own.leading_zeros() * 100;
        let set = if own == 0 { 0 } else { own.trailing_zeros() + 1 };
        let unsigned = own.cast_unsigned().min(7);
        [own.min(3), own.max(-3), unsigned.cast_signed(), 0x3f80_0000 + own, (counted + set).cast_signed()]
            .map(i32::cast_unsigned)
    });
    Case::new("integer_arithmetic", launch).assert_leaves(&expected);
}

#[test]
fn every_thread_knows_where_it_is() {
    let launch = Launch::of((3, 2, 1), (8, 4, 1));
    let expected = of_threads(192, |thread| {
        let (block, own) = (thread / 32, thread % 32);
        let place = own % 8 + own / 8 * 10 + block % 3 * 100 + block / 3 * 1000;
        [84_320_000 + place, 34]
    });
    Case::new("places", launch).assert_leaves(&expected);
}

#[test]
fn a_wide_load_is_one_request_of_its_bytes() {
    let input = Some(vec![0; 256]);
    let counts = Case { input, ..Case::new("float4_copy", ONE_BLOCK) }.counts(256);
    for moved in [counts.global_load, counts.global_store] {
        // Two warps, sixteen bytes a thread, two threads a sector.
        assert_eq!((moved.requests, moved.bytes, moved.sectors), (2, 64 * 16, 32));
    }
    assert_eq!((counts.launches, counts.blocks, counts.threads, counts.barriers), (1, 1, 64, 0));
}

#[test]
fn shared_memory_of_the_launchs_size_is_counted() {
    let launch = Launch { grid: (2, 1, 1), dynamic_shared_bytes: 256, ..ONE_BLOCK };
    let input = Some(vec![0; 128]);
    let counts = Case { input, ..Case::new("dynamic_shared", launch) }.counts(128);
    assert_eq!((counts.dynamic_shared_bytes, counts.shared_bytes, counts.barriers), (256, 0, 2));
    assert_eq!((counts.shared_load.requests, counts.shared_load.bytes), (4, 512));
    assert_eq!((counts.shared_store.requests, counts.shared_store.bytes), (4, 512));
}

#[test]
fn operations_of_warps_and_atomics_are_counted() {
    let counts = Case::new("warp_barrier", ONE_BLOCK).counts(64);
    assert_eq!((counts.warp_operations, counts.shared_bytes, counts.barriers), (2 * 3, 256, 0));
    let counts = Case { numbers: vec![1, 32], ..Case::new("shuffles", ONE_BLOCK) }.counts(256);
    assert_eq!(counts.warp_operations, 2 * 4);
    let counts = Case { numbers: vec![1], ..Case::new("votes", ONE_BLOCK) }.counts(256);
    assert_eq!(counts.warp_operations, 2 * 4);
    let counts = Case::new("integer_atomics", ONE_BLOCK).counts(8);
    assert_eq!((counts.atomics, counts.global_bytes()), (2 * 8, 0));
}
