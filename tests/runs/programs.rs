//! Programs that take a GPU themselves: they are no part of what runs on the CPU, nor of what is emulated.

use crate::common::{column, repro_with_compiler, stderr, stdout};
use std::path::{Path, PathBuf};
use std::process::Output;
use tempfile::TempDir;

/// A file whose program would leave a trace were it run.
fn adapter() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("peer.toml");
    let trace = folder.path().join("was-run");
    let text = format!(
        r#"
name = "peer"
summary = "a program on a GPU"
from = "this test"
[program]
command = ["touch", "{}", "{{out}}"]
needs = {{ gpu = true }}
"#,
        trace.display()
    );
    std::fs::write(&file, text).unwrap();
    (folder, file)
}

fn repro_with(file: &Path, arguments: &[&str]) -> Output {
    repro_with_compiler().arg("--with").arg(file).args(arguments).output().unwrap()
}

#[test]
fn a_program_that_takes_a_gpu_is_left_out_with_the_reason_where_the_run_has_none() {
    let (folder, file) = adapter();
    let emulated = "it needs a GPU, which the emulated device is not";
    let names = ["--only", "cpu-naive,peer"];
    for (device, only, reason) in [
        ("cpu", &names[..], "it needs a GPU: --device cpu"),
        ("emulated", &names[..], emulated),
        // Those that are not named are the kernels alone, and this.
        ("emulated", &[], emulated),
    ] {
        let out = folder.path().join(format!("{device}-{}", only.len()));
        let sizes = ["--device", device, "--sizes", "8", "--samples", "1", "--out", out.to_str().unwrap()];
        let output = repro_with(&file, &[&["run", "table1"], &sizes[..], only].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let samples = out.join("samples.csv");
        let of_peer: Vec<usize> = (0..)
            .zip(column(&samples, "implementation"))
            .filter(|(_, name)| name == "peer")
            .map(|(at, _)| at)
            .collect();
        let [at] = of_peer[..] else { panic!("{of_peer:?}") };
        assert_eq!(column(&samples, "status")[at], "skipped");
        let message = &column(&samples, "message")[at];
        assert!(message.contains(reason), "{message}");
    }
    assert!(!folder.path().join("was-run").exists());
}

#[test]
fn verify_leaves_it_out_where_there_is_no_gpu_for_it_and_says_so() {
    let (_folder, file) = adapter();
    for (device, reason) in [
        ("cpu", "implementations on a device were not checked: --device cpu"),
        ("emulated", "programs that take a GPU were not checked: the emulated device is none"),
    ] {
        let verify =
            |only| repro_with(&file, &["verify", "--only", only, "--sizes", "8", "--device", device]);
        let beside = verify("peer,cpu-naive");
        assert_eq!(beside.status.code(), Some(0), "{}", stderr(&beside));
        assert!(stdout(&beside).contains(reason), "{}", stdout(&beside));
        let alone = verify("peer");
        assert_eq!(alone.status.code(), Some(2), "{}", stdout(&alone));
        assert!(stderr(&alone).contains("there is nothing to check: peer: "), "{}", stderr(&alone));
    }
}
