//! Writing to standard output, which may be a pipe whose reader has left.

use super::width::{fitted, message_width, terminal_width, wrapped};
use std::error::Error;
use std::io::{self, Write};

/// Writes `text` to standard output.
///
/// # Errors
/// When it cannot be written; see [`is_broken_pipe`].
pub fn print(text: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes())?;
    output.flush()
}

/// Writes text for people to standard output, its lines broken where the terminal ends.
///
/// # Errors
/// As [`print`].
pub fn show(text: &str) -> io::Result<()> {
    print(&match terminal_width() {
        Some(width) => fitted(text, width),
        None => text.to_string(),
    })
}

/// Writes a line to standard error. Names that were given or read may hold line ends and worse, which become blanks; on a terminal the
/// line is broken between words. A reader that left is no reason to panic.
pub fn complain(line: &str) {
    let _ = writeln!(io::stderr(), "{}", message(&line.replace(char::is_control, " ")));
}

/// A line for standard error as it is written there.
pub fn message(line: &str) -> String {
    message_width().map_or_else(|| line.to_string(), |width| wrapped(line, width, "  "))
}

/// Whether the reader has seen enough, as in `repro list | head -1`, which is no failure.
pub fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
