//! Kernels that cheat, each in its own way: `tests/cheats/cheats.toml` says how each differs from `honest.toml` beside it, and what becomes
//! of it; its text stands in one of the `.cu` files there, behind a heading with its name.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What begins a text.
const HEADING: &str = "// === ";
/// What the texts include, and the kernel that they differ from.
const SHARED: [&str; 5] = ["honest.toml", "honest.cu", "blocked.cuh", "rounds.cuh", "host.cuh"];

/// A table of `cheats.toml`, whose head says what each key and each word means.
#[derive(Deserialize)]
pub struct Cheat {
    pub name: String,
    pub expected: Expected,
    #[serde(default)]
    pub says: String,
    pub sizes: Option<String>,
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
pub enum Expected {
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

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cheats")
}

/// The tables of this name in a file of the folder.
pub fn tables<T: serde::de::DeserializeOwned>(file: &str, name: &str) -> Vec<T> {
    let text = std::fs::read_to_string(folder().join(file)).unwrap();
    let mut all: BTreeMap<String, Vec<T>> =
        toml::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
    all.remove(name).unwrap()
}

pub fn cheats() -> Vec<Cheat> {
    tables("cheats.toml", "cheat")
}

/// The texts of all `.cu` files by the names of their headings.
pub fn texts() -> BTreeMap<String, String> {
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let texts =
        files.filter(|path| path.extension().is_some_and(|extension| extension == "cu")).flat_map(|path| {
            let text = std::fs::read_to_string(path).unwrap();
            let parts = text.split(HEADING).skip(1).map(|part| part.split_once('\n').unwrap());
            parts.map(|(name, text)| (name.to_string(), text.to_string())).collect::<Vec<_>>()
        });
    texts.collect()
}

impl Cheat {
    /// Writes its file, its text and what that includes into a folder. Returns the path of its file.
    pub fn write_to(&self, folder: &Path) -> PathBuf {
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
        let path = folder.join(format!("{}.toml", self.name));
        std::fs::write(&path, toml::to_string(&file).unwrap()).unwrap();
        path
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
