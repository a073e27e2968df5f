//! Commands that leave much out, on a machine without a GPU: what they did not run is not called wrong.

use crate::common::{repro_with_compiler, stderr, stdout};
use std::path::Path;

/// Each of them printed DIFFERS of results that nothing was wrong with.
const COMMANDS: [&str; 7] = [
    "table1 --sizes 64,300 --samples 1 --only katz-kider,staged-load",
    "kappa-sweep --sizes 96,300 --samples 1 --param kappa=1",
    "ablation --sizes 64,300 --samples 1 --only katz-kider,staged-load",
    "timers --sizes 64,300 --samples 1",
    "kappa-sweep --device emulated --sizes 96 --param kappa=1,4",
    "stage-depth --device emulated --sizes 64 --only generalized-blocked --param kappa=1,4 --param stage=4",
    "occupancy --device cpu --sizes 64 --samples 3",
];

/// What it prints, without line ends.
fn printed(folder: &Path, command: &str) -> String {
    let mut run = repro_with_compiler();
    run.current_dir(folder).arg("run").args(command.split(' ')).args(["--out", "run"]);
    let output = run.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{command}: {}", stderr(&output));
    stdout(&output).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_a_run_left_out_is_no_wrong_result_in_what_it_prints() {
    for command in COMMANDS {
        let folder = tempfile::tempdir().unwrap();
        let text = printed(folder.path(), command);
        let samples = std::fs::read_to_string(folder.path().join("run/samples.csv")).unwrap();
        assert!(samples.contains(",skipped,"), "{command} leaves nothing out");
        assert!(!text.contains("DIFFERS") && !text.contains("IN PART"), "{command}: {text}");
        let wrong = text.match_indices(" wrong sample").find(|(at, _)| !text[..*at].ends_with("here 0"));
        assert_eq!(wrong, None, "{command}: {text}");
    }
}
