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

#[cfg(test)]
mod tests {
    use super::super::tests::{accepted, refused};

    const WITHOUT: &str = "[[figures]]\nplace = \"F\"\nshows = \"S\"\nnote = \"N\"\nvalues_in_text = false\n";
    const TABLE: &str = "[[tables]]\nid = \"t\"\nplace = \"P\"\nunit = \"s\"\nscope = \"kernel\"\nrun = \"r\"\ncolumns = {}\n";

    #[test]
    fn a_figure_without_values_in_the_text_holds_none() {
        assert_eq!(accepted(WITHOUT).figures.len(), 1);
        for (line, reason) in [
            ("values = [1.0]", "unknown field `values`"),
            ("value = 1.0", "unknown field `value`"),
            ("table = \"t\"", "figure 'F' has no values in the text: leave out table"),
        ] {
            let message = refused(&format!("{WITHOUT}{line}\n{TABLE}"));
            assert!(message.contains(reason), "{message}");
        }
    }

    #[test]
    fn a_figure_with_values_names_a_table_of_the_file() {
        let with = WITHOUT.replace("false", "true");
        accepted(&format!("{with}table = \"t\"\n{TABLE}"));
        assert!(refused(&with).contains("name the table that holds them"));
        assert!(
            refused(&format!("{with}table = \"t\"\n")).contains("names table 't', which this file has not")
        );
    }

    #[test]
    fn a_deviation_says_what_and_from_where() {
        accepted("[[deviations]]\nstatement = \"S\"\nplace = \"P\"\n");
        assert!(
            refused("[[deviations]]\nstatement = \"\"\nplace = \"P\"\n").contains("a deviation says nothing")
        );
    }

    #[test]
    fn an_inconsistency_says_what_and_where() {
        let slip = "[[inconsistencies]]\nid = \"a\"\nstatement = \"S\"\nplace = \"\"\n";
        assert!(refused(slip).contains("inconsistency 'a' has no place"));
    }
}
