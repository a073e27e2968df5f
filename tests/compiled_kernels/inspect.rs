//! `repro inspect`: what the paper says of how its kernels use memory follows from running them.

use crate::common::{repro_with_compiler, stderr, stdout};
use std::collections::BTreeMap;

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
        let call = ["inspect", implementation, "--n", "64", "--json"];
        let output = repro_with_compiler().args(call).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{implementation}: {}", stderr(&output));
        let inspection: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
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
    // Both rounds' launches of the doubly dependent kernel did the same and share a line.
    assert!(both.contains("3, 6 ┆ doubly_dependent"), "{both}");
    let sixteen = show(&["--banks", "16", "--launches"]);
    assert!(sixteen.contains("of 16 banks") && !sixteen.contains("of 32 banks"), "{sixteen}");
    assert!(!sixteen.contains("3, 6 ┆"), "{sixteen}");
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
