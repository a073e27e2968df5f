//! How wide text is drawn, and how lines are broken.

use std::io;
use textwrap::{Options, WordSplitter};
use unicode_width::UnicodeWidthStr;

/// Narrower than this nothing is drawn: tables would lose their numbers.
const LEAST: u16 = 80;
/// Where nobody says how wide it may be, as in a pipe: also what `--help` takes there.
const USUAL: u16 = 100;

/// Columns for standard output.
pub fn terminal_width() -> u16 {
    width(terminal_size::terminal_size_of(io::stdout()), columns())
}

/// Columns for standard error. None where it is no terminal: messages stay whole lines there, so that they can be searched for.
pub fn message_width() -> Option<u16> {
    let size = terminal_size::terminal_size_of(io::stderr())?;
    Some(width(Some(size), columns()))
}

/// Before a command that ends a line.
const COMMAND: &str = ": repro ";

/// `line` in lines of at most `width` columns, broken between words; those after the first begin with `indent`. A word that is longer
/// stays whole: it is a path or a number. So does a command at the end, which then is a line that can be copied.
pub fn wrapped(line: &str, width: u16, indent: &str) -> String {
    if line.width() <= usize::from(width) {
        return line.to_string();
    }
    if let Some((before, arguments)) = line.rsplit_once(COMMAND) {
        return format!("{}\n{indent}repro {arguments}", wrapped(&format!("{before}:"), width, indent));
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

/// What the environment says, as it does for `--help`.
fn columns() -> Option<u16> {
    std::env::var("COLUMNS").ok()?.parse().ok()
}

fn width(terminal: Option<(terminal_size::Width, terminal_size::Height)>, columns: Option<u16>) -> u16 {
    terminal.map(|(width, _)| width.0).or(columns).unwrap_or(USUAL).max(LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use terminal_size::{Height, Width};

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
        let command = "stopped; continue with: repro run table1 --resume results/a";
        assert_eq!(
            wrapped(command, 20, "  "),
            "stopped; continue\n  with:\n  repro run table1 --resume results/a"
        );
    }

    #[test]
    fn of_a_text_every_line_fits_and_tables_stay_as_they_are_drawn() {
        let text = "  one two three\n\n│ a ┆ table that is wide │\n";
        assert_eq!(fitted(text, 10), "  one two\n    three\n\n│ a ┆ table that is wide │\n");
    }
}
