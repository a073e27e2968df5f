//! Writing to standard output, which may be a pipe whose reader has left, and how wide that is: lines are broken there.

use crate::text::{is_obeyed, without_controls};
use std::error::Error;
use std::io::{self, Write};
use terminal_size::{Height, Width, terminal_size_of};
use textwrap::{Options, WordSplitter};
use unicode_width::UnicodeWidthStr;

/// Narrower than this nothing is drawn: tables would lose their numbers.
const LEAST: u16 = 80;
/// Where nobody says how wide it may be, as in a pipe: also what `--help` takes there.
const USUAL: u16 = 100;

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

/// A value as JSON and a line end. Characters that [`print`] would leave out are written as escapes of JSON: there they are data.
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

/// A line for standard error as it is written there: whole where that is no terminal, so that it can be searched for.
pub fn message(line: &str) -> String {
    let line = without_controls(line);
    let size = terminal_size_of(io::stderr());
    if size.is_some() { wrapped(&line, width(size, columns()), "  ") } else { line }
}

/// Whether the reader has seen enough, as in `repro list | head -1`, which is no failure.
pub fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Columns for standard output.
pub fn terminal_width() -> u16 {
    width(terminal_size_of(io::stdout()), columns())
}

/// `line` in lines of at most `width` columns, broken between words; those after the first begin with `indent`. A word that is longer
/// stays whole: it is a path or a number. So does a command at the end, which then is a line that can be copied.
pub fn wrapped(line: &str, width: u16, indent: &str) -> String {
    if line.width() <= usize::from(width) {
        return line.to_string();
    }
    let is_command = |words: &str| words.split(' ').next().is_some_and(|first| first.ends_with("repro"));
    if let Some((before, command)) = line.rsplit_once(": ").filter(|(_, last)| is_command(last)) {
        return format!("{}\n{indent}{command}", wrapped(&format!("{before}:"), width, indent));
    }
    let options = Options::new(usize::from(width))
        .subsequent_indent(indent)
        .break_words(false)
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::fill(line, &options)
}

/// Each line of a text, wrapped to `width` columns and indented two columns further than its own beginning. Tables stay as they are drawn.
pub fn fitted(text: &str, width: u16) -> String {
    let fit = |line: &str| {
        if line.starts_with(['┌', '│', '╞', '├', '└']) {
            return line.to_string();
        }
        let blanks = line.len() - line.trim_start_matches(' ').len();
        wrapped(line, width, &" ".repeat(blanks + 2))
    };
    text.split('\n').map(fit).collect::<Vec<_>>().join("\n")
}

/// The width that the environment gives in `COLUMNS`, as for `--help`.
fn columns() -> Option<u16> {
    std::env::var("COLUMNS").ok()?.parse().ok()
}

fn width(terminal: Option<(Width, Height)>, columns: Option<u16>) -> u16 {
    terminal.map(|(width, _)| width.0).or(columns).unwrap_or(USUAL).max(LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_says_how_wide_it_is_then_the_environment_and_a_pipe_has_the_usual_width() {
        let terminal = |columns| Some((Width(columns), Height(24)));
        assert_eq!(width(terminal(120), Some(90)), 120);
        assert_eq!(width(terminal(40), None), LEAST);
        assert_eq!(width(None, Some(90)), 90);
        assert_eq!(width(None, None), USUAL);
    }

    #[test]
    fn lines_are_broken_between_words_and_a_long_word_stays_whole() {
        let line = "one two three results/runs/table1-20261121T030000Z four";
        let broken = "one two\n  three\n  results/runs/table1-20261121T030000Z\n  four";
        assert_eq!(wrapped(line, 10, "  "), broken);
        assert_eq!(wrapped("  of three", 10, "  "), "  of three");
        for program in ["repro", "target/release/repro"] {
            let command = format!("{program} run table1 --resume results/a");
            let broken = wrapped(&format!("stopped; continue with: {command}"), 20, "  ");
            assert_eq!(broken, format!("stopped; continue\n  with:\n  {command}"));
        }
    }

    #[test]
    fn of_a_text_every_line_fits_and_tables_stay_as_they_are_drawn() {
        let text = "  one two three\n\n│ a ┆ table that is wide │\n";
        assert_eq!(fitted(text, 10), "  one two\n    three\n\n│ a ┆ table that is wide │\n");
    }
}
