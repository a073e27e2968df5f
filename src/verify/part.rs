//! A share of work that several runs divide among themselves.

use std::fmt;
use std::str::FromStr;

/// One of several equal parts, written `3/10`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Counts from 1.
    number: usize,
    of: usize,
}

impl Part {
    /// Everything.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// Whether the piece of work at this place belongs to it.
    pub fn has(self, place: usize) -> bool {
        place % self.of == self.number - 1
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts =
            text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Self { number, of }),
            _ => Err("expected K/N with K from 1 to N, for example 3/10".to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_part_is_refused() {
        for text in ["", "3", "0/10", "11/10", "1/0", "-1/3", "a/b", "1/2/3"] {
            assert!(text.parse::<Part>().is_err(), "{text}");
        }
        assert_eq!("3/10".parse::<Part>().unwrap().to_string(), "3/10");
    }
}
