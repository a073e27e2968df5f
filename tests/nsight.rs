//! The committed comparison of the emulated device's counts with Nsight Compute's counters on an H200.

mod common;

use common::column;
use std::path::Path;

#[test]
fn the_hardware_counts_what_the_emulated_device_counts() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/nsight/h200-512.csv");
    let [names, kernels, figures, emulated, nsight] =
        ["implementation", "kernel", "figure", "emulated", "nsight"].map(|title| column(&path, title));
    let number = |text: &str| text.parse::<f64>().unwrap();
    let wavefronts = |at: usize, of: &str| {
        let same = |other: &usize| {
            (&names[*other], &kernels[*other]) == (&names[at], &kernels[at])
                && figures[*other] == format!("shared {of} wavefronts")
        };
        number(&nsight[(0..names.len()).find(same).unwrap()])
    };
    let mut compared = [0; 3];
    for at in 0..names.len() {
        let (ours, theirs) = (number(&emulated[at]), number(&nsight[at]));
        let what = format!("{} {} {}: {ours} and {theirs}", names[at], kernels[at], figures[at]);
        match figures[at].as_str() {
            // Conflicts as a share of what is served: of none, no share could be told.
            "shared load conflicts" => {
                assert!((ours - theirs).abs() <= 1e-3 * wavefronts(at, "load"), "{what}");
                compared[0] += 1;
            }
            figure if figure.starts_with("shared load") => {
                // The GPU's compiler merges loads; it never adds any to speak of.
                assert!(ours >= theirs * 0.999, "{what}");
                compared[1] += 1;
            }
            _ => {
                assert_eq!(ours, theirs, "{what}");
                compared[2] += 1;
            }
        }
    }
    // Nineteen kernels of seven implementations, twelve figures each.
    assert_eq!(compared, [19, 3 * 19, 8 * 19]);
}
