//! Mutated inputs for every reader, on the stable toolchain: what is read, how inputs are made, and what must hold.
//!
//! `tests/mutated_inputs.rs` runs some of them with every change, `cargo run` in `fuzz/` as many as asked for. A new reader is
//! one entry of [`targets::TARGETS`] and a file of that name in `fuzz/corpus`, which holds each input between a line `=== NAME` and a line end.

pub mod hunt;
pub mod memory;
pub mod mutate;
pub mod targets;

use std::path::Path;

/// An input of a corpus.
pub struct Input {
    /// Starts with `good-` where it is to be read, with `broke-` where it once broke a reader, and with `bomb-` where it unpacks
    /// to so much that nothing is to be made from it.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Before the name of each input.
const HEADING: &[u8] = b"=== ";

/// The inputs to start from: small valid ones, and every one that once broke a reader.
pub fn corpus(target: &str) -> Vec<Input> {
    // This file is compiled as a part of either package.
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let all =
        [package.join("corpus"), package.join("fuzz/corpus")].into_iter().find(|folder| folder.is_dir());
    let file = all.expect("there is a folder of inputs").join(target);
    let bytes = std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut inputs: Vec<Input> = Vec::new();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match (line.strip_prefix(HEADING), inputs.last_mut()) {
            (Some(name), _) => {
                let name = String::from_utf8_lossy(name).trim_end().to_string();
                inputs.push(Input { name, bytes: Vec::new() });
            }
            (None, Some(input)) => input.bytes.extend_from_slice(line),
            (None, None) => panic!("{} does not begin with a name", file.display()),
        }
    }
    // Of the line end behind it.
    for input in &mut inputs {
        input.bytes.pop();
    }
    assert!(!inputs.is_empty(), "{} has no inputs", file.display());
    inputs
}
