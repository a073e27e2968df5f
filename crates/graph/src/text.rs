//! What the readers of text formats share: lines and numbers.

use std::io::{BufRead, Read};

use super::read::Problem;

/// No line of a graph in text form is longer; without a limit, a binary file would be read whole as one line.
const LONGEST_LINE: u64 = 1 << 20;

/// How much of a token is repeated in an error.
const SHOWN: usize = 40;

/// The lines of a file, as bytes, one at a time.
pub(super) struct Lines<R> {
    input: R,
    line: Vec<u8>,
    number: usize,
}

impl<R: BufRead> Lines<R> {
    pub fn new(input: R) -> Self {
        Self { input, line: Vec::new(), number: 0 }
    }

    /// The number of the last line handed out, counted from 1; 0 before the first.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The next line without the white space around it, or `None` at the end of the file.
    pub fn next(&mut self) -> Result<Option<&[u8]>, Problem> {
        self.line.clear();
        let read = self.input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut self.line);
        let length = read.map_err(Problem::Unreadable)? as u64;
        if length == 0 {
            return Ok(None);
        }
        self.number += 1;
        if length == LONGEST_LINE && !self.line.ends_with(b"\n") {
            return Err(Problem::LineTooLong { limit: LONGEST_LINE });
        }
        Ok(Some(self.current()))
    }

    /// The line handed out last.
    pub fn current(&self) -> &[u8] {
        self.line.trim_ascii()
    }
}

/// The parts of a line between white space.
pub(super) fn tokens(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty())
}

/// Exactly `N` tokens, or a complaint that `what` was expected.
pub(super) fn exactly<'a, const N: usize>(
    line: &'a [u8],
    what: &'static str,
) -> Result<[&'a [u8]; N], Problem> {
    let mut tokens = tokens(line);
    let mut found = [&line[..0]; N];
    for slot in &mut found {
        *slot = tokens.next().ok_or_else(|| unexpected(what, line))?;
    }
    if tokens.next().is_some() { Err(unexpected(what, line)) } else { Ok(found) }
}

/// The complaint that `what` was expected where `found` stands.
pub(super) fn unexpected(what: &'static str, found: &[u8]) -> Problem {
    Problem::Unexpected { expected: what, found: shown(found) }
}

fn shown(token: &[u8]) -> String {
    match token {
        [] => "an empty line".to_owned(),
        token if token.len() > SHOWN => format!("`{}...`", token[..SHOWN].escape_ascii()),
        token => format!("`{}`", token.escape_ascii()),
    }
}

/// A count or a vertex number.
pub(super) fn whole_number(token: &[u8], what: &'static str) -> Result<usize, Problem> {
    let text = str::from_utf8(token).map_err(|_| unexpected(what, token))?;
    text.parse().map_err(|_| unexpected(what, token))
}

/// A vertex number of the file, which counts from 1, as an index that counts from 0.
pub(super) fn vertex(token: &[u8], n: usize) -> Result<usize, Problem> {
    let vertex = whole_number(token, "a vertex number")?;
    if (1..=n).contains(&vertex) { Ok(vertex - 1) } else { Err(Problem::OutOfRange { vertex, n }) }
}

/// A weight, rounded to the nearest `f32` unless it is written as an integer, which must be exact; a written infinity is
/// +infinity, no edge.
pub(super) fn weight(token: &[u8]) -> Result<f32, Problem> {
    let text = str::from_utf8(token).map_err(|_| unexpected("a weight", token))?;
    let weight: f32 = text.parse().map_err(|_| unexpected("a weight", token))?;
    // A number too large for `f32` parses as infinity too, but it does not mean that there is no edge.
    let overflow = weight.is_infinite() && token.iter().any(u8::is_ascii_digit);
    if weight.is_nan() || weight == f32::NEG_INFINITY || overflow {
        return Err(Problem::NotAWeight { found: shown(token) });
    }
    if is_inexact_integer(token, weight) {
        return Err(Problem::InexactInteger { found: shown(token), nearest: weight });
    }
    Ok(weight)
}

/// Whether `token` is an integer that `weight`, its rounding, is not. Other numbers are meant to be rounded.
fn is_inexact_integer(token: &[u8], weight: f32) -> bool {
    let digits = token.strip_prefix(b"-").or(token.strip_prefix(b"+")).unwrap_or(token);
    // Every finite `f32` is below 2^128, so an integer that is not was refused before.
    let integer = str::from_utf8(digits).ok().and_then(|digits| digits.parse::<u128>().ok());
    weight.is_finite() && integer.is_some_and(|integer| weight.abs() as u128 != integer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_trimmed_and_the_last_needs_no_line_feed() {
        let mut lines = Lines::new(&b"one\r\n\n  two  "[..]);
        assert_eq!(lines.next().unwrap(), Some(&b"one"[..]));
        assert_eq!(lines.next().unwrap(), Some(&b""[..]));
        assert_eq!(lines.next().unwrap(), Some(&b"two"[..]));
        assert_eq!(lines.number(), 3);
        assert!(lines.next().unwrap().is_none());
    }

    #[test]
    fn a_file_without_line_feeds_is_given_up_and_not_read_into_memory() {
        let mut lines = Lines::new(std::io::BufReader::new(std::io::repeat(b'x')));
        assert!(matches!(lines.next(), Err(Problem::LineTooLong { .. })));
    }

    #[test]
    fn weights_are_numbers_or_the_word_infinity() {
        for (text, value) in
            [("7", 7.0), ("-2.5e1", -25.0), ("inf", f32::INFINITY), ("+Infinity", f32::INFINITY)]
        {
            assert_eq!(weight(text.as_bytes()).unwrap(), value);
        }
        for text in ["nan", "-inf", "1e39", "-1e39"] {
            assert!(matches!(weight(text.as_bytes()), Err(Problem::NotAWeight { .. })), "{text}");
        }
        for text in ["", "1,5", "0x10", "\u{ff17}"] {
            assert!(matches!(weight(text.as_bytes()), Err(Problem::Unexpected { .. })), "{text}");
        }
        assert!(weight(b"\xff\xfe").is_err());
    }

    #[test]
    fn an_integer_that_f32_lacks_is_refused_and_a_fraction_is_rounded() {
        for exact in ["16777216", "-16777218", "+0016777216", "340282346638528859811704183484516925440"] {
            assert!(weight(exact.as_bytes()).is_ok(), "{exact}");
        }
        for inexact in ["16777217", "-16777217", "+016777219", "340282346638528859811704183484516925439"] {
            assert!(matches!(weight(inexact.as_bytes()), Err(Problem::InexactInteger { .. })), "{inexact}");
        }
        assert_eq!(
            weight(b"16777217").unwrap_err().to_string(),
            "`16777217` is an integer that f32 cannot hold, the nearest is 16777216: scale the weights down, or write \
             it with a decimal point to have it rounded"
        );
        assert_eq!(weight(b"16777217.0").unwrap(), 16_777_216.0);
        assert_eq!(weight(b"0.1").unwrap(), 0.1);
    }
}
