//! What is compiled: a CUDA C++ file with what it includes, and the headers that stand in for CUDA's.

use include_dir::{Dir, include_dir};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One CUDA C++ file and how it is to be compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source<'a> {
    /// Its file name, for messages.
    pub file: Cow<'a, str>,
    /// The CUDA C++ code itself.
    pub text: Cow<'a, str>,
    /// Files of its own that it includes.
    pub headers: Vec<Header>,
    /// Macros, as NAME or NAME=VALUE.
    pub defines: Vec<String>,
    /// Whether it uses what one architecture alone has (`sm_90a`).
    pub architecture_specific: bool,
    /// Whether it is a file of a program, with code for the host too, as nvcc takes it. Only what its kernels need is compiled,
    /// and kernels are named as the host's own launches name them, with namespaces and template arguments. Otherwise it is
    /// device code alone, as NVRTC takes it, and kernels are `extern "C"` or have mangled names.
    pub whole: bool,
}

impl<'a> Source<'a> {
    /// A file that includes no headers but CUDA's.
    pub fn new(file: impl Into<Cow<'a, str>>, text: impl Into<Cow<'a, str>>) -> Self {
        Self { file: file.into(), text: text.into(), ..Self::default() }
    }
}

/// A file that others include.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Its name in `#include` directives: a path within a folder that holds nothing else.
    pub name: String,
    /// Its file name, for messages.
    pub file: String,
    /// The CUDA C++ code itself.
    pub text: String,
}

/// Whether the emulated device has a header of this name itself.
pub fn has_header(name: &str) -> bool {
    HEADERS.get_file(name).is_some()
}

/// How the symbols of a kernel's entry end: its name, with the code of each character that a symbol cannot have.
pub fn entry_name(kernel: &str) -> String {
    let letter = |c: char| {
        if c.is_ascii_alphanumeric() || c == '_' { c.to_string() } else { format!("_{}", u32::from(c)) }
    };
    kernel.chars().map(letter).collect()
}

/// A kernel's name without namespaces and template arguments.
pub fn plain_name(kernel: &str) -> &str {
    let named = kernel.split('<').next().unwrap_or(kernel).trim();
    named.rsplit("::").next().unwrap_or(named)
}

/// CUDA C++ for a host compiler, and what compiled kernels call.
pub static HEADERS: Dir = include_dir!("$CARGO_MANIFEST_DIR/cuda");
