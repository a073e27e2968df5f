//! The one look-up of tables, sentences and figures: the columns of a run, what was measured of them, and what its paper published.

use super::columns::Column;
use super::place;
use super::source;
use super::subjects::sweep::split;
use super::time::{Time, facts, mean, over};
use crate::graph::ElementType;
use crate::lists::distinct;
use crate::plan::{Experiment, NamedGraph};
use crate::plot::{Point, Published, Source};
use crate::published::{PublishedPaper, PublishedTable};
use crate::results::{StoredRun, SummaryRow};
use crate::store::{KernelRecord, KernelTimeRow};
use crate::timing::{Ceilings, DeviceCeilings, Estimate, Scope};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// From so many values on, a parameter is swept: it has a table of its own, a row a value.
const SWEPT: usize = 4;

/// Implementation, parameters, n and graph of a cell.
type CellKey<'a> = (&'a str, &'a str, usize, &'a str);

/// A run with what is looked up in it.
pub struct Context<'a> {
    pub run: &'a StoredRun,
    pub experiment: &'a Experiment,
    pub summary: &'a [SummaryRow],
    /// The implementations with their parameters, in the experiment's order, each once.
    pub columns: Vec<Column>,
    rows: HashMap<CellKey<'a>, &'a SummaryRow>,
    pub paper: Option<&'a PublishedPaper>,
    /// The table that the experiment reproduces.
    pub table: Option<&'a PublishedTable>,
}

impl<'a> Context<'a> {
    pub fn new(run: &'a StoredRun, papers: &'a [PublishedPaper]) -> Self {
        let (experiment, summary) = (&run.manifest.experiment, &run.results.summary[..]);
        let paper = experiment.paper.as_ref().and_then(|id| papers.iter().find(|paper| paper.id == *id));
        let table = experiment.table.as_ref().and_then(|id| paper?.table(id));
        let columns = experiment.columns.iter().map(|column| Column {
            implementation: column.implementation.clone(),
            params: column.parameters.to_string(),
        });
        let key = |row: &'a SummaryRow| (&*row.implementation, &*row.params, row.n, &*row.graph);
        let rows = summary.iter().map(|row| (key(row), row)).collect();
        Self { run, experiment, summary, columns: distinct(columns), rows, paper, table }
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
        self.columns.iter().filter(|column| !is_swept(column)).collect()
    }

    /// The row of a cell.
    pub fn row(&self, column: &Column, n: usize, graph: &str) -> Option<&'a SummaryRow> {
        self.rows.get(&(&*column.implementation, &*column.params, n, graph)).copied()
    }

    /// The first column of this implementation, or the one that is called so with its parameters.
    pub fn of(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.implementation == name || column.name() == name)
    }

    /// Names of the graphs, in the experiment's order.
    pub fn all_graphs(&self) -> Vec<&'a str> {
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

    /// Tasks of a solve by a column, on the graphs whose distances are of this type: of their kind, undirected and so many at once, where
    /// they are of one kind.
    pub fn tasks(&self, column: &Column, n: usize, element: ElementType) -> f64 {
        let mut graphs = self.experiment.graphs.iter().filter(|graph| graph.element == element);
        let kind = |graph: &NamedGraph| (graph.source.weights().symmetric, graph.source.graphs());
        let first = graphs.next();
        let alike = first.filter(|first| graphs.all(|graph| kind(graph) == kind(first)));
        self.run.results.facts.tasks(column.variant(), n, alike)
    }

    /// Bytes that a task moves by the implementation's model.
    pub fn bytes_a_task(&self, column: &Column) -> Option<f64> {
        Some(self.run.results.facts.variant(column.variant())?.bytes_per_task)
    }

    /// The kernel that a column launches last in a round, which does nearly all tasks, as it was compiled here.
    pub fn main_kernel(&self, column: &Column) -> Option<&'a KernelRecord> {
        self.run.environment()?.implementation(column.variant())?.kernels.last()
    }

    /// What the GPU can do at best.
    pub fn device(&self) -> Option<DeviceCeilings> {
        self.ceilings()?.device
    }

    pub fn ceilings(&self) -> Option<&'a Ceilings> {
        self.run.environment().map(|environment| &environment.ceilings)
    }

    /// Columns that are not swept and have a time at some n, in the catalogue's order.
    pub fn timed_columns(&self) -> Vec<&Column> {
        let mut columns: Vec<&Column> = self
            .plain()
            .into_iter()
            .filter(|column| self.sizes().iter().any(|&n| self.time(column, n).is_some()))
            .collect();
        columns.sort_by_key(|column| place(&column.implementation));
        columns
    }

    /// The element types of the run's graphs. Times are of the first, f32 where it is among them: others are other numbers.
    pub fn elements(&self) -> (ElementType, Vec<ElementType>) {
        let mut all = self.experiment.elements().into_iter();
        (all.next().unwrap_or_default(), all.collect())
    }

    /// The graphs that times are of where no graph is named.
    pub fn graphs(&self) -> Vec<&'a str> {
        self.graphs_of(self.elements().0)
    }

    /// The median of a cell; over several graphs the mean of the medians, and an interval that holds all of theirs.
    pub fn time(&self, column: &Column, n: usize) -> Option<Time> {
        self.time_on(column, n, Scope::Kernel, &self.graphs())
    }

    /// The seconds of a cell by the clock of scope kernel.
    pub fn seconds(&self, column: &Column, n: usize) -> Option<f64> {
        self.seconds_by(column, n, Scope::Kernel)
    }

    /// The seconds of a cell by this clock.
    pub fn seconds_by(&self, column: &Column, n: usize, scope: Scope) -> Option<f64> {
        Some(self.at(column, n, scope)?.median)
    }

    /// The time of a cell by this clock.
    pub fn at(&self, column: &Column, n: usize, scope: Scope) -> Option<Time> {
        self.time_on(column, n, scope, &self.graphs())
    }

    /// The time of a cell by this clock: the mean over these graphs.
    pub fn time_on(&self, column: &Column, n: usize, scope: Scope, graphs: &[&str]) -> Option<Time> {
        let times: Vec<Time> =
            graphs.iter().filter_map(|graph| self.cell_time(column, n, scope, graph)).collect();
        mean(&times)
    }

    fn cell_time(&self, column: &Column, n: usize, scope: Scope, graph: &str) -> Option<Time> {
        let row = self.row(column, n, graph)?;
        if !row.is_timed() {
            return None;
        }
        let timed = self.run.cell(&row.cell()).timed(scope)?;
        let Estimate { value: median, low, high } = timed.seconds;
        let time = Time { median, low: Some(low), high: Some(high), facts: facts(row, timed.samples.len()) };
        Some(time).filter(|time| time.median.is_finite() && time.median > 0.0)
    }

    /// The kernels of a column on all graphs, as they were timed.
    pub fn kernels(&self, column: &Column, n: usize) -> Vec<&'a KernelTimeRow> {
        let is_of = |row: &&KernelTimeRow| {
            (&*row.implementation, &*row.params, row.n) == (&*column.implementation, &*column.params, n)
        };
        self.run.results.kernel_times.iter().filter(is_of).collect()
    }

    /// How many times as long `slower` takes, on the graphs that both were measured on.
    pub fn ratio(&self, slower: &Column, faster: &Column, n: usize, scope: Scope) -> Option<Time> {
        let graphs: Vec<&str> = self
            .graphs()
            .into_iter()
            .filter(|graph| {
                [slower, faster].iter().all(|column| self.cell_time(column, n, scope, graph).is_some())
            })
            .collect();
        let (slow, fast) =
            (self.time_on(slower, n, scope, &graphs)?, self.time_on(faster, n, scope, &graphs)?);
        Some(over(slow, fast))
    }

    /// How many times as fast one implementation is as another, by the first column of each.
    pub fn times_as_fast(&self, faster: &str, slower: &str, n: usize) -> Option<f64> {
        Some(self.seconds(self.of(slower)?, n)? / self.seconds(self.of(faster)?, n)?)
    }

    /// Where a figure of these sizes comes from, or of all that were measured where there are none.
    pub fn source(&self, sizes: impl IntoIterator<Item = usize>) -> Source {
        source::of_run(self.run).of_sizes(sizes)
    }

    /// What `of` makes of the time of a column, and of the paper's.
    pub fn point(&self, column: &Column, n: usize, of: impl Fn(Time) -> Time) -> Option<Point> {
        let mut point = of(self.time(column, n)?).at(n as f64);
        point.facts.published =
            self.published(column, n).map(|paper| Published::value(of(Time::exact(paper)).median));
        Some(point)
    }

    /// The paper's seconds of a column that it has.
    pub fn published(&self, column: &Column, n: usize) -> Option<f64> {
        let first = self.of(&column.implementation)?;
        self.table?.seconds(&column.implementation, n).filter(|_| first.params == column.params)
    }
}
