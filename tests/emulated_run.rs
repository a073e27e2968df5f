//! Runs and verifications on the emulated device: results are verified, accesses counted, and seconds never taken.

use crate::common::stored::unfinish;
use crate::common::{assert_refused, column, csv, part, repro_with_compiler, run, signal, stderr, stdout};
use std::path::Path;
use std::process::Output;

fn run_table1(out: &Path, arguments: &[&str]) -> Output {
    repro_with_compiler().args(["run", "table1", "--out"]).arg(out).args(arguments).output().unwrap()
}

#[test]
fn a_run_on_the_emulated_device_counts_the_cuda_columns_and_times_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let output = run_table1(&out, &["--device", "emulated", "--sizes", "33,64"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let samples = out.join("samples.csv");
    assert_eq!(column(&samples, "status"), ["counted"; 8]);
    assert_eq!(column(&samples, "verified"), ["true"; 8]);
    assert_eq!(column(&samples, "verification"), ["exact"; 8]);
    assert_eq!(column(&samples, "seconds"), [""; 8]);
    let summary = out.join("summary.csv");
    assert_eq!(column(&summary, "status"), ["counted"; 8]);
    assert_eq!(column(&summary, "median_s"), [""; 8]);
    let counts = out.join("counts.csv");
    // Three kernels of each of three blocked implementations, and one, at either size.
    assert_eq!(csv(&counts).1.len(), 20);
    assert!(column(&counts, "launches").iter().all(|launches| launches != "0"));
    let table = stdout(&output);
    assert!(table.contains("emulated device counts of each kernel") && !table.contains("Seconds"), "{table}");
    assert!(std::fs::read_to_string(out.join("table.md")).unwrap().contains("doubly dependent"));
}

#[test]
fn without_a_gpu_the_cpu_is_measured_and_the_cuda_columns_are_counted_at_small_sizes() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let output =
        run_table1(&out, &["--only", "cpu-naive,staged-load", "--sizes", "64,300", "--samples", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let summary = out.join("summary.csv");
    let names = column(&summary, "implementation").into_iter().zip(column(&summary, "n"));
    let statuses: Vec<_> = names.zip(column(&summary, "status")).collect();
    let row = |name: &str, n: &str, status: &str| ((name.to_string(), n.to_string()), status.to_string());
    assert_eq!(
        statuses,
        [
            row("cpu-naive", "64", "ok"),
            row("cpu-naive", "300", "ok"),
            row("staged-load", "300", "skipped"),
            row("staged-load", "64", "counted"),
        ]
    );
    let table = stdout(&output);
    assert!(table.contains("others are counted"), "{table}");
}

#[test]
fn what_was_counted_is_not_counted_again_when_a_run_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    run_table1(&out, &["--device", "emulated", "--only", "katz-kider", "--sizes", "64"]);
    let before = std::fs::read(out.join("samples.csv")).unwrap();
    let counts = std::fs::read(out.join("counts.csv")).unwrap();
    let resumed = repro_with_compiler().args(["run", "table1", "--resume"]).arg(&out).output().unwrap();
    assert_eq!(resumed.status.code(), Some(0), "{}", stderr(&resumed));
    assert_eq!(std::fs::read(out.join("samples.csv")).unwrap(), before);
    assert_eq!(std::fs::read(out.join("counts.csv")).unwrap(), counts);
    // A kill between the two files leaves counts without a sample: the cell is counted again, once.
    let header = before.split_inclusive(|&byte| byte == b'\n').next().unwrap();
    std::fs::write(out.join("samples.csv"), header).unwrap();
    unfinish(&out);
    let again = repro_with_compiler().args(["run", "table1", "--resume"]).arg(&out).output().unwrap();
    assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));
    assert_eq!(std::fs::read(out.join("counts.csv")).unwrap(), counts);
}

#[test]
fn the_emulated_device_without_a_compiler_is_an_error_that_says_how_to_get_one() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let out = out.to_str().unwrap();
    let words = ["--device emulated: REPRO_CXX names no-compiler-for-this-test", "correct it or unset it"];
    assert_refused(&run(&["run", "table1", "--device", "emulated", "--out", out]), &words);
    assert_refused(&run(&["verify", "--device", "emulated"]), &words);
    let nowhere = repro_with_compiler()
        .args(["verify", "--device", "emulated"])
        .env("PATH", "")
        .env("CXX", "")
        .env("REPRO_CXX", "")
        .output()
        .unwrap();
    assert_refused(&nowhere, &["needs a C++ compiler and found none: install g++ or clang++"]);
    let no_compiler = repro_with_compiler()
        .args(["inspect", "katz-kider"])
        .env("REPRO_CXX", "true")
        .env("REPRO_CACHE", folder.path())
        .output()
        .unwrap();
    assert_refused(&no_compiler, &["true made no library of katz_kider.cu: set REPRO_CXX"]);
}

#[cfg(feature = "fault-injection")]
#[test]
fn a_kernel_that_strays_is_named_with_its_line_and_the_exit_code_is_1() {
    let only = "fault-cuda-illegal-address,katz-kider";
    let output = repro_with_compiler()
        .args(["verify", "--device", "emulated", "--sizes", "33", "--only", only])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let text = stdout(&output);
    let parts = ["access outside of every allocation: kernel illegal_address, block (0, 0), thread (0, 0)"];
    for part in parts.into_iter().chain(["fault_injection.cu:7", "5 of 12 checks failed"]) {
        assert!(text.contains(part), "no '{part}' in: {text}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_verification_that_is_interrupted_while_kernels_are_compiled_says_that_nothing_was_checked() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (compiler, begun) = (folder.path().join("c++"), folder.path().join("begun"));
    let script = "#!/bin/sh\n[ \"$1\" = --version ] && exec g++ --version\n: > \"$BEGUN\"\nexec sleep 20\n";
    std::fs::write(&compiler, script).unwrap();
    std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = repro_with_compiler();
    command.args(["verify", "--quiet", "--device", "emulated", "--only", "katz-kider"]);
    command.env("REPRO_CXX", &compiler).env("BEGUN", &begun).env("REPRO_CACHE", folder.path().join("cache"));
    let verify = command.spawn().unwrap();
    let started = std::time::Instant::now();
    while !begun.exists() {
        assert!(started.elapsed().as_secs() < 20, "the compiler is not called within 20 s");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(signal(verify.id(), rustix::process::Signal::INT));
    let output = verify.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let said = "interrupted while opening the device: no check was made";
    assert!(stderr(&output).starts_with(said), "{}", stderr(&output));
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn verify_runs_the_kernels_with_the_checker_or_without() {
        for (option, words) in [(None, "with the checker"), (Some("--no-check"), "without the checker")] {
            let output = repro_with_compiler()
                .args(["verify", "--device", "emulated", "--sizes", "1,33,64", "--part", &part().to_string()])
                .args(option)
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
            let text = stdout(&output);
            assert!(
                text.contains(words) && text.contains("all ") && text.contains(" checks passed"),
                "{text}"
            );
            assert!(!text.contains("cpu-naive"), "{text}");
        }
    }
}
