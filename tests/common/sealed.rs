//! Seals for runs that a test changed.

#![allow(dead_code)] // Every test file uses a part of it.

use repro::store::{SEAL, SampleFile, Seal};
use serde_json::Value;
use std::path::Path;

/// Seals the run in `folder` as it is; of its samples those that are whole. One whose samples cannot be read keeps the seal that it
/// has.
pub fn reseal(folder: &Path) {
    let path = folder.join("samples.csv");
    let manifest = std::fs::read_to_string(folder.join("manifest.json")).unwrap_or_default();
    let manifest: Value = serde_json::from_str(&manifest).unwrap_or_default();
    let sharded = manifest["experiment"]["in_parts"] == true;
    let samples = if path.exists() { SampleFile::read(&path, sharded) } else { Ok(SampleFile::default()) };
    let Ok(samples) = samples else { return };
    let mut seal = Seal::new(samples.header());
    seal.add_samples(&samples.rows, &samples);
    for name in ["manifest.json", "counts.csv", "kernels.csv", "repeats.csv", "devices.csv"] {
        if let Ok(content) = std::fs::read(folder.join(name)) {
            seal.replaced(name, &content);
        }
    }
    std::fs::write(folder.join(SEAL), text_of(&seal)).unwrap();
}

/// The text of `seal.json`.
pub fn text_of(seal: &Seal) -> Vec<u8> {
    [serde_json::to_vec(seal).unwrap(), b"\n".to_vec()].concat()
}

/// Changes the manifest of the run in `folder`, which is then sealed as it is.
pub fn edit_manifest(folder: &Path, edit: impl FnOnce(&mut Value)) {
    let path = folder.join("manifest.json");
    let mut manifest = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    edit(&mut manifest);
    std::fs::write(path, serde_json::to_string_pretty(&manifest).unwrap()).unwrap();
    reseal(folder);
}

/// Makes the finished run in `folder` one that was stopped after its last sample.
pub fn unfinish(folder: &Path) {
    edit_manifest(folder, |manifest| manifest["finished"] = Value::Null);
}

/// Puts a part of a line after the last line of a file, as a kill leaves it.
pub fn tear(samples: &Path) {
    let mut text = std::fs::read(samples).unwrap();
    let last = text[..text.len() - 1].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    text.extend_from_within(last..text.len() - 20);
    std::fs::write(samples, text).unwrap();
}
