//! What the record of a run says of a search for parameters, and the best ones that a run found, for cells that leave them to their defaults.

use crate::column::{Column, ColumnSize, SizeList};
use crate::config::NamedGraph;
use repro_graph::ElementType;
use repro_solvers::{Parameters, non_default};
use repro_types::lists::distinct;
use serde::{Deserialize, Serialize};

/// A search whose points are the columns of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Searched {
    /// Decides the order of random points.
    pub seed: u64,
    /// So many points at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<usize>,
    /// No point is begun after so many seconds of measuring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// How many points are random before the first step, the defaults among them.
    pub random: usize,
    /// Seconds of measuring so far, of all starts of the program together.
    pub spent_s: f64,
    /// Whether it has come to its end. Until then it can be continued.
    pub ended: bool,
    /// The best point so far, of those that were right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<BestPoint>,
}

/// A point with the least cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BestPoint {
    /// Those that are not at their defaults.
    pub parameters: Parameters,
    pub cost: f64,
    pub by: CostKind,
}

/// What a search makes small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CostKind {
    /// The median of the samples of scope `kernel`, or of a program's, seconds.
    Seconds,
    /// Bytes of global memory a task, in whole sectors of 32 bytes, as the emulated device counts them. No time follows from them.
    SectorBytesATask,
}

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
        let tuned: Vec<_> = columns.iter().map(|column| self.tuned(column, graphs)).collect();
        if tuned.iter().any(Option::is_some) {
            let with_own = columns.into_iter().zip(tuned);
            return Ok(with_own.flat_map(|(own, tuned)| tuned.unwrap_or_else(|| vec![own])).collect());
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
        let given = non_default(&column.implementation, &column.parameters);
        let nearest =
            |place: &ColumnSize| self.nearest(&column.implementation, &given, place.graph.element, place.n);
        // What is counted hardly depends on the graph, and is counted on the first.
        let is_used = |place: &ColumnSize| place.is_first_graph || place.list != SizeList::Count;
        let places = || column.places(graphs).filter(is_used);
        let with_chosen = |place: &ColumnSize| {
            let (own, chosen) = (column.parameters.clone(), nearest(place).unwrap_or_default());
            chosen.iter().fold(own, |all, (name, value)| all.with(name, value))
        };
        let is_any_known = places().any(|place| nearest(&place).is_some());
        is_any_known.then(|| column.divided(graphs, places(), with_chosen))
    }
}
