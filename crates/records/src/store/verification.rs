//! How a sample's result was verified, and within what.

use serde::{Deserialize, Serialize};
use std::fmt;

/// How a result was compared with the reference, and where.
///
/// Written `exact` or `bounds:WIDTH`, with `-rows:N` after the word where N rows were compared and not all entries:
/// `bounds-rows:32:6.1e-5`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Verification {
    pub how: Compared,
    /// How many rows were compared; none where every entry was.
    pub rows: Option<usize>,
}

/// How entries were compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Compared {
    /// Bit for bit.
    Exact,
    /// Each entry within bounds of its own, of which the widest are this far apart, in the unit of the weights.
    Bounds { widest: f64 },
}

impl Verification {
    pub const EXACT: Self = Self { how: Compared::Exact, rows: None };
}

impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self.how {
            Compared::Exact => "exact",
            Compared::Bounds { .. } => "bounds",
        })?;
        if let Some(rows) = self.rows {
            write!(f, "-rows:{rows}")?;
        }
        match self.how {
            Compared::Bounds { widest } => write!(f, ":{widest:e}"),
            _ => Ok(()),
        }
    }
}

/// A text that names no way of verification.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error(
    "'{0}' is no verification: expected exact or bounds:WIDTH, each with -rows:N where rows were compared"
)]
pub struct UnknownVerification(String);

impl TryFrom<String> for Verification {
    type Error = UnknownVerification;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let unknown = || UnknownVerification(text.chars().take(40).collect());
        let mut parts = text.split(':');
        let word = parts.next().unwrap_or_default();
        let (word, rows) = match word.strip_suffix("-rows") {
            Some(word) => {
                let rows = parts.next().and_then(|part| part.parse().ok()).filter(|rows| *rows > 0);
                (word, Some(rows.ok_or_else(unknown)?))
            }
            None => (word, None),
        };
        let how = match word {
            "exact" => Compared::Exact,
            "bounds" => {
                let widest = parts.next().and_then(|part| part.parse().ok());
                let widest = widest.filter(|widest: &f64| widest.is_finite() && *widest >= 0.0);
                Compared::Bounds { widest: widest.ok_or_else(unknown)? }
            }
            _ => return Err(unknown()),
        };
        if parts.next().is_some() { Err(unknown()) } else { Ok(Self { how, rows }) }
    }
}

impl From<Verification> for String {
    fn from(verification: Verification) -> Self {
        verification.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_is_read_back_as_it_is_written() {
        for how in [Compared::Exact, Compared::Bounds { widest: 6.1e-5 }] {
            for rows in [None, Some(32)] {
                let way = Verification { how, rows };
                assert_eq!(Verification::try_from(way.to_string()), Ok(way));
            }
        }
        assert_eq!(Verification::try_from("bounds-rows:32:6.1e-5".to_string()).unwrap().rows, Some(32));
    }

    #[test]
    fn other_texts_are_refused_with_what_was_expected() {
        for text in [
            "",
            "yes",
            "tolerance",
            "exact:",
            "exact-rows",
            "exact-rows:0",
            "rows:3",
            "bounds",
            "bounds:x",
            "bounds:-1",
            "bounds:1:2",
        ] {
            let error = Verification::try_from(text.to_string()).unwrap_err().to_string();
            assert!(error.contains("expected exact"), "{text}: {error}");
        }
    }
}
