//! Runs and verifications on the emulated device: beside the CPU, resumed, without a compiler, and with kernels that stray; and its checker by
//! way of `Device`. What is counted is in `runs::experiments`; `crates/emulator/tests/planted` has the mistakes that the checker finds.

use crate::common::place::{Place, wait_until};
use crate::common::stored::unfinish;
use crate::common::{assert_refused, emulated, part, signal, stderr, stdout};
use repro::device::emulated::{EmulatedDevice, FindingKind, Instruments};
use repro::device::{Argument, Buffer, Device, KernelSource, Launch};

#[test]
fn without_a_gpu_kernels_are_counted_at_small_sizes_beside_the_cpu_and_not_again_when_the_run_is_resumed() {
    let place = Place::new();
    let cells = "--only cpu-naive,staged-load --sizes 64,300 --samples 1";
    let table = stdout(&place.emulate(&format!("run table1 {cells} --no-report --out run")));
    assert!(table.contains("others are counted"), "{table}");
    let [names, sizes, statuses] =
        ["implementation", "n", "status"].map(|title| place.column("run/summary.csv", title));
    let rows =
        names.iter().zip(&sizes).zip(&statuses).map(|((name, n), status)| format!("{name} {n} {status}"));
    let expected =
        ["cpu-naive 64 ok", "cpu-naive 300 ok", "staged-load 300 skipped", "staged-load 64 counted"];
    assert_eq!(rows.collect::<Vec<_>>(), expected);
    let (before, counts) = (place.files("run"), place.read("run/counts.csv"));
    place.emulate("run table1 --resume run");
    assert!(place.files("run") == before);
    // A kill between the two files leaves counts without a sample: the cell is counted again, once.
    place.edit("run/samples.csv", |text| text.split_inclusive('\n').take(1).collect());
    unfinish(&place.path("run"));
    place.emulate("run table1 --resume run --no-report");
    assert_eq!(place.read("run/counts.csv"), counts);
}

#[test]
fn the_emulated_device_without_a_compiler_is_an_error_that_says_how_to_get_one() {
    let place = Place::new();
    let refuse = |call: &str, variables: [(&str, &str); 3], told: &str| {
        assert_refused(&place.emulating(call).envs(variables).output().unwrap(), &[told]);
    };
    let none = "needs a C++ compiler and found none: install g++ or clang++";
    refuse("verify --device emulated", [("PATH", ""), ("CXX", ""), ("REPRO_CXX", "")], none);
    let no_library = "true made no library of katz_kider.cu: set REPRO_CXX";
    let by_true = [("REPRO_CXX", "true"), ("REPRO_CACHE", "cache"), ("CXX", "")];
    refuse("inspect katz-kider", by_true, no_library);
}

#[cfg(feature = "fault-injection")]
#[test]
fn a_kernel_that_strays_is_named_with_its_line_and_the_exit_code_is_1() {
    let call = "verify --device emulated --sizes 33 --only fault-cuda-illegal-address";
    let output = Place::new().emulating(call).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let stray = "access outside of every allocation: kernel illegal_address, block (0, 0), thread (0, 0)";
    for part in [stray, "fault_injection.cu:7", "5 of 5 checks failed"] {
        assert!(stdout(&output).contains(part), "no '{part}' in: {}", stdout(&output));
    }
}

#[test]
fn a_verification_that_is_interrupted_while_kernels_are_compiled_says_that_nothing_was_checked() {
    let place = Place::new();
    place.write(
        "c++",
        "#!/bin/sh\n[ \"$1\" = --version ] && exec g++ --version\n: > \"$BEGUN\"\nexec sleep 20\n",
    );
    place.set_mode("c++", 0o755);
    let mut command = place.emulating("verify --quiet --device emulated --only katz-kider");
    let begun = place.path("begun");
    command.envs([
        ("REPRO_CXX", place.path("c++")),
        ("BEGUN", begun.clone()),
        ("REPRO_CACHE", place.path("cache")),
    ]);
    let verify = command.spawn().unwrap();
    wait_until("the compiler is called", || begun.exists());
    assert!(signal(verify.id(), rustix::process::Signal::INT));
    let output = verify.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let said = "interrupted while opening the device: no check was made";
    assert!(stderr(&output).starts_with(said), "{}", stderr(&output));
}

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
    let (store, lower) = ("store_the_same_while_read(&d[0], ", "lower_while_read(&d[0], ");
    let (first, read) =
        ("if (threadIdx.x + blockIdx.x == 0) ", "if (threadIdx.x == 0 && blockIdx.x == 1) d[1] = d[0];");
    let all_read = "d[1 + blockIdx.x * 64 + threadIdx.x] = ";
    // Two lines of a kernel, its blocks, and what is found.
    let cases: [(String, String, usize, Expectation); 6] = [
        (format!("{first}{store}d[0] + 1.0f);"), read.into(), 2, Some((RaceBetweenBlocks, &[0, 1]))),
        (
            format!("if (threadIdx.x == 0) {{ d[0] = 5.0f; {store}5.0f); }}"),
            "if (threadIdx.x == 32) d[1] = d[0];".into(),
            1,
            Some((RaceInBlock, &[1])),
        ),
        (format!("{first}{lower}d[0] + 1.0f);"), read.into(), 2, Some((RaceBetweenBlocks, &[0, 1]))),
        (format!("if (threadIdx.x == 0) {lower}-1.0f);"), String::new(), 2, Some((RaceBetweenBlocks, &[]))),
        (format!("{store}relax(d[0], d[0], d[0]));"), format!("{all_read}d[0];"), 3, None),
        (format!("float a = d[0]; {all_read}a;"), format!("{first}{lower}a - 1.0f);"), 3, None),
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
    let text = "#include \"repro.cuh\"\n\
                KERNEL void strays(float *d, int n) {\n\
                if (blockIdx.x == 1 && threadIdx.x == 5)\n\
                d[n] = 1.0f;\n}\n\
                KERNEL void fill(float *d) { d[threadIdx.x] = 1.0f; }\n";
    let source = KernelSource::embedded("strays.cu", text);
    let device = emulated(Instruments::CHECK);
    let buffer = zeros(&device);
    let kernels = device.load(&source, &["strays", "fill"]).unwrap();
    let arguments = [Argument::Buffer(&buffer), Argument::Int(256)];
    // SAFETY: what the first does wrong is to be found.
    let launch = |kernel: usize, blocks: usize, given: usize| unsafe {
        let shape = Launch::rows_of(blocks, 1, 64);
        device.queue().launch(&kernels[kernel], shape, &arguments[..given]).unwrap();
    };
    let sum = || {
        let mut host = device.allocate_host(1024).unwrap();
        device.queue().download(buffer.whole(), &mut host).unwrap();
        host.numbers::<f32>()[..256].iter().sum::<f32>()
    };
    launch(0, 2, 2);
    launch(1, 1, 1);
    assert_eq!((device.take_findings().len(), sum()), (1, 0.0));
    launch(0, 2, 2);
    let message = device.queue().synchronize().unwrap_err().message;
    let places =
        ["outside of every allocation", "kernel strays", "block (1, 0)", "thread (5, 0)", "strays.cu:4"];
    assert!(places.iter().all(|part| message.contains(part)) && !message.contains('\n'), "{message}");
    device.queue().synchronize().unwrap();
    launch(1, 1, 1);
    assert_eq!((device.take_findings().len(), sum()), (0, 64.0));
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn verify_runs_the_kernels_with_the_checker_or_without() {
        for (option, words) in [("", "with the checker"), (" --no-check", "without the checker")] {
            let text = stdout(
                &Place::new()
                    .emulate(&format!("verify --device emulated --sizes 1,33,64 --part {}{option}", part())),
            );
            for part in [words, "all ", " checks passed"] {
                assert!(text.contains(part) && !text.contains("cpu-naive"), "{text}");
            }
        }
    }
}
