//! Of each kernel that cheats comes what `tests/cheats/cheats.toml` says: none is called right that gains anything, and none does harm.

use crate::common::cheats::{Cheat, Expected, cheats, folder, tables, texts};
use crate::common::{repro_with_compiler, stderr, stdout};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

/// Verifies the kernel of this name in a folder.
fn verify(command: &mut Command, device: &str, folder: &Path, name: &str, sizes: &str) -> Output {
    // One of them looks for such a variable.
    command.current_dir(folder).env("REPRO_CHEAT_CANARY", "1").args(["verify", "--quiet", "--fail-fast"]);
    command.args(["--device", device, "--sizes", sizes, "--with", &format!("{name}.toml"), "--only", name]);
    command.output().unwrap()
}

fn emulated(folder: &Path, name: &str, sizes: &str) -> Output {
    verify(&mut repro_with_compiler(), "emulated", folder, name, sizes)
}

fn told(output: &Output) -> String {
    format!("{:?}\n{}\n{}", output.status, stdout(output), stderr(output))
}

/// What came of a kernel, None where it is called right, and what is said of it.
fn what_came(name: &str, output: &Output) -> Option<(Expected, String)> {
    let text = stdout(output);
    match output.status.code() {
        Some(0) => return None,
        Some(1) => {}
        // What is refused before it runs is refused in one line.
        code => {
            let error = stderr(output);
            assert!(code == Some(2) && error.lines().count() == 1, "{name}: {}", told(output));
            return Some((Expected::Refused, error));
        }
    }
    let of_checks =
        text.lines().filter(|line| line.starts_with(name)).find_map(|line| line.split_once(" n = "));
    let (_, problem) =
        of_checks.and_then(|(_, check)| check.split_once(": ")).unwrap_or_else(|| panic!("{text}"));
    let kind = match problem {
        _ if problem.starts_with("wrong result: ") => Expected::Wrong,
        _ if problem.starts_with("checker: ") => Expected::Finding,
        // By the launch that its script asks for.
        _ if problem.starts_with(&format!("{name}.toml:")) => Expected::Refused,
        _ => Expected::Ended,
    };
    Some((kind, problem.to_string()))
}

/// What is wrong with what came of it on the emulated device, if anything.
fn surprise(cheat: &Cheat) -> Option<String> {
    let place = tempfile::tempdir().unwrap();
    cheat.write_to(place.path());
    let is_right = matches!(cheat.expected, Expected::Contained | Expected::WrongOnGpu);
    // What is right here need not be tried at length.
    let usual = if is_right { "5" } else { "33,48" };
    let output = emulated(place.path(), &cheat.name, cheat.sizes.as_deref().unwrap_or(usual));
    let is_expected = match what_came(&cheat.name, &output) {
        None => is_right || matches!(cheat.expected, Expected::Harmless | Expected::ByChance),
        Some((Expected::Wrong, _)) if cheat.expected == Expected::ByChance => true,
        Some((Expected::Finding | Expected::Ended, _)) if cheat.expected == Expected::Endless => true,
        // Which of several limits comes first, time or memory, is the machine's.
        Some((kind, said)) => {
            kind == cheat.expected && cheat.says.split(" | ").any(|says| said.contains(says))
        }
    };
    let expected = format!("{} (expected: {:?}, {:?})", cheat.name, cheat.expected, cheat.says);
    (!is_expected).then(|| format!("{expected}: {}", told(&output)))
}

mod long {
    use super::*;
    use crate::common::part;
    use rayon::prelude::*;

    #[test]
    #[ignore = "long"]
    fn an_honest_kernel_is_called_right() {
        let output = emulated(&folder(), "honest", "33");
        assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    }

    #[test]
    #[ignore = "long"]
    fn no_cheat_is_called_right_unless_it_gains_nothing() {
        let part = part();
        let of_part =
            cheats().into_iter().enumerate().filter(|(at, _)| part.has(*at)).map(|(_, cheat)| cheat);
        let surprises = of_part.collect::<Vec<_>>().par_iter().filter_map(surprise).collect::<Vec<_>>();
        assert!(surprises.is_empty(), "{}", surprises.join("\n"));
    }
}

/// To be run with `cargo test -p repro --all-features --test all -- --ignored cheats_of_a_gpu`.
#[test]
#[ignore = "needs a CUDA device"]
fn cheats_of_a_gpu_are_wrong_there() {
    for cheat in cheats().into_iter().filter(|cheat| cheat.expected == Expected::WrongOnGpu) {
        let place = tempfile::tempdir().unwrap();
        cheat.write_to(place.path());
        let mut command = repro_with_compiler();
        command.env_remove("CUDA_VISIBLE_DEVICES");
        let output = verify(&mut command, "cuda", place.path(), &cheat.name, "100,2100");
        let came = what_came(&cheat.name, &output).map(|(kind, _)| kind);
        assert_eq!(came, Some(Expected::Wrong), "{}: {}", cheat.name, told(&output));
    }
}

/// Whoever takes a cheat away has to do so here as well.
#[test]
fn all_cheats_are_there_once() {
    let cheats: Vec<String> = cheats().into_iter().map(|cheat| cheat.name).collect();
    let named = |file: &str, name: &str| -> BTreeSet<String> {
        let tables: Vec<toml::Table> = tables(file, name);
        tables.iter().map(|table| table["name"].as_str().unwrap().to_string()).collect()
    };
    let names: BTreeSet<String> = cheats.iter().cloned().collect();
    let (refused, programs) = (named("refused.toml", "cheat"), named("programs.toml", "program"));
    assert_eq!((cheats.len(), names.len(), refused.len(), programs.len()), (115, 115, 61, 28));
    assert!(names.is_disjoint(&refused));
    // The last, that a source changes between two reads, is in `crates/user/src/file/tests.rs`.
    let texts: BTreeSet<String> = texts().into_keys().collect();
    assert_eq!(texts.len(), 99);
    assert!(texts.is_subset(&names), "{:?}", texts.difference(&names));
}
