//! The value of a quantity at a place, read from records.

use super::place::{Place, explicit};
use super::quantity::{Records, shown};
use crate::graph::ElementType;
use crate::plan::{Dimension, DimensionValue, FigureSpec, Quantity};
use crate::published::{Figure, PublishedTable};
use crate::results::counted_figure;
use crate::store::{CounterRow, KernelTimeRow, RepeatsRow, SampleRow};
use crate::timing::{Estimate, Scope, median};

/// From this many seconds on, the driver's power during a solve is that of the solve. The driver gives a mean over about a second: in
/// shorter solves it includes what was before them, which the report's figure that compares it with the counter confirms.
const LONG_ENOUGH_S: f64 = 1.0;

/// What was measured or counted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Value {
    pub estimate: Estimate,
    pub samples: Option<usize>,
    /// Whether only some of the iterations were run.
    pub is_estimated: bool,
    pub is_under_load: bool,
    pub published: Option<f64>,
    pub run: String,
}

impl Place<'_> {
    /// The value of a quantity at this place, together with the published one.
    pub(super) fn read(&self, quantity: Quantity) -> Option<Value> {
        let mut value = match shown(quantity).records {
            Records::Cells => self.timed(quantity)?,
            Records::KernelTimes => self.exact(self.of_kernel_times(quantity)?),
            Records::Counts => self.exact(self.counted(quantity)?),
            Records::Kernels => self.exact(self.compiled(quantity)?.into()),
        };
        if self.spec.published {
            value.published = self.published(quantity);
        }
        value.estimate.value.is_finite().then_some(value)
    }

    fn exact(&self, value: f64) -> Value {
        Value::exact(value, self.view.run.name())
    }

    /// The median time by the clock of the place.
    pub(super) fn seconds(&self) -> Option<Value> {
        self.seconds_by(self.clock)
    }

    fn seconds_by(&self, clock: Scope) -> Option<Value> {
        let row = self.view.run.row(&self.cell).filter(|row| row.is_timed())?;
        let timed = self.view.run.cell(&self.cell).timed(clock)?;
        let is_time = timed.seconds.value.is_finite() && timed.seconds.value > 0.0;
        is_time.then(|| Value {
            estimate: timed.seconds,
            samples: Some(timed.samples.len()),
            is_estimated: row.iterations.is_some(),
            is_under_load: row.under_load().is_some(),
            ..self.exact(0.0)
        })
    }

    /// Tasks of one solve.
    fn tasks(&self) -> f64 {
        self.view.run.tasks(&self.cell)
    }

    /// How many devices share a solve.
    fn devices(&self) -> f64 {
        self.view.run.results.facts.devices_sharing(&self.cell) as f64
    }

    /// Bytes that a task moves by the implementation's model.
    fn bytes_a_task(&self) -> Option<f64> {
        let run = self.view.run;
        let facts = run.results.facts.variant(&self.cell)?;
        let is_on_device = run.is_on_device(&self.cell.implementation);
        is_on_device.then(|| facts.bytes_per_task * self.element().bytes() as f64 / 4.0)
    }

    /// A quantity that follows from the cell's own records.
    fn timed(&self, quantity: Quantity) -> Option<Value> {
        let device = self.view.run.environment()?.ceilings.device.as_ref();
        let own = self.seconds();
        let rate = |amount: f64| Some(own.clone()?.map(|seconds| Estimate::exact(amount).over(seconds)));
        let times = |value: Option<Value>, by: f64| Some(value?.map(|of| of.times(by)));
        match quantity {
            Quantity::Seconds => own,
            Quantity::TasksASecond => rate(self.tasks()),
            Quantity::GraphsASecond => rate(self.view.run.graph_source(&self.cell.graph)?.graphs() as f64),
            Quantity::GigabytesASecond => rate(self.tasks() * self.bytes_a_task()? * 1e-9),
            Quantity::MovedGigabytesASecond => {
                let moved = |row: &KernelTimeRow| Some((row.loaded_bytes? + row.stored_bytes?) as f64);
                rate(self.sum_of_kernels(moved)? * 1e-9)
            }
            Quantity::CountedGigabytesASecond => rate(self.counters(|row| row.dram_bytes)? * 1e-9),
            Quantity::ShareOfFloor => {
                times(rate(self.tasks() / self.devices()), 100.0 / device?.add_min_tasks_per_s)
            }
            Quantity::ShareOfCopy => {
                times(rate(self.tasks() * self.bytes_a_task()?), 1e-7 / device?.copy_gbs)
            }
            Quantity::WrongResults => self.wrong_results(),
            Quantity::RepeatSolves => Some(self.exact(self.repeats()?.solves as f64)),
            Quantity::OtherResults => Some(self.exact(self.repeats()?.different as f64)),
            Quantity::CountedDramGigabytes => Some(self.exact(self.counters(|row| row.dram_bytes)? * 1e-9)),
            Quantity::CountedL2Gigabytes => Some(self.exact(self.counters(|row| row.l2_bytes)? * 1e-9)),
            Quantity::DramShareOfCopy => {
                times(rate(self.counters(|row| row.dram_bytes)?), 1e-7 / device?.copy_gbs)
            }
            Quantity::SpeedUp => Some(self.reference()?.over(own?)),
            Quantity::RelativeTime => Some(own?.over(self.reference()?)),
            Quantity::PublishedOverHere => rate(self.published_seconds()?),
            Quantity::ShareOfTrueTime => times(Some(own?.over(self.seconds_by(Scope::HostSynced)?)), 100.0),
            Quantity::Efficiency => times(Some(self.reference()?.over(own?)), 100.0 / self.devices()),
            Quantity::Waiting => {
                let rows = || self.view.run.results.extra.devices.iter().filter(|row| row.cell == self.cell);
                let all: f64 = rows().map(|row| row.solve_s).sum();
                (all > 0.0).then(|| self.exact(rows().map(|row| row.waiting_s).sum::<f64>() / all * 100.0))
            }
            Quantity::Joules => Some(self.exact(self.joules()?)),
            Quantity::TasksAJoule => Some(self.exact(self.tasks() / self.joules()?)),
            _ => None,
        }
    }

    fn counter_rows(&self) -> impl Iterator<Item = &CounterRow> {
        self.view.run.results.extra.counters.iter().filter(|row| row.cell == self.cell)
    }

    /// A sum of the GPU's counters over all kernels of a solve. None if it is 0.
    fn counters(&self, of: impl Fn(&CounterRow) -> u64) -> Option<f64> {
        let sum: u64 = self.counter_rows().map(of).sum();
        Some(sum as f64).filter(|sum| *sum > 0.0)
    }

    fn repeats(&self) -> Option<&RepeatsRow> {
        self.view.run.results.extra.repeats.iter().find(|row| row.cell == self.cell)
    }

    /// How many results were wrong, of those that were compared with the reference. None if none was compared.
    fn wrong_results(&self) -> Option<Value> {
        let judged = self.view.run.judged().filter(|(row, _)| row.is_of(&self.cell));
        let judged: Vec<bool> = judged.map(|(_, is_right)| is_right).collect();
        let wrong = judged.iter().filter(|is_right| !**is_right).count();
        let value = Value { samples: Some(judged.len()), ..self.exact(wrong as f64) };
        (!judged.is_empty()).then_some(value)
    }

    /// Joules of one solve: by the GPU's counter over consecutive solves or, without that, from the driver's power during samples on a
    /// device that are long enough. The median of several.
    fn joules(&self) -> Option<f64> {
        let (run, cell) = (self.view.run, &self.cell);
        let repeats = run.results.extra.repeats.iter().filter(|row| row.cell == *cell);
        let by_counter: Vec<f64> =
            repeats.filter_map(|row| Some(row.joules? / row.solves.max(1) as f64)).collect();
        let by_reading = || -> Vec<f64> {
            let timed = run.cell(cell).timed(Scope::Kernel);
            let timed = timed.filter(|_| run.is_on_device(&cell.implementation));
            let rows = timed.into_iter().flat_map(|timed| timed.rows(&run.samples));
            let is_long = |row: &&SampleRow| row.clocked().is_some_and(|seconds| seconds >= LONG_ENOUGH_S);
            rows.filter(is_long).filter_map(|row| Some(row.power_w? * row.seconds?)).collect()
        };
        median(&if by_counter.is_empty() { by_reading() } else { by_counter })
    }

    /// The seconds that a ratio compares with: those of the same cell but for what the figure names. If the
    /// clock did not read it, the clock around the launches counts, as on the CPU.
    fn reference(&self) -> Option<Value> {
        let spec = self.spec;
        let wanted = |dimension: &Dimension| spec.over.get(dimension);
        let implementation = match wanted(&Dimension::Implementation) {
            Some(DimensionValue::Text(name)) => name.as_str(),
            _ => &self.cell.implementation,
        };
        let is_other = implementation != self.cell.implementation;
        let own = explicit(&self.cell);
        let is_alike = |other: &Place| {
            let asked = spec.over.iter().all(|(dimension, value)| {
                matches!(dimension, Dimension::Clock) || other.at(dimension).as_ref() == Some(value)
            });
            let explicit = explicit(&other.cell);
            let kept = |(name, value): (&str, u32)| {
                let is_asked = spec.over.contains_key(&Dimension::Parameter(name.to_string()));
                let others = if is_other { &explicit } else { &other.set };
                is_asked || others.iter().all(|(known, other)| known != name || other == value)
            };
            asked && if is_other { own.iter().all(kept) } else { self.set.iter().all(kept) }
        };
        let same_graph = wanted(&Dimension::Graph).is_none() && wanted(&Dimension::EdgesPerVertex).is_none();
        let rows = self.view.run.results.summary.iter().filter(|row| {
            row.implementation == implementation
                && (row.n == self.cell.n || wanted(&Dimension::N).is_some())
                && (row.graph == self.cell.graph || !same_graph)
        });
        let mut others = rows.map(|row| self.view.place(self.spec, row.cell(), None)).filter(is_alike);
        let clock = match wanted(&Dimension::Clock) {
            Some(DimensionValue::Text(name)) => name.parse().ok()?,
            _ => self.clock,
        };
        let found = others.find_map(|other| other.seconds_by(clock).or_else(|| other.seconds()))?;
        // A line's reference that is part of it gets no interval, which would widen the line beyond what it shows.
        Some(if is_other { found } else { found.map(|seconds| Estimate::exact(seconds.value)) })
    }

    fn sum_of_kernels(&self, of: impl Fn(&KernelTimeRow) -> Option<f64>) -> Option<f64> {
        let rows = self.view.run.results.extra.kernel_times.iter().filter(|row| row.cell == self.cell);
        let rows = rows.filter(|row| self.kernel.is_none_or(|kernel| kernel == row.kernel));
        rows.map(of).sum::<Option<f64>>().filter(|sum| *sum > 0.0)
    }

    fn of_kernel_times(&self, quantity: Quantity) -> Option<f64> {
        match quantity {
            Quantity::KernelLaunches => self.sum_of_kernels(|row| Some(row.launches as f64)),
            Quantity::LoadedGigabytes => self.sum_of_kernels(|row| Some(row.loaded_bytes? as f64 * 1e-9)),
            Quantity::StoredGigabytes => self.sum_of_kernels(|row| Some(row.stored_bytes? as f64 * 1e-9)),
            Quantity::KernelShare => {
                let all = Self { kernel: None, ..self.clone() }.sum_of_kernels(|row| Some(row.seconds))?;
                Some(self.sum_of_kernels(|row| Some(row.seconds))? / all * 100.0)
            }
            Quantity::MultiprocessorThroughput => {
                Some(self.counter_rows().find(|row| self.kernel == Some(&row.kernel))?.multiprocessor_percent)
            }
            _ => self.sum_of_kernels(|row| Some(row.seconds)),
        }
    }

    fn counted(&self, quantity: Quantity) -> Option<f64> {
        let mut rows = self.view.run.results.extra.counts.iter();
        let row = rows.find(|row| row.cell == self.cell && Some(&*row.kernel) == self.kernel)?;
        let (counts, tasks) = (row.counts, row.tasks.filter(|tasks| *tasks > 0));
        let figure = match quantity {
            Quantity::SectorBytesATask => return Some(counts.transferred_bytes() as f64 / tasks? as f64),
            Quantity::WorstLoadSteps32 => return Some(counts.shared_load.banks_32.worst as f64),
            Quantity::UnlikePlain => return Some(row.unlike_plain? as f64),
            Quantity::Blocks => Figure::Blocks,
            Quantity::GlobalBytesATask => Figure::GlobalBytesATask,
            Quantity::StoredBytesATask => Figure::StoredBytesATask,
            Quantity::LoadSectorsUsed => Figure::LoadSectorsUsed,
            Quantity::WorstLoadSteps16 => Figure::WorstLoadSteps16,
            Quantity::SharedBytesOfPaper => Figure::SharedBytesOfPaper,
            Quantity::ResidentBlocksByShared => Figure::ResidentBlocksByShared,
            Quantity::Occupancy => Figure::Occupancy,
            _ => Figure::Launches,
        };
        counted_figure(figure, counts, tasks, self.view.gpu.as_ref())
    }

    fn compiled(&self, quantity: Quantity) -> Option<u32> {
        let record = self.view.run.results.facts.variant(&self.cell)?;
        let kernel = record.kernels.iter().find(|one| Some(&*one.resources.kernel) == self.kernel)?;
        let of = &kernel.resources;
        Some(match quantity {
            Quantity::Registers => of.registers,
            Quantity::SharedBytes => of.shared_bytes,
            Quantity::LocalBytes => of.local_bytes,
            Quantity::Threads => of.threads,
            _ => of.resident_blocks,
        })
    }

    /// The paper's seconds for this cell, if it is of the first column of its implementation.
    fn published_seconds(&self) -> Option<f64> {
        let columns = &self.view.run.manifest.experiment.columns;
        let first = columns.iter().find(|column| column.implementation == self.cell.implementation)?;
        let seconds = self.view.table?.seconds(&self.cell.implementation, self.cell.n);
        let is_of_papers = self.element() == ElementType::F32;
        seconds.filter(|_| is_of_papers && first.parameters.to_string() == self.cell.params)
    }

    /// The published value of a quantity, from the paper's seconds.
    fn published(&self, quantity: Quantity) -> Option<f64> {
        let of = (self.cell.n, self.published_seconds()?);
        of_table(self.view.table?, self.spec, quantity, of, self.bytes_a_task())
    }
}

/// The value of a quantity that follows from a paper's seconds of a solve of n.
pub(super) fn of_table(
    table: &PublishedTable,
    spec: &FigureSpec,
    quantity: Quantity,
    (n, seconds): (usize, f64),
    bytes: Option<f64>,
) -> Option<f64> {
    let tasks = (n as f64).powi(3);
    match (quantity, spec.over.get(&Dimension::Implementation)) {
        (Quantity::Seconds, _) => Some(seconds),
        (Quantity::TasksASecond, _) => Some(tasks / seconds),
        (Quantity::GigabytesASecond, _) => Some(tasks / seconds * bytes? * 1e-9),
        (Quantity::SpeedUp, Some(DimensionValue::Text(other))) => Some(table.seconds(other, n)? / seconds),
        _ => None,
    }
}

impl Value {
    /// A number without samples, from `run`.
    pub(super) fn exact(value: f64, run: String) -> Self {
        let (samples, is_estimated, is_under_load) = (None, false, false);
        let estimate = Estimate::exact(value);
        Self { estimate, samples, is_estimated, is_under_load, published: None, run }
    }

    /// The ends of its interval. None if the value is exact.
    pub(super) fn interval(&self) -> Option<(f64, f64)> {
        let Estimate { low, high, .. } = self.estimate;
        (low < high).then_some((low, high))
    }

    fn map(self, of: impl Fn(Estimate) -> Estimate) -> Self {
        Self { estimate: of(self.estimate), ..self }
    }

    /// The ratio of two values, with the lesser number of samples.
    fn over(self, below: Self) -> Self {
        Self {
            estimate: self.estimate.over(below.estimate),
            samples: self.samples.min(below.samples).or(self.samples),
            is_estimated: self.is_estimated || below.is_estimated,
            is_under_load: self.is_under_load || below.is_under_load,
            ..self
        }
    }

    /// The mean of values on several graphs, with an interval that contains all of theirs.
    pub(super) fn mean(all: &[Self]) -> Option<Self> {
        let first = all.first()?.clone();
        let of = |end: fn(&Self) -> f64| all.iter().map(end);
        let count = all.len() as f64;
        Some(Self {
            estimate: Estimate {
                value: of(|one| one.estimate.value).sum::<f64>() / count,
                low: of(|one| one.estimate.low).fold(f64::INFINITY, f64::min),
                high: of(|one| one.estimate.high).fold(f64::NEG_INFINITY, f64::max),
            },
            samples: all.iter().filter_map(|one| one.samples).min(),
            is_estimated: all.iter().any(|one| one.is_estimated),
            is_under_load: all.iter().any(|one| one.is_under_load),
            ..first
        })
    }
}
