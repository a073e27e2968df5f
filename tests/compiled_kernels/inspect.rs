//! `repro inspect`: what the paper says of how its kernels use memory follows from running them.

use crate::common::{assert_refused, emulated, repro_with_compiler, run, stderr, stdout};
use repro::device::emulated::Instruments;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// The JSON of `repro inspect`, whose exit code must be 0. Tests that look at the same one share it.
fn inspected(implementation: &str, n: usize) -> Value {
    type Inspected = Mutex<BTreeMap<(String, usize), Arc<OnceLock<Value>>>>;
    static ALL: Inspected = Mutex::new(BTreeMap::new());
    let one = ALL.lock().unwrap().entry((implementation.to_string(), n)).or_default().clone();
    let inspect = || {
        let arguments = ["inspect", implementation, "--n", &n.to_string(), "--json"];
        let output = repro_with_compiler().args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{implementation}: {}", stderr(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    one.get_or_init(inspect).clone()
}

/// What all launches of a kernel did.
fn counts(inspection: &Value, kernel: &str) -> Value {
    let kernels = inspection["kernels"].as_array().unwrap();
    let found = kernels.iter().find(|one| one["kernel"] == kernel);
    found.unwrap_or_else(|| panic!("no {kernel}"))["counts"].clone()
}

fn figure(counts: &Value, path: &str) -> u64 {
    path.split('.').fold(counts, |value, key| &value[key]).as_u64().unwrap_or_else(|| panic!("no {path}"))
}

#[test]
fn every_claim_that_one_count_of_a_kernel_decides_follows_from_execution() {
    let implementations = [
        "harish-narayanan",
        "katz-kider",
        "tile-in-registers",
        "staged-load",
        "staged-row-major",
        "staged-plain-order",
    ];
    let mut counted = BTreeMap::new();
    for implementation in implementations {
        let inspection = inspected(implementation, 64);
        let results = inspection["claims"].as_array().unwrap();
        for result in results.iter().filter(|one| one["paper"] == "lund-smith-2010") {
            let value = result["counted"].as_f64().unwrap();
            let [low, high] = ["low", "high"].map(|end| result[end].as_f64());
            assert!(low.or(high).is_some(), "anything would hold: {result}");
            assert!(low.is_none_or(|low| value >= low) && high.is_none_or(|high| value <= high), "{result}");
            counted.insert(result["id"].as_str().unwrap().to_string(), value);
        }
    }
    let expected = [
        ("bank-cyclic", 1.0),
        ("bank-rowmajor", 1.0),
        ("bank-tiled", 4.0),
        ("blocked-traffic", 32.0),
        ("blocks-kk", 1.0),
        ("blocks-reg", 1.0),
        ("blocks-staged", 15.0),
        ("hn-bytes", 16.0),
        ("rowmajor-uncoalesced", 0.75),
        ("smem-kk", 12_320.0),
        ("smem-reg", 8_224.0),
        ("smem-staged", 1_056.0),
        ("tiled-coalesced", 1.0),
    ];
    assert_eq!(counted, expected.map(|(id, value)| (id.to_string(), value)).into());
}

/// The paper's conflicts are gone where any number of words is given to all who want them.
#[test]
fn on_32_banks_none_of_the_three_access_patterns_conflicts() {
    for implementation in ["staged-row-major", "staged-plain-order", "staged-load", "staged-load-256"] {
        let inspection = inspected(implementation, 64);
        let counts = counts(&inspection, "doubly_dependent");
        for access in ["shared_load", "shared_store"] {
            assert_eq!(figure(&counts, &format!("{access}.banks_32.worst")), 1, "{implementation} {access}");
        }
    }
}

/// Half of all loads are of the operand that conflicts, each in four ways; the cure leaves none.
#[test]
fn a_layout_has_conflicts_of_four_ways_on_32_banks_and_the_cyclic_order_cures_them() {
    for (cyclic, steps_of_two_loads) in [("cyclic=0", 5), ("cyclic=1", 2)] {
        let arguments = ["inspect", "staged-bank-conflicts", "--n", "64", "--param", cyclic, "--json"];
        let output = repro_with_compiler().args(arguments).output().unwrap();
        let inspection: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
        let counts = counts(&inspection, "doubly_dependent");
        let of = |figure_name: &str| figure(&counts, &format!("shared_load.banks_32.{figure_name}"));
        assert_eq!(2 * of("steps"), steps_of_two_loads * of("parts"), "{cyclic}");
    }
}

#[test]
fn the_plain_order_costs_every_half_warp_four_steps_and_the_cyclic_none() {
    for (implementation, steps) in [("staged-plain-order", 4), ("staged-load", 1), ("staged-load-256", 1)] {
        let inspection = inspected(implementation, 64);
        let counts = counts(&inspection, "doubly_dependent");
        let of = |figure_name: &str| figure(&counts, &format!("shared_load.banks_16.{figure_name}"));
        assert_eq!(of("steps"), steps * of("parts"), "{implementation}");
    }
}

#[test]
fn a_tile_of_32_moves_16_kib_a_block_and_every_sector_of_it_is_used() {
    for implementation in ["katz-kider", "optimized-blocked", "tile-in-registers", "staged-load"] {
        let inspection = inspected(implementation, 96);
        let counts = counts(&inspection, "doubly_dependent");
        // Three rounds of three tiles a side: 2 x 2 doubly dependent tiles each.
        assert_eq!((figure(&counts, "launches"), figure(&counts, "blocks")), (3, 12), "{implementation}");
        assert_eq!(figure(&counts, "global_load.bytes"), 12 * 3 * 4096, "{implementation}");
        assert_eq!(figure(&counts, "global_store.bytes"), 12 * 4096, "{implementation}");
        assert_eq!(figure(&counts, "global_load.sectors") * 32, figure(&counts, "global_load.bytes"));
        assert_eq!(figure(&counts, "global_store.sectors") * 32, figure(&counts, "global_store.bytes"));
    }
}

#[test]
fn barriers_are_those_of_the_text() {
    // One after loading three tiles; two a stage of eight; two around the one stage of all 32 k.
    for (implementation, barriers) in [("katz-kider", 1), ("staged-load", 16), ("tile-in-registers", 2)] {
        let inspection = inspected(implementation, 64);
        let counts = counts(&inspection, "doubly_dependent");
        assert_eq!(figure(&counts, "barriers"), barriers * figure(&counts, "blocks"), "{implementation}");
    }
}

#[test]
fn each_task_of_harish_narayanan_moves_16_bytes_whatever_n() {
    let inspection = inspected("harish-narayanan", 33);
    let counts = counts(&inspection, "harish_narayanan");
    assert_eq!(figure(&counts, "global_load.bytes"), 12 * 33 * 33 * 33);
    assert_eq!(figure(&counts, "global_store.bytes"), 4 * 33 * 33 * 33);
}

#[test]
fn a_buffer_in_shared_memory_saves_no_global_byte_and_moves_24_more_a_task() {
    // Some threads of the last blocks have no task.
    let n = 33;
    let direct = inspected("global-memory", n);
    let direct = counts(&direct, "global_memory");
    let buffered = counts(&inspected("shared-buffer", n), "shared_buffer");
    for access in ["global_load", "global_store"] {
        for what in ["bytes", "distinct_bytes", "sectors"] {
            let path = format!("{access}.{what}");
            assert_eq!(figure(&buffered, &path), figure(&direct, &path), "{path}");
        }
    }
    let tasks = (n * n * n) as u64;
    let shared = |counts| ["shared_store.bytes", "shared_load.bytes"].map(|path| figure(counts, path));
    assert_eq!(shared(&direct), [0, 0]);
    assert_eq!(shared(&buffered), [12 * tasks, 12 * tasks]);
    assert_eq!(figure(&buffered, "barriers"), figure(&buffered, "blocks"));
    // Three words for each of 16 x 16 threads.
    assert_eq!(figure(&buffered, "dynamic_shared_bytes"), 3 * 4 * 256);
}

#[test]
fn four_times_the_threads_move_the_same_bytes() {
    for (few, many) in [("tile-in-registers", "tile-in-registers-256"), ("staged-load", "staged-load-256")] {
        let few = inspected(few, 96);
        let [few, more] = [few, inspected(many, 96)].map(|one| counts(&one, "doubly_dependent"));
        assert_eq!(figure(&more, "threads"), 4 * figure(&few, "threads"), "{many}");
        // Not what is loaded from shared memory: whether a word serves several elements of a thread is the compiler's to say.
        let figures = ["blocks", "barriers", "shared_bytes", "shared_store.bytes"];
        let global =
            ["global_load.bytes", "global_load.sectors", "global_store.bytes", "global_store.sectors"];
        for path in figures.iter().chain(&global) {
            assert_eq!(figure(&more, path), figure(&few, path), "{many} {path}");
        }
    }
}

#[test]
fn the_text_names_launches_banks_and_gpus() {
    let show = |arguments: &[&str]| {
        let output =
            repro_with_compiler().args(["inspect", "staged-load", "--n", "64"]).args(arguments).output();
        let output = output.unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    };
    let both = show(&[]);
    for part in ["of 16 banks", "of 32 banks", "C1060", "8600 GT", "C2075", "GTX 670", "H200", "1056 B: 15"] {
        assert!(both.contains(part), "no '{part}' in: {both}");
    }
    assert!(both.contains("the checker found nothing") && both.contains("right result (exact)"), "{both}");
    let sixteen = show(&["--banks", "16"]);
    assert!(sixteen.contains("of 16 banks") && !sixteen.contains("of 32 banks"), "{sixteen}");
    // Both rounds' launches of the doubly dependent kernel did the same and share a line.
    assert!(both.contains("3, 6 ┆ doubly_dependent"), "{both}");
    assert!(!show(&["--launches"]).contains("3, 6 ┆"));
}

#[test]
fn resident_blocks_without_registers_are_told_as_an_upper_bound_with_the_reason() {
    let output = repro_with_compiler()
        .args(["inspect", "staged-load", "--n", "32"])
        .env("REPRO_NVRTC", "/no-nvrtc-for-this-test")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    for part in [
        "without registers, an upper bound.",
        "H200: at most as many, since registers are not known (REPRO_NVRTC names /no-nvrtc-for-this-test",
        "may merge loads of unrolled loops",
    ] {
        assert!(text.contains(part), "no '{part}' in: {text}");
    }
    // No kernel here has any.
    assert!(!text.contains("atomic instructions") && !text.contains("warp barriers"), "{text}");
}

#[test]
fn what_cannot_be_inspected_is_refused_in_one_line() {
    assert_refused(&run(&["inspect", "staged"]), &["unknown implementation 'staged'", "staged-load"]);
    assert_refused(&run(&["inspect", "cpu-naive"]), &["no kernels to inspect", "katz-kider"]);
    assert_refused(&run(&["inspect", "staged-load", "--n", "0"]), &["n = 0"]);
    assert_refused(&run(&["inspect", "staged-load", "--banks", "8"]), &["--banks", "16, 32"]);
    let no_compiler = run(&["inspect", "staged-load"]);
    assert_refused(&no_compiler, &["REPRO_CXX names no-compiler-for-this-test", "correct it or unset it"]);
}

/// Far more than it takes on two cores that do nothing else.
#[test]
#[ignore = "a measurement, for a machine that is not busy"]
fn tiles_of_32_at_n_256_are_emulated_within_the_time_that_is_promised() {
    use crate::common::mutated::solve_on;
    use repro::device::Device;
    use repro::graph::{RandomGraph, generate};
    use repro::implementation::{Parameters, find};
    let graph = generate(&RandomGraph::complete(1), 256).unwrap();
    for (instruments, limit) in [(Instruments::NONE, 1), (Instruments::ALL, 10)] {
        let device = std::rc::Rc::new(emulated(instruments));
        let katz_kider = find("katz-kider").unwrap();
        let start = Instant::now();
        solve_on(&device, &katz_kider, &Parameters::default(), &graph);
        assert!(start.elapsed() < Duration::from_secs(limit), "{instruments:?}: {:?}", start.elapsed());
        device.queue().synchronize().unwrap();
    }
}
