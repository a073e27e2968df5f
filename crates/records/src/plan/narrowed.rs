//! An experiment made smaller, and what is asked of one.

use crate::plan::column::{Column, ColumnSize};
use crate::plan::{Experiment, NamedGraph, Variant, solved_on};
use repro_base::CellId;
use repro_base::lists::distinct;
use repro_graph::ElementType;
use repro_timing::SolvedOn;
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
            column.divided(&self.graphs, column.places(&self.graphs).filter(is_asked))
        };
        Self { columns: self.columns.iter().flat_map(narrowed).collect(), ..self.clone() }
    }

    /// This experiment with nothing to count on the emulated device.
    #[must_use]
    pub fn without_counts(mut self) -> Self {
        self.counted_beside_gpu = false;
        self.columns.iter_mut().for_each(|column| column.count_sizes.clear());
        self
    }

    /// Timed seconds of all solves of a cell of which one takes `seconds`.
    pub fn cost(&self, cell: &CellId, seconds: f64) -> f64 {
        let on = solved_on(cell);
        let sampled = self.sampling.expected_cost(seconds, on) * f64::from(self.clocks.solves());
        let repeats = self.repeats.filter(|_| on == SolvedOn::Device);
        sampled + repeats.map_or(0.0, |rule| (rule.solves as f64 * seconds).max(rule.seconds))
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

    /// Whether the graph that cells call so is declared undirected.
    pub fn is_undirected(&self, graph: &str) -> bool {
        self.graph(graph).is_some_and(|graph| graph.source.weights().symmetric)
    }

    /// The element types of its graphs, each once.
    pub fn elements(&self) -> Vec<ElementType> {
        self.graphs.iter().map(|graph| graph.element).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{DeviceKind, Mode, Overrides, groups, load_experiment, resolve};
    use repro_device::Selection;

    #[test]
    fn on_a_gpu_small_sizes_are_counted_after_all_that_is_timed_unless_nothing_is_to_be_counted() {
        for (name, largest) in [("table1", 128), ("occupancy", 128), ("ablation", 128), ("kappa-sweep", 256)]
        {
            let file = load_experiment(name).unwrap();
            let whole = resolve(&file, &Overrides::default(), Selection::Cuda(None)).unwrap();
            let planned = |experiment: &Experiment, device| -> Vec<(bool, usize)> {
                let cells = groups(experiment, device).into_iter().flat_map(|group| group.cells);
                cells.map(|cell| (cell.mode == Mode::Counted, cell.id.n)).collect()
            };
            let all = planned(&whole, DeviceKind::Gpu);
            let timed = all.iter().take_while(|(counted, _)| !counted).count();
            let (timed, counted) = all.split_at(timed);
            assert!(!timed.is_empty() && counted.iter().all(|(counted, _)| *counted), "{name}: {all:?}");
            assert_eq!(counted.iter().map(|(_, n)| *n).max(), Some(largest), "{name}");
            // Three million tasks a second and core, on two cores: about ten seconds.
            let tasks: usize = counted.iter().map(|(_, n)| n.pow(3)).sum();
            assert!(tasks < 90_000_000, "{name}: {tasks} tasks are too many to count beside a GPU");
            assert_eq!(planned(&whole.clone().without_counts(), DeviceKind::Gpu), timed, "{name}");
            let on_cpu = resolve(&file, &Overrides::default(), Selection::Cpu).unwrap();
            assert!(planned(&on_cpu, DeviceKind::None).iter().all(|(counted, _)| !counted), "{name}");
        }
    }
}
