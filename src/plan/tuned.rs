//! The best parameters that a run found, for cells that leave them to their defaults.

use crate::graph::ElementType;
use crate::implementation::{Parameters, beyond_defaults};
use crate::lists::distinct;
use crate::plan::column::{Column, Place, SizeList};
use crate::plan::config::NamedGraph;

/// What a run chooses for one implementation on one graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub element: ElementType,
    pub implementation: String,
    pub n: usize,
    /// Parameters that the run does not tune.
    pub given: Parameters,
    /// The best values of those that it does; empty where that is what the implementation takes anyway.
    pub chosen: Parameters,
}

/// A run of an experiment that tunes parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// The model of the GPU that it ran on; without one of the CPU.
    pub model: String,
    /// The parameters that it tunes.
    pub names: Vec<String>,
    pub rows: Vec<Choice>,
}

impl Tuned {
    /// What was fastest at the nearest n, by ratio; empty where the implementation's own choice was. None of what the run does not
    /// have.
    pub fn nearest(
        &self,
        implementation: &str,
        given: &Parameters,
        element: ElementType,
        n: usize,
    ) -> Option<Parameters> {
        let is_of = |row: &&Choice| {
            (row.element, row.implementation.as_str(), &row.given) == (element, implementation, given)
        };
        let distance = |row: &Choice| (row.n as f64 / n.max(1) as f64).ln().abs();
        let nearest = self.rows.iter().filter(is_of).min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        Some(nearest.chosen.clone())
    }

    /// The columns with the parameters that were fastest, one for each that some of its cells get. What the run does not have, as
    /// another type of distance, stays as it is.
    ///
    /// # Errors
    /// When that is all.
    pub fn applied(&self, columns: Vec<Column>, graphs: &[NamedGraph]) -> Result<Vec<Column>, String> {
        let mut applied = Vec::new();
        let mut is_any_tuned = false;
        for column in &columns {
            let tuned = self.tuned(column, graphs);
            is_any_tuned |= tuned.is_some();
            applied.extend(tuned.unwrap_or_else(|| vec![column.clone()]));
        }
        if is_any_tuned {
            return Ok(applied);
        }
        let names = self.names.join(" or ");
        let known = distinct(self.rows.iter().map(|row| row.implementation.clone()));
        let is_known = |column: &&Column| known.contains(&column.implementation);
        Err(match columns.iter().filter(is_known).find(|column| !self.sets(column)) {
            Some(column) => format!(
                "that run has no {} in {}: run its experiment with the same --param and --elements",
                column.variant(),
                distinct(graphs.iter().map(|graph| graph.element.to_string())).join(" or ")
            ),
            None if columns.iter().any(|column| is_known(&column)) => {
                format!("every cell of {} sets {names} itself: leave it open", known.join(" and "))
            }
            None => format!("that run is of {}, which this one does not run", known.join(" and ")),
        })
    }

    fn sets(&self, column: &Column) -> bool {
        column.parameters.iter().any(|(name, _)| self.names.iter().any(|tuned| tuned == name))
    }

    /// None of a column that sets what is tuned, or of which the run has nothing.
    fn tuned(&self, column: &Column, graphs: &[NamedGraph]) -> Option<Vec<Column>> {
        if self.sets(column) {
            return None;
        }
        let given = beyond_defaults(&column.implementation, &column.parameters);
        let nearest =
            |place: &Place| self.nearest(&column.implementation, &given, place.graph.element, place.n);
        // What is counted hardly depends on the graph, and is counted on the first.
        let is_used = |place: &Place| place.is_first_graph || place.list != SizeList::Emulated;
        let places = || column.places(graphs).filter(is_used);
        let with_chosen = |place: &Place| {
            let (own, chosen) = (column.parameters.clone(), nearest(place).unwrap_or_default());
            chosen.iter().fold(own, |all, (name, value)| all.with(name, value))
        };
        let is_any_known = places().any(|place| nearest(&place).is_some());
        is_any_known.then(|| column.divided(graphs, places(), with_chosen))
    }
}
