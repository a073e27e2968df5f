//! Figures and numbers of papers, and remarks on them.

use super::{Figure, PublishedTable, check_text};
use serde::{Deserialize, Serialize};

/// A figure that plots measurements.
///
/// No number is read off a picture, so there is no field for any: the values are in a table of the same paper or nowhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedFigure {
    pub place: String,
    /// What it plots against what, in our words.
    pub shows: String,
    /// The table of this paper that has the values that it plots. None where its text has none.
    pub table: Option<String>,
    /// What follows for a comparison.
    pub note: String,
}

/// A number of the paper that tests of its claims need beside its tables: they have to come out on it as claimed, too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedNumber {
    /// What it is, as tests name it.
    pub figure: Figure,
    /// The implementation.
    pub of: String,
    /// The number of vertices that it is of, where it is of one.
    pub n: Option<usize>,
    pub value: f64,
    /// Where it stands, or what it follows from.
    pub place: String,
}

/// A statement that is no claim of the paper: where its own text contradicts itself, where what is run here departs from it, or a
/// number of its hardware or cited from elsewhere.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remark {
    /// Unique within the paper, its claims included. Empty of a departure.
    #[serde(default)]
    pub id: String,
    /// In our words.
    pub statement: String,
    pub place: String,
    pub value: Option<f64>,
    /// As the paper writes it.
    pub unit: Option<String>,
}

impl PublishedFigure {
    /// What the types cannot express.
    pub(super) fn check(&self, tables: &[PublishedTable]) -> Result<(), String> {
        let what = format!("figure '{}'", self.place);
        check_text(&what, &self.shows, &self.place)?;
        check_text(&what, &self.note, &self.place)?;
        let unknown = self.table.as_ref().filter(|id| tables.iter().all(|one| one.id != **id));
        unknown.map_or(Ok(()), |id| {
            Err(format!("{what} names table '{id}', which this file has not: correct the name"))
        })
    }
}

impl Remark {
    /// What the types cannot express.
    pub(super) fn check(&self) -> Result<(), String> {
        let what =
            if self.id.is_empty() { "a deviation".to_string() } else { format!("remark '{}'", self.id) };
        check_text(&what, &self.statement, &self.place)?;
        match (self.value.map(f64::is_finite), &self.unit) {
            (Some(true), Some(_)) | (None, None) => Ok(()),
            _ => Err(format!("{what} must have a number with a unit, or neither")),
        }
    }
}
