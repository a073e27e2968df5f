//! The target of a translation, and its output or error.

/// What a translation unit became, and what of it the emulator must know.
#[derive(Debug, Default)]
pub struct TranslationOutput {
    pub text: String,
    /// The names of dynamic shared arrays as written. The symbol of each, whatever its namespace, is [`DYNAMIC_PREFIX`] and the name:
    /// undefined in the text, thread-local, to be put where dynamic shared memory begins.
    pub dynamic: Vec<String>,
}

/// What the symbol of a dynamic shared array begins with.
pub const DYNAMIC_PREFIX: &str = "emulated_array_";

/// What cannot be translated. The words name the thing and what to do.
#[derive(Debug, Clone, PartialEq)]
pub struct TranslationError {
    pub file: String,
    pub line: u32,
    pub words: String,
}

impl std::fmt::Display for TranslationError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.words)
    }
}

impl std::error::Error for TranslationError {}

/// The attribute of a kernel that makes compilers inline all functions that the kernel calls.
pub(crate) const INLINING: &str = ", flatten";

/// What the code is compiled for: sm_90a is `capability` (9, 0) and `accelerated`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Target {
    pub capability: (u32, u32),
    pub accelerated: bool,
    /// Whether unused bytes follow each shared declaration, so that a pointer that leaves one variable does not at once point into the
    /// next.
    pub guarded: bool,
}
