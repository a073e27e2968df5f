//! What is to be compiled.

use std::borrow::Cow;

/// One CUDA C++ file. What it includes is part of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source<'a> {
    /// Its file name, for messages.
    pub file: Cow<'a, str>,
    pub text: Cow<'a, str>,
}

impl<'a> Source<'a> {
    pub fn new(file: impl Into<Cow<'a, str>>, text: impl Into<Cow<'a, str>>) -> Self {
        Self { file: file.into(), text: text.into() }
    }
}
