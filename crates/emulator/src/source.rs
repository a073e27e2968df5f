//! What is to be compiled.

use std::borrow::Cow;
use std::path::PathBuf;

/// One CUDA C++ file and how it is to be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source<'a> {
    /// Its file name, for messages.
    pub file: Cow<'a, str>,
    /// The CUDA C++ code itself.
    pub text: Cow<'a, str>,
    /// Folders in which its own `#include` files are looked for. A source with such folders is compiled at every load.
    pub folders: Vec<PathBuf>,
    /// Whether it uses what one architecture alone has (`sm_90a`).
    pub architecture_specific: bool,
    /// Whether kernels that are not `extern "C"` are found by their plain names too, as a host's own launches find them; NVRTC
    /// wants their mangled names.
    pub plain_names: bool,
}

impl<'a> Source<'a> {
    /// A file that includes CUDA's headers at most.
    pub fn new(file: impl Into<Cow<'a, str>>, text: impl Into<Cow<'a, str>>) -> Self {
        Self {
            file: file.into(),
            text: text.into(),
            folders: Vec::new(),
            architecture_specific: false,
            plain_names: false,
        }
    }
}
