//! Mutated inputs for every reader, on the stable toolchain: what is read, how inputs are made, and what must hold.
//!
//! `tests/mutated_inputs.rs` runs some of them with every change, `cargo run` in `fuzz/` as many as asked for. A new reader is
//! one entry of [`targets::TARGETS`] and a folder of that name in `fuzz/corpus`.

pub mod hunt;
pub mod memory;
pub mod mutate;
pub mod targets;

use std::path::{Path, PathBuf};

/// A file of a corpus.
pub struct Input {
    /// Starts with `good-` where it is to be read, with `broke-` where it once broke a reader, and with `bomb-` where it unpacks
    /// to so much that nothing is to be made from it.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// The inputs to start from, in the order of their names: small valid ones, and every one that once broke a reader.
pub fn corpus(target: &str) -> Vec<Input> {
    // This file is compiled as a part of either package.
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let all =
        [package.join("corpus"), package.join("fuzz/corpus")].into_iter().find(|folder| folder.is_dir());
    let folder = all.expect("there is a folder of inputs").join(target);
    let listed = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = listed.map(|entry| entry.expect("a corpus is readable").path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} has no inputs", folder.display());
    let input = |path: PathBuf| Input {
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        bytes: std::fs::read(&path).expect("an input is readable"),
    };
    paths.into_iter().map(input).collect()
}
