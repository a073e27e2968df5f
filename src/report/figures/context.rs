//! What figures look up in a run: medians with their intervals, labels, what its paper published.

use super::{source, words};
use crate::graph::ElementType;
use crate::implementation::Parameters;
use crate::published::{PublishedPaper, PublishedTable};
use crate::report::figures::looks::{look, place};
use crate::report::plot::{Facts, Point, Published, Series, Source, Stroke};
use crate::results::{StoredRun, SummaryRow};
use crate::show::{Columns, TableColumn, estimates};
use crate::store::KernelTimeRow;
use crate::timing::{Ceilings, Estimate, Scope};
use repro_types::CellId;

/// A time with the interval that it lies in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Time {
    pub median: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub facts: Facts,
}

/// A run with what its figures need.
pub struct Context<'a> {
    pub run: &'a StoredRun,
    pub columns: Columns<'a>,
    pub paper: Option<&'a PublishedPaper>,
    /// The table that the experiment reproduces.
    pub table: Option<&'a PublishedTable>,
}

impl<'a> Context<'a> {
    pub fn new(run: &'a StoredRun, papers: &'a [PublishedPaper]) -> Self {
        let experiment = &run.manifest.experiment;
        let paper = experiment.paper.as_ref().and_then(|id| papers.iter().find(|paper| paper.id == *id));
        let table = experiment.table.as_ref().and_then(|id| paper?.table(id));
        Self { run, columns: Columns::new(experiment, &run.results.summary), paper, table }
    }

    /// Bytes that a task moves by the implementation's model.
    pub fn bytes_a_task(&self, column: &TableColumn) -> Option<f64> {
        self.run.results.facts.variant(column.variant())?.bytes_a_task
    }

    pub fn ceilings(&self) -> Option<&Ceilings> {
        self.run.environment().map(|environment| &environment.ceilings)
    }

    /// Columns that are not swept and have a time at some n, in the catalogue's order.
    pub fn timed_columns(&self) -> Vec<&TableColumn> {
        let mut columns: Vec<&TableColumn> = self
            .columns
            .plain()
            .into_iter()
            .filter(|column| self.columns.sizes().iter().any(|&n| self.time(column, n).is_some()))
            .collect();
        columns.sort_by_key(|column| place(&column.implementation));
        columns
    }

    /// The element types of the run's graphs. Figures are of the first, f32 where it is among them: others are other numbers.
    pub fn elements(&self) -> (ElementType, Vec<ElementType>) {
        let mut all = self.run.manifest.experiment.elements().into_iter();
        (all.next().unwrap_or_default(), all.collect())
    }

    /// The graphs that a figure is of.
    pub fn graphs(&self) -> Vec<&'a str> {
        self.columns.graphs_of(self.elements().0)
    }

    /// The median of a cell; over several graphs the mean of the medians, and an interval that holds all of theirs.
    pub fn time(&self, column: &TableColumn, n: usize) -> Option<Time> {
        self.time_on(column, n, Scope::Kernel, &self.graphs())
    }

    /// The time of a cell by this clock: the mean over these graphs.
    pub fn time_on(&self, column: &TableColumn, n: usize, scope: Scope, graphs: &[&str]) -> Option<Time> {
        let times: Vec<Time> =
            graphs.iter().filter_map(|graph| self.cell_time(column, n, scope, graph)).collect();
        mean(&times)
    }

    fn cell_time(&self, column: &TableColumn, n: usize, scope: Scope, graph: &str) -> Option<Time> {
        let row = self.columns.row(column, n, graph)?;
        if !row.is_timed() {
            return None;
        }
        let timed = self.run.cell(&row.cell()).timed(scope)?;
        let Estimate { value: median, low, high } = timed.seconds;
        let time = Time { median, low: Some(low), high: Some(high), facts: facts(row, timed.samples.len()) };
        Some(time).filter(|time| time.median.is_finite() && time.median > 0.0)
    }

    /// The kernels of a cell on the first graph, as they were timed.
    pub fn kernels(&self, column: &TableColumn, n: usize) -> Vec<&'a KernelTimeRow> {
        let graph = self.graphs().first().copied().unwrap_or_default();
        let cell = CellId::new(&column.implementation, n, &column.params, graph);
        self.run.results.kernel_times.iter().filter(|row| row.cell() == cell).collect()
    }

    /// How many times as long `slower` takes, on the graphs that both were measured on.
    pub fn ratio(&self, slower: &TableColumn, faster: &TableColumn, n: usize, scope: Scope) -> Option<Time> {
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

    /// What a column is called beside its line, wide and narrow: its parameters only where the name alone is not enough, or where
    /// they make its times estimates.
    pub fn labels(&self, column: &TableColumn) -> (String, String) {
        let name = &column.implementation;
        let same = self.columns.all.iter().filter(|other| other.implementation == *name).count();
        let is_estimate = |row: &SummaryRow| {
            (row.implementation.as_str(), row.params.as_str()) == column.variant() && row.iterations.is_some()
        };
        let is_plain = same < 2 && !self.columns.summary.iter().any(is_estimate);
        let params = if same < 2 { column.params.clone() } else { self.telling(column) };
        if is_plain || params.is_empty() {
            return (name.clone(), name.clone());
        }
        (format!("{name}\n{params}"), format!("{name}\n{}", initials(&params)))
    }

    /// The parameters of a column in which the columns of its implementation differ, as records write them.
    fn telling(&self, column: &TableColumn) -> String {
        let parameters = |one: &TableColumn| one.params.parse::<Parameters>().ok();
        let Some(own) = parameters(column) else { return column.params.clone() };
        let others = self.columns.all.iter().filter(|other| other.implementation == column.implementation);
        let others: Vec<Parameters> = others.filter_map(parameters).collect();
        let value = |of: &Parameters, name: &str| of.iter().find(|(known, _)| *known == name).map(|(_, v)| v);
        let differs = |name: &str| others.iter().any(|other| value(other, name) != value(&own, name));
        own.clone().split(differs).0.to_string()
    }

    /// The measured line of a column, from points that `point` gives.
    pub fn series(&self, column: &TableColumn, point: impl Fn(usize) -> Option<Point>) -> Series {
        let (label, short) = self.labels(column);
        let is_first =
            self.columns.of(&column.implementation).is_some_and(|first| first.params == column.params);
        let points = self.columns.sizes().into_iter().filter_map(point).collect();
        Series {
            short: Some(short),
            // Another set of parameters is told by its dashes.
            stroke: if is_first { Stroke::Solid } else { Stroke::Dashed },
            ..Series::new(&label, points, look(&column.implementation))
        }
    }

    /// How a column is named in a sentence.
    pub fn name(&self, column: &TableColumn) -> String {
        match self.labels(column).0.split_once('\n') {
            Some((name, params)) => format!("{name} ({params})"),
            None => column.implementation.clone(),
        }
    }

    /// Where a figure of these sizes comes from, or of all that were measured where there are none.
    pub fn source(&self, sizes: impl IntoIterator<Item = usize>) -> Source {
        source::of_run(self.run).of_sizes(sizes)
    }

    /// What `of` makes of the time of a column, and of the paper's.
    pub fn point(&self, column: &TableColumn, n: usize, of: impl Fn(Time) -> Time) -> Option<Point> {
        let mut point = of(self.time(column, n)?).at(n as f64);
        point.facts.published =
            self.published(column, n).map(|paper| Published::value(of(Time::exact(paper)).median));
        Some(point)
    }

    /// The paper's seconds of a column that it has.
    pub fn published(&self, column: &TableColumn, n: usize) -> Option<f64> {
        let first = self.columns.of(&column.implementation)?;
        self.table?.seconds(&column.implementation, n).filter(|_| first.params == column.params)
    }

    /// That times are of several graphs; empty when they are of one.
    pub fn about_graphs(&self) -> String {
        let graphs = self.graphs();
        if graphs.len() < 2 {
            return String::new();
        }
        let names: Vec<String> = graphs.iter().map(|graph| graph.to_string()).collect();
        format!(
            " Where several graphs ({}) were solved, marks are means of their medians.",
            words::list(&names)
        )
    }
}

impl Context<'_> {
    /// That programs are in no figure of kernels; empty where there are none.
    pub fn about_programs(&self) -> &'static str {
        match self.columns.summary.iter().any(|row| row.program_s.is_some()) {
            true => " Programs stand in figures and tables of their own: they have no time of scope kernel.",
            false => "",
        }
    }

    /// Which times are estimates, and from what; empty where none are.
    pub fn about_estimates(&self) -> String {
        let told = estimates(&self.run.results.summary);
        told.iter().map(|(how, cells)| format!(" {} is {how}.", words::list(cells))).collect()
    }
}

/// The median of the kernel scope.
pub fn kernel_time(row: &SummaryRow) -> Option<Time> {
    let facts = facts(row, row.samples);
    row.median_s.map(|median| Time { median, low: row.ci_low_s, high: row.ci_high_s, facts })
}

fn facts(row: &SummaryRow, samples: usize) -> Facts {
    Facts { samples: Some(samples), estimated: row.estimated().is_some(), ..Facts::default() }
}

/// The mean of all, with an interval that holds those of all.
fn mean(times: &[Time]) -> Option<Time> {
    let count = times.len() as f64;
    let median = times.iter().map(|time| time.median).sum::<f64>() / count;
    let low = times.iter().map(|time| time.low).collect::<Option<Vec<f64>>>();
    let high = times.iter().map(|time| time.high).collect::<Option<Vec<f64>>>();
    let facts = times.iter().map(|time| time.facts).reduce(Facts::with)?;
    Some(Time {
        median,
        low: low.and_then(|all| all.into_iter().reduce(f64::min)),
        high: high.and_then(|all| all.into_iter().reduce(f64::max)),
        facts,
    })
}

/// The ratio of two times, as wide as both intervals allow.
pub fn over(above: Time, below: Time) -> Time {
    Time {
        facts: above.facts.with(below.facts),
        median: above.median / below.median,
        low: above.low.zip(below.high).map(|(low, high)| low / high),
        high: above.high.zip(below.low).filter(|(_, low)| *low > 0.0).map(|(high, low)| high / low),
    }
}

impl Time {
    /// A number that is known without doubt.
    pub fn exact(value: f64) -> Self {
        Self { median: value, low: Some(value), high: Some(value), facts: Facts::default() }
    }

    /// `amount` over the time: more of it is less, and so low and high change places.
    pub fn rate(self, amount: f64) -> Self {
        over(Self::exact(amount), self)
    }

    pub fn times(self, factor: f64) -> Self {
        let times = |value: f64| value * factor;
        let Self { median, low, high, facts } = self;
        Self { median: times(median), low: low.map(times), high: high.map(times), facts }
    }

    /// On a figure at `x`: mostly n.
    pub fn at(self, x: f64) -> Point {
        Point { x, y: self.median, low: self.low, high: self.high, facts: self.facts }
    }
}

/// `blocks-per-multiprocessor=1` as `b-p-m=1`; short names stay as they are.
fn initials(params: &str) -> String {
    let short = |one: &str| match one.split_once('=') {
        Some((name, value)) if name.len() > 12 => {
            let letters: Vec<String> = name.split('-').map(|word| word.chars().take(1).collect()).collect();
            format!("{}={value}", letters.join("-"))
        }
        _ => one.to_string(),
    };
    params.split(';').map(short).collect::<Vec<_>>().join("\n")
}
