//! What other programs read: SARIF, annotations of GitHub Actions, and the action itself.

use super::{check, stderr, stdout};
use serde_json::Value;
use std::process::Command;

/// A kernel beside a header with a race, in a folder with a blank in its name.
fn racy() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("my kernels");
    std::fs::create_dir(&source).unwrap();
    std::fs::write(
        source.join("turn.cuh"),
        "__device__ void turn(int *s) {\n s[threadIdx.x] = s[63 - threadIdx.x];\n}\n",
    )
    .unwrap();
    let text = "#include <stdio.h>\n#include \"turn.cuh\"\n__global__ void k(int *p) { turn(p); }\n__global__ void right(int *p) { p[threadIdx.x] = 1; }\nint main() { k<<<1, 64>>>(0); }\n";
    std::fs::write(source.join("own.cu"), text).unwrap();
    folder
}

#[test]
fn findings_have_the_places_of_files_for_programs_that_show_them() {
    let folder = racy();
    let path = folder.path().join("my kernels/own.cu");
    let shape = ["--kernel", "k", "--grid", "1", "--block", "64", "--args", "random:256", "--orders", "1"];
    let output = check(path.to_str().unwrap(), &[&shape[..], &["--sarif"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let sarif: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert!(!results.is_empty());
    for result in results {
        assert_eq!((&result["ruleId"], &result["level"]), (&"race-in-block".into(), &"error".into()));
        let place = &result["locations"][0]["physicalLocation"];
        let address = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(address.starts_with("file:///") && address.ends_with("/my%20kernels/turn.cuh"), "{address}");
        assert_eq!(place["region"]["startLine"], 2);
        assert!(result["message"]["text"].as_str().unwrap().contains("data race in a block"));
    }
    assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "race-in-block");
    let both = check(path.to_str().unwrap(), &[&shape[..], &["--sarif", "--json"]].concat());
    assert_eq!(both.status.code(), Some(2));
}

#[test]
fn the_action_annotates_the_lines_of_a_pull_request() {
    let action = include_str!("../../action.yml");
    let script = action.rsplit_once("run: |\n").unwrap().1;
    let script: String =
        script.lines().map(|line| line.strip_prefix("        ").unwrap_or(line).to_string() + "\n").collect();
    let folder = racy();
    let binary = assert_cmd::cargo::cargo_bin!("check-kernel");
    let path = format!("{}:{}", binary.parent().unwrap().display(), std::env::var("PATH").unwrap());
    // As runners call it.
    let run = |kernel: &str, options: &str| {
        Command::new("bash")
            .args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", &script])
            .current_dir(folder.path())
            .env("PATH", &path)
            .envs([("FILE", "./my kernels/own.cu"), ("KERNEL", kernel), ("GRID", "1"), ("BLOCK", "64")])
            .envs([("ARGUMENTS", "random:256"), ("OPTIONS", options), ("SARIF", "found.sarif")])
            .output()
            .unwrap()
    };
    let output = run("k", "--orders 1");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let text = stdout(&output);
    let first = text.lines().next().unwrap();
    assert!(
        first.starts_with("::error file=my kernels/turn.cuh,line=2,title=data race in a block::"),
        "{text}"
    );
    assert!(text.ends_with(" in 1 order\n"), "{text}");
    let sarif = std::fs::read_to_string(folder.path().join("found.sarif")).unwrap();
    assert!(sarif.contains("my%20kernels/turn.cuh"), "{sarif}");
    let right = run("right", "--time-limit 60\n  --orders 2");
    assert_eq!(right.status.code(), Some(0), "{}{}", stdout(&right), stderr(&right));
    assert_eq!(stdout(&right), "::notice title=check-kernel::right: 0 findings in 2 orders\n");
    // Options behind a line break are read, too.
    assert_eq!(run("right", "--time-limit 60\n--none").status.code(), Some(2));
}
