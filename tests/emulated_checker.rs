//! The emulated device's checker by way of `Device`: stores that kernels declare to race on purpose, and what the device does after a
//! finding. `crates/emulator/tests/planted` has the mistakes that it finds.

use crate::common::emulated;
use repro::device::emulated::{EmulatedDevice, FindingKind, Instruments};
use repro::device::{Argument, Buffer, Device, KernelSource, Launch};

/// A buffer of 256 zeros.
fn zeros(device: &EmulatedDevice) -> Buffer {
    let buffer = device.allocate(1024).unwrap();
    device.queue().upload(&device.allocate_host(1024).unwrap(), buffer.whole()).unwrap();
    buffer
}

#[test]
fn a_store_that_is_declared_to_race_does_so_where_it_is_not_what_is_declared() {
    use FindingKind::{RaceBetweenBlocks, RaceInBlock};
    /// The kind of a finding, and which of the two lines it names: which of two accesses comes second is a matter of time.
    type Expectation = Option<(FindingKind, &'static [usize])>;
    // Two lines of a kernel, its blocks, and what is found.
    let cases: [(&str, &str, usize, Expectation); 6] = [
        (
            "if (threadIdx.x + blockIdx.x == 0) store_the_same_while_read(&d[0], d[0] + 1.0f);",
            "if (threadIdx.x == 0 && blockIdx.x == 1) d[1] = d[0];",
            2,
            Some((RaceBetweenBlocks, &[0, 1])),
        ),
        (
            "if (threadIdx.x == 0) { d[0] = 5.0f; store_the_same_while_read(&d[0], 5.0f); }",
            "if (threadIdx.x == 32) d[1] = d[0];",
            1,
            Some((RaceInBlock, &[1])),
        ),
        (
            "if (threadIdx.x + blockIdx.x == 0) lower_while_read(&d[0], d[0] + 1.0f);",
            "if (threadIdx.x == 0 && blockIdx.x == 1) d[1] = d[0];",
            2,
            Some((RaceBetweenBlocks, &[0, 1])),
        ),
        ("if (threadIdx.x == 0) lower_while_read(&d[0], -1.0f);", "", 2, Some((RaceBetweenBlocks, &[]))),
        (
            "store_the_same_while_read(&d[0], relax(d[0], d[0], d[0]));",
            "d[1 + blockIdx.x * 64 + threadIdx.x] = d[0];",
            3,
            None,
        ),
        (
            "const float before = d[0]; d[1 + blockIdx.x * 64 + threadIdx.x] = before;",
            "if (threadIdx.x + blockIdx.x == 0) lower_while_read(&d[0], before - 1.0f);",
            3,
            None,
        ),
    ];
    let kernels = cases.iter().enumerate().map(|(at, (first, second, ..))| {
        format!("KERNEL void declared_{at}(float *d) {{\n{first}\n{second}\n}}\n")
    });
    let text = kernels.fold("#include \"repro.cuh\"\n".to_string(), |text, kernel| text + kernel.as_str());
    let source = KernelSource { text: text.into(), ..KernelSource::embedded("declared.cu", "") };
    for (at, (first, second, blocks, expected)) in cases.iter().enumerate() {
        let device = emulated(Instruments::CHECK);
        let buffer = zeros(&device);
        let name = format!("declared_{at}");
        let kernels = device.load(&source, &[&*name]).unwrap();
        let (launch, arguments) = (Launch::rows_of(*blocks, 1, 64), [Argument::Buffer(&buffer)]);
        // SAFETY: each takes a buffer of as many floats as it uses.
        unsafe { device.queue().launch(&kernels[0], launch, &arguments) }.unwrap();
        let findings = device.take_findings();
        let kinds: Vec<FindingKind> = findings.iter().map(|finding| finding.kind).collect();
        assert_eq!(kinds, expected.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), "{first} {second}");
        for line in expected.iter().flat_map(|(_, lines)| *lines) {
            let place = format!("declared.cu:{}", 3 + 4 * at + line);
            assert!(findings[0].to_string().contains(&place), "no {place}: {}", findings[0]);
        }
    }
}

#[test]
fn after_an_access_outside_nothing_runs_until_it_is_reported_once_and_then_all_works_again() {
    let source = KernelSource::embedded(
        "strays.cu",
        "extern \"C\" __global__ void strays(float *d, int n) {\n\
         if (blockIdx.x == 1 && threadIdx.x == 5)\n\
         d[n] = 1.0f;\n\
         }\n\
         extern \"C\" __global__ void fill(float *d) { d[threadIdx.x] = 1.0f; }\n",
    );
    let device = emulated(Instruments::CHECK);
    let buffer = zeros(&device);
    let kernels = device.load(&source, &["strays", "fill"]).unwrap();
    let arguments = [Argument::Buffer(&buffer), Argument::Int(256)];
    let launch = |kernel: usize| {
        let (blocks, given) = [(2, 2), (1, 1)][kernel];
        // SAFETY: what the first does wrong is to be found.
        unsafe {
            device.queue().launch(&kernels[kernel], Launch::rows_of(blocks, 1, 64), &arguments[..given])
        }
        .unwrap();
    };
    let sum = || {
        let mut host = device.allocate_host(1024).unwrap();
        device.queue().download(buffer.whole(), &mut host).unwrap();
        host.numbers::<f32>()[..256].iter().sum::<f32>()
    };
    launch(0);
    launch(1);
    assert_eq!(device.take_findings().len(), 1);
    assert_eq!(sum(), 0.0);

    launch(0);
    let message = device.queue().synchronize().unwrap_err().message;
    for part in
        ["outside of every allocation", "kernel strays", "block (1, 0)", "thread (5, 0)", "strays.cu:3"]
    {
        assert!(message.contains(part), "no '{part}' in: {message}");
    }
    assert!(!message.contains('\n'), "{message}");
    device.queue().synchronize().unwrap();
    launch(1);
    assert_eq!(device.take_findings(), []);
    assert_eq!(sum(), 64.0);
}
