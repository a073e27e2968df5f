//! What a file to check includes of the headers that come with this program.

use crate::file::headers::{reached, read_text};
use repro_device::{HEADERS, KernelSource};
use std::convert::Infallible;
use std::path::PathBuf;

/// `text` with `repro.cuh` and its like in the places of their inclusion, if it reaches one of them and none of `folders` has a header of
/// that name. Otherwise as it is: a compiler finds the rest in the folders.
pub fn with_embedded_headers(file: &str, text: String, folders: &[PathBuf]) -> String {
    let mut reaches_one = false;
    let found = reached(&text, |name| {
        // What is no file, such as a pipe, or too large for a header, is left to the compiler's message.
        let header = folders.iter().find_map(|folder| read_text(&folder.join(name)).ok());
        reaches_one |= header.is_none() && HEADERS.iter().any(|(known, _)| *known == name);
        Ok::<_, Infallible>(header)
    });
    let Ok(headers) = found;
    if !reaches_one {
        return text;
    }
    KernelSource { headers, ..KernelSource::of(file.to_string(), text) }.expanded()
}
