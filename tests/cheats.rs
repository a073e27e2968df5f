//! Of each kernel that cheats comes what `tests/cheats/cheats.toml` says: none is called right that gains anything, and none does harm. That
//! file says how each differs from `honest.toml` beside it; its text stands in one of the `.cu` files there, behind a heading with its name.

use crate::common::{repro_with_compiler, stderr, stdout};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What begins a text.
const HEADING: &str = "// === ";
/// What the texts include, and the kernel that they differ from.
const SHARED: [&str; 5] = ["honest.toml", "honest.cu", "blocked.cuh", "rounds.cuh", "host.cuh"];

/// A table of `cheats.toml`, whose head says what each key and each word means.
#[derive(Deserialize)]
struct Cheat {
    name: String,
    expected: Expected,
    #[serde(default)]
    says: String,
    sizes: Option<String>,
    #[serde(default)]
    without: Vec<String>,
    #[serde(default)]
    before: String,
    #[serde(default)]
    after: String,
    script: Option<String>,
    /// Whatever else its file has otherwise.
    #[serde(flatten)]
    file: toml::Table,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Expected {
    Refused,
    Wrong,
    Finding,
    Ended,
    Endless,
    Harmless,
    Contained,
    WrongOnGpu,
    ByChance,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cheats")
}

/// The tables of this name in a file of the folder.
pub fn tables<T: serde::de::DeserializeOwned>(file: &str, name: &str) -> Vec<T> {
    let text = std::fs::read_to_string(folder().join(file)).unwrap();
    let mut all: BTreeMap<String, Vec<T>> =
        toml::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
    all.remove(name).unwrap()
}

fn cheats() -> Vec<Cheat> {
    tables("cheats.toml", "cheat")
}

/// The texts of all `.cu` files by the names of their headings.
fn texts() -> BTreeMap<String, String> {
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let of_kernels = files.filter(|path| path.extension().is_some_and(|end| end == "cu"));
    let all: String = of_kernels.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let parts = all.split(HEADING).skip(1).map(|part| part.split_once('\n').unwrap());
    parts.map(|(name, text)| (name.to_string(), text.to_string())).collect()
}

impl Cheat {
    /// Writes its file, its text and what that includes into a folder.
    fn write_to(&self, folder: &Path) {
        for name in SHARED {
            std::fs::copy(self::folder().join(name), folder.join(name)).unwrap();
        }
        let mut file: toml::Table =
            toml::from_str(&std::fs::read_to_string(folder.join("honest.toml")).unwrap()).unwrap();
        if let Some(text) = texts().get(&self.name) {
            file.insert("source".into(), format!("{}.cu", self.name).into());
            std::fs::write(folder.join(format!("{}.cu", self.name)), text).unwrap();
        }
        file.insert("name".into(), self.name.clone().into());
        file.insert("elements".into(), vec!["f32"].into());
        for kernel in &self.without {
            file["kernels"].as_table_mut().unwrap().remove(kernel).unwrap();
        }
        let honest = &file["solve"]["script"].as_str().unwrap();
        let around = format!("{}\n{honest}{}", self.before, self.after);
        file["solve"]["script"] = self.script.clone().unwrap_or(around).into();
        merge(&mut file, self.file.clone());
        std::fs::write(folder.join(format!("{}.toml", self.name)), toml::to_string(&file).unwrap()).unwrap();
    }
}

/// Puts what `more` has in place of what `table` has; of parameters and kernels what it names of each.
fn merge(table: &mut toml::Table, more: toml::Table) {
    for (key, value) in more {
        match (table.get_mut(&key), value) {
            (Some(toml::Value::Table(known)), toml::Value::Table(more)) if key != "layout" => {
                merge(known, more)
            }
            (_, value) => {
                table.insert(key, value);
            }
        }
    }
}

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
    let (code, text, error) = (output.status.code(), stdout(output), stderr(output));
    if code == Some(0) {
        return None;
    }
    // What is refused before it runs is refused in one line.
    if code != Some(1) {
        assert!(code == Some(2) && error.lines().count() == 1, "{name}: {}", told(output));
        return Some((Expected::Refused, error));
    }
    let mut checks = text.lines().filter(|line| line.starts_with(name));
    let check = checks.find_map(|line| line.split_once(" n = ")?.1.split_once(": "));
    let (_, problem) = check.unwrap_or_else(|| panic!("{text}"));
    let kinds = [
        ("wrong result: ".to_string(), Expected::Wrong),
        ("checker: ".to_string(), Expected::Finding),
        // By the launch that its script asks for.
        (format!("{name}.toml:"), Expected::Refused),
    ];
    let kind = kinds.iter().find(|(start, _)| problem.starts_with(start)).map(|(_, kind)| *kind);
    Some((kind.unwrap_or(Expected::Ended), problem.to_string()))
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

/// Whoever takes a cheat away has to do so here as well. The last, that a source changes between two reads, is in
/// `crates/user/src/file/tests.rs`.
#[test]
fn all_cheats_are_there_once() {
    let names: BTreeSet<String> = cheats().into_iter().map(|cheat| cheat.name).collect();
    let texts: BTreeSet<String> = texts().into_keys().collect();
    assert_eq!((cheats().len(), names.len(), texts.len()), (115, 115, 99));
    assert!(texts.is_subset(&names), "{:?}", texts.difference(&names));
    let count = |file: &str, name: &str| tables::<toml::Table>(file, name).len();
    assert_eq!((count("refused.toml", "cheat"), count("programs.toml", "program")), (87, 28));
}
