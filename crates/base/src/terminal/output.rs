//! Writing to standard output, which may be a pipe whose reader has left.

use crate::terminal::width::{fitted, message_width, terminal_width, wrapped};
use crate::text::{is_obeyed, without_controls};
use std::error::Error;
use std::io::{self, Write};

/// Writes `text` to standard output. Records, graphs and kernels may come from anybody, and hold what a terminal obeys: that is left out here, once
/// for all commands.
///
/// # Errors
/// When it cannot be written; see [`is_broken_pipe`].
pub fn print(text: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(without_controls(text).as_bytes())?;
    output.flush()
}

/// A value as JSON and a line end, in which what [`print`] leaves out is written in the way that JSON has for it: there it is data.
///
/// # Errors
/// When the value cannot be written as JSON.
pub fn json(value: &impl serde::Serialize) -> serde_json::Result<String> {
    let text = serde_json::to_string_pretty(value)? + "\n";
    let escape = |one: char| {
        let mut units = [0; 2];
        one.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>()
    };
    let written = |one: char| if one != '\n' && is_obeyed(one) { escape(one) } else { one.to_string() };
    Ok(text.chars().map(written).collect())
}

/// Writes text for people to standard output, its lines broken where the terminal ends.
///
/// # Errors
/// As [`print`].
pub fn show(text: &str) -> io::Result<()> {
    print(&fitted(text, terminal_width()))
}

/// Writes `value` as JSON where that was asked for, and else what `text` makes of it for a terminal of a width.
///
/// # Errors
/// As [`json`] and [`print`].
pub fn print_value(
    as_json: bool,
    value: &impl serde::Serialize,
    text: impl FnOnce(Option<u16>) -> String,
) -> io::Result<()> {
    if as_json { print(&json(value)?) } else { show(&text(Some(terminal_width()))) }
}

/// Writes a line to standard error. Names that were given or read may hold line ends and worse, which become blanks; on a terminal the
/// line is broken between words. A reader that left is no reason to panic.
pub fn complain(line: &str) {
    let _ = writeln!(io::stderr(), "{}", message(&line.replace(char::is_control, " ")));
}

/// A line for standard error as it is written there.
pub fn message(line: &str) -> String {
    let line = without_controls(line);
    message_width().map_or_else(|| line.clone(), |width| wrapped(&line, width, "  "))
}

/// Whether the reader has seen enough, as in `repro list | head -1`, which is no failure.
pub fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
