//! Kernels from files that cheat, each in its own way: `tests/cheats/MANIFEST.toml` lists them. None is called right, and none does harm.

use crate::common::{part, repro_with_compiler, stderr, stdout};
use rayon::prelude::*;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Output;

#[derive(Deserialize)]
struct Manifest {
    honest: String,
    exploit: Vec<Exploit>,
}

#[derive(Deserialize)]
struct Exploit {
    name: String,
    device: String,
    caught: String,
    /// Right wherever inputs are fresh.
    #[serde(default)]
    harmless: bool,
    /// Why it is right here and gains nothing: what it tries, it cannot.
    contained: Option<String>,
    needs: Option<String>,
    sizes: Option<String>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cheats")
}

fn manifest() -> Manifest {
    toml::from_str(&std::fs::read_to_string(folder().join("MANIFEST.toml")).unwrap()).unwrap()
}

/// Verifies the kernel of this name at a size that no tile divides and at one that some do.
fn verify(name: &str, sizes: Option<&str>) -> Output {
    let mut command = repro_with_compiler();
    command.current_dir(folder()).args(["verify", "--device", "emulated", "--quiet", "--fail-fast"]);
    command.args(["--sizes", sizes.unwrap_or("33,48"), "--with", &format!("{name}.toml"), "--only", name]);
    command.output().unwrap()
}

fn told(output: &Output) -> String {
    format!("{:?}\n{}\n{}", output.status, stdout(output), stderr(output))
}

#[test]
#[ignore = "long"]
fn an_honest_kernel_is_called_right() {
    let output = verify(&manifest().honest, Some("33"));
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
}

#[test]
#[ignore = "long"]
fn no_cheat_is_called_right_unless_it_gains_nothing() {
    let manifest = manifest();
    let tried = |exploit: &&Exploit| exploit.device != "gpu" && exploit.needs.is_none();
    let part = part();
    let of_part = manifest.exploit.iter().filter(tried).enumerate().filter(|(at, _)| part.has(*at));
    let missed = of_part.collect::<Vec<_>>().into_par_iter().filter_map(|(_, exploit)| {
        // What is right here need not be tried at length.
        let sizes = exploit.contained.as_ref().map(|_| "5").or(exploit.sizes.as_deref());
        let output = verify(&exploit.name, sizes);
        let passes = exploit.harmless || exploit.contained.is_some();
        let code = output.status.code();
        let is_caught = matches!(code, Some(1 | 2));
        // What is refused before it runs is refused in one line.
        let one_line = code != Some(2) || stderr(&output).lines().count() == 1;
        let is_right = one_line && (is_caught || passes && code == Some(0));
        (!is_right).then(|| format!("{} (expected: {}): {}", exploit.name, exploit.caught, told(&output)))
    });
    let missed: Vec<String> = missed.collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
