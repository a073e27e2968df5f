//! Words that titles, captions and sentences share.

use crate::lists::count_of;
use crate::plot::significant;
use crate::published::{Bound, PublishedPaper};

/// What marks and bars are. Said once where several figures stand together, and not in their captions.
pub const MEDIANS: &str = "Marks in figures are medians; bars span the interval of the median, with 95% confidence where there are six samples or more; scope kernel is the launches of one solve, on the CPU the solve.";

/// `a`, `a and b`, `a, b and c`.
pub fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A ratio with three digits.
pub fn times(ratio: f64) -> String {
    format!("×{}", significant(ratio, 3))
}

/// A share in percent with two digits.
pub fn percent(share: f64) -> String {
    format!("{}%", significant(share * 100.0, 2))
}

/// The least and the most of ratios.
pub fn range(least: f64, most: f64) -> String {
    span(least, most, times)
}

/// The least and the most of numbers; one of them where `text` writes them alike.
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

/// What a paper publishes: `5`, `over 5` or `up to 5`, or else its range as [`range_in_words`] has it.
pub fn published_in_words(
    value: Option<f64>,
    (low, high): (Option<f64>, Option<f64>),
    bound: Option<Bound>,
    number: impl Fn(f64) -> String,
) -> Option<String> {
    let Some(value) = value.map(&number) else { return range_in_words(low, high, number) };
    Some(match bound {
        None => value,
        Some(Bound::Floor) => format!("over {value}"),
        Some(Bound::UpTo) => format!("up to {value}"),
    })
}

/// Who wrote a paper, when, where and on what machine, in one line without a full stop.
pub fn cited(paper: &PublishedPaper) -> String {
    let year = paper.year.map_or(String::new(), |year| format!(" ({year})"));
    let cpu = paper.cpu.as_ref().map_or(String::new(), |cpu| format!("; {cpu}"));
    format!("{}{year}, {}, on {}{cpu}", paper.authors, paper.reference, paper.gpu)
}

/// A sentence about all of `these`, with a space behind; empty where there are none.
pub fn of_these(before: &str, these: &[String], after: &str) -> String {
    match these.is_empty() {
        true => String::new(),
        false => format!("{before}{}{after}. ", list(these)),
    }
}

/// How many of all things do what the verb says, in singular or plural, at the start of a sentence.
pub fn so_many(some: usize, all: usize, thing: &str, (one, many): (&str, &str)) -> String {
    match (some, all) {
        (1, 1) => format!("The one {thing} {one}"),
        (2, 2) => format!("Both {thing}s {many}"),
        (0, _) => format!("None of {} {one}", count_of(all, thing)),
        (1, _) => format!("1 of {all} {thing}s {one}"),
        _ if some == all => format!("All {all} {thing}s {many}"),
        _ => format!("{some} of {all} {thing}s {many}"),
    }
}

/// Behind a headline on all of something: of how many of them it is, where that is not all.
pub fn part(some: usize, all: usize, things: &str) -> String {
    if some == all { String::new() } else { format!(" ({some} of {all} {things} were measured here)") }
}

/// Lower-case letters, digits and hyphens, for ids.
pub fn id(text: &str) -> String {
    let letters = text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_many_do_it_is_told_in_singular_and_plural() {
        let of = |some, all| so_many(some, all, "pair", ("lies", "lie"));
        assert_eq!(
            [of(0, 3), of(1, 3), of(2, 3)],
            ["None of 3 pairs lies", "1 of 3 pairs lies", "2 of 3 pairs lie"]
        );
        assert_eq!(
            [of(1, 1), of(2, 2), of(3, 3)],
            ["The one pair lies", "Both pairs lie", "All 3 pairs lie"]
        );
    }

    #[test]
    fn ends_that_are_written_alike_are_one() {
        assert_eq!([range(1.0, 2.5), range(1.0001, 1.0002)], ["×1 to ×2.5", "×1"]);
    }
}
