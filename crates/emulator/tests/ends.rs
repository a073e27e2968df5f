//! Kernels that would end the process that runs them, or never end: each ends with a finding that names the thread and the line.

use crate::common::{emulator, findings_of};
use repro_emulator::{
    ArgumentValue, Emulator, Finding, FindingKind, Instruments, Launch, Options, PackedArguments, Source,
};
use std::time::{Duration, Instant};

/// What is found of kernels of four blocks of 64 threads with these bodies, each of which begins on line 3.
fn findings(device: &Emulator, before: &str, bodies: &[&str]) -> Vec<Vec<Finding>> {
    findings_of(device, Launch::new((4, 1, 1), (64, 1, 1)), before, ("int", 0), bodies)
}

fn is_at(finding: &Finding, kind: FindingKind, lines: &[u32]) -> bool {
    finding.kind == kind && finding.place.as_ref().is_some_and(|place| lines.contains(&place.line))
}

#[test]
fn what_would_end_the_process_is_told_with_its_line_however_a_kernel_is_watched() {
    let deep = "static __device__ __noinline__ int deep(int n) { volatile char pad[1024]; pad[n & 1023] = 1; return n < 0 ? 0 : deep(n + 1) + pad[n & 1023]; }";
    let cases = [
        (
            "if (threadIdx.x == 37 && blockIdx.x == 2)\np[threadIdx.x] = 7 / n;",
            FindingKind::Division,
            4,
            "undefined",
        ),
        ("p[threadIdx.x] = 7 % n;", FindingKind::Division, 3, "undefined"),
        ("p[threadIdx.x] = (n - 2147483647 - 1) / (n - 1);", FindingKind::Division, 3, "undefined"),
        ("p[0] = deep(n);", FindingKind::LocalMemory, 1, "local memory"),
        (
            "int (*f)(int) = (int (*)(int))(size_t)n;\np[threadIdx.x] = f(n);",
            FindingKind::OutOfBounds,
            4,
            "calls a function at address 0x0",
        ),
    ];
    for instruments in [Instruments::CHECK, Instruments::COUNT, Instruments::BOUNDS, Instruments::NONE] {
        for seed in [0, 1] {
            let all = findings(&emulator(instruments, seed), deep, &cases.map(|(body, ..)| body));
            for (found, (body, kind, line, words)) in all.iter().zip(cases) {
                let right = |one: &Finding| is_at(one, kind, &[line]) && one.details.contains(words);
                assert!(found.iter().any(right), "{body} {instruments:?} {seed}: {found:?}");
            }
            let threads: Vec<_> = all[0].iter().map(|one| (one.block, one.thread)).collect();
            assert_eq!(threads, [((2, 0, 0), (37, 0, 0))]);
        }
    }
    let large = "volatile char large[16 << 20];\nlarge[n] = 1;\np[0] = large[n + 1];";
    let found = findings(&emulator(Instruments::CHECK, 0), "", &[large]).remove(0);
    assert!(found.iter().any(|finding| finding.kind == FindingKind::LocalMemory), "{found:?}");
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
    for instruments in [Instruments::NONE, Instruments::CHECK] {
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

/// Those that are chosen by their number, by whether they are checked, and by their order: each takes its whole time.
fn each_is_ended_with_its_launchs_time(is_chosen: impl Fn(usize, bool, u64) -> bool) {
    let bodies = [
        "for (unsigned i = 1; i; i += 2)\nasm volatile(\"\" ::: \"memory\");",
        "while (n == 0)\n__syncthreads();",
        "while (n == 0)\np[threadIdx.x + 64 * blockIdx.x]++;",
        "while (n == 0)\natomicAdd(p, 1);",
        "while (n == 0)\n__syncwarp();",
        "while (n == 0)\n__threadfence();",
    ];
    for instruments in [Instruments::CHECK, Instruments::NONE] {
        for seed in [0, 1] {
            let checked = instruments == Instruments::CHECK;
            let chosen = (0..bodies.len()).filter(|&number| is_chosen(number, checked, seed));
            let chosen: Vec<&str> = chosen.map(|number| bodies[number]).collect();
            let limit = Some(Duration::from_millis(150));
            let limited = Options { time_limit: limit, ..emulator(instruments, seed).options().clone() };
            let begun = Instant::now();
            let all = findings(&Emulator::open(limited).unwrap(), "", &chosen);
            assert!(begun.elapsed() < Duration::from_secs(60));
            for (found, body) in all.iter().zip(chosen) {
                let right = |one: &Finding| is_at(one, FindingKind::TimeLimit, &[3, 4]);
                assert!(found.iter().any(right), "{body} {instruments:?} {seed}: {found:?}");
            }
        }
    }
}

#[test]
fn what_never_ends_is_ended_with_its_launchs_time() {
    each_is_ended_with_its_launchs_time(|number, checked, seed| {
        (number % 2 == 0) == checked && seed == number as u64 / 2 % 2
    });
}

#[test]
fn a_device_goes_on_after_a_kernel_that_could_not() {
    let own = |elements: u32, last: &str| {
        let walk = "for (int *at = own; at != own + sizeof own / 4; at++) *at = threadIdx.x + (at - own);";
        format!("int own[{elements}]; {walk} p[threadIdx.x + 64 * blockIdx.x] = own[n] {last};")
    };
    let bodies: Vec<_> =
        (3..6).flat_map(|elements| [own(elements, "/ n"), own(40 * elements, "+ n")]).collect();
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    for instruments in [Instruments::CHECK, Instruments::BOUNDS] {
        for pair in findings(&emulator(instruments, 0), "", &bodies).chunks(2) {
            assert!(pair[0].iter().any(|one| one.kind == FindingKind::Division), "{pair:?}");
            assert_eq!(pair[1], []);
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
