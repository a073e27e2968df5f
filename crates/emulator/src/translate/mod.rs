//! Translates CUDA C++ to C++ that a host compiler takes. Reads what the preprocessor made of a kernel file, and writes it again
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
mod reserved_names;
mod rewrite;
#[cfg(test)]
mod tests;

pub use device_code::{DeviceCode, HostDeclaration};
pub use kernel::Signature;
pub(crate) use output::{DYNAMIC_PREFIX, INLINING, Target};
pub use output::{TranslationError, TranslationOutput};

/// Refuses what a kernel file could use to be host code, or to stay unseen by the checker.
///
/// # Errors
/// What is refused, with the file and line.
pub fn check_code(preprocessed: &str) -> Result<(), TranslationError> {
    let lexed = lex::TokenStream::new(preprocessed);
    foreign::check_code(&lexed).map_err(|problem| problem.refusal(&lexed))
}

/// What a file declares, and what the kernels of these names need of it.
pub fn device_code(preprocessed: &str, names: Option<&[String]>) -> DeviceCode {
    device_code::of_kernels(&lex::TokenStream::new(preprocessed), names)
}

/// Whether a word occurs outside of the emulator's headers.
pub fn names(preprocessed: &str, word: &str) -> bool {
    let lexed = lex::TokenStream::new(preprocessed);
    (0..lexed.tokens.len()).any(|at| lexed.text(at) == word && !lexed.is_own(lexed.tokens[at].start))
}

/// Translates what the preprocessor wrote, with its line markers.
///
/// # Errors
/// For what CUDA's compiler refuses too and the host's would take, and for PTX that is not emulated.
pub(crate) fn translate(preprocessed: &str, target: Target) -> Result<TranslationOutput, TranslationError> {
    let lexed = lex::TokenStream::new(preprocessed);
    rewrite::Rewriter::new(&lexed, target).run().map_err(|problem| problem.refusal(&lexed))
}
