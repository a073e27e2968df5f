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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_of_this_program_is_put_in_also_where_another_header_includes_it() {
        let folder = tempfile::tempdir().unwrap();
        let folders = [folder.path().to_path_buf()];
        let expanded = |text: &str| with_embedded_headers("own.cu", text.to_string(), &folders);
        std::fs::write(folder.path().join("own.cuh"), "#include \"repro.cuh\"\nint own;\n").unwrap();
        let whole = expanded("  #include \"own.cuh\" // mine\nint last;\n");
        assert!(whole.contains("#define KERNEL extern") && whole.contains("int own;"), "{whole}");
        // Without one, and where the folder has its own, everything stays.
        std::fs::write(folder.path().join("words.cuh"), "int word;\n").unwrap();
        for text in ["#include <cuda_fp16.h>\nint x;\n", "#include \"words.cuh\"\n", "#include \"none.h\"\n"]
        {
            assert_eq!(expanded(text), text);
        }
    }
}
