//! What the readers of text formats share: lines and numbers.

use std::io::{BufRead, Read as _};

use super::{Names, ReadOptions, ReadProblem, ReadResult, StoredGraph};
use crate::{ArcsBuilder, Element, ElementType, GraphError, memory_check};

/// No line of a graph in text form is longer; without a limit, a binary file would be read whole as one line.
const LONGEST_LINE: u64 = 1 << 20;

/// The mark of UTF-8 that some programs put before the first line.
pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";

/// How much of a token is repeated in an error.
const SHOWN: usize = 40;

/// The lines of a file, as bytes, one at a time.
pub(super) struct LineReader<R> {
    input: R,
    line: Vec<u8>,
    /// The number of the last line handed out, counted from 1; 0 before the first.
    pub number: usize,
    /// The line that an error is about: the last one, unless a reader says another, or that it is about the file as a whole.
    pub place: Option<usize>,
}

impl<R: BufRead> LineReader<R> {
    /// Reads `input` from its first line on.
    pub fn new(input: R) -> Self {
        Self { input, line: Vec::new(), number: 0, place: None }
    }

    /// The next line without the white space around it, and without a [`BOM`] before the first, or `None` at the end of the file.
    ///
    /// # Errors
    /// When it cannot be read, or is longer than 1 MiB.
    pub fn next(&mut self) -> Result<Option<&[u8]>, ReadProblem> {
        self.line.clear();
        self.place = Some(self.number + 1);
        let read = self.input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut self.line);
        let length = read.map_err(ReadProblem::Unreadable)? as u64;
        if length == 0 {
            self.place = Some(self.number);
            return Ok(None);
        }
        self.number += 1;
        if length == LONGEST_LINE && !self.line.ends_with(b"\n") {
            return Err(ReadProblem::LineTooLong { limit: LONGEST_LINE });
        }
        if self.number == 1 && self.line.starts_with(BOM) {
            self.line.drain(..BOM.len());
        }
        Ok(Some(self.current()))
    }

    /// The line handed out last.
    pub fn current(&self) -> &[u8] {
        self.line.trim_ascii()
    }

    /// The line handed out last, with the white space around its words but without the line's end.
    pub fn untrimmed(&self) -> &[u8] {
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        line.strip_suffix(b"\r").unwrap_or(line)
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
) -> Result<[&'a [u8]; N], ReadProblem> {
    let mut tokens = tokens(line);
    let mut found = [&line[..0]; N];
    for slot in &mut found {
        *slot = tokens.next().ok_or_else(|| unexpected(what, line))?;
    }
    if tokens.next().is_some() { Err(unexpected(what, line)) } else { Ok(found) }
}

/// The complaint that `what` was expected where `found` stands.
pub(super) fn unexpected(what: &'static str, found: &[u8]) -> ReadProblem {
    ReadProblem::Unexpected { expected: what, found: shown(found) }
}

fn shown(token: &[u8]) -> String {
    match token {
        [] => "nothing".to_owned(),
        token if token.len() > SHOWN => format!("`{}...`", token[..SHOWN].escape_ascii()),
        token => format!("`{}`", token.escape_ascii()),
    }
}

/// A count or a vertex number.
pub(super) fn whole_number(token: &[u8], what: &'static str) -> Result<usize, ReadProblem> {
    let text = str::from_utf8(token).map_err(|_| unexpected(what, token))?;
    text.parse().map_err(|_| unexpected(what, token))
}

/// A builder for the `n` vertices of a header. Before all arcs are read, checks that there is room for a number a vertex.
pub(super) fn listed_arcs<T: Element>(
    n: usize,
    options: &ReadOptions,
) -> Result<ArcsBuilder<T>, ReadProblem> {
    let builder = ArcsBuilder::with_vertices(n)?.undirected(options.undirected);
    memory_check::check("the graph", (n as u128) * size_of::<usize>() as u128)?;
    Ok(builder)
}

/// Adds an arc of a file that numbers its vertices from 1.
pub(super) fn add_arc<T: Element>(
    arcs: &mut ArcsBuilder<T>,
    from: usize,
    to: usize,
    weight: T,
) -> Result<(), ReadProblem> {
    arcs.add(from, to, weight).map_err(|error| match error {
        GraphError::NegativeCycle(cycle) => ReadProblem::NegativeLoop { name: (from + 1).to_string(), cycle },
        other => other.into(),
    })
}

/// The graph of a file with `n` vertices, if as many entries were `found` as its header `promised`.
pub(super) fn counted_arcs<T: Element>(
    lines: &mut LineReader<impl BufRead>,
    n: usize,
    arcs: ArcsBuilder<T>,
    found: usize,
    promised: usize,
) -> ReadResult<T> {
    if found < promised {
        return Err(ReadProblem::TooFew { promised, found });
    }
    check_plausible_size(n, found)?;
    lines.place = None;
    let (arcs, dropped) = arcs.build()?;
    Ok((StoredGraph::Arcs(arcs), Names::FromOne, dropped))
}

/// Refuses a header with many more vertices than the entries of the file can be about: the graph has room for every vertex, so a file of
/// two lines could ask for all of the memory.
fn check_plausible_size(n: usize, entries: usize) -> Result<(), ReadProblem> {
    /// Vertices without an edge that any file may have: 16 bytes each are no burden.
    const ALONE: usize = 1 << 24;
    let most = entries.saturating_mul(2).saturating_add(ALONE);
    if n <= most { Ok(()) } else { Err(ReadProblem::Deserted { n, entries }) }
}

/// A vertex number of the file, which counts from 1, as an index that counts from 0.
pub(super) fn vertex(token: &[u8], n: usize) -> Result<usize, ReadProblem> {
    let vertex = whole_number(token, "a vertex number")?;
    if (1..=n).contains(&vertex) { Ok(vertex - 1) } else { Err(ReadProblem::OutOfRange { vertex, n }) }
}

/// A weight of any element type. A number in floating point is rounded to the nearest unless it is written as an integer, which must be
/// exact; an integer type takes what is an integer within its range. A written infinity is [`Element::ABSENT`], no edge.
///
/// # Errors
/// When it is no number, or none of the type.
pub fn parse_weight<T: Element>(token: &[u8]) -> Result<T, ReadProblem> {
    let element = T::TYPE;
    let text = str::from_utf8(token).map_err(|_| unexpected("a weight", token))?;
    // Read as `f64` and then rounded, it would be rounded twice.
    let number = match element {
        ElementType::F32 => text.parse::<f32>().map(f64::from),
        ElementType::F64 | ElementType::I32 | ElementType::U16 => text.parse::<f64>(),
    };
    let number = number.map_err(|_| unexpected("a weight", token))?;
    // A number too large for the type parses as infinity too, but it does not mean that there is no edge.
    let overflow = number.is_infinite() && token.iter().any(u8::is_ascii_digit);
    let mut digits = token.iter().take_while(|byte| !byte.eq_ignore_ascii_case(&b'e'));
    let underflow = number == 0.0 && digits.any(|byte| (b'1'..=b'9').contains(byte));
    if number.is_nan() || number == f64::NEG_INFINITY || overflow || underflow {
        return Err(ReadProblem::NotAWeight { found: shown(token), element });
    }
    if number == f64::INFINITY {
        return Ok(T::ABSENT);
    }
    if element.is_integer()
        && (number.fract() != 0.0 || number.abs() > element.most() || (number < 0.0 && !element.is_signed()))
    {
        return Err(ReadProblem::NotOfType { found: shown(token), element, most: element.most() });
    }
    let weight = T::from_f64(number);
    if is_inexact_integer(token, number) {
        return Err(ReadProblem::InexactInteger {
            found: shown(token),
            nearest: shown(weight.to_string().as_bytes()),
            element,
        });
    }
    Ok(weight)
}

/// Whether `token` is an integer that `weight`, its rounding, is not. Other numbers are meant to be rounded.
fn is_inexact_integer(token: &[u8], weight: f64) -> bool {
    let digits = token.strip_prefix(b"-").or(token.strip_prefix(b"+")).unwrap_or(token);
    let digits = &digits[digits.iter().take_while(|digit| **digit == b'0').count()..];
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return false;
    }
    match str::from_utf8(digits).ok().and_then(|digits| digits.parse::<u128>().ok()) {
        Some(integer) => weight.abs() as u128 != integer,
        // An integer of more than 128 bits: printed without a fraction, a number has all of its digits.
        None => format!("{:.0}", weight.abs()).as_bytes() != digits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(token: &[u8]) -> Result<f32, ReadProblem> {
        parse_weight(token)
    }

    #[test]
    fn weights_are_numbers_or_the_word_infinity() {
        for (text, value) in
            [("7", 7.0), ("-2.5e1", -25.0), ("inf", f32::INFINITY), ("+Infinity", f32::INFINITY)]
        {
            assert_eq!(weight(text.as_bytes()).unwrap(), value);
        }
        for text in ["nan", "-inf", "1e39", "-1e39"] {
            assert!(matches!(weight(text.as_bytes()), Err(ReadProblem::NotAWeight { .. })), "{text}");
        }
        for text in ["", "1,5", "0x10", "\u{ff17}"] {
            assert!(matches!(weight(text.as_bytes()), Err(ReadProblem::Unexpected { .. })), "{text}");
        }
        assert!(weight(b"\xff\xfe").is_err());
    }

    #[test]
    fn an_integer_that_f32_lacks_is_refused_and_a_fraction_is_rounded() {
        for exact in ["16777216", "-16777218", "+0016777216", "340282346638528859811704183484516925440"] {
            assert!(weight(exact.as_bytes()).is_ok(), "{exact}");
        }
        for inexact in ["16777217", "-16777217", "+016777219", "340282346638528859811704183484516925439"] {
            assert!(
                matches!(weight(inexact.as_bytes()), Err(ReadProblem::InexactInteger { .. })),
                "{inexact}"
            );
        }
        assert_eq!(
            weight(b"16777217").unwrap_err().to_string(),
            "`16777217` is an integer that f32 cannot hold, the nearest is `16777216`: scale the weights down, or write \
             it with a decimal point to have it rounded"
        );
        assert_eq!(weight(b"16777217.0").unwrap(), 16_777_216.0);
        assert_eq!(weight(b"0.1").unwrap(), 0.1);
    }

    #[test]
    fn each_type_takes_the_numbers_that_it_holds() {
        assert_eq!(parse_weight::<f64>(b"9007199254740992").unwrap(), 9_007_199_254_740_992.0);
        assert_eq!(parse_weight::<f64>(b"0.1").unwrap(), 0.1);
        assert_eq!(parse_weight::<i32>(b"-268435455").unwrap(), -268_435_455);
        assert_eq!(parse_weight::<i32>(b"2e1").unwrap(), 20);
        assert_eq!(parse_weight::<i32>(b"inf").unwrap(), i32::ABSENT);
        assert_eq!(parse_weight::<u16>(b"32766").unwrap(), 32_766);
        for (message, expected) in [
            (parse_weight::<i32>(b"2.5").unwrap_err().to_string(), "`2.5` is no weight in i32"),
            (parse_weight::<i32>(b"268435456").unwrap_err().to_string(), "`268435456` is no weight in"),
            (parse_weight::<u16>(b"-1").unwrap_err().to_string(), "`-1` is no weight in u16"),
            (parse_weight::<u16>(b"32767").unwrap_err().to_string(), "`32767` is no weight in"),
            (
                parse_weight::<f64>(b"9007199254740993").unwrap_err().to_string(),
                "`9007199254740993` is an integer that f64",
            ),
            (parse_weight::<f64>(&[b'9'; 60]).unwrap_err().to_string(), "`9999999999"),
            (parse_weight::<i32>(b"nan").unwrap_err().to_string(), "`nan` is no weight"),
        ] {
            assert!(message.starts_with(expected), "{message}");
        }
    }
}
