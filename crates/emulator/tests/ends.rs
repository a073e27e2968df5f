//! Kernels that would end the process that runs them, or never end: each ends with a finding that names the thread and the line.

use crate::common::emulator;
use repro_emulator::{
    ArgumentValue, Emulator, Finding, FindingKind, Instruments, Launch, Options, PackedArguments, Source,
};
use std::time::{Duration, Instant};

/// What is found of a kernel of four blocks of 64 threads with this body, which begins on line 3.
fn findings(device: &Emulator, before: &str, body: &str) -> Vec<Finding> {
    let text = format!("{before}\nextern \"C\" __global__ void k(int *p, int n) {{\n{body}\n}}\n");
    let kernels = device.load(&Source::new("k.cu", text), &["k"]).unwrap();
    let (memory, stream) = (device.allocate(4096).unwrap(), device.stream());
    stream.upload(&[0; 4096], &memory, 0);
    let arguments = PackedArguments::new(&[ArgumentValue::Memory(&memory), ArgumentValue::Int(0)]);
    // SAFETY: what it does wrong is what is tested.
    unsafe { stream.launch(&kernels[0], Launch::new((4, 1, 1), (64, 1, 1)), &arguments).unwrap() };
    device.take_findings()
}

#[track_caller]
fn ends(before: &str, body: &str, kind: FindingKind, line: u32, words: &str) {
    for instruments in [Instruments::CHECK, Instruments::COUNT, Instruments::BOUNDS, Instruments::NONE] {
        for seed in [0, 1] {
            let found = findings(&emulator(instruments, seed), before, body);
            let right = |finding: &&Finding| {
                finding.kind == kind
                    && finding.place.as_ref().is_some_and(|place| place.line == line)
                    && finding.details.contains(words)
            };
            assert!(found.iter().any(|finding| right(&finding)), "{body} {instruments:?} {seed}: {found:?}");
        }
    }
}

#[test]
fn a_division_by_zero_names_its_thread_and_says_that_its_result_is_undefined() {
    let body = "if (threadIdx.x == 37 && blockIdx.x == 2)\np[threadIdx.x] = 7 / n;";
    ends("", body, FindingKind::Division, 4, "undefined");
    ends("", "p[threadIdx.x] = 7 % n;", FindingKind::Division, 3, "undefined");
    ends("", "p[threadIdx.x] = (n - 2147483647 - 1) / (n - 1);", FindingKind::Division, 3, "undefined");
    let found = findings(&emulator(Instruments::CHECK, 1), "", body);
    assert_eq!(
        found.iter().map(|one| (one.block, one.thread)).collect::<Vec<_>>(),
        [((2, 0, 0), (37, 0, 0))]
    );
}

#[test]
fn what_needs_more_local_memory_than_a_thread_has_is_told_so() {
    let large = "volatile char large[16 << 20];\nlarge[n] = 1;\np[0] = large[n + 1];";
    let found = findings(&emulator(Instruments::CHECK, 0), "", large);
    assert!(found.iter().any(|finding| finding.kind == FindingKind::LocalMemory), "{found:?}");
    let deep = "static __device__ __noinline__ int deep(int n) { volatile char pad[1024]; pad[n & 1023] = 1; return n < 0 ? 0 : deep(n + 1) + pad[n & 1023]; }";
    ends(deep, "p[0] = deep(n);", FindingKind::LocalMemory, 1, "local memory");
}

#[test]
fn more_shared_memory_than_a_kernel_may_declare_is_refused() {
    let body = "c[threadIdx.x * 192] = threadIdx.x; __syncthreads(); out[threadIdx.x] = c[(63 - threadIdx.x) * 192];";
    let room = "template <int COUNT> __device__ __noinline__ float *room() { __shared__ float c[COUNT]; return c; }\n";
    let kernels = [
        ("own", "__shared__ float c[12289];"),
        ("called", "float *c = room<12289>();"),
        ("fits", "float *c = room<12288>();"),
    ];
    let text = kernels.iter().fold(room.to_string(), |text, (name, c)| {
        format!("{text}extern \"C\" __global__ void {name}(float *out) {{ {c} {body} }}\n")
    });
    for instruments in [Instruments::NONE, Instruments::CHECK, Instruments::ALL] {
        let device = emulator(instruments, 0);
        let (out, stream) = (device.allocate(256).unwrap(), device.stream());
        let kernels = device.load(&Source::new("large.cu", &*text), &kernels.map(|(name, _)| name)).unwrap();
        let (launch, arguments) =
            (Launch::new((1, 1, 1), (64, 1, 1)), PackedArguments::new(&[ArgumentValue::Memory(&out)]));
        // SAFETY: all three take a buffer of 64 floats.
        let launched = |at: usize| unsafe { stream.launch(&kernels[at], launch, &arguments) };
        let refused = launched(0).unwrap_err().to_string();
        let words = "launching own: 49156 bytes of __shared__ variables: at most 49152 fit";
        assert!(refused.contains(words), "{refused}");
        // What a function that it calls declares shows where accesses are watched.
        assert_eq!(launched(1).is_err(), instruments != Instruments::NONE);
        launched(2).unwrap();
    }
}

#[test]
fn a_call_of_what_is_no_function_names_its_line() {
    let body = "int (*f)(int) = (int (*)(int))(size_t)n;\np[threadIdx.x] = f(n);";
    ends("", body, FindingKind::OutOfBounds, 4, "calls a function at address 0x0");
}

/// Those that are chosen by their number, by whether they are checked, and by their order: each takes its whole time.
fn each_is_ended_with_its_launchs_time(is_chosen: impl Fn(usize, bool, u64) -> bool) {
    for (number, body) in [
        "for (unsigned i = 1; i; i += 2)\nasm volatile(\"\" ::: \"memory\");",
        "while (n == 0)\n__syncthreads();",
        "while (n == 0)\np[threadIdx.x + 64 * blockIdx.x]++;",
        "while (n == 0)\natomicAdd(p, 1);",
        "while (n == 0)\n__syncwarp();",
        "while (n == 0)\n__threadfence();",
    ]
    .into_iter()
    .enumerate()
    {
        for instruments in [Instruments::CHECK, Instruments::NONE] {
            for seed in [0, 1] {
                if !is_chosen(number, instruments == Instruments::CHECK, seed) {
                    continue;
                }
                let limited = Options {
                    time_limit: Some(Duration::from_millis(300)),
                    ..emulator(instruments, seed).options().clone()
                };
                let device = Emulator::open(limited).unwrap();
                let begun = Instant::now();
                let found = findings(&device, "", body);
                assert!(begun.elapsed() < Duration::from_secs(20), "{body}");
                let right = |one: &&Finding| {
                    one.kind == FindingKind::TimeLimit
                        && one.place.as_ref().is_some_and(|place| matches!(place.line, 3 | 4))
                };
                assert!(found.iter().any(|one| right(&one)), "{body} {instruments:?} {seed}: {found:?}");
            }
        }
    }
}

#[test]
fn what_never_ends_is_ended_with_its_launchs_time() {
    each_is_ended_with_its_launchs_time(|number, checked, seed| (seed == number as u64 % 2) == checked);
}

#[test]
fn a_device_goes_on_after_a_kernel_that_could_not() {
    let own = |elements: u32, last: &str| {
        let walk = "for (int *at = own; at != own + sizeof own / 4; at++) *at = threadIdx.x + (at - own);";
        format!("int own[{elements}]; {walk} p[threadIdx.x + 64 * blockIdx.x] = own[n] {last};")
    };
    for instruments in [Instruments::CHECK, Instruments::BOUNDS] {
        let device = emulator(instruments, 0);
        for elements in 3..6 {
            let found = findings(&device, "", &own(elements, "/ n"));
            assert!(found.iter().any(|one| one.kind == FindingKind::Division), "{found:?}");
            assert_eq!(findings(&device, "", &own(40 * elements, "+ n")), []);
        }
    }
}

mod long {
    use super::*;

    const LEVELS: u32 = 17;

    /// What the function of this level makes of a pair, where all numbers are 3.
    fn level(number: u32, (a, b): (u32, u32)) -> (u32, u32) {
        match number.checked_sub(1) {
            None => (a.wrapping_add(3), b ^ a.wrapping_add(3)),
            Some(below) => {
                let (a, b) = level(below, (a, b));
                level(below, (a, b.wrapping_add(1)))
            }
        }
    }

    #[test]
    #[ignore = "long"]
    fn what_never_ends_is_ended_with_its_launchs_time_checked_or_not_in_either_order() {
        super::each_is_ended_with_its_launchs_time(|_, _, _| true);
    }

    #[test]
    #[ignore = "long"]
    fn what_is_too_large_to_inline_is_compiled_with_its_calls_which_are_named_and_checked() {
        let mut text = "struct Pair { unsigned a, b; };\n\
                        __device__ Pair f0(unsigned *p, Pair x) { x.a += p[x.a & 255]; x.b ^= x.a; return x; }\n"
            .to_string();
        for number in 1..=LEVELS {
            let below = format!("f{}(p, x)", number - 1);
            text += &format!(
                "__device__ Pair f{number}(unsigned *p, Pair x) {{ x = {below}; x.b++; return {below}; }}\n"
            );
        }
        text += &format!(
            "extern \"C\" __global__ void k(unsigned *p, int n) {{ p[1] = f{LEVELS}(p + n, Pair{{1, 2}}).b; }}"
        );
        let device = emulator(Instruments::CHECK, 0);
        let kernels = device.load(&Source::new("k.cu", text), &["k"]).unwrap();
        let named: Vec<String> = (0..=LEVELS).map(|number| format!("f{number}")).collect();
        assert!(named.iter().all(|name| kernels[0].called().contains(name)), "{:?}", kernels[0].called());
        let (memory, stream) = (device.allocate(2048).unwrap(), device.stream());
        stream.upload(&[3, 0, 0, 0].repeat(512), &memory, 0);
        let launch = |n| {
            let arguments = PackedArguments::new(&[ArgumentValue::Memory(&memory), ArgumentValue::Int(n)]);
            // SAFETY: what it does wrong is what is tested.
            unsafe { stream.launch(&kernels[0], Launch::new((1, 1, 1), (1, 1, 1)), &arguments).unwrap() };
            device.take_findings()
        };
        assert_eq!(launch(0), []);
        let mut left = [0; 4];
        stream.download(&memory, 4..8, &mut left);
        assert_eq!(u32::from_le_bytes(left), level(LEVELS, (1, 2)).1);
        let found = launch(500);
        assert_eq!(found[0].kind, FindingKind::OutOfBounds);
        assert_eq!(found[0].place.as_ref().map(|place| place.line), Some(2));
    }
}
