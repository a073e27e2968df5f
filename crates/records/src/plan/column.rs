//! One implementation with its parameters, and the sizes and graphs that it runs on.

use crate::plan::{NamedGraph, Variant};
use repro_base::lists::grouped;
use repro_solvers::Parameters;
use serde::{Deserialize, Serialize};

/// One implementation and the sizes it runs at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Column {
    pub implementation: String,
    pub parameters: Parameters,
    /// Names of the graphs that it runs on; all when empty.
    pub graphs: Vec<String>,
    pub sizes: Vec<usize>,
    /// Sizes that only `--full` asks for; left out where a sample would take too long.
    pub optional: Vec<usize>,
    /// Sizes that are counted where the emulated device stands in for a GPU; none on the CPU.
    pub count_sizes: Vec<usize>,
}

/// Which of a column's lists a size is in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SizeList {
    Given,
    Optional,
    Count,
}

/// A size of a column on one graph.
pub(super) struct ColumnSize<'a> {
    pub graph: &'a NamedGraph,
    /// Of the experiment's graphs.
    pub graph_index: usize,
    /// Whether the graph is the first that the column runs on.
    pub is_first_graph: bool,
    pub list: SizeList,
    pub n: usize,
}

impl Column {
    /// What is run.
    pub fn variant(&self) -> Variant {
        Variant::new(&self.implementation, &self.parameters)
    }

    /// Whether it runs on the graph of this name.
    pub fn runs_on(&self, graph: &str) -> bool {
        self.graphs.is_empty() || self.graphs.iter().any(|known| known == graph)
    }

    /// Its sizes on each of those of an experiment's `graphs` that it runs on.
    pub(super) fn places<'a>(&'a self, graphs: &'a [NamedGraph]) -> impl Iterator<Item = ColumnSize<'a>> {
        use SizeList::{Count, Given, Optional};
        let lists = [(Given, &self.sizes), (Optional, &self.optional), (Count, &self.count_sizes)];
        let own = graphs.iter().enumerate().filter(|(_, graph)| self.runs_on(&graph.name));
        own.enumerate().flat_map(move |(nth, (graph_index, graph))| {
            let sizes = lists.into_iter().flat_map(|(list, sizes)| sizes.iter().map(move |&n| (list, n)));
            let is_first_graph = nth == 0;
            sizes.map(move |(list, n)| ColumnSize { graph, graph_index, is_first_graph, list, n })
        })
    }

    /// What is left of it where it has these places alone: one column for all graphs with the same sizes. A column that runs on all graphs
    /// that this one runs on names them as this one does.
    pub(super) fn divided<'a>(
        &self,
        graphs: &[NamedGraph],
        places: impl Iterator<Item = ColumnSize<'a>>,
    ) -> Vec<Self> {
        let parts = places.map(|place| (&place.graph.name, (place.list, place.n)));
        let parts = grouped(parts).into_iter().map(|(graph, all)| {
            let of = |wanted| all.iter().filter(|(list, _)| *list == wanted).map(|(_, n)| *n).collect();
            let sizes: [Vec<usize>; 2] = [of(SizeList::Given), of(SizeList::Optional)];
            (sizes, (graph, of(SizeList::Count)))
        });
        let own_graphs = graphs.iter().filter(|graph| self.runs_on(&graph.name)).count();
        let joined = grouped(parts).into_iter().map(|([sizes, optional], on)| {
            let count_sizes = on.first().map(|(_, sizes)| sizes.clone()).unwrap_or_default();
            let graphs = match on.len() == own_graphs {
                true => self.graphs.clone(),
                false => on.into_iter().map(|(graph, _)| graph.clone()).collect(),
            };
            Self { graphs, sizes, optional, count_sizes, ..self.clone() }
        });
        joined.collect()
    }
}
