//! What tables have for columns: the implementations of a run with their parameters, and what was measured of them.

use crate::graph::ElementType;
use crate::lists::distinct;
use crate::plan::Experiment;
use crate::results::SummaryRow;
use crate::show::tables::sweep::split;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// From so many values on, a parameter is swept: it has a table of its own, a row a value.
const SWEPT: usize = 4;

/// An implementation with its parameters as records write them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub implementation: String,
    pub params: String,
}

impl Column {
    pub fn variant(&self) -> (&str, &str) {
        (&self.implementation, &self.params)
    }

    /// Its name in a sentence: `register-blocked (omit=4)`.
    pub fn name(&self) -> String {
        if self.params.is_empty() {
            return self.implementation.clone();
        }
        format!("{} ({})", self.implementation, self.params)
    }

    /// Its name over a column of a table.
    pub fn title(&self) -> String {
        if self.params.is_empty() {
            return self.implementation.clone();
        }
        format!("{}\n{}", self.implementation, self.params)
    }
}

/// The columns of a run and its summary.
pub struct Columns<'a> {
    pub experiment: &'a Experiment,
    pub summary: &'a [SummaryRow],
    /// In the experiment's order, each once.
    pub all: Vec<Column>,
    rows: HashMap<CellKey<'a>, &'a SummaryRow>,
}

/// Implementation, parameters, n and graph of a cell.
type CellKey<'a> = (&'a str, &'a str, usize, &'a str);

impl<'a> Columns<'a> {
    pub fn new(experiment: &'a Experiment, summary: &'a [SummaryRow]) -> Self {
        let all = experiment.columns.iter().map(|column| Column {
            implementation: column.implementation.clone(),
            params: column.parameters.to_string(),
        });
        let place = |row: &'a SummaryRow| (&*row.implementation, &*row.params, row.n, &*row.graph);
        let rows = summary.iter().map(|row| (place(row), row)).collect();
        Self { experiment, summary, all: distinct(all), rows }
    }

    /// Implementations of which a parameter is swept, with that parameter.
    pub fn swept(&self) -> Vec<(String, String)> {
        let mut values: BTreeMap<(&str, String), BTreeSet<u32>> = BTreeMap::new();
        for column in &self.experiment.columns {
            for (name, value) in column.parameters.iter() {
                let key = (column.implementation.as_str(), name.to_string());
                values.entry(key).or_default().insert(value);
            }
        }
        let mut swept: Vec<(String, String)> = Vec::new();
        for ((implementation, parameter), values) in values {
            if values.len() >= SWEPT && !swept.iter().any(|(known, _)| known == implementation) {
                swept.push((implementation.to_string(), parameter));
            }
        }
        swept
    }

    /// The columns that have no value of a parameter that is swept.
    pub fn plain(&self) -> Vec<&Column> {
        let swept = self.swept();
        let is_swept = |column: &Column| {
            let of_it = swept.iter().find(|(name, _)| *name == column.implementation);
            of_it.is_some_and(|(_, parameter)| split(column, parameter).is_some())
        };
        self.all.iter().filter(|column| !is_swept(column)).collect()
    }

    /// The row of a cell.
    pub fn row(&self, column: &Column, n: usize, graph: &str) -> Option<&'a SummaryRow> {
        self.rows.get(&(&*column.implementation, &*column.params, n, graph)).copied()
    }

    /// The median of a cell on the one graph, or the mean of the medians where it was measured on all of several.
    pub fn median_over_graphs(&self, column: &Column, n: usize) -> Option<f64> {
        let graphs = self.graphs();
        let medians = graphs.iter().filter_map(|graph| self.row(column, n, graph)?.median_s);
        let medians: Vec<f64> = medians.collect();
        (!medians.is_empty()).then(|| medians.iter().sum::<f64>() / medians.len() as f64)
    }

    /// The first column of this implementation, or the one that is called so with its parameters.
    pub fn of(&self, name: &str) -> Option<&Column> {
        self.all.iter().find(|column| column.implementation == name || column.name() == name)
    }

    /// Names of the graphs, in the experiment's order.
    pub fn graphs(&self) -> Vec<&'a str> {
        self.experiment.graphs.iter().map(|graph| graph.name.as_str()).collect()
    }

    /// Names of the graphs whose distances are of this type.
    pub fn graphs_of(&self, element: ElementType) -> Vec<&'a str> {
        let of = self.experiment.graphs.iter().filter(|graph| graph.element == element);
        of.map(|graph| graph.name.as_str()).collect()
    }

    /// All sizes of which there is a row, ascending.
    pub fn sizes(&self) -> BTreeSet<usize> {
        self.summary.iter().map(|row| row.n).collect()
    }
}
