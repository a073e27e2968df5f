//! What a file to check includes of the headers that come with this program.

use repro_device::{HEADERS, KernelSource, included};
use std::path::{Path, PathBuf};

/// `text` with `repro.cuh` and its like in the places of their inclusion, if it reaches one of them and none of `folders` has a header of
/// that name. Otherwise as it is: a compiler finds the rest in the folders.
pub fn with_embedded_headers(file: &str, text: String, folders: &[PathBuf]) -> String {
    let mut headers: Vec<(String, String)> = Vec::new();
    let mut pending = vec![text.clone()];
    let mut reaches_one = false;
    while let Some(text) = pending.pop() {
        for name in text.lines().filter_map(included) {
            if headers.iter().any(|(known, _)| known == name) {
                continue;
            }
            match folders.iter().find_map(|folder| read(&folder.join(name))) {
                Some(header) => {
                    pending.push(header.clone());
                    headers.push((name.to_string(), header));
                }
                None => reaches_one |= HEADERS.iter().any(|(known, _)| *known == name),
            }
        }
    }
    if !reaches_one {
        return text;
    }
    let source = KernelSource { headers, ..KernelSource::of(file.to_string(), text) };
    source.expanded()
}

fn read(path: &Path) -> Option<String> {
    // What is no file, such as a pipe, or too large for a header, is left to the compiler's message.
    String::from_utf8(repro_files::read_at_most(path, 4 << 20).ok()?).ok()
}
