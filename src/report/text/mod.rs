//! Numbers, tables and words as text, whatever they are about.

mod grid;
mod number;

use crate::published::{BoundKind, PublishedPaper};
pub use grid::Grid;
pub use number::{
    Banks, CountTables, ESTIMATE, RATE, UNDER_LOAD, decimals, digits, exact, in_row, in_text, interval,
    per_block, percent, raised, rate, rate_with_unit, ratio, ratio_with_interval, rounded, whole_or_digits,
};

/// The name of a kernel's function in words: `doubly_dependent` becomes `doubly dependent`.
pub fn spelled(kernel: &str) -> String {
    kernel.replace('_', " ")
}

/// This program as it was started, for a shell: its name may be none that the shell knows.
pub fn this_program() -> String {
    repro_base::text::quoted(&std::env::args_os().next().unwrap_or_default().to_string_lossy())
}

/// `a`, `a and b`, `a, b and c`.
pub fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The least and the most of numbers, or one number if `text` writes both alike.
pub fn span(least: f64, most: f64, text: impl Fn(f64) -> String) -> String {
    let (least, most) = (text(least), text(most));
    if least == most { least } else { format!("{least} to {most}") }
}

/// `5`, `5 to 6.5`, `at least 5` or `at most 6.5`, with numbers as `number` writes them. None where both ends are open.
pub fn range_in_words(low: Option<f64>, high: Option<f64>, number: impl Fn(f64) -> String) -> Option<String> {
    Some(match (low, high) {
        (Some(low), Some(high)) if low == high => number(low),
        (Some(low), Some(high)) => format!("{} to {}", number(low), number(high)),
        (Some(low), None) => format!("at least {}", number(low)),
        (None, Some(high)) => format!("at most {}", number(high)),
        (None, None) => return None,
    })
}

/// A published figure: `5`, `over 5` or `up to 5`; without a value, its range as [`range_in_words`] writes it.
pub fn published_in_words(
    value: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    bound: Option<BoundKind>,
    number: impl Fn(f64) -> String,
) -> Option<String> {
    let Some(value) = value.map(&number) else { return range_in_words(low, high, number) };
    Some(match bound {
        None => value,
        Some(BoundKind::Floor) => format!("over {value}"),
        Some(BoundKind::UpTo) => format!("up to {value}"),
    })
}

/// Who wrote a paper, when, where and on what machine, in one line without a full stop.
pub fn cited(paper: &PublishedPaper) -> String {
    let year = paper.year.map_or(String::new(), |year| format!(" ({year})"));
    let cpu = paper.cpu.as_ref().map_or(String::new(), |cpu| format!("; {cpu}"));
    format!("{}{year}, {}, on {}{cpu}", paper.authors, paper.reference, paper.gpu)
}
