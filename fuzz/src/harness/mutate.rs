//! Changes to bytes, tokens and lines, all drawn from one seeded generator.

use rand_chacha::{ChaCha8Rng, rand_core::Rng};
use std::ops::Range;

/// No input grows beyond this.
const LONGEST: usize = 64 << 10;

/// What readers of numbers and of structured text stumble over.
const TOKENS: &[&str] = &[
    "",
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "65535",
    "65536",
    "16777217",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "1e39",
    "1e300",
    "-1e300",
    "1e-300",
    "1e999",
    "nan",
    "inf",
    "-inf",
    "Infinity",
    "null",
    "true",
    "\"",
    "\"\"",
    "'",
    "{",
    "}",
    "[",
    "]",
    "{}",
    "[]",
    "[[",
    "=",
    ",",
    ";",
    ":",
    "\n",
    "\r\n",
    "\r",
    "\0",
    "\u{feff}",
    "\u{7f}",
    "é",
    "%",
    "#",
    "../..",
    "a",
    "c",
    "p",
    "p sp 3 1",
    "array",
    "coordinate",
    "pattern",
    "skew-symmetric",
    "1979-05-27T07:32:00Z",
];

/// `input` with a few changes; some of them take parts of `other`.
pub fn mutated(rng: &mut ChaCha8Rng, input: &[u8], other: &[u8]) -> Vec<u8> {
    let mut text = input.to_vec();
    for _ in 0..=below(rng, 4) {
        change(rng, &mut text, other);
        text.truncate(LONGEST);
    }
    text
}

/// A number below `end`, or 0 where there is none.
pub fn below(rng: &mut ChaCha8Rng, end: usize) -> usize {
    if end == 0 { 0 } else { (rng.next_u64() % end as u64) as usize }
}

fn change(rng: &mut ChaCha8Rng, text: &mut Vec<u8>, other: &[u8]) {
    match below(rng, 14) {
        0 => {
            let at = below(rng, text.len());
            if let Some(byte) = text.get_mut(at) {
                *byte ^= 1 << below(rng, 8);
            }
        }
        1 => {
            let (at, byte) = (below(rng, text.len() + 1), below(rng, 256) as u8);
            text.insert(at, byte);
        }
        2 => drop(text.drain(some_bytes(rng, text))),
        3 => {
            let part = some_bytes(rng, text);
            text.extend_from_within(part);
        }
        4 => text.truncate(below(rng, text.len() + 1)),
        5..=7 => {
            let (token, to) = (a_token(rng, text), TOKENS[below(rng, TOKENS.len())]);
            drop(text.splice(token, to.bytes()));
        }
        8 => {
            let from = a_token(rng, other);
            let token = a_token(rng, text);
            drop(text.splice(token, other[from].iter().copied()));
        }
        9 => {
            let (token, digit) = (a_token(rng, text), b'0' + below(rng, 10) as u8);
            text.insert(token.end, digit);
        }
        10 => {
            let line = a_line(rng, text);
            let copy = text[line.clone()].to_vec();
            let times = [1, 1, 1, 100][below(rng, 4)];
            drop(text.splice(line.end..line.end, copy.repeat(times)));
        }
        11 => drop(text.drain(a_line(rng, text))),
        12 => {
            let from = a_line(rng, other);
            let to = a_line(rng, text).start;
            drop(text.splice(to..to, other[from].iter().copied()));
        }
        _ => {
            let line = a_line(rng, text);
            let moved: Vec<u8> = text.drain(line).collect();
            let to = a_line(rng, text).start;
            drop(text.splice(to..to, moved));
        }
    }
}

fn some_bytes(rng: &mut ChaCha8Rng, text: &[u8]) -> Range<usize> {
    let start = below(rng, text.len() + 1);
    start..text.len().min(start + 1 + below(rng, 32))
}

/// A run of bytes that belong together, at a place that is drawn; empty between two separators.
fn a_token(rng: &mut ChaCha8Rng, text: &[u8]) -> Range<usize> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b".-+_".contains(byte) || *byte >= 0x80;
    around(below(rng, text.len() + 1), text, is_part)
}

/// A line with its end, at a place that is drawn.
fn a_line(rng: &mut ChaCha8Rng, text: &[u8]) -> Range<usize> {
    let line = around(below(rng, text.len() + 1), text, |&byte| byte != b'\n');
    line.start..text.len().min(line.end + 1)
}

fn around(at: usize, text: &[u8], is_part: impl Fn(&u8) -> bool) -> Range<usize> {
    let start = text[..at].iter().rposition(|byte| !is_part(byte)).map_or(0, |before| before + 1);
    let end = text[at..].iter().position(|byte| !is_part(byte)).map_or(text.len(), |length| at + length);
    start..end
}
