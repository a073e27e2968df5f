//! Text for people: what a foreign program wrote, made fit for a line of ours; words for a shell; numbers.

/// How much of one message of a foreign program is shown, in bytes.
pub const FOREIGN_BYTES: usize = 400;

/// `text` on one line, of at most `limit` bytes, and after those, where there was more, how many bytes `text` has: `abc… (cut: 6,438 bytes)`.
///
/// Ends of lines become ` / `, all other control characters (C0, C1, DEL) a space. Characters that cannot be seen but change how what is around them
/// is shown, such as those that turn the direction of writing, become U+FFFD. What is left is shown by a terminal as what it is.
///
/// Cleaned text stays as it is when it is cleaned again, unless it was cut to more than `limit`.
pub fn foreign_text(text: &str, limit: usize) -> String {
    let mut shown = String::new();
    let mut characters = text.trim_matches(is_blank).chars().peekable();
    while let Some(one) = characters.next() {
        let fitting = shown.len();
        if ends_line(one) {
            // Empty lines, and what other lines begin with, tell nothing here.
            while characters.next_if(|next| is_blank(*next)).is_some() {}
            shown.push_str(" / ");
        } else {
            shown.push(harmless(one));
        }
        if shown.len() > limit {
            let fitting = shown[..fitting].trim_end();
            return format!("{fitting}… (cut: {} bytes)", grouped(text.len() as u128));
        }
    }
    shown
}

/// [`foreign_text`] in quotation marks, as part of a sentence of ours: those within it become single ones, so that it cannot end the quotation and go
/// on as if it were ours.
pub fn foreign_quote(text: &str, limit: usize) -> String {
    format!("\"{}\"", foreign_text(&text.replace('"', "'"), limit))
}

/// `text` with its lines as they are, in which no terminal finds anything to obey: control characters but ends of lines and tabs become spaces, and
/// characters that cannot be seen but change how what is around them is shown become U+FFFD.
pub fn without_controls(text: &str) -> String {
    text.chars().map(|one| if matches!(one, '\n' | '\t') { one } else { harmless(one) }).collect()
}

/// Whether a terminal may do something else with a character than to show it.
pub fn is_obeyed(one: char) -> bool {
    harmless(one) != one
}

/// Whether a character is not shown itself and changes how others are: control characters, ends of lines, and those of Unicode for the direction of
/// text, for no width, for what is invisible.
pub fn hides(one: char) -> bool {
    is_obeyed(one) || ends_line(one)
}

/// What is shown of a character that ends no line.
fn harmless(one: char) -> char {
    match one {
        one if one.is_control() => ' ',
        // The replacement shows that something was there.
        one if is_invisible(one) => char::REPLACEMENT_CHARACTER,
        one => one,
    }
}

fn is_blank(one: char) -> bool {
    one.is_whitespace() || one.is_control()
}

fn ends_line(one: char) -> bool {
    matches!(one, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a character is nothing but an instruction to whoever shows the text: marks of direction, joiners, tags.
fn is_invisible(one: char) -> bool {
    matches!(one,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// A number with a comma between every three digits.
pub fn grouped(number: u128) -> String {
    let thousands = number / 1000;
    if thousands == 0 { number.to_string() } else { format!("{},{:03}", grouped(thousands), number % 1000) }
}

/// A word as a shell takes it.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=:@,".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// A number with at most three decimals.
pub fn decimals(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_too_long_is_cut_at_a_character_lines_are_joined_and_no_terminal_obeys_what_is_left() {
        for (text, most, shown) in [
            (&*"x".repeat(6438), 4, "xxxx… (cut: 6,438 bytes)"),
            ("aéé", 4, "aé… (cut: 5 bytes)"),
            ("ab cd", 3, "ab… (cut: 5 bytes)"),
            ("ab", 0, "… (cut: 2 bytes)"),
            ("\n first\r\n\n  second\u{2028}third\n\n", 100, "first / second / third"),
            ("a\x1b[31mb\x07c\u{9b}d\x7fe\tf\0g", 100, "a [31mb c d e f g"),
            ("a\u{202e}b\u{200b}c\u{feff}d\u{2066}e", 100, "a\u{fffd}b\u{fffd}c\u{fffd}d\u{fffd}e"),
        ] {
            assert_eq!(foreign_text(text, most), shown);
        }
        // A quotation ends where ours does.
        assert_eq!(foreign_quote("no\"; verified: \"yes", 100), "\"no'; verified: 'yes\"");
        assert_eq!(foreign_quote("long", 2), "\"lo… (cut: 4 bytes)\"");
    }

    #[test]
    fn text_of_several_lines_keeps_them_and_nothing_that_a_terminal_obeys() {
        let text = "a\x1b]0;title\x07\n\tb\u{9b}31m\rc\u{202e}d\u{2028}é";
        assert_eq!(without_controls(text), "a ]0;title \n\tb 31m c\u{fffd}d\u{2028}é");
    }

    #[test]
    fn digits_are_in_groups_of_three() {
        assert_eq!([0, 12, 123, 1234, 1_234_567].map(grouped), ["0", "12", "123", "1,234", "1,234,567"]);
    }

    proptest! {
        #[test]
        fn any_text_becomes_one_short_line_without_instructions(characters in proptest::collection::vec(any::<char>(), 0..100), limit in 0_usize..200) {
            let text: String = characters.into_iter().collect();
            let shown = foreign_text(&text, limit);
            prop_assert!(!shown.chars().any(|one| one.is_control() || ends_line(one) || is_invisible(one)), "{shown:?}");
            prop_assert!(shown.len() <= limit + "… (cut: 18,446,744,073,709,551,615 bytes)".len());
            prop_assert_eq!(foreign_text(&shown, shown.len()), shown);
            let quoted = foreign_quote(&text, limit);
            prop_assert_eq!(quoted.matches('"').count(), 2);
        }

        /// Random text has few of these.
        #[test]
        fn text_of_nothing_but_instructions_becomes_one_line_as_well(
            text in "[\\x00-\\x1f\\x7f-\\x9f\u{200b}-\u{200f}\u{2028}-\u{202e}\u{2066}-\u{2069}\u{feff}a\"]{0,40}",
        ) {
            let shown = foreign_text(&text, 1000);
            prop_assert!(shown.chars().all(|one| " /a\"\u{fffd}".contains(one)), "{shown:?}");
            prop_assert_eq!(shown.matches('a').count(), text.matches('a').count());
        }
    }

    #[test]
    fn what_a_shell_would_split_or_expand_is_quoted() {
        for (word, taken) in
            [("results/runs/a-1", "results/runs/a-1"), ("my runs/a'b", "'my runs/a'\\''b'"), ("", "''")]
        {
            assert_eq!(quoted(word), taken);
        }
    }
}
