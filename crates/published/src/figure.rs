//! Figures of papers, of which a text keeps no numbers; where a paper contradicts itself; and where we depart from it.

use super::{PublishedTable, check_text};
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
    /// Whether the text has the values that it plots.
    pub values_in_text: bool,
    /// The table of this paper that has them.
    pub table: Option<String>,
    /// What follows for a comparison.
    pub note: String,
}

/// Something that the paper's own text shows to be wrong or to contradict another part of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inconsistency {
    /// Unique within the paper, its claims included.
    pub id: String,
    /// In our words.
    pub statement: String,
    pub place: String,
}

/// Where what is run here departs from the paper, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// In our words.
    pub statement: String,
    /// Of the paper.
    pub place: String,
}

impl PublishedFigure {
    /// What the types cannot express.
    pub(super) fn check(&self, tables: &[PublishedTable]) -> Result<(), String> {
        let what = format!("figure '{}'", self.place);
        check_text(&what, &self.shows, &self.place)?;
        check_text(&what, &self.note, &self.place)?;
        match &self.table {
            Some(_) if !self.values_in_text => {
                Err(format!("{what} has no values in the text: leave out table"))
            }
            None if self.values_in_text => {
                Err(format!("{what} has values in the text: name the table that holds them"))
            }
            Some(table) if tables.iter().all(|one| one.id != *table) => {
                Err(format!("{what} names table '{table}', which this file has not: correct the name"))
            }
            _ => Ok(()),
        }
    }
}

impl Deviation {
    /// What the types cannot express.
    pub(super) fn check(&self) -> Result<(), String> {
        check_text("a deviation", &self.statement, &self.place)
    }
}

impl Inconsistency {
    /// What the types cannot express.
    pub(super) fn check(&self) -> Result<(), String> {
        check_text(&format!("inconsistency '{}'", self.id), &self.statement, &self.place)
    }
}
