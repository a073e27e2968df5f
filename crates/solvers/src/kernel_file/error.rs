//! Where in a kernel file something is wrong.

use repro_base::text::foreign_text;
use std::ops::Range;
use thiserror::Error;

/// What is wrong with a file that describes an implementation.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum FileError {
    /// With its place.
    #[error("{0}")]
    Placed(String),
    /// Two of one name. The other is of the file `by`, or of this program's own.
    #[error(
        "{file}:{line}: name = {name:?}: {} has this name already, choose another",
        .by.as_deref().unwrap_or("an implementation of repro's own")
    )]
    Taken { file: String, line: usize, name: String, by: Option<String> },
}

/// What is wrong in a few lines, whatever the file makes of it.
pub fn short(problem: impl AsRef<str>) -> String {
    const MOST_BYTES: usize = 600;
    foreign_text(problem.as_ref(), MOST_BYTES)
}

/// A file's name and text, which make places of positions.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    pub file: &'a str,
    pub text: &'a str,
}

impl Text<'_> {
    /// The line of a position, from 1.
    pub fn line(&self, at: usize) -> usize {
        let before = self.text.as_bytes().get(..at).unwrap_or(self.text.as_bytes());
        1 + before.iter().filter(|byte| **byte == b'\n').count()
    }

    /// The line in which the content of the string at `span` begins: a text in three quotes begins behind the line break.
    pub fn first_line_of(&self, span: &Range<usize>) -> usize {
        let written = self.text.get(span.clone()).unwrap_or_default();
        let begins_below = ["\"\"\"", "'''"].iter().any(|quotes| {
            written.strip_prefix(quotes).is_some_and(|rest| rest.trim_start_matches('\r').starts_with('\n'))
        });
        self.line(span.start) + usize::from(begins_below)
    }

    pub fn error(&self, span: &Range<usize>, problem: impl AsRef<str>) -> FileError {
        self.error_in_line(self.line(span.start), problem)
    }

    pub fn error_in_line(&self, line: usize, problem: impl AsRef<str>) -> FileError {
        FileError::Placed(format!("{}:{line}: {}", self.file, short(problem)))
    }

    /// Of no line in particular.
    pub fn error_in_whole(&self, problem: impl AsRef<str>) -> FileError {
        FileError::Placed(format!("{}: {}", self.file, short(problem)))
    }

    /// What a TOML reader did not accept.
    pub fn unreadable(&self, error: &toml::de::Error) -> FileError {
        let problem = error.message().trim().replace('\n', ", ");
        match error.span() {
            Some(span) => self.error(&span, problem),
            None => self.error_in_whole(problem),
        }
    }
}
