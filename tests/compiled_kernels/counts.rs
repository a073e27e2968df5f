//! `repro inspect`: what a paper says of how its kernels use memory follows from running them. `repro counts`: a kernel that costs more
//! than the committed baseline says is named, and no GPU is needed. The tests need a C++ compiler, and some of them NVRTC.

use crate::common::mutated::{mutated, source_of};
use crate::common::{missing_tool, repro_with_compiler, stderr, stdout};
use repro::device::DeviceError;
use repro::device::cuda::{Nvrtc, find_nvrtc};
use repro::implementation::Parameters;
use repro::measure::Observer;
use repro::regression::counts::{
    Baseline, ChangeKind, CountMetric, CountTarget, DEFAULT_BASELINE, Tool, collect, compare,
};
use repro_machine_code::Disassembler;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;

/// A kernel whose only launch a k makes it the quickest to count.
const QUICK: &str = "harish-narayanan";
const LAUNCHES: &str = "harish-narayanan,,harish_narayanan,launches,128";

/// Asserts that NVRTC and a disassembler are here, and that the baseline is of this NVRTC: another one makes other code.
fn require_machine_code() {
    let of_baseline = Baseline::read(&committed()).unwrap().tools[&Tool::Nvrtc].clone();
    let nvrtc = find_nvrtc(None).and_then(|found| Nvrtc::load(&found)).and_then(|nvrtc| {
        let other = format!("NVRTC {} is not that of the baseline, {of_baseline}", nvrtc.version());
        if nvrtc.version() == of_baseline { Ok(()) } else { Err(DeviceError::unavailable(other)) }
    });
    if let Err(error) = nvrtc.and_then(|()| Disassembler::find()) {
        missing_tool(error);
    }
}

fn committed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(DEFAULT_BASELINE)
}

/// `repro counts` of [`QUICK`] on the emulated device alone, with `text` as its baseline.
fn counts_with(baseline: &Path, text: &str, arguments: &[&str]) -> Output {
    std::fs::write(baseline, text).unwrap();
    let mut command = repro_with_compiler();
    command.env("REPRO_NVRTC", "no-nvrtc-for-this-test").args(["counts", "--only", QUICK, "--baseline"]);
    command.arg(baseline).args(arguments).output().unwrap()
}

/// The baseline with another end of the line about launches.
fn replaced(good: &str, new: &str) -> String {
    assert_eq!(good.matches(LAUNCHES).count(), 1);
    good.replace(LAUNCHES, &LAUNCHES.replace("launches,128", new))
}

#[test]
fn a_line_that_is_not_of_this_program_is_named_and_fails() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("baseline.csv");
    let good = std::fs::read_to_string(committed()).unwrap();
    let threads =
        good.lines().find(|line| line.starts_with("harish-narayanan,,harish_narayanan,block_threads,"));
    let wrong = replaced(&good, "launches,127").replace(&format!("{}\n", threads.unwrap()), "");
    let output = counts_with(&path, &format!("{wrong}{QUICK},,other,launches,1\n"), &["--check"]);
    let told = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{told}{}", stderr(&output));
    let lines: Vec<&str> = told.lines().collect();
    for expected in [
        "harish-narayanan harish_narayanan launches rose from 127 to 128 (+0.8%)",
        "harish-narayanan harish_narayanan block_threads is not in the baseline",
        "harish-narayanan other is in the baseline and no longer here",
    ] {
        assert!(lines.contains(&expected), "{expected}\n{told}");
    }
    assert!(lines.last().unwrap().contains("repro counts --update"), "{told}");
    assert_eq!(lines.iter().filter(|line| line.starts_with("not compared: ")).count(), 2, "{told}");
    let told = stderr(&counts_with(&path, &good, &[]));
    for missing in ["registers, spill_store_bytes, ", "loop_instructions_a_task, "] {
        assert!(told.contains(&format!("not counted: {missing}")), "{told}");
    }
    assert!(told.contains("REPRO_NVRTC"), "{told}");
}

/// What is said without NVRTC, which takes longer than all the rest.
fn inspect(arguments: &[&str]) -> Output {
    let mut command = repro_with_compiler();
    command.env("REPRO_NVRTC", "/no-nvrtc-for-this-test").arg("inspect").args(arguments);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    output
}

#[test]
fn every_claim_that_one_count_of_a_kernel_decides_follows_from_execution() {
    for (implementation, n, claims) in [
        ("harish-narayanan", "32", &[("hn-bytes", 16.0)][..]),
        (
            "staged-load",
            "64",
            &[
                ("bank-cyclic", 1.0),
                ("blocks-staged", 15.0),
                ("smem-staged", 1_056.0),
                ("tiled-coalesced", 1.0),
            ],
        ),
    ] {
        let output = inspect(&[implementation, "--n", n, "--json"]);
        let inspection: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let mut counted = BTreeMap::new();
        for result in inspection["claims"].as_array().unwrap() {
            let value = result["counted"].as_f64().unwrap();
            let [low, high] = ["low", "high"].map(|end| result[end].as_f64());
            assert!(low.or(high).is_some(), "anything would hold: {result}");
            assert!(low.is_none_or(|low| value >= low) && high.is_none_or(|high| value <= high), "{result}");
            counted.insert(result["id"].as_str().unwrap(), value);
        }
        assert!(claims.iter().all(|(id, value)| counted.get(id) == Some(value)), "{counted:?}");
    }
}

#[test]
fn the_text_names_launches_banks_gpus_and_what_is_not_known_without_registers() {
    let both = stdout(&inspect(&["staged-load", "--n", "64"]));
    let named = ["of 16 banks", "of 32 banks", "C1060", "8600 GT", "C2075", "GTX 670", "H200", "1056 B: 15"];
    let without_registers = [
        "without registers, an upper bound.",
        "H200: at most as many, since registers are not known (REPRO_NVRTC names /no-nvrtc-for-this-test",
        "may merge loads of unrolled loops",
    ];
    for part in named.into_iter().chain(without_registers) {
        assert!(both.contains(part), "no '{part}' in: {both}");
    }
    assert!(both.contains("the checker found nothing") && both.contains("right result (exact)"), "{both}");
    // No kernel here has any.
    assert!(!both.contains("atomic instructions") && !both.contains("warp barriers"), "{both}");
    // Both rounds' launches of the doubly dependent kernel did the same and share a line.
    assert!(both.contains("3, 6 ┆ doubly_dependent"), "{both}");
    let sixteen = stdout(&inspect(&["staged-load", "--n", "64", "--banks", "16", "--launches"]));
    assert!(sixteen.contains("of 16 banks") && !sixteen.contains("of 32 banks"), "{sixteen}");
    assert!(!sixteen.contains("3, 6 ┆"), "{sixteen}");
}

struct Silent;

impl Observer for Silent {
    fn note(&mut self, _: &str) {}
    fn progress(&mut self, _: &str, _: usize, _: usize, _: Option<f64>) {}
}

/// The figures that rise where `old` in the kernels of `staged-load` is `new`, against the committed baseline.
fn risen(old: &str, new: &str) -> Vec<CountMetric> {
    let parameters = Parameters::default();
    let text = source_of("staged-load", &parameters).expanded();
    assert_eq!(text.matches(old).count(), 1, "{old}");
    let changed = Arc::new(mutated("staged-load", &parameters, text.replace(old, new)));
    let mut baseline = Baseline::read(&committed()).unwrap();
    baseline.figures.retain(|key, _| key.implementation == "staged-load" && key.params.is_empty());
    let target = CountTarget::new(&changed, &parameters).unwrap();
    let collection = collect(&[target], &Baseline::default(), &mut Silent);
    assert!(collection.failures.is_empty(), "{:?}", collection.failures);
    let differences = compare(&baseline, &collection).differences;
    assert!(differences.iter().all(|one| one.key.kernel == "doubly_dependent"), "{differences:?}");
    let rose = differences.iter().filter(|one| one.change == ChangeKind::Rose);
    rose.filter_map(|one| one.figure).collect()
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn the_committed_baseline_is_of_this_program() {
        require_machine_code();
        let mut command = repro_with_compiler();
        let output = command
            .args(["counts", "--check", "--require-all", "--baseline"])
            .arg(committed())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
        assert!(stdout(&output).contains("figures compared, all as in the baseline"), "{}", stdout(&output));
    }

    #[test]
    #[ignore = "long"]
    fn an_update_puts_right_what_it_can_count_and_keeps_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("baseline.csv");
        let good = std::fs::read_to_string(committed()).unwrap();
        let output = counts_with(&path, &replaced(&good, "launches,127"), &["--update"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(
            stderr(&output).contains("kept from the old baseline: figures of nvrtc"),
            "{}",
            stderr(&output)
        );
        let updated = std::fs::read_to_string(&path).unwrap();
        // The compiler is this machine's.
        let figures = |text: &str| {
            text.lines().filter(|line| !line.contains("c++-compiler")).map(String::from).collect()
        };
        let (updated_figures, good_figures): (Vec<_>, Vec<_>) = (figures(&updated), figures(&good));
        assert_eq!(updated_figures, good_figures);
    }

    #[test]
    #[ignore = "long"]
    fn what_a_change_of_a_kernel_costs_is_named() {
        require_machine_code();
        let relax = "c[own] = relax(c[own], to[";
        // The 56 registers of a thread do not fit where 32 blocks of 64 threads are to be resident.
        let bound = "__launch_bounds__(THREADS) doubly_dependent";
        for (old, new, expected) in [
            (
                relax,
                &*format!("*(volatile float *)&to[threadIdx.x];\n{relax}"),
                &[
                    CountMetric::SharedLoadRequests,
                    CountMetric::SharedLoadBytes,
                    CountMetric::SharedLoadSteps32,
                    CountMetric::SharedLoadSteps16,
                    CountMetric::LoopInstructionsATask,
                    CountMetric::LoopSharedLoadsATask,
                ][..],
            ),
            // An addition that changes nothing, and that no compiler may leave out: of -0 it makes 0. It is no task, although tasks are
            // additions.
            (
                relax,
                "c[own] = relax(c[own] + 0.0f, to[",
                &[CountMetric::LoopInstructionsATask, CountMetric::LoopTaskInstructionsATask],
            ),
            (
                bound,
                "__launch_bounds__(THREADS, 32) doubly_dependent",
                &[
                    CountMetric::SpillStoreBytes,
                    CountMetric::SpillLoadBytes,
                    CountMetric::StackBytes,
                    CountMetric::LoopInstructionsATask,
                    CountMetric::LoopLocalAccessesATask,
                ],
            ),
        ] {
            assert_eq!(risen(old, new), expected, "{new}");
        }
    }
}
