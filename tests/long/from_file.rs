//! Kernels from files on the emulated device. That the start of `repro new-kernel` is right, `docs/your-own-kernel.md` tests.

use crate::common::place::Place;
use crate::common::stored::unfinish;
use crate::common::{assert_refused, column, part, repro_with_compiler, stderr, stdout};
use repro::plan::available_experiments;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;

/// A folder with the start, and the path of its description.
fn start() -> (Place, PathBuf) {
    let place = Place::new();
    let output = place.with(repro_with_compiler(), "new-kernel own --out .").output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let table = place.path("own.toml");
    (place, table)
}

fn with(table: &Path, arguments: &[&str]) -> Output {
    repro_with_compiler().arg("--with").arg(table).args(arguments).output().unwrap()
}

/// Every experiment that is not of another kind of implementation alone, of a small graph and with no implementation beside the kernel.
#[test]
#[ignore = "long"]
fn every_experiment_runs_a_kernel_alone_or_says_why_not() {
    let (place, table) = start();
    let part = part();
    for (_, name) in available_experiments().iter().enumerate().filter(|(at, _)| part.has(*at)) {
        let out = place.path(name);
        let arguments = ["run", name, "--only", "own", "--device", "emulated", "--sizes", "16", "--out"];
        let output = with(&table, &[&arguments[..], &[out.to_str().unwrap()]].concat());
        let told = format!("{name}: {}{}", stdout(&output), stderr(&output));
        // Some solve one graph, for example, or none of this size.
        let refused = output.status.code() == Some(2) && told.matches("error: ").count() == 1;
        assert!(output.status.success() || refused && name != "block-order", "{told}");
    }
}

#[test]
#[ignore = "long"]
fn a_run_keeps_the_kernel_and_goes_on_without_its_file_but_with_no_other() {
    let (place, table) = start();
    let out = place.path("run");
    let arguments = ["run", "table1", "--only", "own", "--device", "emulated", "--sizes", "33", "--out"];
    let output = with(&table, &[&arguments[..], &[out.to_str().unwrap()]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let samples = out.join("samples.csv");
    assert_eq!(column(&samples, "implementation"), ["own"]);
    assert_eq!(column(&samples, "status"), ["counted"]);
    assert_eq!(column(&samples, "verified"), ["true"]);
    assert_eq!(column(&out.join("counts.csv"), "kernel"), ["diagonal", "panels", "rest"]);
    let manifest: Value = serde_json::from_slice(&std::fs::read(out.join("manifest.json")).unwrap()).unwrap();
    let kept = &manifest["experiment"]["given"][0];
    assert_eq!(kept["text"], std::fs::read_to_string(&table).unwrap());
    assert_eq!(kept["sources"][0][1], place.read("own.cu"));
    let known = &manifest["environment"]["implementations"][0];
    assert_eq!(known["source_hash"].as_str().map(str::len), Some(32), "{known}");
    assert_eq!(known["external"]["hash"].as_str().map(str::len), Some(32), "{known}");

    // As after an interruption, with another kernel in the folder by now.
    let text = std::fs::read_to_string(&samples).unwrap();
    std::fs::write(&samples, text.split_inclusive('\n').next().unwrap()).unwrap();
    unfinish(&out);
    place.replace("own.cu", "relax(known", "(known");
    let resume = ["run", "table1", "--resume", out.to_str().unwrap()];
    assert_refused(&with(&table, &resume), &["was measured with another", "own.toml", "--with"]);
    let resumed = repro_with_compiler().args(resume).output().unwrap();
    assert_eq!(resumed.status.code(), Some(0), "{}", stderr(&resumed));
    assert_eq!(std::fs::read_to_string(&samples).unwrap(), text);
}

#[test]
#[ignore = "long"]
fn what_looks_at_kernels_looks_at_one_from_a_file_and_says_so() {
    let (place, table) = start();
    // One that f32 is not for is looked at with what it takes.
    place.replace("own.toml", "[\"f32\", \"i32\", \"u16\"]", "[\"i32\"]");
    let output = with(&table, &["inspect", "own", "--n", "33", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let seen: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(seen["given"]["file"], table.to_str().unwrap());
    assert_eq!(seen["given"]["hash"].as_str().map(str::len), Some(32));
    assert_eq!(seen["element"], "i32");
    assert_eq!(seen["kernels"].as_array().unwrap().len(), 3);
    let shown = stdout(&with(&table, &["inspect", "own", "--n", "8", "--param", "tile=16"]));
    assert!(shown.starts_with("own (tile=16), n = 8, i32, on the emulated device"), "{shown}");
    assert!(shown.contains("a kernel from a file, not one of repro's own: "), "{shown}");
    let mut counts = repro_with_compiler();
    counts.env("REPRO_NVRTC", "no-nvrtc-for-this-test").arg("--with").arg(&table);
    let counted = counts.args(["counts", "--only", "own"]).output().unwrap();
    assert_eq!(counted.status.code(), Some(0), "{}", stderr(&counted));
    assert!(stdout(&counted).contains("tile=16"), "{}", stdout(&counted));
}

#[test]
#[ignore = "long"]
fn a_missing_barrier_in_a_kernel_from_a_file_is_found_with_its_line() {
    let (place, table) = start();
    place.replace("own.cu", "    __syncthreads();\n#pragma unroll", "#pragma unroll");
    let inspected = with(&table, &["inspect", "own", "--n", "33"]);
    let shown = stdout(&inspected);
    assert_eq!(inspected.status.code(), Some(1), "{shown}{}", stderr(&inspected));
    let found: Vec<&str> = shown.lines().filter(|line| line.starts_with("checker: ")).collect();
    let of_line = |kind: &str| {
        let start = format!("checker: {kind}: kernel rest, ");
        found.iter().filter(|line| line.starts_with(&start) && line.contains("own.cu:70")).count()
    };
    assert!(
        of_line("read of memory that nothing wrote") > 0 && of_line("data race in a block") > 0,
        "{shown}"
    );
}

#[test]
#[ignore = "long"]
fn a_source_that_does_not_compile_is_said_once_and_ends_whatever_looks_at_it() {
    let (place, table) = start();
    place.replace("own.cu", "__syncthreads();", "__syncthreads()");
    let here = place.path("here");
    std::fs::create_dir(&here).unwrap();
    let on_emulated = ["--device", "emulated"];
    for (arguments, options) in [
        (&["run", "table1", "--only", "own", "--sizes", "33,64"][..], &on_emulated[..]),
        (&["run", "table1", "--only", "own", "--sizes", "33", "--param", "tile=16,32"], &[]),
        // Among others it is a mistake in what was given, too.
        (&["run", "table1", "--only", "staged-load,own", "--sizes", "33"], &on_emulated),
        (&["verify", "--only", "own"], &on_emulated),
        (&["verify", "--only", "own,staged-load", "--sizes", "33"], &[]),
        (&["inspect", "own"], &[]),
        (&["track", "table1", "--only", "own", "--sizes", "33", "--no-history"], &on_emulated),
    ] {
        let mut command = repro_with_compiler();
        command.current_dir(&here).args(arguments).args(options).arg("--with").arg(&table);
        let output = command.output().unwrap();
        assert_refused(&output, &["own.cu does not compile with ", "own.cu:31:", "expected"]);
        assert_eq!(std::fs::read_dir(&here).unwrap().count(), 0, "{arguments:?} left something");
    }
    let mut counts = repro_with_compiler();
    counts.env("REPRO_NVRTC", "no-nvrtc-for-this-test").arg("--with").arg(&table);
    let counted = stderr(&counts.args(["counts", "--only", "own"]).output().unwrap());
    assert_eq!(counted.matches("does not compile").count(), 1, "{counted}");
    assert!(counted.contains("own (tile=16): own.cu does not compile"), "{counted}");
}

/// Where one set of parameters or one type does not compile, the others are looked at, and it is a row.
#[test]
#[ignore = "long"]
fn a_type_or_a_set_of_parameters_that_does_not_compile_is_its_own_cells_alone() {
    let (place, table) = start();
    place.edit("own.cu", |text| format!("#if TILE == 16\n#error no tile of 16\n#endif\n{text}"));
    let out = place.path("run");
    let arguments =
        ["run", "table1", "--only", "own", "--device", "emulated", "--sizes", "33", "--param", "tile=16,32"];
    let output = with(&table, &[&arguments[..], &["--no-report", "--out", out.to_str().unwrap()]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let samples = out.join("samples.csv");
    let mut statuses = column(&samples, "status");
    statuses.sort();
    assert_eq!(statuses, ["counted", "failed"], "{}", stderr(&output));
}

/// The formula of `docs/your-own-kernel.md` for tiles, and dynamic shared memory by an expression.
#[test]
#[ignore = "long"]
fn a_kernel_in_contiguous_tiles_with_dynamic_shared_memory_is_right_for_either_tile() {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels/register_tiles.toml");
    for tile in ["tile=64", "tile=32"] {
        let output = with(&table, &["inspect", "register-tiles", "--n", "70", "--param", tile]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
}
