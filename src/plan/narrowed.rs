//! An experiment made smaller: some of its cells alone, or another number of samples.

use crate::graph::ElementType;
use crate::implementation::Named;
use crate::plan::Variant;
use crate::plan::resolve::{Column, Experiment};
use repro_types::CellId;
use std::collections::BTreeSet;

impl Experiment {
    /// The same experiment with these of its cells alone, so that they can be run again; the names of graphs and with
    /// them the cells stay as they are. What is named and is no cell of it adds nothing.
    pub fn narrowed_to(&self, cells: &[CellId]) -> Self {
        let columns = self.columns.iter().flat_map(|column| self.narrowed(column, cells)).collect();
        Self { columns, ..self.clone() }
    }

    /// The same experiment with exactly so many samples a cell, at least one; samples of 5 s and more need not be
    /// repeated and are taken until the budget is used up.
    pub fn with_samples(&self, samples: usize) -> Self {
        let mut sampled = self.clone();
        (sampled.sampling.min_samples, sampled.sampling.max_samples) = (samples.max(1), samples.max(1));
        sampled
    }

    /// Every implementation with its parameters, once, in the order of the columns.
    pub fn variants(&self) -> Vec<Variant> {
        let mut variants: Vec<Variant> = Vec::new();
        for column in &self.columns {
            let implementation = Named::find(&column.implementation);
            let variant = Variant { implementation, parameters: column.parameters.clone() };
            if !variants.contains(&variant) {
                variants.push(variant);
            }
        }
        variants
    }

    /// The element type of the graph that cells call so.
    pub fn element_of(&self, graph: &str) -> ElementType {
        let named = self.graphs.iter().find(|known| known.name == graph);
        named.map_or(ElementType::F32, |graph| graph.element)
    }

    /// The element types of its graphs, each once.
    pub fn elements(&self) -> Vec<ElementType> {
        let elements: BTreeSet<ElementType> = self.graphs.iter().map(|graph| graph.element).collect();
        elements.into_iter().collect()
    }

    /// What is left of a column: one where its graphs keep the same sizes, several where they do not.
    fn narrowed(&self, column: &Column, cells: &[CellId]) -> Vec<Column> {
        let params = column.parameters.to_string();
        let names: Vec<&String> =
            self.graphs.iter().map(|graph| &graph.name).filter(|&name| column.runs_on(name)).collect();
        let parts = names.iter().filter_map(|&name| {
            let is_asked = |n: &usize| {
                let is_it = |cell: &CellId| {
                    (&cell.implementation, cell.n, &cell.params, &cell.graph)
                        == (&column.implementation, *n, &params, name)
                };
                cells.iter().any(is_it)
            };
            let keep = |sizes: &[usize]| sizes.iter().copied().filter(is_asked).collect::<Vec<_>>();
            let (sizes, filled) = (keep(&column.sizes), keep(&column.filled));
            let emulated = keep(&column.emulated);
            let keeps_any = !(sizes.is_empty() && filled.is_empty() && emulated.is_empty());
            keeps_any.then(|| Column {
                graphs: vec![name.clone()],
                sizes,
                filled,
                emulated,
                ..column.clone()
            })
        });
        column.joined(names.len(), parts)
    }
}
