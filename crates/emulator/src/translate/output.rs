//! The target of a translation, and its output or error. The text that comes out is the source with some of its tokens replaced, each line
//! break where it was.

use super::lex::TokenStream;

/// Something wrong at a byte of the source.
#[derive(Debug)]
pub struct SourceError {
    pub at: usize,
    pub words: String,
}

impl SourceError {
    /// The error with its file and line.
    pub fn refusal(self, lexed: &TokenStream) -> TranslationError {
        let (file, line) = lexed.place(self.at);
        TranslationError { file, line, words: self.words }
    }
}

struct Edit {
    start: usize,
    end: usize,
    text: String,
}

#[derive(Default)]
pub struct Edits {
    edits: Vec<Edit>,
}

impl Edits {
    pub fn replace(&mut self, start: usize, end: usize, text: impl Into<String>) {
        self.edits.push(Edit { start, end, text: text.into() });
    }

    pub fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.replace(at, at, text);
    }

    /// Takes out the tokens from `first` up to, not including, `end`.
    pub fn remove(&mut self, lexed: &TokenStream, first: usize, end: usize) {
        for token in &lexed.tokens[first..end] {
            let breaks = lexed.source[token.start..token.end].matches('\n').count();
            self.replace(token.start, token.end, "\n".repeat(breaks));
        }
    }

    pub fn apply(mut self, source: &str) -> String {
        // Stable: of several insertions at one place the first asked for comes first.
        self.edits.sort_by_key(|edit| edit.start);
        let mut text = String::with_capacity(source.len() + source.len() / 8);
        let mut at = 0;
        for edit in &self.edits {
            if edit.start > at {
                text.push_str(&source[at..edit.start]);
            }
            text.push_str(&edit.text);
            at = at.max(edit.end);
        }
        text.push_str(&source[at..]);
        text
    }
}

/// The line breaks of a range of tokens that is to be replaced, with the markers among them, in order and with their places.
pub fn breaks(lexed: &TokenStream, first: usize, last: usize) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for at in first..=last {
        let token = lexed.tokens[at];
        for (length, byte) in lexed.source[token.start..token.end].bytes().enumerate() {
            if byte == b'\n' {
                found.push((token.start + length, "\n".to_string()));
            }
        }
        if at < last {
            let between = &lexed.source[token.end..lexed.tokens[at + 1].start];
            if between.contains('\n') {
                // From the first line break on: what stands before it may be a comment to the line's end.
                let from = between.find('\n').unwrap_or(0);
                found.push((token.end, between[from..].to_string()));
            }
        }
    }
    found
}

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
