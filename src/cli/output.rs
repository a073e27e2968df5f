//! Writing to standard output, which may be a pipe whose reader has left.

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

/// Writes a line to standard error, and one it stays: names that were given or read may hold line ends and worse. A reader
/// that left is no reason to panic.
pub fn complain(line: &str) {
    let _ = writeln!(io::stderr(), "{}", line.replace(char::is_control, " "));
}

/// Whether the reader has seen enough, as in `repro list | head -1`, which is no failure.
pub fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
