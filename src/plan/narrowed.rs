//! An experiment made smaller, and what is asked of one.

use crate::graph::ElementType;
use crate::lists::distinct;
use crate::plan::column::{Column, ColumnSize};
use crate::plan::{Experiment, NamedGraph, Variant};
use repro_types::CellId;
use std::collections::BTreeSet;

impl Experiment {
    /// This experiment with these of its cells alone, so that they can be run again; the names of graphs and with
    /// them the cells stay as they are. What is named and is no cell of it adds nothing.
    pub fn narrowed_to(&self, cells: &[CellId]) -> Self {
        let narrowed = |column: &Column| {
            let params = column.parameters.to_string();
            let is_asked = |place: &ColumnSize| {
                let name = &place.graph.name;
                cells.contains(&CellId::new(&column.implementation, place.n, &params, name))
            };
            let places = column.places(&self.graphs).filter(is_asked);
            column.divided(&self.graphs, places, |_| column.parameters.clone())
        };
        Self { columns: self.columns.iter().flat_map(narrowed).collect(), ..self.clone() }
    }

    /// Every implementation with its parameters, once, in the order of the columns.
    pub fn variants(&self) -> Vec<Variant> {
        distinct(self.columns.iter().map(Column::variant))
    }

    /// The graph that cells call so.
    pub fn graph(&self, name: &str) -> Option<&NamedGraph> {
        self.graphs.iter().find(|known| known.name == name)
    }

    /// The element type of the graph that cells call so.
    pub fn element_of(&self, graph: &str) -> ElementType {
        self.graph(graph).map_or(ElementType::F32, |graph| graph.element)
    }

    /// The element types of its graphs, each once.
    pub fn elements(&self) -> Vec<ElementType> {
        self.graphs.iter().map(|graph| graph.element).collect::<BTreeSet<_>>().into_iter().collect()
    }
}
