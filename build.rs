//! Tells the binary which commit it is built from.

use std::process::Command;

fn main() {
    let commit = git(&["rev-parse", "HEAD"]).unwrap_or_else(|| "unknown".to_string());
    let dirty =
        git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|changes| !changes.is_empty());
    println!("cargo:rustc-env=REPRO_COMMIT={commit}");
    println!("cargo:rustc-env=REPRO_DIRTY={dirty}");
    for watched in ["src", "crates", "kernels", "experiments", "Cargo.toml", "Cargo.lock", "build.rs"] {
        println!("cargo:rerun-if-changed={watched}");
    }
    // The reflog changes with every commit and checkout, whatever the branch.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={log}");
    }
}

/// The trimmed output of a git command; none when there is no git, no repository or no commit.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
}
