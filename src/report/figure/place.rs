//! What a quantity is of: a cell of a run or one of its kernels, and the dimensions that tell it apart.

use super::quantity::{Records, shown};
use crate::device::gpus::MultiprocessorLimits;
use crate::graph::ElementType;
use crate::lists::distinct;
use crate::plan::{Dimension, DimensionValue, FigureSpec, NamedGraph, Quantity};
use crate::published::{PublishedPaper, PublishedTable};
use crate::results::{StoredRun, SummaryRow, gpu_of};
use crate::store::{CountRow, KernelRecord, KernelTimeRow};
use crate::timing::Scope;
use repro_base::{CellId, Parameters};

/// A run with what its paper says of it.
pub(super) struct RunView<'a> {
    pub run: &'a StoredRun,
    pub table: Option<&'a PublishedTable>,
    /// The limits of the GPU that the paper used.
    pub gpu: Option<MultiprocessorLimits>,
    graphs: &'a [NamedGraph],
}

/// A cell of a run, or one of its kernels, by a clock.
#[derive(Clone)]
pub(super) struct Place<'a> {
    pub view: &'a RunView<'a>,
    /// The plot or table that shows it.
    pub spec: &'a FigureSpec,
    /// Of a kernel that is known only from the compiler, n is 0.
    pub cell: CellId,
    /// Its parameters, with the usual values of those that it leaves out.
    pub set: Parameters,
    pub clock: Scope,
    pub kernel: Option<&'a str>,
}

impl<'a> RunView<'a> {
    /// A run; graphs of it that are in `graphs`, too, have their names from there.
    pub(super) fn new(run: &'a StoredRun, papers: &'a [PublishedPaper], graphs: &'a [NamedGraph]) -> Self {
        let experiment = &run.manifest.experiment;
        let paper = experiment.paper.as_ref().and_then(|id| papers.iter().find(|paper| paper.id == *id));
        let table = experiment.table.as_ref().and_then(|id| paper?.table(id));
        Self { run, table, gpu: paper.and_then(gpu_of), graphs }
    }

    /// Every place that a figure shows a quantity of.
    pub(super) fn places(&'a self, spec: &'a FigureSpec, quantity: Quantity) -> Vec<Place<'a>> {
        let run = self.run;
        let has = |dimension: &Dimension| {
            spec.x.contains(dimension) || spec.series.contains(dimension) || spec.only.contains_key(dimension)
        };
        let by_kernel = has(&Dimension::Kernel);
        let mut places: Vec<Place> = match shown(quantity).records {
            Records::Cells => self.cells(spec, has(&Dimension::Clock)),
            Records::KernelTimes => {
                let rows = run.results.extra.kernel_times.iter();
                let of = |row: &'a KernelTimeRow| {
                    self.place(spec, row.cell.clone(), by_kernel.then_some(&*row.kernel))
                };
                rows.map(of).collect()
            }
            Records::Counts => {
                let rows = run.results.extra.counts.iter();
                let is_main = |row: &CountRow| {
                    self.main_kernel(&row.cell).is_some_and(|main| main.resources.kernel == row.kernel)
                };
                let is_shown = |row: &&CountRow| by_kernel || is_main(row);
                rows.filter(is_shown)
                    .map(|row| self.place(spec, row.cell.clone(), Some(&row.kernel)))
                    .collect()
            }
            Records::Kernels => {
                let all = run.environment().map_or(&[][..], |known| &known.implementations);
                let of = |record: &'a crate::store::ImplementationRecord| {
                    let cell = CellId::new(&record.implementation, 0, &record.params, "");
                    let shown = if by_kernel { 0 } else { record.kernels.len().saturating_sub(1) };
                    let kernels = record.kernels[shown..].iter();
                    kernels.map(move |kernel| self.place(spec, cell.clone(), Some(&kernel.resources.kernel)))
                };
                all.iter().flat_map(of).collect()
            }
        };
        let first = run.manifest.experiment.elements().into_iter().next().unwrap_or_default();
        let names_it = has(&Dimension::Element) || spec.only.contains_key(&Dimension::Graph);
        let is_usual = |place: &Place| names_it || place.element() == first;
        let is_named = |place: &Place| {
            let mut named = spec.only.iter();
            named
                .all(|(dimension, values)| place.at(dimension).is_some_and(|value| values.0.contains(&value)))
        };
        places.retain(|place| (place.cell.n == 0 || is_usual(place)) && is_named(place));
        places
    }

    /// The cells that were timed, by each of the clocks of a figure, or by the first of them that read it.
    fn cells(&'a self, spec: &'a FigureSpec, by_clock: bool) -> Vec<Place<'a>> {
        let usual = [Scope::Kernel];
        let clocks = if spec.clock.is_empty() { &usual[..] } else { &spec.clock };
        // Wrong results are counted even in cells that were not timed.
        let rows = self.run.results.summary.iter();
        let timed = rows.filter(|row| row.is_timed() || spec.y == [Quantity::WrongResults]);
        let mut places = Vec::new();
        for cell in timed.map(SummaryRow::cell) {
            let whole = self.place(spec, cell, None);
            let mut read = clocks.iter().map(|clock| Place { clock: *clock, ..whole.clone() });
            match by_clock {
                true => places.extend(read),
                false => places.extend(read.find(|place| place.seconds().is_some())),
            }
        }
        places
    }

    pub(super) fn place(&'a self, spec: &'a FigureSpec, cell: CellId, kernel: Option<&'a str>) -> Place<'a> {
        let usual = self.run.results.facts.any(&cell.implementation).map(|facts| facts.defaults.clone());
        let set =
            explicit(&cell).iter().fold(usual.unwrap_or_default(), |set, (name, at)| set.with(name, at));
        Place { view: self, spec, cell, set, clock: Scope::Kernel, kernel }
    }

    /// The kernel that a solve launches last in a round, which does nearly all tasks.
    fn main_kernel(&self, cell: &CellId) -> Option<&'a KernelRecord> {
        self.run.results.facts.variant(cell)?.kernels.last()
    }
}

/// The parameters that a cell names.
pub(super) fn explicit(cell: &CellId) -> Parameters {
    cell.params.parse().unwrap_or_default()
}

impl Place<'_> {
    pub(super) fn element(&self) -> ElementType {
        self.view.run.manifest.experiment.element_of(&self.cell.graph)
    }

    /// Where it stands along a dimension. None where that does not apply to it.
    pub(super) fn at(&self, dimension: &Dimension) -> Option<DimensionValue> {
        let (number, text) = (DimensionValue::Number, DimensionValue::Text);
        Some(match dimension {
            Dimension::N => number(Some(self.cell.n as u64).filter(|n| *n > 0)?),
            Dimension::Implementation => text(self.cell.implementation.clone()),
            Dimension::Variant => text(self.variant()),
            Dimension::Graph => text(self.graph().to_string()),
            Dimension::Element => text(self.element().to_string()),
            Dimension::EdgesPerVertex => {
                number(self.view.run.graph_source(&self.cell.graph)?.edges_per_vertex()?.into())
            }
            Dimension::Clock => text(self.clock.to_string()),
            Dimension::Kernel => text(self.kernel?.to_string()),
            Dimension::ResidentBlocks => {
                number(self.view.main_kernel(&self.cell)?.resources.resident_blocks.into())
            }
            Dimension::Parameter(name) => number(self.parameter(name)?.into()),
        })
    }

    /// The graph's name in the experiment that shows it, else in the run's own.
    fn graph(&self) -> &str {
        let own = self.view.run.manifest.experiment.graph(&self.cell.graph);
        let is_it = |known: &&NamedGraph| {
            own.is_some_and(|own| (&known.source, known.element) == (&own.source, own.element))
        };
        self.view.graphs.iter().find(is_it).map_or(&self.cell.graph, |known| &known.name)
    }

    fn parameter(&self, name: &str) -> Option<u32> {
        self.set.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// The implementation, with the parameters that tell its columns in the experiment apart and stand neither on the axis nor in the
    /// series.
    fn variant(&self) -> String {
        let Self { spec, cell, .. } = self;
        let columns = &self.view.run.manifest.experiment.columns;
        let own = || columns.iter().filter(|column| column.implementation == cell.implementation);
        let is_told = |(name, value): &(&str, u32)| {
            let dimension = Dimension::Parameter(name.to_string());
            let is_elsewhere = spec.x.contains(&dimension) || spec.series.contains(&dimension);
            let others = own().map(|column| column.parameters.iter().find(|(known, _)| known == name));
            !is_elsewhere && distinct(others.chain([Some((*name, *value))])).len() > 1
        };
        let explicit = explicit(cell);
        let told: Vec<String> =
            explicit.iter().filter(is_told).map(|(name, value)| format!("{name}={value}")).collect();
        let parameters = if told.is_empty() { String::new() } else { format!(" ({})", told.join(", ")) };
        format!("{}{parameters}", cell.implementation)
    }
}
