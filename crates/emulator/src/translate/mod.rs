//! From CUDA C++ to C++ that a host compiler takes. Reads what the preprocessor made of a kernel file, and writes it again
//! with the qualifiers of CUDA replaced and the PTX of each `asm` statement turned into calls of functions in `cuda/ptx.hpp`.
//! Every token stays on its line.

mod assembly;
mod declaration;
mod device_code;
mod foreign;
mod kernel;
mod lex;
mod output;
mod ptx;
mod reserved;
mod rewrite;
#[cfg(test)]
mod tests;
mod unsupported;

pub use device_code::{DeviceCode, HostDeclaration};
pub use kernel::Signature;

/// What a translation unit became, and what of it the emulator must know.
#[derive(Debug, Default)]
pub struct Translated {
    pub text: String,
    /// The names of dynamic shared arrays as written. The symbol of each, whatever its namespace, is [`DYNAMIC_PREFIX`] and the name:
    /// undefined in the text, thread-local, to be put where dynamic shared memory begins.
    pub dynamic: Vec<String>,
}

/// What the symbol of a dynamic shared array begins with.
pub const DYNAMIC_PREFIX: &str = "emulated_array_";

/// What cannot be translated. The words name the thing and what to do.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    pub file: String,
    pub line: u32,
    pub words: String,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.words)
    }
}

impl std::error::Error for Refusal {}

/// What has all functions that a kernel calls become part of it, among the attributes of a kernel.
pub(crate) const INLINING: &str = ", flatten";

/// What the code is compiled for: sm_90a is `capability` (9, 0) and `accelerated`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Target {
    pub capability: (u32, u32),
    pub accelerated: bool,
    /// Whether bytes that belong to nothing follow each shared declaration, so that a pointer which leaves one variable is not at
    /// once in the next.
    pub guarded: bool,
}

/// Refuses what a kernel file could use to be host code, or to stay unseen by the checker.
///
/// # Errors
/// With the file and line.
pub fn check_code(preprocessed: &str) -> Result<(), Refusal> {
    let lexed = lex::Lexed::new(preprocessed);
    foreign::check_code(&lexed).map_err(|problem| problem.refusal(&lexed))
}

/// What the kernels of these names need of a whole file.
pub fn device_code(preprocessed: &str, names: &[String]) -> DeviceCode {
    device_code::of_kernels(&lex::Lexed::new(preprocessed), names)
}

/// Whether a word stands in what is not of the emulator's headers.
pub fn names(preprocessed: &str, word: &str) -> bool {
    let lexed = lex::Lexed::new(preprocessed);
    (0..lexed.tokens.len()).any(|at| lexed.text(at) == word && !lexed.is_own(lexed.tokens[at].start))
}

/// Translates what the preprocessor wrote, with its line markers.
///
/// # Errors
/// For what CUDA's compiler refuses too and the host's would take, and for PTX that is not emulated.
pub(crate) fn translate(preprocessed: &str, target: Target) -> Result<Translated, Refusal> {
    let lexed = lex::Lexed::new(preprocessed);
    rewrite::Rewriting::new(&lexed, target).run().map_err(|problem| problem.refusal(&lexed))
}
